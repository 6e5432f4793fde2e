/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * By how much two lists of measurements differ, without assuming anything of their
 * distribution: the shift of Hodges and Lehmann on the logarithms, with the interval
 * that goes with the rank-sum test of Mann, Whitney and Wilcoxon. (Hollander and
 * Wolfe, Nonparametric Statistical Methods, section 4.2-4.3.)
 *
 * Pure functions; any thread.
 */
#ifndef LF_JUDGE_RATIO_H
#define LF_JUDGE_RATIO_H

#include <lockfair/observation.h>

struct lf_ratio {
	double value;     /* of b to a; 0: cannot be said */
	double low, high; /* the interval; 0 and infinity: too few values */
};

/* The ratio of b to a, all values above 0, with an interval that misses it in at
 * most one of twenty cases. */
struct lf_ratio lf_ratio_of(const struct lf_series *a, const struct lf_series *b);

/* From so many runs on their averages are compared, and not what they were made of. */
#define LF_SIDE_RUNS 4

/* What one run tells of the next one of the same build. */
enum lf_next {
	LF_NEXT_VARIES, /* it differs by less than a factor of LF_RATIO_RUNS */
	LF_NEXT_CHANCE, /* nothing: it depends on what was on which CPU */
	LF_NEXT_SAME,   /* virtual time: all */
};

/* One side of a comparison: what is known of a rate, always three numbers, and maybe what
 * they were made of. */
struct lf_side {
	double low, high, average;
	unsigned runs;
	struct lf_series samples;  /* of all runs; n is 0 where nobody kept them */
	struct lf_series averages; /* of each run */
	/* The average over the time that nobody spent waiting for a CPU; 0: unknown. */
	double undelayed;
	enum lf_next next;
};

#define LF_DIFFERENCE_MAP(X)                                                   \
	X(DROP, "drop")                                                        \
	X(RISE, "rise")                                                        \
	X(SAME, "same")                                                        \
	X(UNKNOWN, "cannot tell")

enum lf_difference {
#define X(id, word) LF_DIFFERENCE_##id,
	LF_DIFFERENCE_MAP(X)
#undef X
};

/*
 * What became of rate a in b.
 *
 * From the three numbers: drop or rise where the ranges have nothing in common; same
 * where both ranges and the change are below 1 % of the average; else it cannot be
 * told.
 *
 * With samples the ratio's interval must also lie beyond 1, and, where either has
 * fewer than LF_SIDE_RUNS runs, beyond a factor of LF_RATIO_RUNS, because what varies from
 * run to run is not in the samples of one: on a busy machine, neighbours that share a
 * core and caches, twofold and more (bench/compare_pairs). Fewer runs tell nothing where
 * one is chance: where the scheduler chose the CPUs, and where a sleeper is woken on
 * another CPU, which on a virtual machine takes five times as long if something else runs
 * there; nor where one spent all but 1/LF_RATIO_WAITED of its time waiting for a CPU. (On
 * one CPU of an idle machine half is usual: who wakes the other still runs.) And what the
 * machine explains counts for nothing: without the time that threads waited for a CPU the
 * same must be seen.
 * In virtual time one run is enough for all of that.
 */
#define LF_RATIO_RUNS 3
#define LF_RATIO_WAITED 3
enum lf_difference lf_difference_of(const struct lf_side *a, const struct lf_side *b);
/* The interval that goes with it. */
struct lf_ratio lf_side_ratio(const struct lf_side *a, const struct lf_side *b);
/* One run more. */
void lf_side_add(struct lf_side *to, const struct lf_side *run);
const char *lf_difference_word(enum lf_difference d);

#endif
