/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * single: what does the lock cost a thread that is alone with it? The reviewer of
 * the BFS patch for CPython asked that first. Blocks of computation are timed with
 * a poll after each microsecond and without, and blocks of giving the lock up for
 * nothing; the fastest block counts, because whatever disturbs makes it slower.
 */
#include "suites/ccbench.h"

#define UNIT_NS (1 * LF_US)
#define UNITS 500 /* of a block */

/* With a poll in each microsecond work takes at most this much longer. A poll that asks
 * the kernel for a clock came to 1.13 to 1.27, by what else the machine did. */
#define SLOWDOWN_BOUND 1.6

/* Blocks return how many units they did: a run that is stopped ends them early. */
static unsigned compute(struct lf_thread *t)
{
	unsigned i = 0;
	for (; i < UNITS && !lf_stopped(t); i++)
		lf_compute_ns(t, UNIT_NS);
	return i;
}

static unsigned compute_polling(struct lf_thread *t)
{
	unsigned i = 0;
	for (; i < UNITS && !lf_stopped(t); i++) {
		lf_compute_ns(t, UNIT_NS);
		lf_poll(t);
	}
	return i;
}

static unsigned give_up(struct lf_thread *t)
{
	unsigned i = 0;
	for (; i < UNITS && !lf_stopped(t); i++)
		lf_outside(t, NULL, NULL);
	return i;
}

static struct lf_rate time_of(struct lf_thread *t, unsigned (*block)(struct lf_thread *))
{
	uint64_t start = lf_now_ns(t);
	unsigned units = block(t);
	return (struct lf_rate){ units, lf_now_ns(t) - start };
}

static double ns_of_unit(const struct lf_rate *r)
{
	return r->units ? (double)r->ns / (double)r->units : 0;
}

static void keep_fastest(struct lf_rate *fastest, struct lf_rate r)
{
	if (r.units > 0 && (fastest->units == 0 || ns_of_unit(&r) < ns_of_unit(fastest)))
		*fastest = r;
}

static void single(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	struct lf_rate pairs;

	lf_lock(t);
	while (lf_round(t)) {
		keep_fastest(&mine->alone, time_of(t, compute));
		keep_fastest(&mine->beside, time_of(t, compute_polling));
		pairs = time_of(t, give_up);
		if (pairs.units > 0)
			lf_sample(&mine->samples, pairs.ns / pairs.units);
		lf_step(t);
	}
	lf_unlock(t);
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_thread_observation *t = &o->thread[0];
	double alone = ns_of_unit(&t->alone), polling = ns_of_unit(&t->beside);
	double poll_ns = polling > alone ? polling - alone : 0;

	(void)c;
	lf_cc_judge_rate(j, o, o->duration_ns, &(struct lf_assertion){
		.metric = LF_METRIC_SLOWDOWN, .origin = LF_ORIGIN_REQUIREMENT,
		/* By the microsecond that a unit should be: how well work is calibrated
		 * is not the lock's. */
		.value = 1 + poll_ns / UNIT_NS, .bound = SLOWDOWN_BOUND,
		.n = o->rounds, .role = "single" });
	lf_judge_inform(j, LF_METRIC_POLL_COST, poll_ns, o->rounds, "single");
	lf_judge_inform(j, LF_METRIC_PAIR_COST, (double)t->samples.values.min,
			t->samples.values.count, "single");
	lf_cc_inform_switches(j, o);
	if (polling == 0)
		lf_judge_void(j, "not one unit of work was done");
}

static const struct lf_role roles[] = {
	{ .name = "single", .count = 1, .run = single },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_single = {
	.name = "single",
	.summary = "one thread alone: what does it pay for the lock?",
	LF_CC_COMMON,
	.roles = roles,
	.rounds = { 40, 200, 1000 },
	.limit_ns = { 2000 * LF_MS, 8000 * LF_MS, 30000 * LF_MS },
	.window = true,
	/* Not gil-bfs, whose clock is dear on some machines. */
	.fair_control = "gil-interval",
	.unfair_control = "faulty/gil_slow_poll",
	.judge = judge,
};
