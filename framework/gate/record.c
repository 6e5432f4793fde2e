/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate/record.h"

#include "report/json.h"

#include <math.h>
#include <stdio.h>

static json_t *interval(const struct lf_interval *i)
{
	json_t *o = json_object();

	lf_json_put(&o, "low", lf_json_number(i->low));
	lf_json_put(&o, "median", lf_json_number(i->median));
	lf_json_put(&o, "high", lf_json_number(i->high));
	lf_json_put(&o, "sigma", lf_json_number(i->sigma));
	lf_json_put(&o, "pairs", lf_json_count(i->pairs));
	return o;
}

/* To four digits: a few bytes each. */
static json_t *ratios(const float ratio[], unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++)
		lf_json_add(&list, lf_json_number(nearbyint((double)ratio[i] * 1e4) / 1e4));
	return list;
}

static const char *change_name(enum lf_change c)
{
	static const char *const name[] = { "open", "same", "worse", "noisy" };

	return name[c];
}

static json_t *metric(const struct lf_comparison *c, unsigned m)
{
	const struct lf_trial_metric *x = &c->trial.metric[m];
	json_t *o = json_object();

	lf_json_put(&o, "name", json_string(lf_round_metric_info[m].name));
	lf_json_put(&o, "unit", json_string(lf_round_metric_info[m].unit));
	lf_json_put(&o, "may_fail", json_boolean(x->may_fail));
	lf_json_put(&o, "told", json_boolean(x->told));
	lf_json_put(&o, "change", json_string(change_name(x->change)));
	lf_json_put(&o, "base", lf_json_number(x->base));
	lf_json_put(&o, "head", interval(&x->head));
	lf_json_put(&o, "control", interval(&x->control));
	lf_json_put(&o, "veto", json_string(x->veto ? x->veto : ""));
	lf_json_put(&o, "confirmation",
		    c->confirming ? interval(&c->confirmation.metric[m].head) : json_null());
	lf_json_put(&o, "ratios", ratios(x->ratio, x->head.pairs));
	lf_json_put(&o, "control_ratios", ratios(x->control_ratio, x->control.pairs));
	return o;
}

static json_t *voids(const struct lf_trial *t, enum lf_round_void reason)
{
	json_t *list = json_array();

	for (unsigned k = 0; k < LF_ARMS; k++)
		lf_json_add(&list, lf_json_count(t->voids[k][reason]));
	return list;
}

json_t *lf_change_json(const struct lf_comparison *c, const struct lf_trial_options *o)
{
	const struct lf_trial *t = &c->trial;
	json_t *change = json_object(), *metrics = json_array();

	lf_json_put(&change, "threads", json_integer(o->plan.threads));
	lf_json_put(&change, "tolerate", json_real(o->rule.tolerate));
	lf_json_put(&change, "detect", json_real(o->rule.detect));
	lf_json_put(&change, "sleeping", json_boolean(t->sleeping));
	lf_json_put(&change, "confirmed",
		    c->confirming ? json_boolean(c->confirmed) : json_null());
	lf_json_put(&change, "cycles", lf_json_count(t->cycles));
	lf_json_put(&change, "took_ns", lf_json_count(t->took_ns + c->confirmation.took_ns));
	lf_json_put(&change, "realtime", json_boolean(t->realtime));
	lf_json_put(&change, "delay", lf_json_number(t->delay));
	lf_json_put(&change, "late", voids(t, LF_ROUND_LATE));
	lf_json_put(&change, "uncontended", voids(t, LF_ROUND_UNCONTENDED));
	for (unsigned m = 0; m < LF_ROUND_METRICS; m++)
		lf_json_add(&metrics, metric(c, m));
	lf_json_put(&change, "metrics", metrics);
	return change;
}

/* Metrics of rounds and of judgements are in one order. */
static enum lf_metric metric_of(unsigned m)
{
	return (enum lf_metric)(LF_METRIC_CHANGE_HANDOVER + m);
}

void lf_change_judge(const struct lf_comparison *c, const struct lf_trial_options *o,
		     struct lf_judgement *ret_judgement)
{
	struct lf_judgement *j = ret_judgement;
	const struct lf_trial *t = &c->trial;

	_Static_assert(LF_METRIC_CHANGE_CPU - LF_METRIC_CHANGE_HANDOVER ==
		       LF_ROUND_CPU - LF_ROUND_HANDOVER, "the same order");
	*j = (struct lf_judgement){ .verdict = c->verdict, .required = true };
	for (unsigned m = 0; m <= LF_ROUND_CPU; m++) {
		const struct lf_trial_metric *x = &t->metric[m];
		bool counts = x->may_fail && x->told && x->head.known;
		bool worse = x->change == LF_CHANGE_WORSE && c->confirmed &&
			c->confirmation.metric[m].change == LF_CHANGE_WORSE;
		if (!counts)
			continue;
		lf_judge_at_most(j, metric_of(m), LF_ORIGIN_REQUIREMENT, exp(x->head.low),
				 1 + o->rule.tolerate, x->head.pairs, NULL);
		j->assertion[j->n - 1].holds = !worse;
	}
	/* A build that crashes in its rounds does not survive them. */
	if (c->verdict == LF_VERDICT_FAIL && t->end != LF_CHILD_GOING)
		lf_judge_at_most(j, t->end == LF_CHILD_HUNG ? LF_METRIC_PROGRESS :
				 LF_METRIC_SURVIVES, LF_ORIGIN_SAFETY, 1, 0, 1, NULL);
	snprintf(j->reason, sizeof j->reason, "%s", c->reason);
}
