/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * interleaving: do CPU threads and an interactive thread take turns? Two `cpu`
 * threads compute; one `interactive` thread computes the same units, but gives
 * the lock up around each of them, as for an I/O call that completes at once.
 * All three do the same work, so a fair lock keeps their progress together.
 *
 * After cpued, with which Nir Aides showed in 2010 (Python issue 7946) that
 * under several GILs the interactive thread starves the others; on other
 * kernels it is the one that starves. Hence the lead is two-sided: the largest
 * difference of progress between any two threads, in rounds.
 *
 * cpued: the same in suite ccbench, on the machine of that year.
 */
#include "suites/common.h"

#include <math.h>
#include <stdatomic.h>

#define UNIT_NS (1 * LF_MS)
#define POLL_NS (20 * LF_US)
#define UNITS 40 /* of a round */
#define LEAD_BOUND 2

/* A lead that large says all there is to say; the run need not go on. */
#define LEAD_ENOUGH 4

static uint64_t rounds_of(const struct lf_observation *o, unsigned thread)
{
	return atomic_load_explicit(&o->thread[thread].steps, memory_order_relaxed) / UNITS;
}

/* The run ends when the first thread has done so many. */
static const unsigned rounds_wanted[LF_BUDGET_COUNT] = { 5, 15, 50 };

/* After each unit: is the run over? */
static void unit_done(struct lf_thread *t)
{
	struct lf_observation *o = lf_observed(t);
	uint64_t mine, least = UINT64_MAX;

	lf_step(t);
	mine = rounds_of(o, t->index);
	for (unsigned i = 0; i < o->threads; i++)
		least = rounds_of(o, i) < least ? rounds_of(o, i) : least;
	if (mine < rounds_wanted[lf_budget(t)] && mine - least < LEAD_ENOUGH)
		return;
	o->rounds = (unsigned)mine;
	lf_stop(t);
}

static void cpu(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t)) {
		lf_compute_polling_ns(t, UNIT_NS, POLL_NS);
		unit_done(t);
	}
	lf_unlock(t);
}

static void interactive(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t)) {
		lf_outside(t, NULL, NULL);
		lf_compute_polling_ns(t, UNIT_NS, POLL_NS);
		unit_done(t);
	}
	lf_unlock(t);
}

/*
 * The lead in time held instead of work done, in the same unit. A scheduler that
 * keeps a holder off the CPU makes the two differ: then the lock shared its time
 * evenly and the machine did not, and the lock is not to blame.
 */
static double held_lead(const struct lf_observation *o)
{
	double low = INFINITY, high = 0, sum = 0;
	for (unsigned i = 0; i < o->threads; i++) {
		double held = (double)o->thread[i].hold_ns;
		low = fmin(low, held);
		high = fmax(high, held);
		sum += held;
	}
	return sum > 0 ? (high - low) / sum * (double)o->steps.length / UNITS : 0;
}

static bool decided(const struct lf_observation *o, const struct lf_claim *c, bool required)
{
	(void)c;
	return required && lf_metric_lead(o, UNITS) > LEAD_BOUND;
}

static void judge_lead(struct lf_judgement *j, const struct lf_observation *o)
{
	double lead = (double)lf_metric_lead(o, UNITS), held = held_lead(o);
	uint64_t rounds = o->steps.length / UNITS;

	if (lead > LEAD_BOUND && held <= LEAD_BOUND && j->required) {
		lf_judge_inform(j, LF_METRIC_LEAD, lead, rounds, NULL);
		lf_judge_void(j, "a lead of %.0f rounds of work, but only %.1f of time "
			      "held: the machine kept holders off the CPU", lead, held);
		return;
	}
	lf_judge_at_most(j, LF_METRIC_LEAD, LF_ORIGIN_REQUIREMENT, lead, LEAD_BOUND,
			 rounds, NULL);
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	struct lf_histogram waits;
	(void)c;
	judge_lead(j, o);
	lf_metric_waits(o, "interactive", &waits);
	lf_judge_inform(j, LF_METRIC_WAIT_P50, (double)lf_histogram_quantile(&waits, 0.5),
			waits.count, "interactive");
	lf_judge_inform(j, LF_METRIC_WAIT_MAX, (double)waits.max, waits.count, "interactive");
	if (o->steps.length < UNITS)
		lf_judge_void(j, "not even one round of work was done");
}

static const struct lf_role roles[] = {
	{ .name = "cpu", .count = 2, .run = cpu },
	{ .name = "interactive", .count = 1, .run = interactive },
	{ .name = NULL },
};

#define COMMON                                                                 \
	.kinds = 1 << LF_MUTEX | 1 << LF_GIL, .polls = true,                   \
	.steps_per_round = UNITS, .clocks = LF_CLOCK_HOLD, .roles = roles,     \
	.limit_ns = { 8000 * LF_MS, 30000 * LF_MS, 120000 * LF_MS },           \
	.required_of = 1 << LF_GIL, .fair_control = "gil-bfs",                 \
	.unfair_control = "faulty/gil_no_preempt", .decided = decided, .judge = judge

const struct lf_scenario lf_scenario_interleaving = {
	.name = "interleaving",
	.summary = "CPU threads and one that does I/O: do they take turns?",
	.suite = "core",
	COMMON,
};

const struct lf_scenario lf_scenario_cpued = {
	.name = "cpued",
	.summary = "interleaving on a machine of 2010",
	.suite = "ccbench",
	.backends = "gil-*",
	.machine = "core2duo-2010",
	.seeds = { 10, 10, 30 },
	COMMON,
};
