/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What excuses a wait, and what does not. */
#include "suites/unit/suites.h"

#include "judge/waits.h"

#include <string.h>

#define MS UINT64_C(1000000)

static struct lf_waits limit(void)
{
	return (struct lf_waits){ .limit_ns = 2 * MS, .part = 0.99 };
}

static void add(struct lf_waits *w, unsigned n, uint64_t ns, uint64_t own, uint64_t holder)
{
	struct lf_wait wait = { ns, own, holder };

	for (unsigned i = 0; i < n; i++)
		lf_waits_add(w, &wait);
}

static enum lf_verdict verdict(const struct lf_waits *w, const char *text)
{
	char reason[384];
	enum lf_verdict v = lf_waits_verdict(w, reason, sizeof reason);

	ck_assert_msg(strstr(reason, text), "\"%s\" does not say \"%s\"", reason, text);
	return v;
}

START_TEST(short_waits_pass)
{
	struct lf_waits w = limit();

	add(&w, 500, MS, 0, 0);
	ck_assert_int_eq(verdict(&w, "0 of 500"), LF_VERDICT_PASS);
}
END_TEST

START_TEST(as_many_as_are_allowed_pass)
{
	struct lf_waits w = limit();

	add(&w, 495, MS, 0, 0);
	add(&w, 5, 30 * MS, 0, 0);
	ck_assert_int_eq(verdict(&w, "30 ms"), LF_VERDICT_PASS);
}
END_TEST

START_TEST(more_fail_if_that_is_no_chance)
{
	struct lf_waits w = limit();

	add(&w, 480, MS, 0, 0);
	add(&w, 20, 3 * MS, 0, 0);
	ck_assert_int_eq(verdict(&w, "20 of 500"), LF_VERDICT_FAIL);
}
END_TEST

START_TEST(one_more_than_allowed_may_be_chance)
{
	struct lf_waits w = limit();

	add(&w, 494, MS, 0, 0);
	add(&w, 6, 3 * MS, 0, 0);
	ck_assert_int_eq(verdict(&w, "6 of 500"), LF_VERDICT_INCONCLUSIVE);
}
END_TEST

START_TEST(the_machine_excuses_what_it_explains)
{
	struct lf_waits w = limit();

	add(&w, 450, MS, 0, 0);
	add(&w, 20, 5 * MS, 4 * MS, 0);
	add(&w, 20, 5 * MS, 0, 3 * MS);
	add(&w, 10, 5 * MS, 2 * MS, 2 * MS);
	ck_assert_uint_eq(w.excused, 50);
	ck_assert_uint_eq(w.worst_net_ns, 2 * MS);
	ck_assert_int_eq(verdict(&w, "50 of them because of the machine"),
			 LF_VERDICT_PASS);
}
END_TEST

START_TEST(it_excuses_no_more_than_that)
{
	struct lf_waits w = limit();

	add(&w, 450, MS, 0, 0);
	add(&w, 50, 50 * MS, 10 * MS, 10 * MS);
	ck_assert_uint_eq(w.excused, 0);
	ck_assert_int_eq(verdict(&w, "0 of them"), LF_VERDICT_FAIL);
}
END_TEST

START_TEST(too_many_excuses_prove_nothing)
{
	struct lf_waits w = limit();

	add(&w, 300, MS, 0, 0);
	add(&w, 200, 5 * MS, 5 * MS, 0);
	ck_assert_int_eq(verdict(&w, "more than 20 %"), LF_VERDICT_INCONCLUSIVE);
}
END_TEST

START_TEST(too_few_waits_pass_nothing_but_may_fail)
{
	struct lf_waits w = limit();

	add(&w, 20, MS, 0, 0);
	ck_assert_int_eq(verdict(&w, "only 20"), LF_VERDICT_INCONCLUSIVE);
	add(&w, 20, 900 * MS, 0, 0);
	ck_assert_int_eq(verdict(&w, "20 of 40"), LF_VERDICT_FAIL);
}
END_TEST

Suite *lf_test_waits(void)
{
	Suite *s = suite_create("waits");
	TCase *tc = tcase_create("rule");

	tcase_add_test(tc, short_waits_pass);
	tcase_add_test(tc, as_many_as_are_allowed_pass);
	tcase_add_test(tc, more_fail_if_that_is_no_chance);
	tcase_add_test(tc, one_more_than_allowed_may_be_chance);
	tcase_add_test(tc, the_machine_excuses_what_it_explains);
	tcase_add_test(tc, it_excuses_no_more_than_that);
	tcase_add_test(tc, too_many_excuses_prove_nothing);
	tcase_add_test(tc, too_few_waits_pass_nothing_but_may_fail);
	suite_add_tcase(s, tc);
	return s;
}
