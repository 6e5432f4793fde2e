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

/* Work that polls takes at most this much longer than work that does not. */
#define SLOWDOWN_BOUND 1.25

static void compute(struct lf_thread *t)
{
	for (unsigned i = 0; i < UNITS; i++)
		lf_compute_ns(t, UNIT_NS);
}

static void compute_polling(struct lf_thread *t)
{
	for (unsigned i = 0; i < UNITS; i++) {
		lf_compute_ns(t, UNIT_NS);
		lf_poll(t);
	}
}

static void give_up(struct lf_thread *t)
{
	for (unsigned i = 0; i < UNITS; i++)
		lf_outside(t, NULL, NULL);
}

static uint64_t time_of(struct lf_thread *t, void (*block)(struct lf_thread *))
{
	uint64_t start = lf_now_ns(t);
	block(t);
	return lf_now_ns(t) - start;
}

static void keep_fastest(struct lf_rate *r, uint64_t ns)
{
	if (r->units == 0 || ns < r->ns)
		*r = (struct lf_rate){ UNITS, ns };
}

static void single(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];

	lf_lock(t);
	while (lf_round(t)) {
		keep_fastest(&mine->alone, time_of(t, compute));
		keep_fastest(&mine->beside, time_of(t, compute_polling));
		lf_sample(&mine->samples, time_of(t, give_up) / UNITS);
		lf_step(t);
	}
	lf_unlock(t);
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_thread_observation *t = &o->thread[0];
	double alone = (double)t->alone.ns, polling = (double)t->beside.ns;

	(void)c;
	lf_cc_judge_rate(j, o, o->duration_ns, &(struct lf_assertion){
		.metric = LF_METRIC_SLOWDOWN, .origin = LF_ORIGIN_REQUIREMENT,
		.value = alone > 0 ? polling / alone : 0, .bound = SLOWDOWN_BOUND,
		.n = o->rounds, .role = "single" });
	lf_judge_inform(j, LF_METRIC_POLL_COST,
			polling > alone ? (polling - alone) / UNITS : 0, o->rounds, "single");
	lf_judge_inform(j, LF_METRIC_PAIR_COST, (double)t->samples.values.min,
			t->samples.values.count, "single");
	lf_cc_inform_switches(j, o);
	if (o->rounds == 0)
		lf_judge_void(j, "no round was completed");
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
	.unfair_control = "faulty/gil_slow_poll",
	.judge = judge,
};
