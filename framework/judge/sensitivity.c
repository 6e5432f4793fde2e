/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/sensitivity.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Models of one cell; more than that share the last place. */
#define MODELS 32

struct tally {
	const char *machine;
	unsigned runs, passes, fails, claims; /* fails: of any kind */
	unsigned near, cut_off;
};

struct tallies {
	unsigned n, unsafe, near;
	const struct lf_variant_result *nearest;
	struct tally model[MODELS];
};

static struct tally *tally_of(struct tallies *all, const char *machine)
{
	for (unsigned i = 0; i < all->n; i++)
		if (strcmp(all->model[i].machine, machine) == 0)
			return &all->model[i];
	if (all->n < MODELS)
		all->model[all->n++].machine = machine;
	return &all->model[all->n - 1];
}

/* How much of the bound is left. */
static double headroom(const struct lf_variant_result *v)
{
	return fabs(v->bound - v->value) / fabs(v->bound);
}

static void count(struct tallies *all, const struct lf_variant_result *v)
{
	struct tally *t = tally_of(all, v->variant.machine);
	bool safety = lf_metric_class(v->metric) == LF_CLASS_SAFETY ||
		v->origin == LF_ORIGIN_SAFETY;
	t->runs++;
	t->passes += v->verdict == LF_VERDICT_PASS;
	t->cut_off += v->cut_off;
	t->near += v->near;
	all->near += v->near;
	if (v->near && (!all->nearest || headroom(v) < headroom(all->nearest)))
		all->nearest = v;
	if (v->verdict != LF_VERDICT_FAIL)
		return;
	t->fails++;
	t->claims += v->origin == LF_ORIGIN_CLAIM;
	all->unsafe += safety;
}

static bool mostly_fails(const struct tally *t)
{
	return 2 * t->fails > t->runs;
}

/* No run could, or most were cut off. */
static bool tells_too_little(const struct tally *t)
{
	return t->fails + t->passes == 0 || 2 * t->cut_off > t->runs;
}

static enum lf_verdict verdict_of(const struct tallies *all)
{
	unsigned failing = 0, open = 0, fails = 0;
	for (unsigned i = 0; i < all->n; i++) {
		const struct tally *t = &all->model[i];
		fails += t->fails;
		failing += mostly_fails(t);
		open += tells_too_little(t);
		if (2 * t->claims > t->runs)
			return LF_VERDICT_FAIL;
	}
	if (all->unsafe || (failing > 0 && failing == all->n))
		return LF_VERDICT_FAIL;
	if (fails || all->near)
		return LF_VERDICT_SENSITIVE;
	return open ? LF_VERDICT_INCONCLUSIVE : LF_VERDICT_PASS;
}

struct text {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *t, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(t->at, t->left, format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= t->left) {
		t->at += t->left - 1;
		t->left = 1;
		return;
	}
	t->at += n;
	t->left -= (size_t)n;
}

/* "1cpu-nopreempt, 2cpu": the models for which `applies`. */
static unsigned add_models(struct text *t, const struct tallies *all,
			   bool (*applies)(const struct tally *))
{
	unsigned n = 0;
	for (unsigned i = 0; i < all->n; i++) {
		const struct tally *m = &all->model[i];
		if (applies(m))
			add(t, "%s%s", n++ ? ", " : "", m->machine);
	}
	return n;
}

static unsigned count_models(const struct tallies *all, bool (*applies)(const struct tally *))
{
	struct text nowhere = { (char[1]){ 0 }, 1 };
	return add_models(&nowhere, all, applies);
}

static bool fails(const struct tally *t)
{
	return t->fails > 0;
}

static bool holds(const struct tally *t)
{
	return t->fails == 0 && t->passes > 0;
}

static bool is_near(const struct tally *t)
{
	return t->near > 0;
}

static bool by_seed(const struct tally *t)
{
	return fails(t) && !mostly_fails(t);
}

static void add_failing(struct text *t, const struct tallies *all,
			bool (*applies)(const struct tally *))
{
	add(t, "fails under %u of %u models (", count_models(all, applies), all->n);
	add_models(t, all, applies);
	add(t, ")");
}

/* Where it fails, where not, and where that depends on the seed. */
static void add_dependence(struct text *t, const struct tallies *all)
{
	if (count_models(all, holds) > 0) {
		add_failing(t, all, fails);
		add(t, ", not under ");
		add_models(t, all, holds);
		return;
	}
	if (count_models(all, mostly_fails) > 0) {
		add_failing(t, all, mostly_fails);
		add(t, ", ");
	}
	if (count_models(all, by_seed) > 0) {
		add(t, "depends on the seed under ");
		add_models(t, all, by_seed);
	} else {
		add(t, "no run could tell under ");
		add_models(t, all, tells_too_little);
	}
}

/* All hold, but some not with margin. */
static void add_near(struct text *t, const struct tallies *all)
{
	const struct lf_variant_result *v = all->nearest;
	double scale = strcmp(lf_metric_unit(v->metric), "ns") == 0 ? 1e-6 : 1;
	add(t, "%s %.4g%s is near its bound of %.4g%s (%s, seed %llu); all runs hold, but "
	    "%u with less than %d %% of the bound to spare, under ",
	    lf_metric_name(v->metric), v->value * scale, scale != 1 ? " ms" : "",
	    v->bound * scale, scale != 1 ? " ms" : "", v->variant.machine,
	    (unsigned long long)v->variant.seed, all->near, LF_MARGIN_PERCENT);
	add_models(t, all, is_near);
}

static void add_cut_off(struct text *t, const struct tallies *all)
{
	unsigned n = 0, runs = 0;
	for (unsigned i = 0; i < all->n; i++) {
		n += all->model[i].cut_off;
		runs += all->model[i].runs;
	}
	if (n)
		add(t, "; %u of %u runs were cut off", n, runs);
}

static void explain(const struct tallies *all, struct lf_judgement *j)
{
	char decisive[sizeof j->reason];
	struct text t = { j->reason, sizeof j->reason };

	snprintf(decisive, sizeof decisive, "%s", j->reason);
	j->reason[0] = '\0';
	if (j->verdict == LF_VERDICT_PASS)
		return;
	add(&t, "%.150s%s", decisive, decisive[0] ? "; " : "");
	if (j->verdict == LF_VERDICT_FAIL) {
		add_failing(&t, all, fails);
	} else if (j->verdict == LF_VERDICT_INCONCLUSIVE) {
		add(&t, "too few runs could tell under ");
		add_models(&t, all, tells_too_little);
	} else if (count_models(all, fails) > 0) {
		add_dependence(&t, all);
	} else {
		add_near(&t, all);
	}
	add_cut_off(&t, all);
}

void lf_combine_variants(const struct lf_variant_result *v, unsigned n,
			 struct lf_judgement *judgement)
{
	struct tallies all = { 0 };
	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++)
		count(&all, &v[i]);
	judgement->verdict = verdict_of(&all);
	explain(&all, judgement);
}
