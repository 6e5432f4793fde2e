/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ranking: does a channel stand where it stood a moment ago? A table of channels is of
 * use only if their order is theirs and not the hour's. In each round two threads on
 * one CPU first pass the run's own phase counter there and back, which is a futex, and
 * then the token: what the machine does to neighbouring measurements it does to both,
 * and their ratio is the channel's place.
 *
 * A channel that spins is also measured on two CPUs: there it must be a thousand times
 * as fast, or it is not what is measured.
 *
 * Real-time scheduling keeps the rest of the machine out; without it there is nothing
 * to be said.
 */
#include "core/sort.h"
#include "suites/common.h"

#include <stdlib.h>
#include <string.h>

#define REFERENCE_LOOPS 200
#define STAGE_NS (5 * LF_MS)
#define SPINS_ROUNDS 3

/* Largest over smallest place of the middle half. The channels of a table differ
 * by half as much. */
#define SPREAD_MAX 2
#define TWO_CPUS_MIN 1000

/* Ends a stage: a token, but no loop. */
#define LAST (UINT64_C(1) << 61)

struct stage {
	uint64_t phase, token;
};

static bool spins(const struct lf_thread *t)
{
	return lf_claim_of(t)->set & LF_CLAIM_SPINS;
}

static bool take_place(struct lf_thread *t, unsigned end, struct stage *s)
{
	if (lf_place(t, LF_PLACEMENT_UNI) < 0 || lf_schedule(t, LF_POLICY_RR) < 0)
		lf_precondition_failed(t, "a thread could not be placed or scheduled");
	lf_channel_attach(t, end);
	lf_advance(t);
	*s = (struct stage){ .phase = 2 };
	return lf_await(t, 2);
}

/* --- ping ------------------------------------------------------------------------- */

/* False: the run is over. */
static bool meet(struct lf_thread *t, struct stage *s)
{
	lf_advance(t);
	s->phase += 2;
	return lf_await(t, s->phase);
}

/* Loops per second; 0: the run is over. */
static double pass_phase(struct lf_thread *t, struct stage *s)
{
	uint64_t start = lf_now_ns(t);

	for (unsigned i = 0; i < REFERENCE_LOOPS; i++)
		if (!meet(t, s))
			return 0;
	return 1e9 * REFERENCE_LOOPS / (double)(lf_now_ns(t) - start);
}

static bool there_and_back(struct lf_thread *t, uint64_t token)
{
	return lf_channel_send(t, token) == 0 && lf_channel_wait(t, token) == 0;
}

static double pass_token(struct lf_thread *t, struct stage *s)
{
	uint64_t start = lf_now_ns(t), now, loops = 0;

	do {
		if (!there_and_back(t, ++s->token))
			return 0;
		loops++;
		now = lf_now_ns(t);
	} while (now - start < STAGE_NS);
	if (lf_channel_send(t, ++s->token | LAST) < 0)
		return 0;
	return 1e9 * (double)loops / (double)(now - start);
}

static bool measure(struct lf_thread *t, struct stage *s)
{
	struct lf_observation *o = lf_observed(t);
	double phase = pass_phase(t, s), token = phase > 0 ? pass_token(t, s) : 0, two;

	if (token <= 0)
		return false;
	lf_series_add(&o->loops_per_s, token);
	lf_series_add(&o->standing, token / phase);
	if (!spins(t))
		return true;
	/* The last token must have been taken before another is sent. */
	if (!meet(t, s))
		return false;
	lf_place(t, LF_PLACEMENT_SMP);
	two = pass_token(t, s);
	lf_place(t, LF_PLACEMENT_UNI);
	lf_series_add(&o->two_cpus, two / token);
	return two > 0 && lf_round_index(t) + 1 < SPINS_ROUNDS;
}

static void ping(struct lf_thread *t)
{
	struct stage s;

	if (take_place(t, 0, &s))
		while (lf_round(t) && measure(t, &s))
			;
	lf_stop(t);
}

/* --- pong ------------------------------------------------------------------------- */

static bool meet_back(struct lf_thread *t, struct stage *s)
{
	if (!lf_await(t, s->phase + 1))
		return false;
	lf_advance(t);
	s->phase += 2;
	return true;
}

static bool pass_phase_back(struct lf_thread *t, struct stage *s)
{
	for (unsigned i = 0; i < REFERENCE_LOOPS; i++)
		if (!meet_back(t, s))
			return false;
	return true;
}

static bool pass_token_back(struct lf_thread *t, struct stage *s)
{
	int rc;

	do {
		s->token++;
		rc = lf_channel_wait_until(t, s->token, s->token | LAST);
		if (rc == 0)
			rc = lf_channel_send(t, s->token);
	} while (rc == 0);
	return rc > 0;
}

static void pong(struct lf_thread *t)
{
	struct stage s;
	bool go_on = take_place(t, 1, &s);

	while (go_on && pass_phase_back(t, &s) && pass_token_back(t, &s)) {
		if (!spins(t))
			continue;
		go_on = meet_back(t, &s);
		lf_place(t, LF_PLACEMENT_SMP);
		go_on = go_on && pass_token_back(t, &s);
		lf_place(t, LF_PLACEMENT_UNI);
	}
}

/* --- What must hold ----------------------------------------------------------------- */

/* Of the middle half: another real-time thread on the CPU takes whole slices out of one
 * stage or the other, and so pushes some rounds to either end. */
static double trimmed_spread(const struct lf_series *samples)
{
	struct lf_series s = *samples;
	unsigned cut = s.n / 4;

	lf_sort(s.value, s.n);
	return s.value[s.n - 1 - cut] / s.value[cut];
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	struct lf_spread place = lf_metric_spread(&o->standing);

	if (c->set & LF_CLAIM_DELIVERS)
		lf_judge_at_most(j, LF_METRIC_TOKEN, LF_ORIGIN_CLAIM,
				 (double)lf_metric_tokens_lost(o), 0,
				 o->thread[0].requests, NULL);
	if (place.low <= 0) {
		lf_judge_void(j, "no round came to its end");
		return;
	}
	lf_judge_inform(j, LF_METRIC_PLACE, place.median, o->standing.n, NULL);
	lf_judge_at_most(j, LF_METRIC_PLACE_SPREAD, LF_ORIGIN_REQUIREMENT,
			 trimmed_spread(&o->standing), SPREAD_MAX, o->standing.n, NULL);
	if (c->set & LF_CLAIM_SPINS)
		lf_judge_at_least(j, LF_METRIC_TWO_CPUS, LF_ORIGIN_REQUIREMENT,
				  lf_metric_spread(&o->two_cpus).median, TWO_CPUS_MIN,
				  o->two_cpus.n, NULL);
}

static const char *skip(const struct lf_backend *b, enum lf_engine_set engine,
			const struct lf_point *point)
{
	bool two = b->claim.set & LF_CLAIM_SPINS;

	(void)point;
	if (engine != LF_ON_THREADS)
		return "what the channel is compared with is the kernel's own; on sim it "
		       "costs nothing";
	return lf_cannot_place(engine, two ? LF_PLACEMENT_SMP : LF_PLACEMENT_UNI,
			       LF_POLICY_RR);
}

static const struct lf_role roles[] = {
	{ .name = "ping", .count = 1, .run = ping },
	{ .name = "pong", .count = 1, .run = pong },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_ranking = {
	.name = "ranking",
	.summary = "a token against the run's own hand-over, in turns: is its place stable?",
	.suite = "handoff",
	.kinds = 1 << LF_CHANNEL,
	.required_of = 1 << LF_CHANNEL,
	.roles = roles,
	.skip = skip,
	.rounds = { 10, 20, 50 },
	.limit_ns = { 20000 * LF_MS, 40000 * LF_MS, 80000 * LF_MS },
	.fair_control = "pipes",
	.unfair_control = "faulty/channel_moody",
	.judge = judge,
};
