/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate/realtime.h"

#include <lockfair/backend.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Above everything that has no real-time priority, below everything else. */
#define PRIORITY 1

/* A trial's process rests after a second or so, to be given more to do. */
#define UNBROKEN_S 2

static pid_t member[LF_MAX_THREADS];
static _Atomic unsigned members;
static _Atomic bool was_given_back;

/* Only system calls in here: a signal handler. */
static void give_back(int signal)
{
	const struct sched_param none = { .sched_priority = 0 };
	unsigned n = atomic_load(&members);

	(void)signal;
	atomic_store(&was_given_back, true);
	for (unsigned i = 0; i < n && i < LF_MAX_THREADS; i++)
		sched_setscheduler(member[i], SCHED_OTHER, &none);
}

/* -1: not there, or switched off. */
static long setting(const char *path)
{
	FILE *f = fopen(path, "re");
	long value = -1;

	if (f && fscanf(f, "%ld", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

bool lf_realtime_is_safe(void)
{
	long runtime_us = setting("/proc/sys/kernel/sched_rt_runtime_us");

	return runtime_us > 0 && runtime_us < setting("/proc/sys/kernel/sched_rt_period_us");
}

/* A name that the kernel gives to one process at a time, and takes back at its end. */
static int take_the_place(void)
{
	static const char place[] = "\0lockfair-realtime";
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int code = 1;

	if (fd < 0)
		return -1;
	memcpy(name.sun_path, place, sizeof place);
	if (bind(fd, (struct sockaddr *)&name,
		 offsetof(struct sockaddr_un, sun_path) + sizeof place) < 0) {
		code = errno == EADDRINUSE ? 0 : -1;
		close(fd);
	}
	return code;
}

static int watch_for_hangs(void)
{
	const struct sigaction back = { .sa_handler = give_back, .sa_flags = SA_RESTART };
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTTIME, &limit) != 0)
		return -1;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > UNBROKEN_S * 1000000ul)
		limit.rlim_cur = UNBROKEN_S * 1000000ul;
	return sigaction(SIGXCPU, &back, NULL) == 0 && setrlimit(RLIMIT_RTTIME, &limit) == 0 ?
		0 : -1;
}

int lf_realtime_prepare(void)
{
	return lf_realtime_is_safe() && watch_for_hangs() == 0 ? take_the_place() : -1;
}

bool lf_realtime_lasts(void)
{
	return !atomic_load(&was_given_back);
}

bool lf_realtime_enter(void)
{
	const struct sched_param first = { .sched_priority = PRIORITY };
	unsigned i = atomic_fetch_add(&members, 1);

	if (i >= LF_MAX_THREADS)
		return false;
	/* Until then the handler finds 0 there, which is the thread that it runs on. */
	member[i] = gettid();
	/* In turns with others who do the same, and without what is forked or started by
	 * the lock itself. */
	return sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &first) == 0;
}
