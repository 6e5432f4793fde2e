/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate/trial.h"

#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A lock that goes to sleep at least that often per acquisition is one that
 * sleeps while it waits. */
#define SLEEPS_PER_GRANT 0.02

/* The least part of rounds in which somebody must have waited, of those that began in
 * time, and of these the least part that must give a metric. A round that began late
 * was late before the lock had any part in it. */
#define VALID_MIN 0.80
#define TOLD_MIN 0.50

static const char *const arm_name[] = {
#define X(id, name) name,
	LF_ARM_MAP(X)
#undef X
};
static const char *const void_text[] = {
#define X(id, text) text,
	LF_ROUND_VOID_MAP(X)
#undef X
};

/* A metric that cannot be told though rounds were valid: why, and does it matter? */
enum told { TOLD, TOO_POOR, NOT_HERE };

/* All cycles of a trial, over its processes. */
struct cycles {
	unsigned n;
	struct lf_cycle at[LF_CHANGE_PAIRS_MAX];
};

static bool both_valid(const struct lf_cycle *c, enum lf_arm_id arm)
{
	return c->arm[LF_ARM_BASE].is_void == LF_ROUND_VALID &&
	       c->arm[arm].is_void == LF_ROUND_VALID;
}

/* The pairs of one arm with base; *ret_valid: of how many valid ones. */
static unsigned pairs_of(const struct cycles *all, enum lf_arm_id arm,
			 enum lf_round_metric m, float ratio[], unsigned *ret_valid)
{
	unsigned n = 0;

	*ret_valid = 0;
	for (unsigned i = 0; i < all->n; i++) {
		const struct lf_cycle *c = &all->at[i];
		if (!both_valid(c, arm))
			continue;
		double r = lf_round_ratio(&c->arm[LF_ARM_BASE], &c->arm[arm], m);
		++*ret_valid;
		if (!isnan(r))
			ratio[n++] = (float)r;
	}
	return n;
}

/* In how many of the valid cycles a side gave too little to tell the metric. */
static unsigned poor_cycles(const struct cycles *all, enum lf_arm_id arm,
			    enum lf_round_metric m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < all->n; i++)
		n += both_valid(&all->at[i], LF_ARM_HEAD) &&
		     lf_round_is_poor(&all->at[i].arm[arm], m);
	return n;
}

/*
 * Where rounds hold too little of a metric, more of them might tell, unless it is the
 * nature of the lock: one that sleeps is handed over rarely, and has other metrics.
 */
static enum told tell(const struct cycles *all, enum lf_round_metric m, bool sleeping,
		      unsigned pairs, unsigned valid)
{
	unsigned base = poor_cycles(all, LF_ARM_BASE, m);
	unsigned head = poor_cycles(all, LF_ARM_HEAD, m);
	double limit = (1 - TOLD_MIN) * valid;

	if (pairs > 0 && pairs >= TOLD_MIN * valid)
		return TOLD;
	if (base > limit && (sleeping || head <= limit))
		return sleeping ? NOT_HERE : TOO_POOR;
	return base > limit || head > limit ? TOO_POOR : NOT_HERE;
}

static void interval(const float ratio[], unsigned n, struct lf_interval *ret)
{
	double value[LF_CHANGE_PAIRS_MAX];

	for (unsigned i = 0; i < n; i++)
		value[i] = (double)ratio[i];
	lf_interval_of(value, n, LF_CHANGE_MISS, ret);
}

static double median_of_base(const struct cycles *all, enum lf_round_metric m)
{
	double value[LF_CHANGE_PAIRS_MAX];
	struct lf_interval i;
	unsigned n = 0;

	for (unsigned k = 0; k < all->n; k++) {
		const struct lf_round *r = &all->at[k].arm[LF_ARM_BASE];
		if (r->is_void == LF_ROUND_VALID && !isnan(r->value[m]))
			value[n++] = r->value[m];
	}
	lf_interval_of(value, n, LF_CHANGE_MISS, &i);
	return n ? i.median : (double)NAN;
}

static void look_at_metric(const struct lf_trial_options *o, const struct cycles *all,
			   struct lf_trial *t, enum lf_round_metric m)
{
	struct lf_trial_metric *x = &t->metric[m];
	unsigned kind = t->sleeping ? LF_ROUND_SLEEPING : LF_ROUND_SPINNING;
	unsigned valid, control_valid;
	enum told told;
	unsigned n = pairs_of(all, LF_ARM_HEAD, m, x->ratio, &valid);
	unsigned control = pairs_of(all, LF_ARM_CONTROL, m, x->control_ratio,
				    &control_valid);

	interval(x->ratio, n, &x->head);
	interval(x->control_ratio, control, &x->control);
	x->may_fail = lf_round_metric_info[m].may_fail & kind;
	told = tell(all, m, t->sleeping, n, valid);
	x->told = told != NOT_HERE;
	x->base = median_of_base(all, m);
	x->veto = lf_change_control(&x->control, &o->rule);
	x->change = lf_change_of(&x->head, &o->rule);
	if (told == TOO_POOR) {
		x->veto = "too few of them in a round";
		x->change = LF_CHANGE_OPEN;
	}
	if (x->veto && (x->change == LF_CHANGE_WORSE || x->change == LF_CHANGE_SAME))
		x->change = LF_CHANGE_OPEN;
}

static void count_voids(const struct cycles *all, struct lf_trial *t)
{
	memset(t->voids, 0, sizeof t->voids);
	for (unsigned i = 0; i < all->n; i++)
		for (unsigned k = 0; k < LF_ARMS; k++)
			t->voids[k][all->at[i].arm[k].is_void]++;
}

static bool sleeps(const struct cycles *all)
{
	double grants = 0, slept = 0;

	for (unsigned i = 0; i < all->n; i++) {
		grants += all->at[i].arm[LF_ARM_BASE].grants;
		slept += all->at[i].arm[LF_ARM_BASE].sleeps;
	}
	return slept > SLEEPS_PER_GRANT * grants;
}

/* Where threads had to wait for a CPU this much of the time, they seldom met. */
#define DELAY_MOST 0.10

/* To be handed over is what a lock is for. There are locks that hardly ever do that,
 * but on a busy machine none is seen doing it. */
static bool handover_is_unseen(const struct lf_trial *t)
{
	return !t->metric[LF_ROUND_HANDOVER].told && !(t->delay <= DELAY_MOST);
}

/* Of all metrics that may fail and could be told: one that is worse decides; else
 * all must be the same. */
enum lf_change lf_trial_change(const struct lf_trial *t)
{
	enum lf_change all = LF_CHANGE_SAME;
	bool any = false;

	for (unsigned m = 0; m < LF_ROUND_METRICS; m++) {
		const struct lf_trial_metric *x = &t->metric[m];
		if (!x->may_fail || !x->told)
			continue;
		any = true;
		if (x->change == LF_CHANGE_WORSE)
			return LF_CHANGE_WORSE;
		if (x->change == LF_CHANGE_OPEN ||
		    (x->change == LF_CHANGE_NOISY && all == LF_CHANGE_SAME))
			all = x->change;
	}
	if (all == LF_CHANGE_SAME && handover_is_unseen(t))
		all = LF_CHANGE_OPEN;
	return any ? all : LF_CHANGE_OPEN;
}

static const char *too_few_valid(const struct lf_trial *t, char *text, size_t size)
{
	for (unsigned k = 0; k < LF_ARMS; k++) {
		unsigned in_time = t->cycles - t->voids[k][LF_ROUND_LATE];
		if (in_time == 0 || t->voids[k][LF_ROUND_VALID] >= VALID_MIN * in_time)
			continue;
		snprintf(text, size, "only %u of %u rounds of %s count, because in the others "
			 "%s", t->voids[k][LF_ROUND_VALID], in_time, arm_name[k],
			 void_text[LF_ROUND_UNCONTENDED]);
		return text;
	}
	return NULL;
}

static void look(const struct lf_trial_options *o, const struct cycles *all,
		 struct lf_trial *t)
{
	char text[128];

	t->cycles = all->n;
	t->sleeping = o->claims_sleep || sleeps(all);
	count_voids(all, t);
	for (unsigned m = 0; m < LF_ROUND_METRICS; m++)
		look_at_metric(o, all, t, (enum lf_round_metric)m);
	t->change = lf_trial_change(t);
	t->reason[0] = '\0';
	if (too_few_valid(t, text, sizeof text)) {
		snprintf(t->reason, sizeof t->reason, "%s", text);
		t->change = LF_CHANGE_OPEN;
	}
}

/* --- Why it is open ----------------------------------------------------------- */

static const struct lf_trial_metric *least_sure(const struct lf_trial *t, int *ret_m)
{
	const struct lf_trial_metric *worst = NULL;

	*ret_m = -1;
	for (int m = 0; m < LF_ROUND_METRICS; m++) {
		const struct lf_trial_metric *x = &t->metric[m];
		if (!x->may_fail || !x->told || x->change == LF_CHANGE_SAME)
			continue;
		if (worst && x->head.high <= worst->head.high)
			continue;
		worst = x;
		*ret_m = m;
	}
	return worst;
}

static void explain(const struct lf_trial_options *o, struct lf_trial *t)
{
	int m;
	const struct lf_trial_metric *x = least_sure(t, &m);
	double needed = x ? lf_change_pairs_needed(x->head.sigma, &o->rule) : 0;

	if (t->reason[0])
		return;
	if (!x && handover_is_unseen(t))
		snprintf(t->reason, sizeof t->reason, "the lock was hardly ever handed over: "
			 "the machine kept the threads from meeting");
	else if (!x)
		snprintf(t->reason, sizeof t->reason, "no metric that may fail this lock "
			 "could be told in %u cycles", t->cycles);
	else if (x->veto)
		snprintf(t->reason, sizeof t->reason, "%s: %s", lf_round_metric_info[m].name,
			 x->veto);
	else if (t->change == LF_CHANGE_NOISY)
		snprintf(t->reason, sizeof t->reason, "%s is too noisy: about %.0f pairs "
			 "would be needed, and %d are the limit",
			 lf_round_metric_info[m].name, needed, LF_CHANGE_PAIRS_MAX);
	else
		snprintf(t->reason, sizeof t->reason, "%s could be either after %u pairs; "
			 "at this noise about %.0f are needed", lf_round_metric_info[m].name,
			 x->head.pairs, needed);
}

/* --- Running it --------------------------------------------------------------- */

/* Cycles of the process that runs, up to `wanted` of the trial. */
static enum lf_child_end collect(const struct lf_trial_options *o, struct lf_rounds *r,
				  unsigned before, unsigned wanted, uint64_t until_ns,
				  struct cycles *all, struct lf_trial *t)
{
	enum lf_child_end end = lf_rounds_until(r, wanted - before, until_ns,
						 o->interrupted, &t->error);
	unsigned there = atomic_load(&r->memory->done);
	uint64_t time_ns;

	there = there < wanted - before ? there : wanted - before;
	memcpy(&all->at[before], r->memory->cycle, there * sizeof all->at[0]);
	all->n = before + there;
	t->realtime = atomic_load(&r->memory->realtime) == o->plan.threads;
	time_ns = atomic_load(&r->memory->time_ns);
	t->delay = time_ns ? (double)atomic_load(&r->memory->delay_ns) / (double)time_ns :
		(double)NAN;
	return end;
}

static bool is_decided(const struct lf_trial *t)
{
	return t->change != LF_CHANGE_OPEN;
}

/* One process: the looks that it can reach. */
static enum lf_child_end run_process(const struct lf_trial_options *o, unsigned *i,
				      uint64_t until_ns, struct cycles *all,
				      struct lf_trial *t)
{
	struct lf_rounds_plan plan = o->plan;
	unsigned before = all->n;
	struct lf_rounds r;
	enum lf_child_end end = LF_CHILD_GOING;

	plan.seed = t->seed + t->processes++;
	if (lf_rounds_start(&r, &plan, &t->error) < 0)
		return LF_CHILD_ERROR;
	for (; end == LF_CHILD_GOING && *i < LF_CHANGE_LOOKS && !is_decided(t) &&
	       lf_change_look[*i] - before <= LF_CYCLES_MAX; ++*i) {
		end = collect(o, &r, before, lf_change_look[*i], until_ns, all, t);
		if (end == LF_CHILD_GOING || end == LF_CHILD_LATE)
			look(o, all, t);
	}
	t->at = (enum lf_arm_id)atomic_load(&r.memory->state.side);
	lf_rounds_stop(&r);
	return end;
}

void lf_trial_run(const struct lf_trial_options *options, uint64_t seed,
		  struct lf_trial *ret_trial)
{
	struct lf_trial *t = ret_trial;
	struct cycles *all = calloc(1, sizeof *all);
	uint64_t start_ns = lf_monotonic_ns();
	unsigned i = 0;

	memset(t, 0, sizeof *t);
	t->seed = seed;
	t->end = all ? LF_CHILD_GOING : LF_CHILD_ERROR;
	if (!all)
		lf_error_set(&t->error, -1, "out of memory");
	while (t->end == LF_CHILD_GOING && i < LF_CHANGE_LOOKS && !is_decided(t))
		t->end = run_process(options, &i, start_ns + options->cap_ns, all, t);
	if (t->end == LF_CHILD_LATE)
		t->end = LF_CHILD_GOING;
	t->took_ns = lf_monotonic_ns() - start_ns;
	if (t->end != LF_CHILD_GOING) {
		t->change = LF_CHANGE_OPEN;
		snprintf(t->reason, sizeof t->reason, "%.250s", t->error.text);
	} else if (t->change == LF_CHANGE_OPEN || t->change == LF_CHANGE_NOISY) {
		explain(options, t);
	}
	free(all);
}

/* --- The comparison ----------------------------------------------------------- */

static bool is_worse(const struct lf_trial *t, int m)
{
	return t->metric[m].may_fail && t->metric[m].told &&
	       t->metric[m].change == LF_CHANGE_WORSE;
}

/* The metric that is worse in both trials, by its lower end; -1: none. */
static int worse_in_both(const struct lf_comparison *c)
{
	int worst = -1;

	for (int m = 0; m < LF_ROUND_METRICS; m++)
		if (is_worse(&c->trial, m) && is_worse(&c->confirmation, m) &&
		    (worst < 0 ||
		     c->trial.metric[m].head.low > c->trial.metric[worst].head.low))
			worst = m;
	return worst;
}

/* How a trial ended that no look decided: what a build did is its own fault. */
static void conclude_end(struct lf_comparison *c, const struct lf_trial *t)
{
	bool head = t->at == LF_ARM_HEAD;
	bool lock = t->end == LF_CHILD_DIED || t->end == LF_CHILD_HUNG;

	c->verdict = lock && head ? LF_VERDICT_FAIL :
		lock || t->end == LF_CHILD_INTERRUPTED ? LF_VERDICT_INCONCLUSIVE :
		LF_VERDICT_ERROR;
	snprintf(c->reason, sizeof c->reason, "%.300s%s", t->error.text,
		 lock && !head ? "; so there is nothing to compare with" : "");
}

static void conclude_worse(struct lf_comparison *c)
{
	int m = worse_in_both(c);

	c->confirmed = m >= 0;
	c->verdict = c->confirmed ? LF_VERDICT_FAIL : LF_VERDICT_INCONCLUSIVE;
	if (c->confirmed)
		snprintf(c->reason, sizeof c->reason, "%s is worse, and a second process "
			 "says so too", lf_round_metric_info[m].name);
	else
		snprintf(c->reason, sizeof c->reason, "worse in a first process, and not "
			 "confirmed by a second%s%.200s",
			 c->confirmation.reason[0] ? ": " : "", c->confirmation.reason);
}

void lf_comparison_run(const struct lf_trial_options *options, uint64_t seed,
		       struct lf_comparison *ret_comparison)
{
	struct lf_comparison *c = ret_comparison;

	memset(c, 0, sizeof *c);
	lf_trial_run(options, seed, &c->trial);
	if (c->trial.end != LF_CHILD_GOING) {
		conclude_end(c, &c->trial);
	} else if (c->trial.change == LF_CHANGE_WORSE) {
		c->confirming = true;
		lf_trial_run(options, seed + 1000003, &c->confirmation);
		if (c->confirmation.end != LF_CHILD_GOING)
			conclude_end(c, &c->confirmation);
		else
			conclude_worse(c);
	} else if (c->trial.change == LF_CHANGE_SAME) {
		c->verdict = LF_VERDICT_PASS;
		snprintf(c->reason, sizeof c->reason, "surely less than %.0f %% worse",
			 options->rule.detect * 100);
	} else {
		c->verdict = LF_VERDICT_INCONCLUSIVE;
		snprintf(c->reason, sizeof c->reason, "%s", c->trial.reason);
	}
}
