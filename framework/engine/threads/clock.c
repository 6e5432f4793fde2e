/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time stamps and calibrated work. A read of the cycle counter costs about 9 ns
 * where clock_gettime() costs 40 in a virtual machine, and stamps are taken
 * inside the critical section under test.
 */
#include "engine/threads/threads.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#define HAVE_CYCLES 1
#define CYCLES() __rdtsc()
#else
#define HAVE_CYCLES 0
#define CYCLES() 0
#endif

static struct {
	bool cycles;          /* use the counter */
	uint64_t origin;      /* counter, or kernel's ns, at the start of the run */
	uint64_t ns_per_2_20; /* ns per 2^20 cycles: good for an hour at 2 GHz */
	uint64_t work_per_ms; /* iterations of work() per ms of CPU time */
} calibration;

static uint64_t kernel_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One multiply and add after the other: nothing that a compiler can shorten or
 * a core overlap, so that its time is proportional to the count. */
static void work(uint64_t iterations)
{
	uint64_t x = iterations | 1;
	for (uint64_t i = 0; i < iterations; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		__asm__ volatile("" : "+r"(x));
	}
}

/* Does the counter tick at one rate, also while the core sleeps? */
static bool counter_is_invariant(void)
{
	char line[8192];
	bool found = false;
	FILE *f = HAVE_CYCLES ? fopen("/proc/cpuinfo", "re") : NULL;
	while (f && !found && fgets(line, sizeof line, f))
		found = strncmp(line, "flags", 5) == 0 &&
			strstr(line, " constant_tsc") && strstr(line, " nonstop_tsc");
	if (f)
		fclose(f);
	return found;
}

static void calibrate_counter(void)
{
	if (!counter_is_invariant())
		return;
	uint64_t ns0 = kernel_ns(CLOCK_MONOTONIC), c0 = CYCLES();
	uint64_t ns1, c1;
	do {
		ns1 = kernel_ns(CLOCK_MONOTONIC);
		c1 = CYCLES();
	} while (ns1 - ns0 < 5000000);
	if (c1 <= c0)
		return;
	calibration.ns_per_2_20 = ((ns1 - ns0) << 20) / (c1 - c0);
	calibration.cycles = true;
}

/* The fastest of several trials: whatever disturbs makes them slower. */
static void calibrate_work(void)
{
	const uint64_t iterations = 200000;
	uint64_t best = UINT64_MAX;
	for (int i = 0; i < 7; i++) {
		uint64_t start = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
		work(iterations);
		uint64_t took = kernel_ns(CLOCK_THREAD_CPUTIME_ID) - start;
		if (took > 0 && took < best)
			best = took;
	}
	calibration.work_per_ms = iterations * 1000000 / best;
}

static void calibrate(void)
{
	calibrate_counter();
	calibrate_work();
}

void lf_clock_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, calibrate);
}

void lf_clock_start(void)
{
	calibration.origin = calibration.cycles ? CYCLES() : kernel_ns(CLOCK_MONOTONIC);
}

/* Cores may disagree by a few cycles, but no stamp is taken so soon after the
 * start that the difference could be negative. */
uint64_t lf_clock_ns(void)
{
	if (!calibration.cycles)
		return kernel_ns(CLOCK_MONOTONIC) - calibration.origin;
	return (CYCLES() - calibration.origin) * calibration.ns_per_2_20 >> 20;
}

uint64_t lf_clock_now(struct lf_actor *a)
{
	(void)a;
	return lf_clock_ns();
}

void lf_clock_work_ns(uint64_t ns)
{
	work(ns * calibration.work_per_ms / 1000000);
}

double lf_clock_step_ns(void)
{
	return 1e6 / (double)calibration.work_per_ms;
}
