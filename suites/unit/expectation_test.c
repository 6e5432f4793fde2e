/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Expectations: the file format, which entry decides, and when it expires. */
#include "suites/unit/suites.h"

#include "judge/expectation.h"

#include <errno.h>
#include <string.h>

static const char two[] =
	"# known\n"
	"[interleaving gil-* threads]\n"
	"expect = varies\n"
	"reason = who wins the race depends\n"
	"\ton the kernel\n"
	"until = 2027-06-30\n"
	"\n"
	"[drain pthread *]   ; all of the sweep\n"
	"reason=by design\n"
	"expect=fail\n";

static struct lf_expectations parsed(const char *text)
{
	struct lf_expectations e = { 0 };
	struct lf_error error = { "" };

	ck_assert_msg(lf_expectations_parse(&e, "known.ini", text, &error) == 0, "%s",
		      error.text);
	return e;
}

START_TEST(reads_the_format)
{
	struct lf_expectations e = parsed(two);

	ck_assert_uint_eq(e.n, 2);
	ck_assert_str_eq(e.entry[0].scenario, "interleaving");
	ck_assert_str_eq(e.entry[0].backend, "gil-*");
	ck_assert_str_eq(e.entry[0].engine, "threads");
	ck_assert_int_eq(e.entry[0].expect, LF_EXPECT_VARIES);
	ck_assert_str_eq(e.entry[0].reason, "who wins the race depends on the kernel");
	ck_assert_str_eq(e.entry[0].until, "2027-06-30");
	ck_assert_int_eq(e.entry[1].expect, LF_EXPECT_FAIL);
	ck_assert_str_eq(e.entry[1].until, "");
	lf_expectations_free(&e);
	ck_assert_uint_eq(e.n, 0);
}
END_TEST

START_TEST(reads_long_names_whole)
{
	struct lf_expectations e = parsed(
		"[interleaving-of-many-threads faulty/a-backend-of-a-very-long-name "
		"threads]\nexpect = fail\nreason = its fault\n");

	ck_assert_str_eq(e.entry[0].backend, "faulty/a-backend-of-a-very-long-name");
	ck_assert_str_eq(e.entry[0].engine, "threads");
	lf_expectations_free(&e);
}
END_TEST

START_TEST(the_shipped_ones_are_well_formed)
{
	struct lf_expectations e = parsed(lf_expectations_shipped);

	ck_assert_uint_gt(e.n, 0);
	lf_expectations_free(&e);
}
END_TEST

static const struct {
	const char *text, *error;
} bad[] = {
	{ "expect = fail\n", "known.ini:1: \"expect\" stands before" },
	{ "[a b]\nexpect = fail\n", "known.ini:1: a section is" },
	{ "[a b c d]\n", "known.ini:1: a section is" },
	{ "[a b c\n", "known.ini:1: a section is" },
	{ "\n[a b c]\nreason = r\n", "known.ini:2: this section has no \"expect\"" },
	{ "\n[a b c]\nexpect = fail\n", "known.ini:2: this section has no \"reason\"" },
	{ "[a b c]\n[d e f]\nexpect = fail\nreason = r\n",
	  "known.ini:1: this section has no \"expect\"" },
	{ "[a b c]\nexpect = nothing\n", "known.ini:2: expect = \"nothing\"" },
	{ "[a b c]\nexpect = fail\nwhy = r\n", "known.ini:3: \"why\" is unknown" },
	{ "[a b c]\nuntil = 2027-6-30\n", "known.ini:2: until" },
	{ "[a b c]\nuntil = 2027-06-31\n", "known.ini:2: until" },
	{ "[a b c]\nuntil = someday\n", "known.ini:2: until" },
	{ "[a b c]\nexpect\n", "known.ini:2: neither" },
	{ "[a b c]\nreason = "
	  "1234567890123456789012345678901234567890123456789012345678901234567890"
	  "1234567890123456789012345678901234567890123456789012345678901234567890"
	  "1234567890123456789012345678901234567890123456789012345678901234567890\n",
	  "known.ini:2: the line is longer" },
};

START_TEST(errors_name_the_line)
{
	struct lf_expectations e = parsed(two);
	struct lf_error error = { "" };

	ck_assert_int_eq(lf_expectations_parse(&e, "known.ini", bad[_i].text, &error),
			 -EINVAL);
	ck_assert_msg(strncmp(error.text, bad[_i].error, strlen(bad[_i].error)) == 0,
		      "\"%s\" does not begin with \"%s\"", error.text, bad[_i].error);
	/* What was read before is untouched. */
	ck_assert_uint_eq(e.n, 2);
	lf_expectations_free(&e);
}
END_TEST

START_TEST(a_missing_file_is_named)
{
	struct lf_expectations e = { 0 };
	struct lf_error error = { "" };

	ck_assert_int_eq(lf_expectations_read(&e, "/no/such/file.ini", &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.text, "/no/such/file.ini"));
}
END_TEST

static const struct lf_expectation *find(const struct lf_expectations *e,
					 const char *scenario, const char *backend)
{
	return lf_expectations_find(e, scenario, backend, "threads", "2026-01-01", NULL);
}

START_TEST(globs_choose)
{
	struct lf_expectations e = parsed(two);

	ck_assert_ptr_eq(find(&e, "interleaving", "gil-bfs"), &e.entry[0]);
	ck_assert_ptr_null(find(&e, "interleaving", "ticket"));
	ck_assert_ptr_null(find(&e, "order", "gil-bfs"));
	ck_assert_ptr_null(lf_expectations_find(&e, "interleaving", "gil-bfs", "sim",
						"2026-01-01", NULL));
	/* A scenario's name speaks of its whole sweep. */
	ck_assert_ptr_eq(find(&e, "drain/3", "pthread"), &e.entry[1]);
	lf_expectations_free(&e);
}
END_TEST

START_TEST(the_last_that_matches_decides)
{
	struct lf_expectations e = parsed(
		"[* * *]\nexpect = fail\nreason = all\n"
		"[order * *]\nexpect = varies\nreason = some\n");

	ck_assert_ptr_eq(find(&e, "order", "faulty/lifo"), &e.entry[1]);
	ck_assert_ptr_eq(find(&e, "hog", "faulty/lifo"), &e.entry[0]);
	lf_expectations_free(&e);
}
END_TEST

START_TEST(an_expired_one_does_not_match)
{
	struct lf_expectations e = parsed(two);
	const struct lf_expectation *expired;

	ck_assert_ptr_eq(lf_expectations_find(&e, "interleaving", "gil-bfs", "threads",
					      "2027-06-30", &expired), &e.entry[0]);
	ck_assert_ptr_null(expired);
	ck_assert_ptr_null(lf_expectations_find(&e, "interleaving", "gil-bfs", "threads",
						"2027-07-01", &expired));
	ck_assert_ptr_eq(expired, &e.entry[0]);
	lf_expectations_free(&e);
}
END_TEST

START_TEST(names_go_both_ways)
{
	for (int i = 0; i < LF_EXPECT_COUNT; i++)
		ck_assert_int_eq(lf_expect_find(lf_expect_name((enum lf_expect)i)), i);
	ck_assert_int_eq(lf_expect_find("maybe"), -1);
}
END_TEST

Suite *lf_test_expectation(void)
{
	Suite *suite = suite_create("expectation");
	TCase *format = tcase_create("format");
	TCase *choice = tcase_create("choice");

	tcase_add_test(format, reads_the_format);
	tcase_add_test(format, reads_long_names_whole);
	tcase_add_test(format, the_shipped_ones_are_well_formed);
	tcase_add_loop_test(format, errors_name_the_line, 0,
			    (int)(sizeof bad / sizeof bad[0]));
	tcase_add_test(format, a_missing_file_is_named);
	tcase_add_test(choice, globs_choose);
	tcase_add_test(choice, the_last_that_matches_decides);
	tcase_add_test(choice, an_expired_one_does_not_match);
	tcase_add_test(choice, names_go_both_ways);
	suite_add_tcase(suite, format);
	suite_add_tcase(suite, choice);
	return suite;
}
