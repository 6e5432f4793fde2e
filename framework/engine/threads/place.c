/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where threads run, and under which policy. Of the CPUs that this process may use,
 * the last is the one for "all on one CPU", because interrupts tend to be served
 * by the first.
 */
#include "engine/threads/threads.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

/* Above everything that has no real-time priority, below what the kernel and
 * watchdogs have. */
#define PRIORITY 10

static cpu_set_t allowed;

void lf_place_init(void)
{
	if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
		CPU_ZERO(&allowed);
}

/* The n-th CPU from the end, or -1. */
static int cpu_from_end(unsigned n)
{
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET(cpu, &allowed) && n-- == 0)
			return cpu;
	return -1;
}

int lf_place_thread(struct lf_actor *a, enum lf_placement placement)
{
	unsigned n = placement == LF_PLACEMENT_SMP ? a->thread.index % 2 : 0;
	int cpu = cpu_from_end(n);
	cpu_set_t one;

	if (placement == LF_PLACEMENT_FREE)
		return sched_setaffinity(0, sizeof allowed, &allowed) < 0 ? -errno : 0;
	if (cpu < 0)
		return -ENODEV;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof one, &one) < 0 ? -errno : 0;
}

static int set_policy(enum lf_policy policy)
{
	static const int number[] = { SCHED_OTHER, SCHED_RR, SCHED_FIFO };
	struct sched_param parameter = {
		.sched_priority = policy == LF_POLICY_OTHER ? 0 : PRIORITY,
	};

	return sched_setscheduler(0, number[policy], &parameter) < 0 ? -errno : 0;
}

int lf_place_schedule(struct lf_actor *a, enum lf_policy policy)
{
	(void)a;
	return set_policy(policy);
}

/* Only on a single CPU has anybody to wait for the end of a slice. The kernel tells
 * one for SCHED_OTHER too, rounded to its tick, but does not keep to it. */
uint64_t lf_place_slice_ns(struct lf_actor *a)
{
	struct timespec slice;
	cpu_set_t mine;

	(void)a;
	if (sched_getaffinity(0, sizeof mine, &mine) < 0 || CPU_COUNT(&mine) > 1 ||
	    sched_getscheduler(0) != SCHED_RR || sched_rr_get_interval(0, &slice) < 0)
		return 0;
	return (uint64_t)slice.tv_sec * 1000000000u + (uint64_t)slice.tv_nsec;
}

/* Tried out, because permission has many sources: root, a capability, RLIMIT_RTPRIO,
 * a control group without real-time time. */
static bool may_schedule(enum lf_policy policy)
{
	static int known[LF_POLICY_COUNT]; /* 1 may, -1 may not */
	struct sched_param before;
	int was = sched_getscheduler(0);

	if (known[policy] == 0 && was >= 0 && sched_getparam(0, &before) == 0) {
		known[policy] = set_policy(policy) == 0 ? 1 : -1;
		sched_setscheduler(0, was, &before);
	}
	return known[policy] > 0;
}

const char *lf_place_cannot(enum lf_placement placement, enum lf_policy policy)
{
	lf_place_init();
	if (placement == LF_PLACEMENT_SMP && cpu_from_end(1) < 0)
		return "there is one CPU only, and this wants two";
	if (policy != LF_POLICY_OTHER && !may_schedule(policy))
		return "real-time scheduling is not permitted here: run it as root, or "
		       "give this user rtprio in /etc/security/limits.conf";
	return NULL;
}
