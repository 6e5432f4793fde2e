/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exclusion: does the lock exclude at all? Four workers take it as fast as they
 * can. Now and then the holder sleeps inside, so that on a single CPU, too, the
 * others run while the lock is held. The canary of the recorder watches; it
 * does so in every other scenario as well.
 */
#include "suites/common.h"

/* Fewer say nothing. */
#define GRANTS_LEAST 50

/* At most, inside and outside. */
#define HOLD_NS (2 * LF_US)
#define THINK_NS (2 * LF_US)

/* Sixteen turns each; and how much of an equal share each must get of them. */
#define WINDOW 64
#define SHARE_BOUND 0.25

static void work(struct lf_thread *t)
{
	bool sleepy = lf_random(t) % 16 == 0;
	lf_lock(t);
	if (sleepy)
		lf_sleep_ns(t, 50 * LF_US);
	else
		lf_compute_ns(t, lf_random(t) % HOLD_NS);
	lf_unlock(t);
	lf_step(t);
	lf_compute_ns(t, lf_random(t) % lf_think_ns(t, THINK_NS));
}

static void director(struct lf_thread *t)
{
	while (lf_round(t))
		work(t);
}

static void worker(struct lf_thread *t)
{
	while (!lf_stopped(t))
		work(t);
}

static bool decided(const struct lf_observation *o, const struct lf_claim *c, bool required)
{
	(void)c;
	(void)required;
	return o->exclusion_violations + o->torn > 0;
}

/*
 * All threads ask at the same rate, so that a lock that bounds overtaking gives each
 * its share of any window of grants; but only where each has a CPU of its own, because
 * who is off the CPU asks for nothing.
 */
static void judge_shares(struct lf_judgement *j, const struct lf_observation *o,
			 const struct lf_claim *c)
{
	double share = lf_metric_window_share(o, WINDOW);
	uint64_t n = o->grants.length;
	unsigned bound;
	enum lf_origin origin = lf_claim_overtakes(c, &bound) ? LF_ORIGIN_CLAIM :
		LF_ORIGIN_REQUIREMENT;

	if (o->exact && !lf_metric_delayed(o) && n >= WINDOW)
		lf_judge_at_least(j, LF_METRIC_SHARE_WINDOW, origin, share, SHARE_BOUND, n,
				  NULL);
	else
		lf_judge_inform(j, LF_METRIC_SHARE_WINDOW, share, n, NULL);
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	uint64_t grants[LF_MAX_THREADS] = { 0 };
	unsigned served = 0;

	for (unsigned i = 0; i < o->threads; i++) {
		grants[i] = o->thread[i].grants;
		served += grants[i] > 0;
	}
	lf_judge_inform(j, LF_METRIC_JAIN, lf_metric_jain(grants, o->threads),
			o->grants.length, NULL);
	judge_shares(j, o, c);
	if (served < 2)
		lf_judge_void(j, "only one thread ever got the lock: nothing to exclude");
	if (o->grants.length < GRANTS_LEAST)
		lf_judge_void(j, "only %llu grants in the time limit",
			      (unsigned long long)o->grants.length);
}

static const struct lf_role roles[] = {
	{ .name = "director", .count = 1, .run = director },
	{ .name = "worker", .count = 3, .run = worker },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_exclusion = {
	.name = "exclusion",
	.summary = "four workers at once: is anybody ever inside beside the holder?",
	.suite = "core",
	.kinds = 1 << LF_MUTEX | 1 << LF_GIL,
	.roles = roles,
	.rounds = { 400, 2000, 20000 },
	.limit_ns = { 2000 * LF_MS, 8000 * LF_MS, 60000 * LF_MS },
	.window = true,
	.fair_control = "ticket",
	.unfair_control = "faulty/no_exclusion",
	.decided = decided,
	.judge = judge,
};
