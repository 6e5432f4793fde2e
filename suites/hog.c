/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hog: one thread computes for 10 ms inside the lock and takes it again at
 * once, a victim wants it now and then. Judged both ways: the hog may starve
 * the victim, and the victim's short bursts may starve the hog. The hog
 * computes, because one that sleeps inside lets a victim in on few CPUs; and it
 * goes on until the run ends, because one that stops first proves nothing.
 */
#include "suites/common.h"

#include <math.h>

#define HOLD_NS (10 * LF_MS)
#define PARTS 10
#define BURST 3
#define VICTIM_HOLD_NS (500 * LF_US)
#define THINK_NS (1 * LF_MS)

/* Of the time spent waiting; locks whose waiters sleep burn about 1 %. */
#define BURNT_BOUND 0.1
#define NEXT_TO_NOTHING 0.02
#define STARVED_OVERTAKES 20

/* What one turn of the hog may cost the victim. */
#define TURN_NS (3 * HOLD_NS)

enum { HOG, VICTIM };

static void hog(struct lf_thread *t)
{
	while (!lf_stopped(t)) {
		lf_lock(t);
		for (unsigned i = 0; i < PARTS && !lf_stopped(t); i++) {
			lf_compute_ns(t, HOLD_NS / PARTS);
			lf_look_queued(t);
		}
		lf_unlock(t);
		lf_step(t);
	}
}

static void hold_briefly(struct lf_thread *t)
{
	lf_lock(t);
	lf_look_queued(t);
	lf_compute_ns(t, VICTIM_HOLD_NS);
	lf_look_queued(t);
	lf_unlock(t);
	lf_step(t);
}

static void victim(struct lf_thread *t)
{
	while (lf_round(t)) {
		for (unsigned i = 0; i < BURST; i++)
			hold_briefly(t);
		lf_compute_ns(t, lf_think_ns(t, THINK_NS));
	}
}

static bool decided(const struct lf_observation *o, const struct lf_claim *c, bool required)
{
	unsigned bound;
	(void)required;
	return lf_claim_overtakes(c, &bound) && o->overtakes_max > bound;
}

/*
 * CPU time spent inside acquire, per time spent there. The time for which the
 * thread wanted a CPU and had none is left out, because a spinning thread on a
 * busy machine burns all that it gets; but not where next to nothing was burnt
 * and it would be all there is to see. Below a millisecond the same holds for
 * the clocks' own cost.
 */
static double cpu_burnt(const struct lf_thread_observation *t)
{
	double cpu = (double)t->acquire_cpu_ns, wall = (double)t->acquire_ns;
	if (t->acquire_ns < LF_MS)
		return 0;
	if (cpu < NEXT_TO_NOTHING * wall)
		return cpu / wall;
	return fmin(1, cpu / fmax(cpu, wall - (double)t->acquire_delay_ns));
}

static void judge_sleep(struct lf_judgement *j, const struct lf_observation *o,
			const struct lf_claim *c)
{
	const struct lf_thread_observation *v = &o->thread[VICTIM];
	if (c->set & LF_CLAIM_SLEEPS)
		lf_judge_at_most(j, LF_METRIC_CPU_BURNT, LF_ORIGIN_CLAIM, cpu_burnt(v),
				 BURNT_BOUND, v->grants, "victim");
	else
		lf_judge_inform(j, LF_METRIC_CPU_BURNT, cpu_burnt(v), v->grants, "victim");
}

/* A thread is starved that got nothing at all, or was passed over so often in
 * one wait that no luck explains it. */
static void judge_starvation(struct lf_judgement *j, const struct lf_observation *o,
			     const struct lf_claim *c)
{
	unsigned starved = 0, bound;
	const char *who = NULL;
	for (unsigned i = 0; i < o->threads; i++) {
		const struct lf_thread_observation *t = &o->thread[i];
		if (t->grants > 0 && t->overtakes_max < STARVED_OVERTAKES)
			continue;
		starved++;
		who = t->role;
	}
	enum lf_origin origin = lf_claim_overtakes(c, &bound) ? LF_ORIGIN_CLAIM :
		LF_ORIGIN_REQUIREMENT;
	lf_judge_at_most(j, LF_METRIC_STARVED, origin, starved, 0, o->grants.length, who);
}

/* Who bounds overtaking bounds the wait: so many of the hog's turns, which may last
 * longer than they compute where both threads share a CPU. For virtual time only; on
 * a machine the clock says what the machine did. */
static void judge_longest_wait(struct lf_judgement *j, const struct lf_observation *o,
			       const struct lf_claim *c)
{
	struct lf_histogram waits;
	unsigned bound;

	lf_metric_waits(o, "victim", &waits);
	if (o->exact && lf_claim_overtakes(c, &bound))
		lf_judge_at_most(j, LF_METRIC_WAIT_MAX, LF_ORIGIN_CLAIM, (double)waits.max,
				 (bound + 1.0) * TURN_NS, waits.count, "victim");
	else
		lf_judge_inform(j, LF_METRIC_WAIT_MAX, (double)waits.max, waits.count,
				"victim");
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	judge_starvation(j, o, c);
	lf_judge_overtakes(j, o, c, "victim");
	lf_judge_overtakes(j, o, c, "hog");
	judge_sleep(j, o, c);
	judge_longest_wait(j, o, c);
	if (lf_metric_confirmed(o, "victim") == 0 && o->thread[VICTIM].grants > 0)
		lf_judge_void(j, "the victim never had to queue behind the hog");
	if (o->thread[HOG].grants < 2)
		lf_judge_void(j, "the hog took the lock less than twice");
}

static const struct lf_role roles[] = {
	{ .name = "hog", .count = 1, .run = hog },
	{ .name = "victim", .count = 1, .run = victim },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_hog = {
	.name = "hog",
	.summary = "10 ms holds, relocked at once, beside a victim: does either starve?",
	.suite = "core",
	.kinds = 1 << LF_MUTEX | 1 << LF_GIL,
	.clocks = LF_CLOCK_CPU,
	.roles = roles,
	.rounds = { 8, 40, 200 },
	.limit_ns = { 2000 * LF_MS, 4000 * LF_MS, 20000 * LF_MS },
	.window = true,
	.fair_control = "ticket",
	.unfair_control = "faulty/starver",
	.decided = decided,
	.judge = judge,
};
