/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel and the clock of the simulated machine: time and sleep, yield,
 * futexes. What is not here ends the run with a message that names it; passing it
 * on to the host would let the host decide.
 */
#include "engine/sim/rename.h"

#include "engine/sim/kernel.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Clocks do not start at 0, which some locks take for "never". */
#define EPOCH_NS UINT64_C(1000000000000)
#define SECOND_NS UINT64_C(1000000000)

/* --- time --------------------------------------------------------------------------- */

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS) };
}

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * SECOND_NS + (uint64_t)t->tv_nsec;
}

uint64_t lf_sim_deadline(const struct timespec *t)
{
	uint64_t ns = t->tv_sec < 0 ? 0 : ns_of(t);
	return ns > EPOCH_NS ? ns - EPOCH_NS : 0;
}

uint64_t lf_sim_deadline_in(const struct timespec *t)
{
	return t ? lf_sim.now_ns + ns_of(t) : LF_SIM_NEVER;
}

bool lf_sim_is_span(const struct timespec *t)
{
	return !t || (t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < (long)SECOND_NS);
}

int lf_sim_refuse_span(void)
{
	lf_sim_system_call();
	return (int)lf_sim_result(-EINVAL);
}

uint64_t lf_sim_deadline_in_ms(int timeout_ms)
{
	if (timeout_ms < 0)
		return LF_SIM_NEVER;
	return lf_sim.now_ns + (uint64_t)timeout_ms * 1000000;
}

static uint64_t read_clock(void)
{
	if (lf_sim.self)
		lf_sim_advance(lf_sim.machine.cost_clock_ns);
	return EPOCH_NS + lf_sim.now_ns;
}

int lf_sim_clock_gettime(clockid_t id, struct timespec *ret_time)
{
	uint64_t ns = read_clock();
	if (id == CLOCK_THREAD_CPUTIME_ID || id == CLOCK_PROCESS_CPUTIME_ID)
		ns = lf_sim.self ? lf_sim_cpu_ns(lf_sim.self) : 0;
	*ret_time = timespec_of(ns);
	return 0;
}

int lf_sim_timespec_get(struct timespec *ret_time, int base)
{
	*ret_time = timespec_of(read_clock());
	return base;
}

int lf_sim_gettimeofday(struct timeval *ret_time, void *zone)
{
	uint64_t ns = read_clock();
	(void)zone;
	*ret_time = (struct timeval){ (time_t)(ns / SECOND_NS),
				      (suseconds_t)(ns % SECOND_NS / 1000) };
	return 0;
}

time_t lf_sim_time(time_t *ret_time)
{
	time_t seconds = (time_t)(read_clock() / SECOND_NS);
	if (ret_time)
		*ret_time = seconds;
	return seconds;
}

clock_t lf_sim_clock(void)
{
	uint64_t ns = lf_sim.self ? lf_sim_cpu_ns(lf_sim.self) : 0;
	return (clock_t)(ns / 1000);
}

/* One cycle to the nanosecond. */
unsigned long long lf_sim_cycles(void)
{
	return read_clock();
}

void lf_sim_pause(void)
{
	if (lf_sim.self)
		lf_sim_advance(lf_sim.machine.cost_pause_ns);
}

static void sleep_until(uint64_t deadline_ns)
{
	lf_sim.self->wait.what = "sleep";
	lf_sim_block(deadline_ns);
}

/* From within the kernel on: the shortest of sleeps is one, as late as a timer
 * can be. */
static void sleep_for(uint64_t ns)
{
	if (!lf_sim_can_wait("a timer"))
		return;
	lf_sim_system_call();
	sleep_until(lf_sim.now_ns + ns);
}

int lf_sim_nanosleep(const struct timespec *t, struct timespec *rest)
{
	(void)rest;
	sleep_for(ns_of(t));
	return 0;
}

int lf_sim_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
			   struct timespec *rest)
{
	(void)id;
	(void)rest;
	if (!(flags & TIMER_ABSTIME)) {
		sleep_for(ns_of(t));
		return 0;
	}
	if (!lf_sim_can_wait("a timer"))
		return 0;
	lf_sim_system_call();
	if (lf_sim_deadline(t) >= lf_sim.now_ns)
		sleep_until(lf_sim_deadline(t));
	return 0;
}

int lf_sim_usleep(useconds_t us)
{
	sleep_for((uint64_t)us * 1000);
	return 0;
}

unsigned lf_sim_sleep(unsigned seconds)
{
	sleep_for(seconds * SECOND_NS);
	return 0;
}

/* --- who and where ------------------------------------------------------------------ */

int lf_sim_sched_yield(void)
{
	if (lf_sim.self)
		lf_sim_yield();
	return 0;
}

pid_t lf_sim_gettid(void)
{
	return lf_sim_number(lf_sim.self);
}

/* Every thread is a process of its own to kill(). */
pid_t lf_sim_getpid(void)
{
	return lf_sim_gettid();
}

int lf_sim_sched_getcpu(void)
{
	return lf_sim.self ? (int)lf_sim.self->cpu : 0;
}

int lf_sim_get_nprocs(void)
{
	return (int)lf_sim.machine.machine_cpus;
}

long lf_sim_sysconf(int name)
{
	if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)
		return lf_sim_get_nprocs();
	if (name == _SC_LEVEL1_DCACHE_LINESIZE)
		return LF_CACHE_LINE;
	if (name == _SC_PAGESIZE)
		return 4096;
	char what[32];
	snprintf(what, sizeof what, "sysconf(%d)", name);
	return lf_sim_unknown(what, -1);
}

int lf_sim_rand(void)
{
	return (int)(lf_sim_random_number() >> 33);
}

long lf_sim_random(void)
{
	return lf_sim_rand();
}

/* The run's seed is the only one. */
void lf_sim_srand(unsigned seed)
{
	(void)seed;
}

void lf_sim_srandom(unsigned seed)
{
	(void)seed;
}

/* --- futexes ------------------------------------------------------------------------- */

struct futex_call {
	int *word;
	int op, value;
	const struct timespec *timeout; /* or a number, for some operations */
	int *word2;
	int value3;
};

static long futex_wait(const struct futex_call *c, uint32_t mask, bool absolute)
{
	uint64_t deadline = c->timeout && absolute ? lf_sim_deadline(c->timeout) :
						     lf_sim_deadline_in(c->timeout);
	if (*(volatile int *)c->word != c->value)
		return lf_sim_result(-EAGAIN);
	if (!lf_sim_can_wait("a futex"))
		return lf_sim_result(-EDEADLK);
	int rc = lf_sim_wait_on(c->word, "futex", mask, deadline);
	return lf_sim_result(-rc);
}

static long futex_requeue(const struct futex_call *c, bool compare)
{
	if (compare && *(volatile int *)c->word != c->value3)
		return lf_sim_result(-EAGAIN);
	unsigned woken = lf_sim_wake_first(c->word, (unsigned)c->value, UINT32_MAX);
	return woken + lf_sim_requeue(c->word, c->word2, (unsigned)(uintptr_t)c->timeout);
}

static long result_of(int error)
{
	return lf_sim_result(-error);
}

/* Of both kinds the time-out is absolute. */
static long futex_lock(const struct futex_call *c)
{
	return result_of(lf_sim_inherit_lock(c->word, "futex", c->timeout ?
					     lf_sim_deadline(c->timeout) : LF_SIM_NEVER));
}

/* By their numbers, because they are newer than some headers. */
static const char *const operations[] = {
	[FUTEX_FD] = "FUTEX_FD",
	[FUTEX_WAKE_OP] = "FUTEX_WAKE_OP",
	[11] = "FUTEX_WAIT_REQUEUE_PI",
	[12] = "FUTEX_CMP_REQUEUE_PI",
};

#define OPERATIONS (sizeof operations / sizeof operations[0])
#define LOCK_PI2 13

static long unknown_operation(unsigned op)
{
	const char *name = op < OPERATIONS ? operations[op] : NULL;
	char what[64];
	snprintf(what, sizeof what, "futex operation %u%s%s%s", op, name ? " (" : "",
		 name ? name : "", name ? ")" : "");
	return lf_sim_result(-lf_sim_unknown(what, ENOSYS));
}

static long futex(const struct futex_call *c)
{
	unsigned op = (unsigned)(c->op & FUTEX_CMD_MASK);
	lf_sim_system_call();
	switch (op) {
	case FUTEX_WAIT:
		return futex_wait(c, UINT32_MAX, false);
	case FUTEX_WAIT_BITSET:
		return futex_wait(c, (uint32_t)c->value3, true);
	case FUTEX_WAKE:
		return lf_sim_wake_first(c->word, (unsigned)c->value, UINT32_MAX);
	case FUTEX_WAKE_BITSET:
		return lf_sim_wake_first(c->word, (unsigned)c->value, (uint32_t)c->value3);
	case FUTEX_REQUEUE:
		return futex_requeue(c, false);
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(c, true);
	case FUTEX_LOCK_PI:
	case LOCK_PI2:
		return futex_lock(c);
	case FUTEX_TRYLOCK_PI:
		return result_of(lf_sim_inherit_try(c->word));
	case FUTEX_UNLOCK_PI:
		return result_of(lf_sim_inherit_unlock(c->word));
	default:
		return unknown_operation(op);
	}
}

/* Those that a lock might want; others have their numbers. */
static const struct {
	long number;
	const char *name;
} calls[] = {
#ifdef SYS_futex_waitv
	{ SYS_futex_waitv, "futex_waitv" },
#endif
	{ SYS_set_robust_list, "set_robust_list" },
	{ SYS_get_robust_list, "get_robust_list" },
	{ SYS_membarrier, "membarrier" },
	{ SYS_nanosleep, "nanosleep" },
	{ SYS_clock_nanosleep, "clock_nanosleep" },
	{ SYS_clock_gettime, "clock_gettime" },
	{ SYS_getcpu, "getcpu" },
	{ SYS_tgkill, "tgkill" },
	{ SYS_sched_setaffinity, "sched_setaffinity" },
	{ SYS_sched_setscheduler, "sched_setscheduler" },
	{ SYS_read, "read" },
	{ SYS_write, "write" },
	{ SYS_getrandom, "getrandom" },
};

static long unknown_call(long number)
{
	const char *name = "see syscall(2)";
	char what[64];
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (calls[i].number == number)
			name = calls[i].name;
	snprintf(what, sizeof what, "system call %ld (%s)", number, name);
	return lf_sim_result(-lf_sim_unknown(what, ENOSYS));
}

long lf_sim_syscall(long number, ...)
{
	va_list arguments;
	struct futex_call c = { 0 };

	switch (number) {
	case SYS_futex:
		va_start(arguments, number);
		c.word = va_arg(arguments, int *);
		c.op = va_arg(arguments, int);
		c.value = va_arg(arguments, int);
		c.timeout = va_arg(arguments, const struct timespec *);
		c.word2 = va_arg(arguments, int *);
		c.value3 = va_arg(arguments, int);
		va_end(arguments);
		return futex(&c);
	case SYS_tgkill:
		va_start(arguments, number);
		(void)va_arg(arguments, pid_t);
		pid_t tid = va_arg(arguments, pid_t);
		int signal_number = va_arg(arguments, int);
		va_end(arguments);
		return lf_sim_result(lf_sim_signal_thread(tid, signal_number, SI_TKILL));
	case SYS_gettid:
	case SYS_getpid:
		return lf_sim_gettid();
	case SYS_sched_yield:
		return lf_sim_sched_yield();
	default:
		return unknown_call(number);
	}
}
