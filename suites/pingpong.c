/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pingpong: two threads, or two processes, pass a token there and back through a
 * channel as fast as they can; with a lock in the channel's place they hand over
 * the lock. One loop is two hand-overs. Each repetition takes a fixed time and
 * gives one number of loops per second.
 *
 * Where the two are, and how they are scheduled, decides more than the channel
 * does, so both are axes. Absolute rates belong to a machine and are only shown;
 * what is asserted is the shape: every token arrives; a channel that sleeps makes
 * a thousand loops a second on any machine of this century; one that spins on a
 * single CPU makes one in two slices of the scheduler.
 *
 * Source of the experiment: ctxbench, W. Davidsen, 2002.
 */
#include "suites/common.h"

#include <math.h>

/* The least loops per second of a channel that sleeps. */
#define LOOPS_MIN 1000

/* How far a loop of a spinning channel may be from two slices. */
#define SLICES 2
#define SLICES_OFF 0.2

/* A lock may never be handed over: a repetition ends then, too. */
#define PATIENCE 40

enum axis { PLACEMENT, POLICY, ENDS };
enum ends { PROCESSES, THREADS };

static const uint64_t repetition_ns[LF_BUDGET_COUNT] = {
	25 * LF_MS, 200 * LF_MS, 1000 * LF_MS,
};

struct counting {
	uint64_t last_ns; /* end of the last loop */
	uint64_t token;
	bool warm;        /* loops count from here on */
};

/* A loop has just come to its end. Returns the time. */
static uint64_t count_loop(struct lf_thread *t, struct counting *c)
{
	uint64_t now = lf_now_ns(t);

	if (c->warm)
		lf_histogram_add(&lf_observed(t)->thread[t->index].wait,
				 (now - c->last_ns) / 2);
	c->last_ns = now;
	lf_step(t);
	return now;
}

/* --- A channel ------------------------------------------------------------------- */

/* One loop more. False: the token was lost, or the run is over. */
static bool pass(struct lf_thread *t, struct counting *c)
{
	c->token++;
	return lf_channel_send(t, c->token) == 0 && lf_channel_wait(t, c->token) == 0;
}

static uint64_t pass_for(struct lf_thread *t, struct counting *c, uint64_t ns)
{
	uint64_t loops = 0, end = c->last_ns + ns, now;

	do {
		if (!pass(t, c))
			return 0;
		now = count_loop(t, c);
		loops++;
	} while (now < end && !lf_stopped(t));
	return loops;
}

static void pass_back(struct lf_thread *t)
{
	uint64_t token = 1;

	while (lf_channel_wait(t, token) == 0 && lf_channel_send(t, token) == 0)
		token++;
}

/* --- A lock ----------------------------------------------------------------------- */

/* The holder: did somebody else hold it before? */
static bool was_handed_over(struct lf_thread *t)
{
	const struct lf_log *grants = &lf_observed(t)->grants;
	uint64_t n = atomic_load_explicit(&grants->length, memory_order_relaxed);

	return n > 1 && lf_log_at(grants, n - 2) != (int)t->index;
}

static uint64_t contend_for(struct lf_thread *t, struct counting *c, uint64_t ns)
{
	uint64_t loops = 0, start = c->last_ns, now;

	do {
		lf_lock(t);
		bool mine = was_handed_over(t);
		now = mine ? count_loop(t, c) : lf_now_ns(t);
		loops += mine;
		lf_unlock(t);
	} while (now < start + (loops ? ns : PATIENCE * ns) && !lf_stopped(t));
	return loops;
}

static void contend(struct lf_thread *t)
{
	while (!lf_stopped(t)) {
		lf_lock(t);
		lf_unlock(t);
	}
}

/* --- The two ends ----------------------------------------------------------------- */

static bool take_place(struct lf_thread *t, unsigned end)
{
	enum lf_placement placement = (enum lf_placement)lf_axis(t, PLACEMENT);
	enum lf_policy policy = (enum lf_policy)lf_axis(t, POLICY);

	if (lf_place(t, placement) < 0 || lf_schedule(t, policy) < 0)
		lf_precondition_failed(t, "a thread could not be placed or scheduled as "
				       "the axes say");
	if (lf_kind(t) == LF_CHANNEL)
		lf_channel_attach(t, end);
	lf_advance(t);
	return lf_await(t, 2);
}

/* Does a loop take two slices of the scheduler? Then there is nothing to warm up. */
static bool takes_slices(struct lf_thread *t)
{
	return lf_claim_of(t)->set & LF_CLAIM_SPINS && lf_observed(t)->slice_ns > 0;
}

static void measure(struct lf_thread *t)
{
	bool channel = lf_kind(t) == LF_CHANNEL;
	uint64_t (*run_for)(struct lf_thread *, struct counting *, uint64_t) =
		channel ? pass_for : contend_for;
	uint64_t ns = repetition_ns[lf_budget(t)];
	/* Virtual time has no noise to average out, and spinning is dear there. */
	if (lf_time_is_virtual(t) && !takes_slices(t))
		ns /= 5;
	struct counting c = { .last_ns = lf_now_ns(t) };

	if (!takes_slices(t))
		run_for(t, &c, ns / 5);
	c.warm = true;
	while (lf_round(t)) {
		uint64_t start = c.last_ns = lf_now_ns(t);
		uint64_t loops = run_for(t, &c, ns);
		if (lf_stopped(t))
			break;
		lf_series_add(&lf_observed(t)->loops_per_s,
			      1e9 * (double)loops / (double)(lf_now_ns(t) - start));
		/* All slices are alike, too. */
		if (takes_slices(t) && lf_time_is_virtual(t))
			break;
	}
	if (channel)
		lf_channel_send(t, LF_TOKEN_END);
}

/* Runs it and keeps for how long the thread had to wait for a CPU meanwhile. */
static void with_delay(struct lf_thread *t, void (*fn)(struct lf_thread *))
{
	uint64_t before_ns = lf_delay_ns(t);

	fn(t);
	lf_observed(t)->thread[t->index].acquire_delay_ns = lf_delay_ns(t) - before_ns;
}

static void ping(struct lf_thread *t)
{
	lf_observed(t)->slice_ns = 0;
	if (take_place(t, 0)) {
		lf_advance(t);
		if (lf_axis(t, PLACEMENT) != LF_PLACEMENT_SMP)
			lf_observed(t)->slice_ns = lf_slice_ns(t);
		with_delay(t, measure);
	}
	lf_stop(t);
}

static void pong(struct lf_thread *t)
{
	/* Who measures begins: on one CPU a token is not waited for before it is sent. */
	if (take_place(t, 1) && lf_await(t, 3))
		with_delay(t, lf_kind(t) == LF_CHANNEL ? pass_back : contend);
}

/* --- What must hold ----------------------------------------------------------------- */

/* The mean time of a loop less what others had of it. Of two that want one CPU one waits
 * at any time; where both do, a third one has it, and takes a slice of its own. */
static double loop_without_others_ns(const struct lf_observation *o)
{
	double loops = (double)o->thread[0].steps;
	double mean_ns = 1e9 / lf_metric_spread(&o->loops_per_s).harmonic;
	double waited_ns = (double)(o->thread[0].acquire_delay_ns +
				    o->thread[1].acquire_delay_ns) / loops;

	return mean_ns - fmax(0, waited_ns - mean_ns);
}

/* Two that take turns on one CPU wait for each other less than half of the time. Beyond
 * that others have it, and not all that they do to a rate is in the delays. */
#define DELAY_MOST 0.5

static void judge_rate(struct lf_judgement *j, const struct lf_observation *o)
{
	double rate = lf_metric_undelayed(o);

	if (rate >= LOOPS_MIN || lf_metric_delay_part(o) <= DELAY_MOST)
		lf_judge_at_least(j, LF_METRIC_LOOP_RATE, LF_ORIGIN_REQUIREMENT, rate,
				  LOOPS_MIN, o->thread[0].steps, NULL);
	else
		lf_judge_void(j, "%.0f loops/s are too few, but the machine kept the ends "
			      "waiting for a CPU for most of the time", rate);
}

static void judge_shape(struct lf_judgement *j, const struct lf_observation *o,
			const struct lf_claim *c)
{
	uint64_t loops = o->thread[0].steps;

	if (c->set & LF_CLAIM_SLEEPS)
		judge_rate(j, o);
	if (!(c->set & LF_CLAIM_SPINS) || !o->slice_ns)
		return;
	/* The median: of the first loop a slice may have begun before it. */
	double ns = 2 * (double)lf_histogram_quantile(&o->thread[0].wait, 0.5);
	double alone_ns = fmin(ns, loop_without_others_ns(o));
	lf_judge_at_least(j, LF_METRIC_LOOP_SLICES, LF_ORIGIN_REQUIREMENT,
			  ns / (double)o->slice_ns, SLICES * (1 - SLICES_OFF), loops, NULL);
	lf_judge_at_most(j, LF_METRIC_LOOP_SLICES, LF_ORIGIN_REQUIREMENT,
			 alone_ns / (double)o->slice_ns, SLICES * (1 + SLICES_OFF), loops,
			 NULL);
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_histogram *handover = &o->thread[0].wait;
	struct lf_spread s = lf_metric_spread(&o->loops_per_s);
	uint64_t tokens = o->thread[0].requests;

	if (c->set & LF_CLAIM_DELIVERS)
		lf_judge_at_most(j, LF_METRIC_TOKEN, LF_ORIGIN_CLAIM,
				 (double)lf_metric_tokens_lost(o), 0, tokens, NULL);
	lf_judge_inform(j, LF_METRIC_LOOPS, s.mean, o->loops_per_s.n, NULL);
	lf_judge_inform(j, LF_METRIC_LOOPS_CV, s.cv, o->loops_per_s.n, NULL);
	lf_judge_inform(j, LF_METRIC_WAIT_P50,
			(double)lf_histogram_quantile(handover, 0.5), handover->count, "ping");
	lf_judge_inform(j, LF_METRIC_WAIT_P99,
			(double)lf_histogram_quantile(handover, 0.99), handover->count, "ping");
	if (o->loops_per_s.n == 0)
		lf_judge_void(j, "no repetition came to its end");
	else if (s.low > 0)
		judge_shape(j, o, c);
}

/* Slices are as long as they are. */
static bool decided(const struct lf_observation *o, const struct lf_claim *c, bool required)
{
	(void)required;
	return c->set & LF_CLAIM_SPINS && o->slice_ns && o->loops_per_s.n >= 2;
}

static const char *skip(const struct lf_backend *b, enum lf_engine_set engine,
			const struct lf_point *point)
{
	enum lf_placement placement = (enum lf_placement)point->axis[PLACEMENT];
	enum lf_policy policy = (enum lf_policy)point->axis[POLICY];
	const char *why = lf_cannot_place(engine, placement, policy);

	if (!why && b->kind != LF_CHANNEL && point->axis[ENDS] == PROCESSES)
		why = "a lock of this kind lives in one process";
	if (!why && b->claim.set & LF_CLAIM_SPINS && policy == LF_POLICY_FIFO &&
	    placement == LF_PLACEMENT_UNI)
		why = "under SCHED_FIFO a thread that spins never gives up its CPU: there "
		      "would be no hand-over";
	return why;
}

static const char *const placements[] = {
#define X(id, name, text) name,
	LF_PLACEMENT_MAP(X)
#undef X
	NULL
};

static const char *const policies[] = {
#define X(id, name, text) name,
	LF_POLICY_MAP(X)
#undef X
	NULL
};

static const char *const ends[] = { "processes", "threads", NULL };

static const struct lf_axis axes[] = {
	{ .name = "placement", .values = placements },
	{ .name = "policy", .values = policies },
	{ .name = "ends", .values = ends },
	{ .name = NULL },
};

static const struct lf_role thread_roles[] = {
	{ .name = "ping", .count = 1, .run = ping },
	{ .name = "pong", .count = 1, .run = pong },
	{ .name = NULL },
};

static const struct lf_role process_roles[] = {
	{ .name = "ping", .count = 1, .run = ping, .foreign = true },
	{ .name = "pong", .count = 1, .run = pong, .foreign = true },
	{ .name = NULL },
};

static const struct lf_role *roles_at(const struct lf_point *point)
{
	return point->axis[ENDS] == PROCESSES ? process_roles : thread_roles;
}

const struct lf_scenario lf_scenario_pingpong = {
	.name = "pingpong",
	.summary = "a token goes there and back: how often a second, and does it arrive?",
	.suite = "handoff",
	.kinds = 1 << LF_CHANNEL | 1 << LF_MUTEX | 1 << LF_GIL,
	.required_of = 1 << LF_CHANNEL,
	.roles = thread_roles,
	.roles_at = roles_at,
	.axes = axes,
	.skip = skip,
	.rounds = { 5, 9, 25 },
	.decided = decided,
	.limit_ns = { 20000 * LF_MS, 60000 * LF_MS, 120000 * LF_MS },
	.seeds = { 3, 10, 30 },
	.fair_control = "pipes",
	.unfair_control = "faulty/channel_lossy",
	.judge = judge,
};
