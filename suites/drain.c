/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drain: hold the lock, let n threads queue, release: each of them gets the
 * lock exactly once, and nobody is left behind. A wake-up that is lost when the
 * last holder leaves shows here each time; a stress test may never show it.
 */
#include "suites/common.h"

/* A round advances the phase once by the holder and once by each waiter. */
static uint64_t phase_of(struct lf_thread *t)
{
	return (uint64_t)lf_round_index(t) * (lf_sweep(t) + 1);
}

static void holder(struct lf_thread *t)
{
	unsigned n = lf_sweep(t);
	while (lf_round(t)) {
		uint64_t begin = phase_of(t);
		lf_lock(t);
		lf_advance(t);
		bool queued = lf_await_queued(t, n);
		lf_unlock(t);
		if (!queued && !lf_stopped(t)) {
			lf_precondition_failed(t, "not all waiters could be confirmed to be queued");
			lf_stop(t);
		}
		if (!lf_await(t, begin + 1 + n))
			break;
	}
}

static void waiter(struct lf_thread *t)
{
	uint64_t round = lf_sweep(t) + 1;
	for (uint64_t begin = 0; lf_await(t, begin + 1); begin += round) {
		lf_lock(t);
		lf_unlock(t);
		lf_step(t);
		lf_advance(t);
		/* Nobody starts the next round before all had their turn. */
		if (!lf_await(t, begin + round))
			break;
	}
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	uint64_t unserved = 0, waits = 0;
	unsigned bound;

	for (unsigned i = 0; i < o->threads; i++) {
		const struct lf_thread_observation *t = &o->thread[i];
		if (!lf_has_role(t, "waiter"))
			continue;
		waits += t->requests;
		unserved += t->requests - t->grants;
	}
	lf_judge_at_most(j, LF_METRIC_SERVED_ONCE, LF_ORIGIN_SAFETY, (double)unserved, 0,
			 waits, "waiter");
	if (lf_claim_overtakes(c, &bound))
		lf_judge_overtakes(j, o, c, "waiter");
	if (o->rounds == 0 && unserved == 0)
		lf_judge_void(j, "no round was completed");
}

static const struct lf_role roles[] = {
	{ .name = "holder", .count = 1, .run = holder },
	{ .name = "waiter", .run = waiter },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_drain = {
	.name = "drain",
	.summary = "n threads queue behind a holder: does each get its one turn?",
	.suite = "core",
	.kinds = 1 << LF_MUTEX | 1 << LF_GIL,
	.roles = roles,
	.sweep = LF_SWEEP(1, 2, 3, 4, 5),
	.rounds = { 10, 50, 200 },
	.limit_ns = { 4000 * LF_MS, 10000 * LF_MS, 60000 * LF_MS },
	.fair_control = "ticket",
	.unfair_control = "faulty/lost_waiters_bit",
	.judge = judge,
};
