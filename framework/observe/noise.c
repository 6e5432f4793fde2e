/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "observe/noise.h"

#include "core/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The first line of a file, or false. */
static bool first_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, (int)size, f);
	if (f)
		fclose(f);
	return ok;
}

/* "cpu user nice system idle iowait irq softirq steal …", in ticks. */
static uint64_t steal_ticks(void)
{
	char line[512];
	uint64_t steal;
	if (!first_line("/proc/stat", line, sizeof line) ||
	    sscanf(line, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &steal) != 1)
		return LF_UNKNOWN;
	return steal;
}

/* "some avg10=… avg60=… avg300=… total=N", in µs. */
static uint64_t pressure_us(void)
{
	char line[256];
	uint64_t total;
	if (!first_line("/proc/pressure/cpu", line, sizeof line))
		return LF_UNKNOWN;
	const char *at = strstr(line, "total=");
	return at && sscanf(at, "total=%" SCNu64, &total) == 1 ? total : LF_UNKNOWN;
}

static uint64_t probe_spin_gap(void)
{
	uint64_t start = lf_monotonic_ns(), last = start, gap = 0;
	while (last - start < 2000000) {
		uint64_t now = lf_monotonic_ns();
		if (now - last > gap)
			gap = now - last;
		last = now;
	}
	return gap;
}

void lf_noise_begin(struct lf_noise_meter *m, struct lf_noise *noise)
{
	m->noise = noise;
	noise->spin_gap_ns = probe_spin_gap();
	noise->sleep_overshoot_ns = 0;
	m->steal_ticks = steal_ticks();
	m->pressure_us = pressure_us();
}

void lf_noise_slept(struct lf_noise_meter *m, uint64_t asked_ns, uint64_t took_ns)
{
	if (took_ns > asked_ns && took_ns - asked_ns > m->noise->sleep_overshoot_ns)
		m->noise->sleep_overshoot_ns = took_ns - asked_ns;
}

static uint64_t difference(uint64_t from, uint64_t to, uint64_t unit_ns)
{
	if (from == LF_UNKNOWN || to == LF_UNKNOWN || to < from)
		return LF_UNKNOWN;
	return (to - from) * unit_ns;
}

void lf_noise_end(struct lf_noise_meter *m, const struct lf_observation *o)
{
	long per_second = sysconf(_SC_CLK_TCK);
	struct lf_noise *n = m->noise;

	n->steal_ns = per_second <= 0 ? LF_UNKNOWN :
		difference(m->steal_ticks, steal_ticks(), 1000000000u / (uint64_t)per_second);
	n->pressure_ns = difference(m->pressure_us, pressure_us(), 1000);
	n->involuntary_switches = 0;
	n->run_delay_ns = 0;
	for (unsigned i = 0; i < o->threads; i++) {
		n->involuntary_switches += o->thread[i].involuntary_switches;
		if (o->thread[i].run_delay_ns == LF_UNKNOWN)
			n->run_delay_ns = LF_UNKNOWN;
		else if (n->run_delay_ns != LF_UNKNOWN)
			n->run_delay_ns += o->thread[i].run_delay_ns;
	}
}

/* "on-cpu-ns run-delay-ns timeslices" */
static uint64_t run_delay_ns(const char *path)
{
	char line[128];
	uint64_t delay_ns;
	if (!first_line(path, line, sizeof line) ||
	    sscanf(line, "%*u %" SCNu64, &delay_ns) != 1)
		return LF_UNKNOWN;
	return delay_ns;
}

uint64_t lf_noise_run_delay_ns(void)
{
	return run_delay_ns("/proc/thread-self/schedstat");
}

uint64_t lf_noise_run_delay_of(pid_t tid)
{
	char path[48];
	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)tid);
	return run_delay_ns(path);
}

void lf_noise_of_thread(struct lf_thread_observation *mine)
{
	struct rusage usage;
	struct timespec cpu;

	if (getrusage(RUSAGE_THREAD, &usage) == 0) {
		mine->voluntary_switches = (uint64_t)usage.ru_nvcsw;
		mine->involuntary_switches = (uint64_t)usage.ru_nivcsw;
	}
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0)
		mine->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	mine->run_delay_ns = lf_noise_run_delay_ns();
}
