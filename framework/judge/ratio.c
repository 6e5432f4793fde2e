/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/ratio.h"

#include "core/sort.h"

#include <math.h>
#include <stdlib.h>

/* Chance of an interval to miss, on each side. */
#define MISS 0.025

/* Below this part of the average nothing has changed. */
#define SAME 0.01

/*
 * In how many of all orders of m and n values the rank sum's U is u, as a part of
 * them: the last of the m + n is one of the n (then it beats all m) or of the m.
 * Row by row of m, for all n at once.
 */
struct distribution {
	double p[LF_MAX_SERIES + 1][LF_MAX_SERIES * LF_MAX_SERIES + 1];
};

static void add_first(struct distribution *d, unsigned m, unsigned n)
{
	for (unsigned k = 1; k <= n; k++)
		for (unsigned u = m * k + 1; u-- > 0;) {
			double last_b = u >= m ? d->p[k - 1][u - m] : 0;
			d->p[k][u] = (m * d->p[k][u] + k * last_b) / (m + k);
		}
}

/* The largest k with P(U < k) <= MISS; 0: even U = 0 is more likely. */
static unsigned rank_of(unsigned m, unsigned n)
{
	struct distribution *d = calloc(1, sizeof *d);
	double sum = 0;
	unsigned k = 0;

	if (!d)
		return 0;
	for (unsigned i = 0; i <= n; i++)
		d->p[i][0] = 1;
	for (unsigned i = 1; i <= m; i++)
		add_first(d, i, n);
	while (k < m * n && (sum += d->p[n][k]) <= MISS)
		k++;
	free(d);
	return k;
}

struct lf_ratio lf_ratio_of(const struct lf_series *a, const struct lf_series *b)
{
	struct lf_ratio r = { 0, 0, INFINITY };
	unsigned n = a->n * b->n, k;
	double *d = malloc((n + 1) * sizeof *d);

	for (unsigned i = 0; d && i < n; i++)
		d[i] = log(b->value[i % b->n] / a->value[i / b->n]);
	if (d && n) {
		lf_sort(d, n);
		r.value = exp(lf_median_of_sorted(d, n));
		k = rank_of(a->n, b->n);
		if (k) {
			r.low = exp(d[k - 1]);
			r.high = exp(d[n - k]);
		}
	}
	free(d);
	return r;
}

static bool is_steady(const struct lf_side *r)
{
	return r->high - r->low < SAME * r->average;
}

static enum lf_difference by_ranges(const struct lf_side *a, const struct lf_side *b)
{
	if (b->high < a->low)
		return LF_DIFFERENCE_DROP;
	if (b->low > a->high)
		return LF_DIFFERENCE_RISE;
	if (is_steady(a) && is_steady(b) && fabs(b->average / a->average - 1) < SAME)
		return LF_DIFFERENCE_SAME;
	return LF_DIFFERENCE_UNKNOWN;
}

/* Is the difference still there without the time that nobody had a CPU? */
static bool is_explained(const struct lf_side *a, const struct lf_side *b, double margin)
{
	return a->undelayed > 0 && b->undelayed > 0 &&
	       (b->average < a->average ? b->undelayed > a->undelayed / margin :
					  b->undelayed < a->undelayed * margin);
}

/* A run that says little of the next one, whatever was measured. */
static bool is_chance(const struct lf_side *a)
{
	return a->runs < LF_SIDE_RUNS && a->next != LF_NEXT_SAME &&
	       (a->next == LF_NEXT_CHANCE || a->undelayed > LF_RATIO_WAITED * a->average);
}

static bool by_runs(const struct lf_side *a, const struct lf_side *b)
{
	return a->runs >= LF_SIDE_RUNS && b->runs >= LF_SIDE_RUNS;
}

struct lf_ratio lf_side_ratio(const struct lf_side *a, const struct lf_side *b)
{
	return by_runs(a, b) ? lf_ratio_of(&a->averages, &b->averages) :
		lf_ratio_of(&a->samples, &b->samples);
}

enum lf_difference lf_difference_of(const struct lf_side *a, const struct lf_side *b)
{
	enum lf_difference d = by_ranges(a, b);
	bool same = a->next == LF_NEXT_SAME && b->next == LF_NEXT_SAME;
	double margin = same || by_runs(a, b) ? 1 : LF_RATIO_RUNS;
	struct lf_ratio r;

	if (!a->samples.n || !b->samples.n || d == LF_DIFFERENCE_UNKNOWN ||
	    d == LF_DIFFERENCE_SAME)
		return d;
	r = lf_side_ratio(a, b);
	if (is_chance(a) || is_chance(b) || (!same && is_explained(a, b, margin)))
		return LF_DIFFERENCE_UNKNOWN;
	if (r.high < 1 / margin)
		return LF_DIFFERENCE_DROP;
	return r.low > margin ? LF_DIFFERENCE_RISE : LF_DIFFERENCE_UNKNOWN;
}

void lf_side_add(struct lf_side *to, const struct lf_side *run)
{
	double n = to->runs++;

	to->next = run->next;
	to->low = n && to->low < run->low ? to->low : run->low;
	to->high = n && to->high > run->high ? to->high : run->high;
	to->average = (n * to->average + run->average) / (n + 1);
	to->undelayed = (n * to->undelayed + run->undelayed) / (n + 1);
	lf_series_add(&to->averages, run->average);
	for (unsigned i = 0; i < run->samples.n; i++)
		lf_series_add(&to->samples, run->samples.value[i]);
}

const char *lf_difference_word(enum lf_difference d)
{
	static const char *const word[] = {
#define X(id, text) text,
		LF_DIFFERENCE_MAP(X)
#undef X
	};

	return word[d];
}
