/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barging: a waiter is confirmed to be queued; then the holder releases and
 * takes the lock again, back to back, until the waiter gets in. Every grant to
 * the holder in between overtakes it. No clock decides anything here.
 */
#include "suites/common.h"

#include <stdatomic.h>

/* A round ends there, however long the waiter would have to wait. */
#define RELOCKS_MAX 1000

/* A round: the holder lets the waiter start, the waiter says that it was in. */
#define PHASES 2

static uint64_t grants_of_waiter(struct lf_thread *t)
{
	return atomic_load_explicit(&lf_observed(t)->thread[1].grants, memory_order_relaxed);
}

static void relock_until_served(struct lf_thread *t)
{
	uint64_t before = grants_of_waiter(t);
	for (unsigned n = 0; n < RELOCKS_MAX && grants_of_waiter(t) == before; n++) {
		lf_unlock(t);
		lf_lock(t);
	}
}

static void holder(struct lf_thread *t)
{
	while (lf_round(t)) {
		uint64_t begin = (uint64_t)lf_round_index(t) * PHASES;
		lf_lock(t);
		lf_advance(t);
		if (lf_await_queued(t, 1)) {
			relock_until_served(t);
		} else if (!lf_stopped(t)) {
			lf_precondition_failed(t, "the waiter could not be confirmed to be queued");
			lf_stop(t);
		}
		lf_unlock(t);
		if (!lf_await(t, begin + PHASES))
			break;
	}
}

static void waiter(struct lf_thread *t)
{
	for (uint64_t begin = 0; lf_await(t, begin + 1); begin += PHASES) {
		lf_lock(t);
		lf_unlock(t);
		lf_step(t);
		lf_advance(t);
	}
}

static bool decided(const struct lf_observation *o, const struct lf_claim *c, bool required)
{
	unsigned bound;
	(void)required;
	return lf_claim_overtakes(c, &bound) && o->overtakes_max > bound;
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	lf_judge_overtakes(j, o, c, "waiter");
	lf_judge_inform(j, LF_METRIC_OVERTAKEN_ROUNDS, (double)o->overtaken_rounds,
			o->rounds, "waiter");
	lf_judge_inform(j, LF_METRIC_LONGEST_RUN, (double)o->longest_run,
			o->grants.length, NULL);
	if (lf_metric_confirmed(o, "waiter") == 0)
		lf_judge_void(j, "the waiter was never confirmed to be queued");
}

static const struct lf_role roles[] = {
	{ .name = "holder", .count = 1, .run = holder },
	{ .name = "waiter", .count = 1, .run = waiter },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_barging = {
	.name = "barging",
	.summary = "a holder that relocks at once: how often is a queued thread overtaken?",
	.suite = "core",
	.kinds = 1 << LF_MUTEX | 1 << LF_GIL,
	.roles = roles,
	.rounds = { LF_ROUNDS_QUICK, LF_ROUNDS_NORMAL, LF_ROUNDS_LONG },
	.limit_ns = { 5000 * LF_MS, 20000 * LF_MS, 60000 * LF_MS },
	.fair_control = "ticket",
	.unfair_control = "faulty/no_handoff",
	.decided = decided,
	.judge = judge,
};
