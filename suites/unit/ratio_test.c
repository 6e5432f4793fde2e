/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is said of two rates: on paper, each rule from both sides. The words for the
 * numbers of 2002 are in suites/cli/compare.t. */
#include "judge/ratio.h"
#include "suites/unit/suites.h"

#include <math.h>
#include <string.h>

static struct lf_series samples(unsigned n, double first, double step)
{
	struct lf_series s = { 0 };

	for (unsigned i = 0; i < n; i++)
		lf_series_add(&s, first + step * i);
	return s;
}

/* Ranks from the tables of Wilcoxon's test: of 5 and 5 values the third of the 25
 * ratios from either end, of 8 and 7 the eleventh of 56, of 3 and 3 none. */
START_TEST(intervals_have_the_ranks_of_the_tables)
{
	static const struct {
		unsigned m, n, rank;
	} known[] = { { 5, 5, 3 }, { 8, 7, 11 }, { 4, 4, 1 }, { 3, 3, 0 }, { 10, 10, 24 } };
	/* b is so far above a, and so tightly packed, that the ratios come in the order
	 * of a's values first. */
	const unsigned i = (unsigned)_i, m = known[i].m, n = known[i].n;
	struct lf_series a = samples(m, 1, 1), b = samples(n, 1000, 1e-6);
	struct lf_ratio r = lf_ratio_of(&a, &b);

	if (known[i].rank == 0) {
		ck_assert(r.low == 0 && isinf(r.high));
		return;
	}
	/* n equal ratios for each of a's values, the largest value's first. */
	ck_assert_double_eq_tol(r.low, 1000.0 / (m - (known[i].rank - 1) / n), 0.01);
	ck_assert_double_eq_tol(r.high, 1000.0 / (1 + (known[i].rank - 1) / n), 0.01);
}
END_TEST

START_TEST(a_ratio_is_the_middle_of_all)
{
	struct lf_series a = samples(5, 98, 1), b = samples(5, 196, 2);
	struct lf_ratio r = lf_ratio_of(&a, &b);

	ck_assert_double_eq_tol(r.value, 2, 1e-9);
	ck_assert(r.low < 2 && r.high > 2);
	ck_assert_double_eq_tol(r.low * r.high, 4, 1e-9);
	a.n = 0;
	ck_assert(lf_ratio_of(&a, &b).value == 0);
}
END_TEST

START_TEST(the_oldest_sample_goes_first)
{
	struct lf_series s = samples(LF_MAX_SERIES + 2, 0, 1);

	ck_assert_uint_eq(s.n, LF_MAX_SERIES);
	ck_assert_double_eq(s.value[0], 2);
	ck_assert_double_eq(s.value[LF_MAX_SERIES - 1], LF_MAX_SERIES + 1);
}
END_TEST

static struct lf_side three(double low, double average, double high)
{
	return (struct lf_side){ .low = low, .average = average, .high = high, .runs = 1 };
}

static void says(const struct lf_side *a, const struct lf_side *b, const char *word)
{
	ck_assert_str_eq(lf_difference_word(lf_difference_of(a, b)), word);
}

START_TEST(three_numbers)
{
	struct lf_side a = three(90, 100, 110), steady = three(999, 1000, 1001);
	struct lf_side below = three(80, 85, 89), touching = three(80, 85, 90);
	struct lf_side above = three(111, 112, 113), inside = three(95, 100, 105);
	struct lf_side near = three(1000, 1004, 1008), far = three(1000, 1011, 1012);

	says(&a, &below, "drop");
	says(&a, &touching, "cannot tell");
	says(&a, &above, "rise");
	says(&a, &inside, "cannot tell");
	says(&steady, &near, "same");
	says(&steady, &far, "cannot tell");
}
END_TEST

static struct lf_side sampled(double average, double undelayed)
{
	struct lf_side run = three(average * 0.98, average, average * 1.02), sum = { 0 };

	run.samples = samples(5, average * 0.98, average * 0.01);
	run.undelayed = undelayed;
	lf_side_add(&sum, &run);
	return sum;
}

START_TEST(one_run_does_not_know_what_varies_between_runs)
{
	struct lf_side a = sampled(100, 100), less = sampled(40, 40), fifth = sampled(20, 20);
	struct lf_side more = sampled(250, 250), many = sampled(500, 500);

	says(&a, &less, "cannot tell");
	says(&a, &fifth, "drop");
	says(&a, &more, "cannot tell");
	says(&a, &many, "rise");
}
END_TEST

START_TEST(what_the_machine_explains_is_no_change)
{
	struct lf_side a = sampled(100, 110), kept_waiting = sampled(37, 108);
	struct lf_side slower = sampled(20, 22), unknown = sampled(20, 0);

	says(&a, &kept_waiting, "cannot tell");
	says(&kept_waiting, &a, "cannot tell");
	says(&a, &slower, "drop");
	says(&slower, &a, "rise");
	says(&a, &unknown, "drop");
}
END_TEST

START_TEST(one_run_does_not_know_where_the_next_one_runs)
{
	struct lf_side a = sampled(100, 100), tenth = sampled(10, 10);

	says(&a, &tenth, "drop");
	tenth.next = LF_NEXT_CHANCE;
	says(&a, &tenth, "cannot tell");
	says(&tenth, &a, "cannot tell");
}
END_TEST

START_TEST(one_run_in_virtual_time_knows_all_others)
{
	struct lf_side a = sampled(100, 100), less = sampled(90, 100);

	says(&a, &less, "cannot tell");
	a.next = less.next = LF_NEXT_SAME;
	says(&a, &less, "drop");
	says(&less, &a, "rise");
}
END_TEST

START_TEST(who_hardly_had_a_cpu_tells_nothing)
{
	struct lf_side a = sampled(100, 200), mostly_waited = sampled(20, 61);
	struct lf_side half_waited = sampled(20, 40);

	says(&a, &mostly_waited, "cannot tell");
	says(&mostly_waited, &a, "cannot tell");
	says(&a, &half_waited, "drop");
}
END_TEST

/* Four runs whose averages are 1 apart. */
static void add_runs(struct lf_side *to, double from)
{
	memset(to, 0, sizeof *to);
	for (unsigned i = 0; i < LF_SIDE_RUNS; i++) {
		struct lf_side one = sampled(from + i, from + i);
		lf_side_add(to, &one);
	}
}

START_TEST(several_runs_do)
{
	static struct lf_side a, b;

	add_runs(&a, 100);
	ck_assert_double_eq_tol(a.average, 101.5, 1e-9);
	ck_assert_double_eq_tol(a.low, 98, 1e-9);
	ck_assert_double_eq_tol(a.high, 103 * 1.02, 1e-9);
	ck_assert_uint_eq(a.samples.n, 20);
	add_runs(&b, 90);
	says(&a, &b, "drop");
	says(&b, &a, "rise");
	a.next = LF_NEXT_CHANCE;
	says(&a, &b, "drop");
	add_runs(&b, 101);
	says(&a, &b, "cannot tell");
}
END_TEST

Suite *lf_test_ratio(void)
{
	Suite *suite = suite_create("ratio");
	TCase *paper = tcase_create("paper");

	tcase_add_loop_test(paper, intervals_have_the_ranks_of_the_tables, 0, 5);
	tcase_add_test(paper, a_ratio_is_the_middle_of_all);
	tcase_add_test(paper, the_oldest_sample_goes_first);
	tcase_add_test(paper, three_numbers);
	tcase_add_test(paper, one_run_does_not_know_what_varies_between_runs);
	tcase_add_test(paper, what_the_machine_explains_is_no_change);
	tcase_add_test(paper, one_run_does_not_know_where_the_next_one_runs);
	tcase_add_test(paper, one_run_in_virtual_time_knows_all_others);
	tcase_add_test(paper, who_hardly_had_a_cpu_tells_nothing);
	tcase_add_test(paper, several_runs_do);
	suite_add_tcase(suite, paper);
	return suite;
}
