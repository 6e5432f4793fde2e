/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that backends are likely to make and that the simulator does not know. They
 * end the run with a message; passed on to the host, they would let the host decide,
 * on descriptors and processes that it has never heard of.
 */
#include "engine/sim/rename.h"

#include "engine/sim/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

/* type, function, its parameters, what to use instead */
#define REFUSED(X)                                                             \
	X(pid_t, fork, (void), "a thread, which kill() takes for a process") \
	X(int, open, (const char *path, int flags, ...), "pipe()")             \
	X(int, dup, (int fd), "another pipe()")                                \
	X(int, dup2, (int fd, int to), "another pipe()")                       \
	X(int, dup3, (int fd, int to, int flags), "another pipe()")            \
	X(int, ioctl, (int fd, unsigned long request, ...), "fcntl()")         \
	X(ssize_t, readv, (int fd, const struct iovec *v, int n), "read()")    \
	X(ssize_t, writev, (int fd, const struct iovec *v, int n), "write()")  \
	X(int, socket, (int domain, int type, int protocol), "socketpair()")   \
	X(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), "recv()")   \
	X(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), "send()") \
	X(int, signalfd, (int fd, const sigset_t *set, int flags), "sigwait()") \
	X(int, timerfd_create, (clockid_t id, int flags), "the timeout of poll()") \
	X(int, mq_notify, (mqd_t mq, const struct sigevent *e), "mq_receive()") \
	X(int, mq_setattr,                                                     \
	  (mqd_t mq, const struct mq_attr *attr, struct mq_attr *ret_old),     \
	  "O_NONBLOCK in mq_open()")                                           \
	X(int, shmget, (key_t key, size_t size, int flags), "the lock's own memory") \
	X(int, sigaction,                                                      \
	  (int number, const struct sigaction *action, struct sigaction *ret_old), \
	  "sigwait()")                                                         \
	X(int, sigsuspend, (const sigset_t *set), "sigwait()")                 \
	X(int, sigqueue, (pid_t pid, int number, const union sigval value), "kill()") \
	X(int, raise, (int number), "kill()")                                  \
	X(unsigned, alarm, (unsigned seconds), "sigtimedwait()")               \
	X(int, setitimer,                                                      \
	  (__itimer_which_t which, const struct itimerval *value,              \
	   struct itimerval *ret_old), "sigtimedwait()")                       \
	X(int, pthread_cancel, (pthread_t thread), "a flag that the thread looks at") \
	X(int, pthread_tryjoin_np, (pthread_t thread, void **value), "pthread_join()") \
	X(int, pthread_timedjoin_np,                                           \
	  (pthread_t thread, void **value, const struct timespec *t), "pthread_join()") \
	X(int, pthread_clockjoin_np,                                           \
	  (pthread_t thread, void **value, clockid_t id, const struct timespec *t), \
	  "pthread_join()")                                                    \
	X(int, pthread_mutex_consistent, (pthread_mutex_t *m),                 \
	  "a mutex that is not robust")                                        \
	X(int, pthread_mutex_setprioceiling,                                   \
	  (pthread_mutex_t *m, int ceiling, int *ret_old), "priority inheritance") \
	X(int, pthread_setschedparam,                                          \
	  (pthread_t thread, int policy, const struct sched_param *parameter), \
	  "threads of one priority")                                           \
	X(int, pthread_setschedprio, (pthread_t thread, int priority),         \
	  "threads of one priority")                                           \
	X(int, pthread_setaffinity_np,                                         \
	  (pthread_t thread, size_t size, const cpu_set_t *set),               \
	  "a machine model with fewer CPUs")                                   \
	X(int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set), \
	  "a machine model with fewer CPUs")                                   \
	X(int, sched_setscheduler,                                             \
	  (pid_t pid, int policy, const struct sched_param *parameter),        \
	  "threads of one priority")

static int refuse(const char *name, const char *instead)
{
	lf_sim_abort("%s() is not simulated; use %s, or declare the backend for engine "
		     "threads only", name, instead);
	errno = ENOSYS;
	return -1;
}

/* The names of the parameters are the documentation. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* #name is not replaced, so that messages have the name that sources have. */
#define X(type, name, parameters, instead)                                     \
	type lf_sim_##name parameters                                          \
	{                                                                      \
		return (type)refuse(#name, instead);                           \
	}
REFUSED(X)
#undef X

sem_t *lf_sim_sem_open(const char *name, int flags, ...)
{
	refuse("sem_open", "sem_init()");
	return SEM_FAILED;
}

int lf_sim_pause_call(void)
{
	return refuse("pause", "sigwait()");
}

__sighandler_t lf_sim_signal(int number, __sighandler_t handler)
{
	refuse("signal", "sigwait()");
	return SIG_ERR;
}
