/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throughput: what do n threads get done together, compared to one alone? And does
 * each of them get its share?
 *
 * After the throughput test of ccbench, with its timed loop: after every 10 ms a
 * thread pauses for a tenth of a millisecond without the lock. The rate of one
 * thread is measured in each cell. Reports switches, too: an old lock with a short
 * interval switches all the time and gets nothing for it.
 */
#include "suites/ccbench.h"

#define ALONE_PART 4
#define BATCH_NS (10 * LF_MS)
#define PAUSE_NS (100 * LF_US)

/* Of an equal share; who has less, has next to nothing. */
#define SHARE_BOUND 0.1

static void pause_outside(void *arg)
{
	lf_sleep_ns(arg, PAUSE_NS);
}

static void work_in_batches(struct lf_thread *t, const struct lf_workload *w,
			    uint64_t end_ns, struct lf_rate *ret_rate)
{
	while (lf_now_ns(t) < end_ns && !lf_stopped(t)) {
		lf_cc_work_until(t, w, lf_now_ns(t) + BATCH_NS, ret_rate);
		if (lf_sweep(t) > 1)
			lf_outside(t, pause_outside, t);
	}
}

static void work_alone(struct lf_thread *t, const struct lf_workload *w,
		       struct lf_rate *ret_rate)
{
	uint64_t start = lf_now_ns(t);

	lf_lock(t);
	lf_cc_work_until(t, w, start + lf_cc_load_ns(t) / ALONE_PART, ret_rate);
	lf_unlock(t);
	ret_rate->ns = lf_now_ns(t) - start;
}

static void cpu(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	const struct lf_workload *w = lf_cc_workload(t);

	if (lf_role_index(t) == 0) {
		work_alone(t, w, &mine->alone);
		lf_advance(t);
	}
	if (!lf_await(t, LF_CC_BEGIN))
		return;
	uint64_t start = lf_now_ns(t);
	lf_lock(t);
	work_in_batches(t, w, start + lf_cc_load_ns(t), &mine->beside);
	mine->beside.ns = lf_now_ns(t) - start;
	lf_unlock(t);
}

/* All units by the time of who took longest, as ccbench counts. */
static struct lf_rate sum_of(const struct lf_observation *o, uint64_t *ret_least)
{
	struct lf_rate sum = { 0 };

	*ret_least = UINT64_MAX;
	for (unsigned i = 0; i < o->threads; i++) {
		const struct lf_rate *r = &o->thread[i].beside;
		sum.units += r->units;
		sum.ns = r->ns > sum.ns ? r->ns : sum.ns;
		*ret_least = r->units < *ret_least ? r->units : *ret_least;
	}
	return sum;
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	uint64_t least;
	struct lf_rate sum = sum_of(o, &least);
	double alone = lf_cc_per_second(&o->thread[0].alone);
	double share = sum.units ? (double)least * o->threads / (double)sum.units : 0;

	if (share < SHARE_BOUND && lf_cc_is_too_short(j, o, c, sum.ns))
		lf_judge_inform(j, LF_METRIC_SHARE_MIN, share, sum.units, "cpu");
	else
		lf_cc_judge_rate(j, o, sum.ns, &(struct lf_assertion){
			.metric = LF_METRIC_SHARE_MIN, .origin = LF_ORIGIN_REQUIREMENT,
			.value = share, .bound = SHARE_BOUND, .at_least = true,
			.n = sum.units, .role = "cpu" });
	lf_judge_inform(j, LF_METRIC_SPEED, lf_cc_per_second(&sum), sum.units, "cpu");
	lf_judge_inform(j, LF_METRIC_SPEED_SHARE,
			alone > 0 ? lf_cc_per_second(&sum) / alone : 0, sum.units, "cpu");
	lf_cc_inform_switches(j, o);
	if (sum.units == 0)
		lf_judge_void(j, "no unit of work was done");
}

static const struct lf_role roles[] = {
	{ .name = "cpu", .run = cpu },
	{ .name = NULL },
};

/* One that polls, one that does not, and one that lets go. */
static const char *const workloads[] = { "pi", "regex", "bz2", NULL };
static const struct lf_axis axes[] = {
	{ .name = "workload", .values = workloads }, { .name = NULL },
};

const struct lf_scenario lf_scenario_throughput = {
	.name = "throughput",
	.summary = "n threads against one: what do they get done, and does each?",
	LF_CC_COMMON,
	.roles = roles,
	.fair_control = "gil-bfs",
	.unfair_control = "faulty/gil_selfish",
	.axes = axes,
	.sweep = LF_SWEEP(1, 2, 4),
	.skip = lf_cc_skip,
	.limit_ns = LF_CC_LIMIT(160),
	.judge = judge,
};
