/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the simulator does not know ends a run with its name, each time. The code
 * below reads as any program's; rename.h sends its calls to the simulator.
 */
#ifdef LF_HAVE_SIM
#include "engine/sim/rename.h"
#endif

#include "suites/unit/suites.h"

#ifdef LF_HAVE_SIM

#include "core/registry.h"
#include "suites/unit/play.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static int word;
static sem_t sem;

static long futex(int op, int value, int value2, int *other)
{
	return syscall(SYS_futex, &word, op | FUTEX_PRIVATE_FLAG, value, (long)value2,
		       other, 0);
}

static void init_robust(struct lf_thread *t)
{
	pthread_mutexattr_t attr;
	(void)t;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attr);
}

static void init_ceiling(struct lf_thread *t)
{
	pthread_mutexattr_t attr;
	(void)t;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT);
	pthread_mutex_init(&mutex, &attr);
}

static void wake_op(struct lf_thread *t)
{
	(void)t;
	futex(FUTEX_WAKE_OP, 1, 1, &word);
}

static void requeue_pi(struct lf_thread *t)
{
	(void)t;
	futex(12, 1, 1, &word);
}

static void unheard_of_operation(struct lf_thread *t)
{
	(void)t;
	futex(99, 1, 1, &word);
}

static void robust_list(struct lf_thread *t)
{
	(void)t;
	syscall(SYS_set_robust_list, NULL, 0);
}

static void unheard_of_call(struct lf_thread *t)
{
	(void)t;
	syscall(9999);
}

static void ask_system(struct lf_thread *t)
{
	(void)t;
	sysconf(_SC_ARG_MAX);
}

static void end_thread(struct lf_thread *t)
{
	(void)t;
	pthread_exit(NULL);
}

#define CALLER(function, ...)                                                  \
	static void call_##function(struct lf_thread *t)                       \
	{                                                                      \
		(void)t;                                                       \
		(void)function(__VA_ARGS__);                                   \
	}

static struct sched_param priority;
static cpu_set_t cpus;
static int number;
static sigset_t signals;
static struct mq_attr attributes;
static struct itimerval interval;

CALLER(pthread_cancel, pthread_self())
CALLER(pthread_tryjoin_np, pthread_self(), NULL)
CALLER(pthread_timedjoin_np, pthread_self(), NULL, NULL)
CALLER(pthread_clockjoin_np, pthread_self(), NULL, CLOCK_REALTIME, NULL)
CALLER(pthread_mutex_consistent, &mutex)
CALLER(pthread_mutex_setprioceiling, &mutex, 1, &number)
CALLER(pthread_setschedparam, pthread_self(), SCHED_OTHER, &priority)
CALLER(pthread_setschedprio, pthread_self(), 1)
CALLER(pthread_setaffinity_np, pthread_self(), sizeof cpus, &cpus)
CALLER(sched_setaffinity, 0, sizeof cpus, &cpus)
CALLER(sched_setscheduler, 0, SCHED_OTHER, &priority)
CALLER(sem_open, "/none", 0)
CALLER(pause, )
CALLER(fork, )
CALLER(open, "/none", 0)
CALLER(dup, 0)
CALLER(dup2, 0, 0)
CALLER(dup3, 0, 0, 0)
CALLER(ioctl, 0, 0)
CALLER(readv, 0, NULL, 0)
CALLER(writev, 0, NULL, 0)
CALLER(socket, 0, 0, 0)
CALLER(recvmsg, 0, NULL, 0)
CALLER(sendmsg, 0, NULL, 0)
CALLER(signalfd, 0, &signals, 0)
CALLER(timerfd_create, 0, 0)
CALLER(mq_notify, 0, NULL)
CALLER(mq_setattr, 0, &attributes, NULL)
CALLER(shmget, 0, 0, 0)
CALLER(sigaction, 0, NULL, NULL)
CALLER(signal, 0, SIG_IGN)
CALLER(sigsuspend, &signals)
CALLER(sigqueue, 0, 0, (union sigval){ 0 })
CALLER(raise, 0)
CALLER(alarm, 0)
CALLER(setitimer, ITIMER_REAL, &interval, NULL)

static const struct {
	lf_play_role *run;
	const char *says;
} unknown[] = {
	{ init_robust, "PTHREAD_MUTEX_ROBUST" },
	{ init_ceiling, "PTHREAD_PRIO_PROTECT" },
	{ wake_op, "futex operation 5 (FUTEX_WAKE_OP)" },
	{ requeue_pi, "futex operation 12 (FUTEX_CMP_REQUEUE_PI)" },
	{ unheard_of_operation, "futex operation 99 is not" },
	{ robust_list, "(set_robust_list)" },
	{ unheard_of_call, "system call 9999" },
	{ ask_system, "sysconf(" },
	{ end_thread, "ends a thread that it did not start" },
	{ call_pthread_cancel, "pthread_cancel()" },
	{ call_pthread_tryjoin_np, "pthread_tryjoin_np()" },
	{ call_pthread_timedjoin_np, "pthread_timedjoin_np()" },
	{ call_pthread_clockjoin_np, "pthread_clockjoin_np()" },
	{ call_pthread_mutex_consistent, "pthread_mutex_consistent()" },
	{ call_pthread_mutex_setprioceiling, "pthread_mutex_setprioceiling()" },
	{ call_pthread_setschedparam, "pthread_setschedparam()" },
	{ call_pthread_setschedprio, "pthread_setschedprio()" },
	{ call_pthread_setaffinity_np, "pthread_setaffinity_np()" },
	{ call_sched_setaffinity, "sched_setaffinity()" },
	{ call_sched_setscheduler, "sched_setscheduler()" },
	{ call_sem_open, "sem_open()" },
	{ call_pause, "pause()" },
	{ call_fork, "fork() is not simulated; use a thread, which kill() takes for a "
		     "process, or declare the backend for engine threads only" },
	{ call_open, "open() is not simulated" },
	{ call_dup, "dup() is not simulated" },
	{ call_dup2, "dup2() is not simulated" },
	{ call_dup3, "dup3() is not simulated" },
	{ call_ioctl, "ioctl() is not simulated" },
	{ call_readv, "readv() is not simulated" },
	{ call_writev, "writev() is not simulated" },
	{ call_socket, "socket() is not simulated" },
	{ call_recvmsg, "recvmsg() is not simulated" },
	{ call_sendmsg, "sendmsg() is not simulated" },
	{ call_signalfd, "signalfd() is not simulated" },
	{ call_timerfd_create, "timerfd_create() is not simulated" },
	{ call_mq_notify, "mq_notify() is not simulated" },
	{ call_mq_setattr, "mq_setattr() is not simulated" },
	{ call_shmget, "shmget() is not simulated" },
	{ call_sigaction, "sigaction() is not simulated" },
	{ call_signal, "signal() is not simulated" },
	{ call_sigsuspend, "sigsuspend() is not simulated" },
	{ call_sigqueue, "sigqueue() is not simulated" },
	{ call_raise, "raise() is not simulated" },
	{ call_alarm, "alarm() is not simulated" },
	{ call_setitimer, "setitimer() is not simulated" },
};

#define UNKNOWN (int)(sizeof unknown / sizeof unknown[0])

START_TEST(what_is_not_simulated_is_named)
{
	const struct trial *t = lf_play_freely(unknown[_i].run, NULL, NULL);
	ck_assert_int_eq(t->rc, -ENOTSUP);
	ck_assert_msg(strstr(t->error.text, unknown[_i].says), "\"%s\" is not in \"%s\"",
		      unknown[_i].says, t->error.text);
}
END_TEST

static int wait_in_init(void *lock, const int64_t param[])
{
	(void)lock;
	(void)param;
	sem_init(&sem, 0, 0);
	return sem_wait(&sem);
}

START_TEST(waiting_where_nobody_can_post_is_named)
{
	static const struct lf_mutex_ops ops = { .init = wait_in_init };
	static const struct lf_backend backend = { .name = "waits", .lock_size = 1,
						   .mutex = &ops };
	struct lf_cell cell = lf_trial_cell("ticket", lf_scenario_find("exclusion"), "smp4");
	cell.twin = &backend;
	const struct trial *t = lf_trial_of(&cell, "smp4", 1);
	ck_assert_int_eq(t->rc, -ENOTSUP);
	ck_assert_msg(strstr(t->error.text, "waits for a semaphore in init()"), "%s",
		      t->error.text);
}
END_TEST

Suite *lf_test_sim_unknown(void)
{
	Suite *s = suite_create("sim_unknown");
	TCase *t = tcase_create("named");
	tcase_add_loop_test(t, what_is_not_simulated_is_named, 0, UNKNOWN);
	tcase_add_test(t, waiting_where_nobody_can_post_is_named);
	suite_add_tcase(s, t);
	return s;
}

#else

Suite *lf_test_sim_unknown(void)
{
	return suite_create("sim_unknown");
}

#endif
