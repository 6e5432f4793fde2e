/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the simulator costs, by carrier, for two virtual seconds on two CPUs:
 *
 *	beside	one CPU thread that polls every 20 us and one thread that comes back
 *		from I/O every 10 ms. Wanted under the new GIL: at most 1 s of CPU
 *		time on the token carrier and 0.1 s on fibers.
 *	crowd	four CPU threads that poll every microsecond, as an interpreter does.
 */
#include "core/registry.h"
#include "engine/engine.h"
#include "engine/sim/carrier.h"
#include "fixtures/fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS UINT64_C(1000000)

static void compute(struct lf_thread *t, uint64_t every_ns)
{
	lf_lock(t);
	while (!lf_stopped(t))
		lf_compute_polling_ns(t, 1 * MS, every_ns);
	lf_unlock(t);
}

static void cpu(struct lf_thread *t)
{
	compute(t, MS / 50);
}

static void busy(struct lf_thread *t)
{
	compute(t, MS / 1000);
}

static void sleep_10_ms(void *arg)
{
	lf_sleep_ns(arg, 10 * MS);
}

static void interactive(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t)) {
		lf_outside(t, sleep_10_ms, t);
		lf_compute_ns(t, MS / 50);
	}
	lf_unlock(t);
}

static const struct lf_role pair[] = {
	{ .name = "cpu", .count = 1, .run = cpu },
	{ .name = "interactive", .count = 1, .run = interactive },
	{ .name = NULL },
};

static const struct lf_role four[] = {
	{ .name = "cpu", .count = 4, .run = busy },
	{ .name = NULL },
};

static const struct lf_scenario beside = {
	.name = "beside", .roles = pair, .polls = true, .clocks = LF_CLOCK_WAIT,
	.limit_ns = { 2000 * MS },
};

static const struct lf_scenario crowd = {
	.name = "crowd", .roles = four, .polls = true, .clocks = LF_CLOCK_WAIT,
	.limit_ns = { 2000 * MS },
};

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int measure(const struct lf_carrier *carrier, const struct lf_scenario *scenario,
		   const struct lf_entry *gil, const char *machine)
{
	static struct lf_observation o;
	static struct lf_run run;
	struct lf_cell cell;
	struct lf_variant variant = { .seed = 1 };
	struct lf_error error = { "" };

	lf_cell_init(&cell, gil, scenario, &lf_engine_sim);
	snprintf(variant.machine, sizeof variant.machine, "%s", machine);
	memset(&o, 0, sizeof o);
	memset(&run, 0, sizeof run);
	run.cell = &cell;
	run.observation = &o;
	lf_sim_only_carrier = carrier;
	double begin = cpu_s();
	if (lf_engine_sim.execute(&run, &variant, &error)) {
		fprintf(stderr, "sim_cost: %s\n", error.text);
		return 1;
	}
	printf("%-6s %-6s %-14s %-14s %.3f s of CPU for %.1f virtual s; trace %016llx\n",
	       scenario->name, carrier->name, gil->backend->name, machine,
	       cpu_s() - begin, (double)o.duration_ns * 1e-9,
	       (unsigned long long)variant.trace_hash);
	return 0;
}

static int measure_all(const struct lf_scenario *scenario, const struct lf_carrier *carrier)
{
	static const char *const gils[] = { "gil-interval", "gil-ticks" };
	int failed = 0;
	for (size_t i = 0; carrier && i < sizeof gils / sizeof gils[0]; i++)
		failed |= measure(carrier, scenario, lf_registry_find(gils[i]), "2cpu");
	return failed;
}

int main(void)
{
	struct lf_error error = { "" };

	if (lf_fixtures_register(&error)) {
		fprintf(stderr, "sim_cost: %s\n", error.text);
		return 1;
	}
	return measure_all(&beside, &lf_carrier_token) |
		measure_all(&beside, lf_carrier_fiber) |
		measure_all(&crowd, &lf_carrier_token) |
		measure_all(&crowd, lf_carrier_fiber);
}
