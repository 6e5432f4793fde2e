/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * select-gain: what is won by looking first? The loop of `select` on a descriptor that
 * is ready goes round in batches, in turns under the rule `nonzero`, which lets go of the
 * lock each time, and `probe`, which finds something and does not. Both halves of a pair
 * meet the same machine, so that their ratio says what each alone does not.
 *
 * Where nobody else wants the lock, letting go costs two uncontended operations: next to
 * nothing beside a system call for a lock in C, and 0.71 µs of 2.6 for Ruby's in the
 * experiment of 2021. With a bystander it costs a turn.
 */
#include "suites/select.h"

#include <stdatomic.h>

/* The seed's "net win", cautiously. */
#define GAIN_LEAST 1.1

#define TIMEOUT_NS ((int64_t)(1 * LF_MS))

/* A batch has room for so many turns: it ends with the one that it is in, and must not
 * consist of that. The bystander must take one in each, on the average, or nobody wanted
 * the lock; a loop that does not let go then gains a fifth at the least. */
#define TURNS 6
#define PAIRS_LEAST 6

/* Goes round under that rule, and adds what it did. The time without a CPU is not the
 * rule's. */
static struct lf_rate go_under(struct lf_thread *t, struct lf_loop *loop,
			       enum lf_release release, struct lf_rate *sum)
{
	uint64_t ns = lf_select_batch_ns(t) * (lf_sweep(t) ? TURNS : 1), took_ns;
	uint64_t delay_ns = lf_delay_ns(t);
	loop->release = release;
	uint64_t n = lf_select_iterate(t, loop, ns, &took_ns);
	delay_ns = lf_delay_ns(t) - delay_ns;
	struct lf_rate r = { n, took_ns > delay_ns ? took_ns - delay_ns : 1 };
	sum->units += r.units;
	sum->ns += r.ns;
	return r;
}

static double per_ns(const struct lf_rate *r)
{
	return r->ns ? (double)r->units / (double)r->ns : 0;
}

static uint64_t turns_of_others(struct lf_thread *t)
{
	const struct lf_observation *o = lf_observed(t);
	return lf_sweep(t) ? atomic_load_explicit(&o->thread[1].grants,
						  memory_order_relaxed) : 0;
}

static void poller(struct lf_thread *t)
{
	struct lf_polling *p = &lf_observed(t)->polling;
	struct lf_loop loop = { .release = LF_RELEASE_PROBE, .timeout_ns = TIMEOUT_NS };
	struct lf_rate warm_up = { 0 };
	if (!lf_select_begin(t, true))
		return;
	lf_lock(t);
	lf_select_calibrate(t, &loop, false);
	lf_advance(t);
	go_under(t, &loop, LF_RELEASE_NONZERO, &warm_up);
	while (lf_round(t)) {
		uint64_t turns = turns_of_others(t);
		struct lf_rate nonzero = go_under(t, &loop, LF_RELEASE_NONZERO, &p->nonzero);
		p->turns += turns_of_others(t) - turns;
		struct lf_rate probe = go_under(t, &loop, LF_RELEASE_PROBE, &p->probe);
		if (lf_stopped(t))
			break;
		if (nonzero.units)
			lf_series_add(&p->gain, per_ns(&probe) / per_ns(&nonzero));
	}
	lf_unlock(t);
}

/* A bystander without a CPU does not want the lock, and a loop without one does not go
 * round: what a busy machine makes small convicts nobody. */
#define DELAY_MOST 0.2

/* The ratio of all batches of the one rule to all of the other: those of a single pair
 * hold a handful of iterations each when letting go costs a turn. */
static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_polling *p = &o->polling;
	double gain = p->nonzero.units ? per_ns(&p->probe) / per_ns(&p->nonzero) : 0;
	bool contended = o->threads > 1, wanted = p->turns >= p->gain.n;
	bool open = gain < GAIN_LEAST && lf_metric_delay_part(o) > DELAY_MOST;
	(void)c;
	if (contended && wanted && !open)
		lf_judge_at_least(j, LF_METRIC_GAIN, LF_ORIGIN_REQUIREMENT, gain, GAIN_LEAST,
				  p->gain.n, "poller");
	else
		lf_judge_inform(j, LF_METRIC_GAIN, gain, p->gain.n, "poller");
	lf_select_judge_contract(j, p);
	if (p->gain.n < PAIRS_LEAST)
		lf_judge_void(j, "%u pairs of batches are too few to compare", p->gain.n);
	else if (contended && wanted && open)
		lf_judge_void(j, "the gain was %.2f, but the machine kept the two threads from "
			      "running for more than a fifth of the time", gain);
	else if (contended && !wanted)
		lf_judge_void(j, "the bystander took %u turns in %u batches: the lock was "
			      "hardly wanted", (unsigned)p->turns, p->gain.n);
}

static const struct lf_role roles[] = {
	{ .name = "poller", .count = 1, .run = poller },
	{ .name = "bystander", .count = 0, .run = lf_select_bystander },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_select_gain = {
	.name = "select-gain",
	.summary = "what is won by looking first, before the lock is let go",
	.suite = "select",
	.kinds = 1 << LF_POLLER,
	.polls = true,
	.clocks = LF_CLOCK_WAIT,
	.roles = roles,
	.sweep = LF_SWEEP(0, 1),
	.skip = lf_select_skip,
	.rounds = { 8, 30, 60 },
	.limit_ns = { 5000 * LF_MS, 30000 * LF_MS, 60000 * LF_MS },
	.seeds = { 3, 10, 30 },
	.window = true,
	.required_of = 1 << LF_POLLER,
	.fair_control = "poll",
	.unfair_control = "faulty/poller_blind",
	.judge = judge,
};
