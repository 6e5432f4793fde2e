/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decision table: every verdict with every expectation, once. */
#include "report/shown.h"
#include "suites/unit/suites.h"

#include <string.h>

struct row {
	enum lf_verdict verdict;
	enum lf_expect expected;
	bool safety;
	const char *word;
	bool with_reason;
	enum lf_tap tap;
	enum lf_junit junit;
	int exit;
};

#define ROW(v, e, s, word, reason, tap, junit, exit)                           \
	{ LF_VERDICT_##v, LF_EXPECT_##e, s, word, reason, LF_TAP_##tap,        \
	  LF_JUNIT_##junit, exit }
#define ANY(v, s, word, tap, junit, exit)                                      \
	ROW(v, NOTHING, s, word, false, tap, junit, exit),                     \
	ROW(v, FAIL, s, word, false, tap, junit, exit),                        \
	ROW(v, SENSITIVE, s, word, false, tap, junit, exit),                   \
	ROW(v, VARIES, s, word, false, tap, junit, exit)

static const struct row rows[] = {
	ROW(PASS, NOTHING, false, "PASS", false, OK, PASSED, 0),
	ROW(PASS, VARIES, false, "PASS", false, OK, PASSED, 0),
	ROW(PASS, FAIL, false, "UNEXPECTED PASS", false, NOT_OK, FAILURE, 1),
	ROW(PASS, SENSITIVE, false, "UNEXPECTED PASS", false, NOT_OK, FAILURE, 1),
	ROW(FAIL, NOTHING, false, "FAIL", false, NOT_OK, FAILURE, 1),
	ROW(FAIL, SENSITIVE, false, "FAIL (was sensitive)", false, NOT_OK, FAILURE, 1),
	ROW(FAIL, FAIL, false, "fail", true, TODO, SKIPPED, 0),
	ROW(FAIL, VARIES, false, "fail", true, TODO, SKIPPED, 0),
	ANY(FAIL, true, "FAIL", NOT_OK, FAILURE, 1),
	ROW(SENSITIVE, SENSITIVE, false, "sensitive", true, SKIP, SKIPPED, 0),
	ROW(SENSITIVE, VARIES, false, "sensitive", true, SKIP, SKIPPED, 0),
	ROW(SENSITIVE, NOTHING, false, "SENSITIVE", false, SKIP, SKIPPED, 77),
	ROW(SENSITIVE, FAIL, false, "SENSITIVE", false, SKIP, SKIPPED, 77),
	ANY(INCONCLUSIVE, false, "INCONCLUSIVE", SKIP, SKIPPED, 77),
	ANY(SKIP, false, "skip", SKIP, SKIPPED, 0),
	ANY(ERROR, false, "ERROR", NOT_OK, ERROR, 99),
};

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(every_row_is_shown_as_designed)
{
	const struct row *r = &rows[_i];
	const struct lf_shown *s = lf_shown(r->verdict, r->expected, r->safety);

	ck_assert_str_eq(s->word, r->word);
	ck_assert_int_eq(s->with_reason, r->with_reason);
	ck_assert_int_eq(s->tap, r->tap);
	ck_assert_int_eq(s->junit, r->junit);
	ck_assert_int_eq(s->exit, r->exit);
}
END_TEST

START_TEST(the_rows_are_all_there_are)
{
	bool seen[LF_VERDICT_COUNT][LF_EXPECT_COUNT] = { { false } };

	for (int i = 0; i < ROWS; i++)
		seen[rows[i].verdict][rows[i].expected] = true;
	for (int v = 0; v < LF_VERDICT_COUNT; v++)
		for (int e = 0; e < LF_EXPECT_COUNT; e++)
			ck_assert_msg(seen[v][e], "no row for %s, expected %s",
				      lf_verdict_name((enum lf_verdict)v),
				      lf_expect_name((enum lf_expect)e));
}
END_TEST

START_TEST(what_is_unforeseen_does_not_pass)
{
	ck_assert_int_eq(lf_shown(LF_VERDICT_COUNT, LF_EXPECT_NOTHING, false)->exit,
			 LF_EXIT_HARNESS);
	ck_assert_int_eq(lf_shown(LF_VERDICT_PASS, LF_EXPECT_COUNT, false)->exit,
			 LF_EXIT_HARNESS);
}
END_TEST

START_TEST(words_for_tables_are_short)
{
	for (int i = 0; i < ROWS; i++)
		ck_assert_uint_le(strlen(lf_shown(rows[i].verdict, rows[i].expected,
						  rows[i].safety)->brief), 8);
}
END_TEST

struct control_row {
	enum lf_control control;
	enum lf_verdict verdict;
	bool died;
	const char *word;
	int exit;
};

static const struct control_row controls[] = {
	{ LF_CONTROL_FAIR, LF_VERDICT_PASS, false, "held", 0 },
	{ LF_CONTROL_FAIR, LF_VERDICT_FAIL, false, "CONTROL FAILED", 99 },
	{ LF_CONTROL_FAIR, LF_VERDICT_FAIL, true, "CONTROL FAILED", 99 },
	{ LF_CONTROL_FAIR, LF_VERDICT_SENSITIVE, false, "open", 0 },
	{ LF_CONTROL_FAIR, LF_VERDICT_INCONCLUSIVE, false, "open", 0 },
	{ LF_CONTROL_FAIR, LF_VERDICT_SKIP, false, "skip", 0 },
	{ LF_CONTROL_FAIR, LF_VERDICT_ERROR, false, "ERROR", 99 },
	{ LF_CONTROL_UNFAIR, LF_VERDICT_PASS, false, "NOT CONVICTED", 77 },
	{ LF_CONTROL_UNFAIR, LF_VERDICT_FAIL, false, "convicted", 0 },
	{ LF_CONTROL_UNFAIR, LF_VERDICT_FAIL, true, "NOT CONVICTED", 77 },
	{ LF_CONTROL_UNFAIR, LF_VERDICT_SENSITIVE, false, "convicted", 0 },
	{ LF_CONTROL_UNFAIR, LF_VERDICT_INCONCLUSIVE, false, "open", 0 },
	{ LF_CONTROL_UNFAIR, LF_VERDICT_SKIP, false, "skip", 0 },
	{ LF_CONTROL_UNFAIR, LF_VERDICT_ERROR, false, "ERROR", 99 },
};

#define CONTROLS ((int)(sizeof controls / sizeof controls[0]))

START_TEST(controls_have_rows_of_their_own)
{
	const struct control_row *r = &controls[_i];
	const struct lf_shown *s = lf_shown_control(r->verdict, r->control, r->died);

	ck_assert_str_eq(s->word, r->word);
	ck_assert_int_eq(s->exit, r->exit);
}
END_TEST

/* From what asks for nothing to what asks for most. */
static const enum lf_exit exits[] = {
	LF_EXIT_OK, LF_EXIT_INCONCLUSIVE, LF_EXIT_USAGE, LF_EXIT_FAIL, LF_EXIT_HARNESS,
};

#define EXITS ((int)(sizeof exits / sizeof exits[0]))

START_TEST(the_worse_exit_code_wins)
{
	for (int i = 0; i < EXITS; i++) {
		for (int k = 0; k < EXITS; k++) {
			int worse = i > k ? i : k;
			ck_assert_int_eq(lf_exit_worse(exits[i], exits[k]), exits[worse]);
		}
	}
}
END_TEST

START_TEST(the_worse_of_two_cells_is_shown)
{
	static const enum lf_verdict order[] = {
		LF_VERDICT_SKIP, LF_VERDICT_PASS, LF_VERDICT_SENSITIVE,
		LF_VERDICT_INCONCLUSIVE, LF_VERDICT_FAIL, LF_VERDICT_ERROR,
	};
	for (size_t i = 1; i < sizeof order / sizeof order[0]; i++) {
		const struct lf_shown *mild, *bad;
		mild = lf_shown(order[i - 1], LF_EXPECT_NOTHING, false);
		bad = lf_shown(order[i], LF_EXPECT_NOTHING, false);
		ck_assert_ptr_eq(lf_shown_worse(mild, bad), bad);
		ck_assert_ptr_eq(lf_shown_worse(bad, mild), bad);
	}
}
END_TEST

START_TEST(controls_are_found_by_name)
{
	for (int c = 0; c < LF_CONTROL_COUNT; c++)
		ck_assert_int_eq(lf_control_find(lf_control_name((enum lf_control)c)), c);
	ck_assert_int_eq(lf_control_find("lenient"), -1);
}
END_TEST

Suite *lf_test_shown(void)
{
	Suite *suite = suite_create("shown");
	TCase *table = tcase_create("table"), *folding = tcase_create("folding");

	tcase_add_loop_test(table, every_row_is_shown_as_designed, 0, ROWS);
	tcase_add_test(table, the_rows_are_all_there_are);
	tcase_add_test(table, what_is_unforeseen_does_not_pass);
	tcase_add_test(table, words_for_tables_are_short);
	tcase_add_loop_test(table, controls_have_rows_of_their_own, 0, CONTROLS);
	tcase_add_test(table, controls_are_found_by_name);
	suite_add_tcase(suite, table);
	tcase_add_test(folding, the_worse_exit_code_wins);
	tcase_add_test(folding, the_worse_of_two_cells_is_shown);
	suite_add_tcase(suite, folding);
	return suite;
}
