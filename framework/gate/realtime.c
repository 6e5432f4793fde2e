/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate/realtime.h"

#include <lockfair/backend.h>

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Above everything that has no real-time priority, below everything else. */
#define PRIORITY 1

/* A trial's process rests after a second or so, to be given more to do. */
#define UNBROKEN_S 2

static pid_t member[LF_MAX_THREADS];
static _Atomic unsigned members;

/* Only system calls in here: a signal handler. */
static void give_back(int signal)
{
	const struct sched_param none = { .sched_priority = 0 };
	unsigned n = atomic_load(&members);

	(void)signal;
	for (unsigned i = 0; i < n && i < LF_MAX_THREADS; i++)
		sched_setscheduler(member[i], SCHED_OTHER, &none);
}

bool lf_realtime_is_safe(void)
{
	FILE *f = fopen("/proc/sys/kernel/sched_rt_runtime_us", "re");
	long runtime_us = -1;

	if (!f)
		return false;
	if (fscanf(f, "%ld", &runtime_us) != 1)
		runtime_us = -1;
	fclose(f);
	return runtime_us > 0;
}

bool lf_realtime_prepare(void)
{
	const struct sigaction back = { .sa_handler = give_back, .sa_flags = SA_RESTART };
	struct rlimit limit;

	if (!lf_realtime_is_safe() || getrlimit(RLIMIT_RTTIME, &limit) != 0)
		return false;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > UNBROKEN_S * 1000000ul)
		limit.rlim_cur = UNBROKEN_S * 1000000ul;
	return sigaction(SIGXCPU, &back, NULL) == 0 && setrlimit(RLIMIT_RTTIME, &limit) == 0;
}

bool lf_realtime_enter(void)
{
	const struct sched_param first = { .sched_priority = PRIORITY };
	unsigned i = atomic_fetch_add(&members, 1);

	if (i >= LF_MAX_THREADS)
		return false;
	member[i] = gettid();
	return sched_setscheduler(0, SCHED_FIFO, &first) == 0;
}
