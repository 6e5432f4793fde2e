/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "observe/host.h"

#include "core/buffer.h"
#include "core/clock.h"
#include "observe/noise.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- Facts -------------------------------------------------------------------------- */

/* The first line of a file without its end; false, and "?", where there is none. */
static bool line_of(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, (int)size, f);

	if (f)
		fclose(f);
	if (!ok)
		snprintf(line, size, "?");
	line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* The value of the first "key : value" of /proc/cpuinfo. */
static bool cpuinfo(const char *key, char *value, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192];
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f)) {
		const char *colon = strchr(line, ':');
		if (strncmp(line, key, strlen(key)) != 0 || !colon)
			continue;
		colon += strspn(colon, ": ");
		snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
		found = true;
	}
	if (f)
		fclose(f);
	return found;
}

/* The kernel's own tick: the coarse clocks move with it. */
static unsigned tick_hz(void)
{
	struct timespec r;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &r) != 0 || r.tv_sec || r.tv_nsec == 0)
		return 0;
	return (unsigned)((1000000000 + r.tv_nsec / 2) / r.tv_nsec);
}

static void write_affinity(const cpu_set_t *set, char *text, size_t size)
{
	struct lf_buffer t = { text, size, 0 };

	for (int from = 0; from < CPU_SETSIZE; from++) {
		int to = from;
		if (!CPU_ISSET(from, set))
			continue;
		while (to + 1 < CPU_SETSIZE && CPU_ISSET(to + 1, set))
			to++;
		lf_put(&t, "%s%d", t.length ? "," : "", from);
		if (to > from)
			lf_put(&t, "-%d", to);
		from = to;
	}
}

/* How many processors a list like "0-3,8" names; 0: it is none. */
static unsigned count_of(const char *list)
{
	unsigned n = 0;
	char *end;

	for (;; list = end + 1) {
		unsigned long from = strtoul(list, &end, 10), to = from;
		if (end == list)
			return 0;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		n += to >= from ? (unsigned)(to - from) + 1 : 0;
		if (*end != ',')
			return n;
	}
}

/* Threads that share the first processor's core. */
static void read_siblings(char *text, size_t size)
{
	char list[256];
	unsigned n;

	line_of("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", list,
		sizeof list);
	n = count_of(list);
	snprintf(text, size, n ? "%u" : "?", n);
}

/* What a control group grants: "50000 100000" is half a CPU, with the second version of
 * such groups in one file, with the first in two. */
static void read_limit(char *text, size_t size)
{
	char quota[64], period[64] = "";
	char *end;
	double share;

	if (line_of("/sys/fs/cgroup/cpu.max", quota, sizeof quota))
		snprintf(period, sizeof period, "%s", quota + strcspn(quota, " "));
	else if (line_of("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, sizeof quota))
		line_of("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof period);
	share = strtod(quota, &end) / strtod(period, NULL);
	if (quota[0] == '?')
		snprintf(text, size, "?");
	else if (end == quota || !(share > 0))
		snprintf(text, size, "all of it");
	else
		snprintf(text, size, "that of %.3g CPUs", share);
}

static bool has_flag(const char *flag)
{
	char flags[8192] = "", word[64];

	if (!cpuinfo("flags", flags, sizeof flags))
		return false;
	snprintf(word, sizeof word, " %s ", flag);
	return strstr(flags, word) != NULL;
}

static void read_processor(struct lf_host *h)
{
	char model[96] = "?", family[16] = "?", number[16] = "?", stepping[16] = "?";
	char mhz[32] = "";
	cpu_set_t set;

	if (cpuinfo("model name", model, sizeof model))
		snprintf(h->type, sizeof h->type, "%s", model);
	cpuinfo("cpu MHz", mhz, sizeof mhz);
	h->mhz = strtod(mhz, NULL);
	cpuinfo("cpu family", family, sizeof family);
	cpuinfo("model\t", number, sizeof number);
	cpuinfo("stepping", stepping, sizeof stepping);
	snprintf(h->cpu, sizeof h->cpu, "%.80s (%.8s/%.8s/%.8s)", model, family, number,
		 stepping);
	snprintf(h->cpus, sizeof h->cpus, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		write_affinity(&set, h->affinity, sizeof h->affinity);
	else
		CPU_ZERO(&set);
	h->cpus_allowed = CPU_COUNT(&set) ? (unsigned)CPU_COUNT(&set) : 1;
	snprintf(h->allowed, sizeof h->allowed, "%u", h->cpus_allowed);
	read_siblings(h->siblings, sizeof h->siblings);
	snprintf(h->virtual, sizeof h->virtual, "%s", has_flag("hypervisor") ? "yes" : "no");
	line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", h->governor,
		sizeof h->governor);
	snprintf(h->tsc, sizeof h->tsc, "%s%s", has_flag("constant_tsc") ? "constant" :
		 "not constant", has_flag("nonstop_tsc") ? ", never stops" : "");
}

static void read_kernel(struct lf_host *h)
{
	struct utsname u = { 0 };

	uname(&u);
	h->hz = tick_hz();
	snprintf(h->kernel, sizeof h->kernel, "%.50s %.70s", u.sysname, u.release);
	snprintf(h->preemption, sizeof h->preemption, "%.120s", u.version);
	line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		h->clock, sizeof h->clock);
	if (line_of("/proc/sys/kernel/sched_autogroup_enabled", h->autogroup,
		    sizeof h->autogroup))
		snprintf(h->autogroup, sizeof h->autogroup, "%s",
			 strcmp(h->autogroup, "0") == 0 ? "no" : "yes");
	read_limit(h->limit, sizeof h->limit);
	snprintf(h->libc, sizeof h->libc, "glibc %s", gnu_get_libc_version());
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (hash ^ '\n') * UINT64_C(0x100000001b3);
}

void lf_host_read(struct lf_host *host)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	memset(host, 0, sizeof *host);
	read_processor(host);
	read_kernel(host);
#define X(name, text) hash = mix(hash, host->name);
	LF_FACT_MAP(X)
#undef X
	snprintf(host->fingerprint, sizeof host->fingerprint, "%016llx",
		 (unsigned long long)hash);
}

/* --- Means -------------------------------------------------------------------------- */

static void *sleeper(void *arg)
{
	*(_Atomic pid_t *)arg = (pid_t)syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

/* Another thread's system call: what confirmed queueing looks at. */
static bool can_see_system_calls(void)
{
	_Atomic pid_t tid = 0;
	pthread_t thread;
	char path[64], line[256];
	bool ok;

	if (pthread_create(&thread, NULL, sleeper, &tid) != 0)
		return false;
	while (tid == 0)
		sched_yield();
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)tid);
	ok = line_of(path, line, sizeof line);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return ok;
}

/* In a child: the class must not stay with us. */
static bool may_be_realtime(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct sched_param p = { .sched_priority = 1 };
		_exit(sched_setscheduler(0, SCHED_FIFO, &p) == 0 ? 0 : 1);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void lf_host_probe(struct lf_host_means *means)
{
	unsigned long long steal = 0;
	char line[512];

	*means = (struct lf_host_means){
		.schedstat = lf_noise_run_delay_ns() != LF_UNKNOWN,
		.pressure = line_of("/proc/pressure/cpu", line, sizeof line),
		.futex = can_see_system_calls(), .realtime = may_be_realtime(),
		.counter = has_flag("constant_tsc") && has_flag("nonstop_tsc"),
	};
	if (line_of("/proc/stat", line, sizeof line))
		means->steal = sscanf(line, "cpu %*u %*u %*u %*u %*u %*u %*u %llu",
				      &steal) == 1 && steal > 0;
}

/* --- Noise -------------------------------------------------------------------------- */

#define GAPS_MAX 65536
#define GAP_NS 1000
#define LISTEN_NS 200000000
#define SLEEPS 200
#define SLEEP_NS 100000

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void spin(struct lf_host_noise *noise, uint64_t gap[])
{
	uint64_t start = lf_monotonic_ns(), last = start, lost = 0, step = UINT64_MAX;
	size_t n = 0;

	while (last - start < LISTEN_NS) {
		uint64_t now = lf_monotonic_ns(), passed = now - last;
		if (passed > 0 && passed < step)
			step = passed;
		if (passed > GAP_NS && n < GAPS_MAX) {
			gap[n++] = passed;
			lost += passed;
		}
		last = now;
	}
	qsort(gap, n, sizeof gap[0], ascending);
	noise->clock_step_ns = step;
	noise->gap_p50_ns = n ? gap[n / 2] : 0;
	noise->gap_max_ns = n ? gap[n - 1] : 0;
	noise->gaps_per_s = (double)n / ((double)(last - start) / 1e9);
	noise->lost = (double)lost / (double)(last - start);
}

static void sleep_often(struct lf_host_noise *noise, uint64_t over[])
{
	const struct timespec nap = { .tv_nsec = SLEEP_NS };

	for (size_t i = 0; i < SLEEPS; i++) {
		uint64_t start = lf_monotonic_ns(), took;
		nanosleep(&nap, NULL);
		took = lf_monotonic_ns() - start;
		over[i] = took > SLEEP_NS ? took - SLEEP_NS : 0;
	}
	qsort(over, SLEEPS, sizeof over[0], ascending);
	noise->overshoot_p50_ns = over[SLEEPS / 2];
	noise->overshoot_max_ns = over[SLEEPS - 1];
}

void lf_host_listen(struct lf_host_noise *noise)
{
	uint64_t *sample = calloc(GAPS_MAX, sizeof *sample);
	uint64_t delay = lf_noise_run_delay_ns(), start = lf_monotonic_ns();

	*noise = (struct lf_host_noise){ .delay = -1 };
	if (!sample)
		return;
	spin(noise, sample);
	if (delay != LF_UNKNOWN)
		noise->delay = (double)(lf_noise_run_delay_ns() - delay) /
			(double)(lf_monotonic_ns() - start);
	sleep_often(noise, sample);
	if (getloadavg(&noise->load, 1) != 1)
		noise->load = -1;
	free(sample);
}
