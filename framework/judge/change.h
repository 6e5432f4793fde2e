/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a lock has become slower, from pairs of short rounds of the old and
 * the new one that were run in turns.
 *
 * Each pair gives one number, the logarithm of new over old with "worse" being
 * positive. The median of these is judged by its exact order-statistic interval:
 * it assumes nothing of the distribution but that pairs are independent, needs no
 * random numbers and says the same every time. Looks are few and agreed
 * beforehand, and the chance to err is divided among them (Bonferroni), so that
 * looking early costs no honesty. Source of the interval: David and Nagaraja,
 * Order Statistics, 2003, section 7.1; of the two margins: two one-sided tests,
 * Schuirmann 1987.
 *
 * Pure functions; any thread.
 */
#ifndef LF_JUDGE_CHANGE_H
#define LF_JUDGE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

/* The numbers of pairs after which the rule looks; the last is its cap. */
#define LF_CHANGE_LOOKS 5
extern const unsigned lf_change_look[LF_CHANGE_LOOKS];
#define LF_CHANGE_PAIRS_MAX 400

/* Two-sided chance that an interval of one look misses the median: 1 % over ten
 * combinations of metric and scenario, and five looks. */
#define LF_CHANGE_MISS 0.0002

struct lf_change_rule {
	double tolerate; /* a part: 0.05. Surely worse than that fails */
	double detect;   /* a part: 0.25. Surely better than that passes */
};

struct lf_interval {
	bool known;               /* there were enough pairs for one */
	double low, median, high; /* logarithms of ratios; > 0 is worse */
	double sigma;             /* of one pair: interquartile range / 1.349 */
	unsigned pairs;
};

enum lf_change {
	LF_CHANGE_OPEN,  /* could be either: more pairs may tell */
	LF_CHANGE_SAME,  /* surely less than `detect` worse */
	LF_CHANGE_WORSE, /* surely more than `tolerate` worse */
	LF_CHANGE_NOISY, /* … and not even twice the cap would tell */
};

/*
 * The rank k of the interval from the k-th smallest to the k-th largest of n
 * values, which misses their median with a probability of at most `miss`; 0: n
 * is too small for one.
 */
unsigned lf_interval_rank(unsigned n, double miss);

/* The interval of the median of n logarithms, in any order; sorts them. */
void lf_interval_of(double value[], unsigned n, double miss, struct lf_interval *ret);

/* What an interval says under the rule. */
enum lf_change lf_change_of(const struct lf_interval *i, const struct lf_change_rule *rule);

/* How many pairs would tell at this noise, at least 12. */
double lf_change_pairs_needed(double sigma, const struct lf_change_rule *rule);

/*
 * Is the control, the old build loaded twice, shown to equal itself as well as
 * this machine can? Not, if its interval is off `tolerate` altogether, or so wide
 * (half of it more than 17 %) that it would hide a change. NULL, or why not.
 */
const char *lf_change_control(const struct lf_interval *control,
			      const struct lf_change_rule *rule);

#endif
