/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/change.h"

#include "core/sort.h"

#include <math.h>
#include <stdlib.h>

const unsigned lf_change_look[LF_CHANGE_LOOKS] = { 25, 50, 100, 200, 400 };

/* Half the width of a control's interval that hides nothing yet. */
#define CONTROL_HALF_WIDTH 0.17

/* An interval wider than this after so many pairs is not waited for. */
#define NOISY_FROM 50
#define NOISY_FACTOR 2

/* P(Binomial(n, 1/2) < k), from logarithms: 2^-400 has no place in a product. */
static double binomial_below(unsigned n, unsigned k)
{
	double sum = 0;

	for (unsigned i = 0; i < k; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) -
			   n * log(2));
	return sum;
}

unsigned lf_interval_rank(unsigned n, double miss)
{
	unsigned k = 0;

	while (k < n / 2 && 2 * binomial_below(n, k + 1) <= miss)
		k++;
	return k;
}

static double quantile(const double sorted[], unsigned n, double part)
{
	double at = part * (n - 1);
	unsigned i = (unsigned)at;

	return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

void lf_interval_of(double value[], unsigned n, double miss, struct lf_interval *ret)
{
	unsigned k = lf_interval_rank(n, miss);

	*ret = (struct lf_interval){ .pairs = n };
	if (n == 0)
		return;
	lf_sort(value, n);
	ret->median = quantile(value, n, 0.5);
	ret->sigma = (quantile(value, n, 0.75) - quantile(value, n, 0.25)) / 1.349;
	ret->known = k > 0;
	ret->low = k ? value[k - 1] : -INFINITY;
	ret->high = k ? value[n - k] : INFINITY;
}

/* The z of a two-sided miss, by halving: called a few times per gate. */
static double normal_quantile(double miss)
{
	double low = 0, high = 10;

	while (high - low > 1e-9) {
		double z = (low + high) / 2;
		if (erfc(z / sqrt(2)) > miss)
			low = z;
		else
			high = z;
	}
	return high;
}

/* 1.2533 = sqrt(pi / 2): the median of normal values is that much less sure than
 * their mean. The interval has to fit between the two margins. */
double lf_change_pairs_needed(double sigma, const struct lf_change_rule *rule)
{
	double room = log((1 + rule->detect) / (1 + rule->tolerate));
	double root = normal_quantile(LF_CHANGE_MISS) * 1.2533 * sigma / room;

	return fmax(12, ceil(root * root));
}

enum lf_change lf_change_of(const struct lf_interval *i, const struct lf_change_rule *rule)
{
	if (!i->known)
		return LF_CHANGE_OPEN;
	if (i->low > log(1 + rule->tolerate))
		return LF_CHANGE_WORSE;
	if (i->high < log(1 + rule->detect))
		return LF_CHANGE_SAME;
	if (i->pairs >= NOISY_FROM && lf_change_pairs_needed(i->sigma, rule) >
	    NOISY_FACTOR * LF_CHANGE_PAIRS_MAX)
		return LF_CHANGE_NOISY;
	return LF_CHANGE_OPEN;
}

const char *lf_change_control(const struct lf_interval *control,
			      const struct lf_change_rule *rule)
{
	double limit = log(1 + rule->tolerate);

	if (!control->known)
		return "too few rounds of the old lock against itself";
	if (control->low > limit || control->high < -limit)
		return "the old lock differs from a second copy of itself";
	if ((control->high - control->low) / 2 > log(1 + CONTROL_HALF_WIDTH))
		return "the old lock against itself is too uncertain";
	return NULL;
}
