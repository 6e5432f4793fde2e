/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/judge.h"

#include "core/cell.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void make_information(struct lf_assertion *a)
{
	a->origin = LF_ORIGIN_INFORMATION;
	a->holds = true;
}

static void add(struct lf_judgement *j, struct lf_assertion a, const char *role)
{
	if (j->n == LF_MAX_ASSERTIONS)
		return;
	if (a.origin == LF_ORIGIN_REQUIREMENT && !j->required)
		make_information(&a);
	snprintf(a.role, sizeof a.role, "%s", role ? role : "");
	j->assertion[j->n++] = a;
}

void lf_judge_at_most(struct lf_judgement *j, enum lf_metric m, enum lf_origin o,
		      double value, double bound, uint64_t n, const char *role)
{
	add(j, (struct lf_assertion){ .metric = m, .origin = o, .value = value,
				      .bound = bound, .n = n, .holds = value <= bound },
	    role);
}

void lf_judge_at_least(struct lf_judgement *j, enum lf_metric m, enum lf_origin o,
		       double value, double bound, uint64_t n, const char *role)
{
	add(j, (struct lf_assertion){ .metric = m, .origin = o, .value = value,
				      .bound = bound, .n = n, .holds = value >= bound,
				      .at_least = true },
	    role);
}

void lf_judge_inform(struct lf_judgement *j, enum lf_metric m, double value,
		     uint64_t n, const char *role)
{
	add(j, (struct lf_assertion){ .metric = m, .origin = LF_ORIGIN_INFORMATION,
				      .value = value, .bound = NAN, .n = n, .holds = true },
	    role);
}

void lf_judge_void(struct lf_judgement *j, const char *format, ...)
{
	if (j->open[0])
		return;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(j->open, sizeof j->open, format, arguments);
	va_end(arguments);
}

const struct lf_assertion *lf_judgement_decisive(const struct lf_judgement *j)
{
	static const enum lf_origin order[] = {
		LF_ORIGIN_SAFETY, LF_ORIGIN_CLAIM, LF_ORIGIN_REQUIREMENT,
	};
	for (unsigned k = 0; k < sizeof order / sizeof order[0]; k++)
		for (unsigned i = 0; i < j->n; i++)
			if (!j->assertion[i].holds && j->assertion[i].origin == order[k])
				return &j->assertion[i];
	return NULL;
}

/* A thread that does not come back although the run was stopped, so that every
 * holder has let go, waits for a wake-up that never comes. Of a channel that says it
 * delivers it waits for a token, and that is the channel's claim and not safety. */
static void judge_safety(struct lf_judgement *j, const struct lf_observation *o,
			 const struct lf_claim *c)
{
	unsigned first = 0, stuck = lf_metric_stuck(o, &first);
	if (c->set & LF_CLAIM_DELIVERS)
		stuck = 0;
	lf_judge_at_most(j, LF_METRIC_EXCLUSION, LF_ORIGIN_SAFETY,
			 (double)(o->exclusion_violations + o->torn), 0,
			 o->grants.length, NULL);
	lf_judge_at_most(j, LF_METRIC_PROGRESS, LF_ORIGIN_SAFETY, stuck, 0, o->threads,
			 stuck ? o->thread[first].role : NULL);
}

/*
 * Noise excuses a wait, never a count; and it excuses no more than it explains:
 * the time for which threads of the run were ready to go on and the machine did
 * not let them, or was away itself.
 */
static double explained_ns(const struct lf_observation *o)
{
	const struct lf_noise *n = &o->noise;
	double sum = 0;
	if (n->run_delay_ns != LF_UNKNOWN)
		sum += (double)n->run_delay_ns;
	else if (n->sleep_overshoot_ns != LF_UNKNOWN)
		sum += (double)n->sleep_overshoot_ns;
	if (n->steal_ns != LF_UNKNOWN)
		sum += (double)n->steal_ns;
	return sum;
}

static bool is_excused(const struct lf_assertion *a, const struct lf_observation *o)
{
	return strcmp(lf_metric_unit(a->metric), "ns") == 0 && !a->at_least &&
		a->value - a->bound <= explained_ns(o);
}

static bool is_index(enum lf_metric m)
{
	const char *unit = lf_metric_unit(m);
	return strcmp(unit, "index") == 0 || strcmp(unit, "ratio") == 0;
}

bool lf_assertion_is_near(const struct lf_assertion *a)
{
	enum lf_metric_class class = lf_metric_class(a->metric);
	double margin = LF_MARGIN_PERCENT / 100.0;
	bool bounds = a->origin == LF_ORIGIN_CLAIM || a->origin == LF_ORIGIN_REQUIREMENT;

	if (!a->holds || !bounds || class == LF_CLASS_ORDER || class == LF_CLASS_SAFETY)
		return false;
	if (!a->at_least)
		return a->value > a->bound * (1 - margin);
	if (is_index(a->metric) && a->bound < 1)
		return a->value < a->bound + (1 - a->bound) * margin;
	return a->value < a->bound * (1 + margin);
}

/* What a run says that was cut off is what it happened to see until then. Only a
 * second owner stays one. */
static void forget(struct lf_judgement *j)
{
	for (unsigned i = 0; i < j->n; i++)
		if (j->assertion[i].metric != LF_METRIC_EXCLUSION)
			make_information(&j->assertion[i]);
}

/* How a value stands to its bound, in words that name units. */
static void describe(const struct lf_assertion *a, char *text, size_t size)
{
	const char *unit = lf_metric_unit(a->metric);
	double scale = strcmp(unit, "ns") == 0 ? 1e-6 : 1;
	snprintf(text, size, "%s%s%s: %s %.4g %s, %s %.4g (n=%llu)",
		 lf_origin_name(a->origin), a->role[0] ? ", " : "", a->role,
		 lf_metric_name(a->metric), a->value * scale, scale != 1 ? "ms" : unit,
		 a->at_least ? "at least" : "at most", a->bound * scale,
		 (unsigned long long)a->n);
}

/* What noise explains says nothing, where something that it does not explain has
 * failed as well. */
static void drop_excused(struct lf_judgement *j, const struct lf_observation *o)
{
	bool convicted = false;
	for (unsigned i = 0; i < j->n; i++)
		convicted |= !j->assertion[i].holds && !is_excused(&j->assertion[i], o);
	for (unsigned i = 0; i < j->n && convicted; i++)
		if (!j->assertion[i].holds && is_excused(&j->assertion[i], o))
			make_information(&j->assertion[i]);
}

static void conclude(struct lf_judgement *j, const struct lf_observation *o)
{
	drop_excused(j, o);
	const struct lf_assertion *a = lf_judgement_decisive(j);
	char what[256];

	j->verdict = LF_VERDICT_PASS;
	if (a) {
		describe(a, what, sizeof what);
		snprintf(j->reason, sizeof j->reason, "%s", what);
		j->verdict = LF_VERDICT_FAIL;
	}
	if (a && is_excused(a, o)) {
		snprintf(j->reason, sizeof j->reason,
			 "%s; but the machine kept threads of the run waiting for %.1f ms",
			 what, explained_ns(o) / 1e6);
		j->verdict = LF_VERDICT_INCONCLUSIVE;
	} else if (!a && j->open[0]) {
		snprintf(j->reason, sizeof j->reason, "%s", j->open);
		j->verdict = LF_VERDICT_INCONCLUSIVE;
	}
}

static void judge_preconditions(struct lf_judgement *j, const struct lf_cell *cell,
				const struct lf_observation *o)
{
	const struct lf_scenario *s = cell->scenario;
	if (o->precondition[0])
		lf_judge_void(j, "%s", o->precondition);
	bool decided = s->decided && s->decided(o, &cell->claim, cell->required);
	if (o->stalled && !decided)
		lf_judge_void(j, "nothing moved any more after %u rounds", o->rounds);
	if (o->limit_reached && !s->window && !decided)
		lf_judge_void(j, "the time limit came first, after %u rounds", o->rounds);
}

void lf_judge(const struct lf_cell *cell, const struct lf_observation *o,
	      struct lf_judgement *ret_judgement)
{
	*ret_judgement = (struct lf_judgement){ .required = cell->required };
	judge_safety(ret_judgement, o, &cell->claim);
	judge_preconditions(ret_judgement, cell, o);
	cell->scenario->judge(ret_judgement, o, &cell->claim);
	if (o->cut_off)
		forget(ret_judgement);
	conclude(ret_judgement, o);
}
