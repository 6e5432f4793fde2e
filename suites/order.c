/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * order: eight waiters queue one after another, each confirmed before the next
 * one starts; then the holder releases. A pair that is granted the other way
 * round is an inversion.
 */
#include "suites/common.h"

#define WAITERS 8

/* A round advances the phase once per staged waiter and once per grant. */
#define PHASES (2 * WAITERS)

static bool stage(struct lf_thread *t)
{
	for (unsigned i = 0; i < WAITERS; i++) {
		lf_advance(t);
		if (!lf_await_queued(t, i + 1))
			return false;
	}
	return true;
}

/* How many of the grants since `from` went before the k-th to later waiters. */
static unsigned overtakers(const struct lf_observation *o, uint64_t from, uint64_t k)
{
	unsigned n = 0;
	for (uint64_t i = from; i < k; i++)
		n += lf_log_at(&o->grants, i) > lf_log_at(&o->grants, k);
	return n;
}

/* The grants since `from` are the waiters', who were staged in the order of
 * their indices. */
static void count_inversions(struct lf_observation *o, uint64_t from)
{
	unsigned inversions = 0, most = 0;
	uint64_t worst = from;
	for (uint64_t k = from; k < from + WAITERS; k++) {
		unsigned n = overtakers(o, from, k);
		inversions += n;
		if (n > most) {
			most = n;
			worst = k;
		}
	}
	o->order.rounds++;
	o->order.inversions += inversions;
	o->order.disordered += inversions > 0;
	if (inversions > o->order.inversions_max) {
		o->order.inversions_max = inversions;
		o->decisive_grant = worst;
		o->decisive_thread = (unsigned)lf_log_at(&o->grants, worst);
	}
}

static void holder(struct lf_thread *t)
{
	struct lf_observation *o = lf_observed(t);
	while (lf_round(t)) {
		uint64_t begin = (uint64_t)lf_round_index(t) * PHASES;
		lf_lock(t);
		bool staged = stage(t);
		uint64_t granted = o->grants.length;
		lf_unlock(t);
		if (!staged && !lf_stopped(t)) {
			lf_precondition_failed(t, "a staged waiter could not be confirmed to be queued");
			lf_stop(t);
		}
		if (!lf_await(t, begin + PHASES))
			break;
		count_inversions(o, granted);
	}
}

static void waiter(struct lf_thread *t)
{
	unsigned place = lf_role_index(t) + 1;
	for (uint64_t begin = 0; lf_await(t, begin + place); begin += PHASES) {
		lf_lock(t);
		lf_unlock(t);
		lf_step(t);
		lf_advance(t);
		if (!lf_await(t, begin + PHASES))
			break;
	}
}

static bool decided(const struct lf_observation *o, const struct lf_claim *c, bool required)
{
	(void)required;
	return (c->set & LF_CLAIM_FIFO) && o->order.inversions > 0;
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	uint64_t pairs = o->order.rounds * (WAITERS * (WAITERS - 1) / 2);
	if (c->set & LF_CLAIM_FIFO)
		lf_judge_at_most(j, LF_METRIC_INVERSIONS, LF_ORIGIN_CLAIM,
				 (double)o->order.inversions, 0, pairs, "waiter");
	else
		lf_judge_inform(j, LF_METRIC_INVERSIONS, (double)o->order.inversions,
				pairs, "waiter");
	if (o->order.rounds == 0)
		lf_judge_void(j, "no round was completed");
}

static const struct lf_role roles[] = {
	{ .name = "holder", .count = 1, .run = holder },
	{ .name = "waiter", .count = WAITERS, .run = waiter },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_order = {
	.name = "order",
	.summary = "eight waiters staged one by one: are they served in that order?",
	.suite = "core",
	.kinds = 1 << LF_MUTEX | 1 << LF_GIL,
	.roles = roles,
	.rounds = { 20, LF_ROUNDS_NORMAL, LF_ROUNDS_LONG },
	.limit_ns = { 5000 * LF_MS, 20000 * LF_MS, 60000 * LF_MS },
	.fair_control = "ticket",
	.unfair_control = "faulty/lifo",
	.decided = decided,
	.judge = judge,
};
