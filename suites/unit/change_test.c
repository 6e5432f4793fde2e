/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rule by which a change is judged, on numbers that are made up. */
#include "suites/unit/suites.h"

#include "judge/change.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const struct lf_change_rule rule = { .tolerate = 0.05, .detect = 0.25 };

/* Ranks of the exact interval, from tables of the binomial distribution. */
static const struct { unsigned n; double miss; unsigned k; } ranks[] = {
	{ 25, 0.001, 5 }, { 50, 0.001, 14 }, { 100, 0.001, 34 }, { 200, 0.001, 77 },
	{ 400, 0.001, 167 },
	{ 25, 0.0002, 4 }, { 50, 0.0002, 12 }, { 100, 0.0002, 32 }, { 200, 0.0002, 74 },
	{ 400, 0.0002, 163 },
	{ 12, 0.0002, 0 }, { 14, 0.0002, 1 }, { 0, 0.0002, 0 },
};

START_TEST(ranks_are_those_of_the_tables)
{
	ck_assert_uint_eq(lf_interval_rank(ranks[_i].n, ranks[_i].miss), ranks[_i].k);
}
END_TEST

/* n values around `middle`, from middle - spread to middle + spread, in no order. */
static void spread(double value[], unsigned n, double middle, double spread)
{
	for (unsigned i = 0; i < n; i++)
		value[i] = middle + spread * (2.0 * (i * 7 % n) / (n - 1) - 1);
}

static struct lf_interval of(unsigned n, double middle, double width)
{
	double value[LF_CHANGE_PAIRS_MAX];
	struct lf_interval i;

	spread(value, n, middle, width);
	lf_interval_of(value, n, LF_CHANGE_MISS, &i);
	return i;
}

START_TEST(an_interval_has_the_median_inside)
{
	struct lf_interval i = of(25, 0.3, 0.24);

	ck_assert(i.known);
	ck_assert_uint_eq(i.pairs, 25);
	ck_assert_double_eq_tol(i.median, 0.3, 1e-9);
	/* the 4th of 25 from either end */
	ck_assert_double_eq_tol(i.low, 0.3 - 0.24 + 3 * 0.02, 1e-9);
	ck_assert_double_eq_tol(i.high, 0.3 + 0.24 - 3 * 0.02, 1e-9);
	ck_assert_double_eq_tol(i.sigma, 0.24 / 1.349, 1e-9);
}
END_TEST

START_TEST(too_few_pairs_say_nothing)
{
	struct lf_interval i = of(10, 5, 0.01);

	ck_assert(!i.known);
	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_OPEN);
	i = of(0, 0, 0);
	ck_assert(!i.known);
}
END_TEST

START_TEST(what_is_surely_worse_fails)
{
	struct lf_interval i = of(25, log(1.30), 0.05);

	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_WORSE);
	i = of(25, log(2), 0.3);
	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_WORSE);
}
END_TEST

START_TEST(what_is_surely_not_much_worse_passes)
{
	struct lf_interval i = of(25, 0, 0.1);

	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_SAME);
	i = of(25, -1, 0.1); /* much better is no worse */
	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_SAME);
	i = of(25, log(1.05), 0.01); /* at the tolerance */
	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_SAME);
}
END_TEST

START_TEST(what_could_be_either_goes_on)
{
	struct lf_interval i = of(25, 0, 0.4);

	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_OPEN);
	i = of(25, log(1.25), 0.3);
	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_OPEN);
}
END_TEST

START_TEST(what_no_cap_would_tell_is_given_up)
{
	struct lf_interval i = of(25, 0, 3);

	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_OPEN);
	i = of(50, 0, 3);
	ck_assert_int_eq(lf_change_of(&i, &rule), LF_CHANGE_NOISY);
}
END_TEST

START_TEST(noise_says_how_many_pairs_it_needs)
{
	double few = lf_change_pairs_needed(0.01, &rule);
	double some = lf_change_pairs_needed(0.5, &rule);

	ck_assert_double_eq_tol(few, 12, 1e-9);
	/* (3.719 x 1.2533 x 0.5 / ln(1.25 / 1.05))^2 = 178.7 */
	ck_assert_double_eq_tol(some, 179, 1);
	ck_assert_double_eq_tol(lf_change_pairs_needed(1, &rule), 4 * some, 4);
}
END_TEST

START_TEST(a_control_must_equal_itself)
{
	struct lf_interval good = of(50, 0.01, 0.1), shifted = of(50, 0.12, 0.03),
		faster = of(50, -0.12, 0.03), wide = of(50, 0, 0.9), few = of(8, 0, 0.01);

	ck_assert_ptr_null(lf_change_control(&good, &rule));
	ck_assert_ptr_nonnull(strstr(lf_change_control(&shifted, &rule), "differs"));
	ck_assert_ptr_nonnull(strstr(lf_change_control(&faster, &rule), "differs"));
	ck_assert_ptr_nonnull(strstr(lf_change_control(&wide, &rule), "uncertain"));
	ck_assert_ptr_nonnull(strstr(lf_change_control(&few, &rule), "too few"));
}
END_TEST

/* xorshift64*, by Vigna; heavy tails, as timings have them. */
static double noise(uint64_t *x)
{
	double u;

	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	u = ((double)(*x * UINT64_C(0x2545F4914F6CDD1D) >> 11) + 0.5) / 9007199254740992.0;
	return 0.1 * tan((u - 0.5) * 3.0);
}

/* 500 locks that did not change, at all five looks, under noise with outliers of a
 * factor of 4: none may be called worse. */
START_TEST(noise_alone_is_never_worse)
{
	uint64_t random = 88172645463325252u;
	unsigned same = 0;

	for (unsigned run = 0; run < 500; run++) {
		double value[LF_CHANGE_PAIRS_MAX], copy[LF_CHANGE_PAIRS_MAX];
		enum lf_change c = LF_CHANGE_OPEN;
		for (unsigned i = 0; i < LF_CHANGE_PAIRS_MAX; i++)
			value[i] = noise(&random);
		for (unsigned l = 0; l < LF_CHANGE_LOOKS && c == LF_CHANGE_OPEN; l++) {
			struct lf_interval i;
			memcpy(copy, value, lf_change_look[l] * sizeof value[0]);
			lf_interval_of(copy, lf_change_look[l], LF_CHANGE_MISS, &i);
			c = lf_change_of(&i, &rule);
		}
		ck_assert_int_ne(c, LF_CHANGE_WORSE);
		same += c == LF_CHANGE_SAME;
	}
	ck_assert_uint_eq(same, 500);
}
END_TEST

Suite *lf_test_change(void)
{
	Suite *s = suite_create("change");
	TCase *tc = tcase_create("rule");

	tcase_add_loop_test(tc, ranks_are_those_of_the_tables, 0,
			    sizeof ranks / sizeof ranks[0]);
	tcase_add_test(tc, an_interval_has_the_median_inside);
	tcase_add_test(tc, too_few_pairs_say_nothing);
	tcase_add_test(tc, what_is_surely_worse_fails);
	tcase_add_test(tc, what_is_surely_not_much_worse_passes);
	tcase_add_test(tc, what_could_be_either_goes_on);
	tcase_add_test(tc, what_no_cap_would_tell_is_given_up);
	tcase_add_test(tc, noise_says_how_many_pairs_it_needs);
	tcase_add_test(tc, a_control_must_equal_itself);
	tcase_add_test(tc, noise_alone_is_never_worse);
	suite_add_tcase(s, tc);
	return s;
}
