/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds a thread that never comes back to the simulator: it computes for ever, or
 * sleeps in a call that is not simulated. Time on the wall says neither on a busy
 * machine, where minutes may pass in which the thread gets no CPU at all. So what
 * counts is CPU time that it used, or that it was seen asleep again and again.
 */
#include "engine/sim/sim.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CPU_NS UINT64_C(2000000000)
#define LOOKS_ASLEEP 3

static uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The letter of its state; 0: it cannot be read. */
static char state_of(const char *thread)
{
	char path[64], line[256];
	const char *after = NULL;
	snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(line, sizeof line, f))
		after = strrchr(line, ')');
	fclose(f);
	return after && after[1] == ' ' ? after[2] : 0;
}

/* Do all threads of this process sleep but the one that asks? One that waits for a
 * CPU does not, however long. */
static bool others_sleep(void)
{
	long mine = syscall(SYS_gettid);
	unsigned others = 0, asleep = 0;
	struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");
	while (tasks && (entry = readdir(tasks))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || atol(entry->d_name) == mine)
			continue;
		others++;
		asleep += state_of(entry->d_name) == 'S';
	}
	if (tasks)
		closedir(tasks);
	return others > 0 && asleep == others;
}

bool lf_sim_stuck(void)
{
	struct lf_sim_watchdog *w = &lf_sim.watchdog;
	uint64_t points = atomic_load_explicit(&lf_sim.points, memory_order_relaxed);
	uint64_t cpu = cpu_ns();
	if (points != w->points || w->looks == 0)
		*w = (struct lf_sim_watchdog){ .points = points, .cpu_ns = cpu };
	w->looks++;
	w->asleep = others_sleep() ? w->asleep + 1 : 0;
	return w->looks > 2 && (cpu - w->cpu_ns >= CPU_NS || w->asleep >= LOOKS_ASLEEP);
}
