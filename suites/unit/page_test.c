/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as HTML, as Markdown, as annotations of GitHub, as a trace. */
#include "report/page.h"
#include "suites/unit/records.h"
#include "suites/unit/suites.h"

#include <stdlib.h>
#include <string.h>

static json_t *all;

static void setup(void)
{
	all = lf_stand_all();
}

static void teardown(void)
{
	json_decref(all);
}

static void holds(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in\n%.3000s", part, text);
}

static void in_this_order(const char *text, const char *first, const char *second)
{
	const char *at = strstr(text, first);
	ck_assert_msg(at && strstr(at, second), "no \"%s\" and after it \"%s\" in\n%.3000s",
		      first, second, text);
}

/* --- The data of the page --- */

static const char *said(const json_t *page, size_t i, const char *key)
{
	const json_t *record = json_array_get(json_object_get(page, "records"), i);
	return json_string_value(json_object_get(json_object_get(record, "said"), key));
}

START_TEST(every_record_has_its_words)
{
	static const struct {
		size_t record;
		const char *word, *cell, *tone;
	} wanted[] = {
		{ 0, "PASS", "~ 312", "shown" }, { 1, "PASS", "pass", "pass" },
		{ 2, "INCONCLUSIVE", "UNCLEAR", "open" }, { 4, "FAIL", "FAIL", "fail" },
		{ 5, "FAIL (was sensitive)", "FAIL", "fail" },
		{ 6, "fail", "fail", "known" }, { 7, "UNEXPECTED PASS", "PASS!", "fail" },
		{ 10, "skip", "skip", "skip" }, { 11, "ERROR", "ERROR", "error" },
		{ 12, "convicted", "convict.", "pass" }, { 13, "SENSITIVE", "SENS", "open" },
		{ 14, "sensitive", "sens", "known" },
	};
	json_t *page = lf_page_data(all);

	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		ck_assert_str_eq(said(page, wanted[i].record, "word"), wanted[i].word);
		ck_assert_str_eq(said(page, wanted[i].record, "cell"), wanted[i].cell);
		ck_assert_str_eq(said(page, wanted[i].record, "tone"), wanted[i].tone);
	}
	ck_assert_str_eq(said(page, 0, "title"), "barging on pthread (threads)");
	ck_assert_str_eq(json_string_value(json_object_get(page, "word")), "ERROR");
	ck_assert_str_eq(json_string_value(json_object_get(page, "sentence")),
			 "1 of 14 cells is void");
	json_decref(page);
}
END_TEST

START_TEST(answers_are_questions_with_lists)
{
	json_t *page = lf_page_data(all);
	json_t *answers = json_object_get(page, "answers");
	json_t *lists = json_object_get(json_array_get(answers, 0), "lists");
	json_t *first = json_array_get(lists, 0);

	ck_assert_uint_eq(json_array_size(answers), 2);
	ck_assert_str_eq(json_string_value(json_object_get(first, "question")),
			 "Which locks let a queued thread be overtaken?");
	holds(json_string_value(json_array_get(json_object_get(first, "lines"), 0)),
	      "claims nothing: overtaken up to 312 times");
	json_decref(page);
}
END_TEST

START_TEST(hashes_of_traces_stay_behind)
{
	json_t *page = lf_page_data(all);
	char *text = json_dumps(page, 0), *whole = json_dumps(all, 0);

	holds(whole, "00000000000000ff");
	ck_assert_ptr_null(strstr(text, "00000000000000ff"));
	holds(text, "server-64");
	free(text);
	free(whole);
	json_decref(page);
}
END_TEST

/* --- HTML --- */

START_TEST(nothing_in_a_record_ends_the_script)
{
	json_t *r = lf_stand_record(all, "order", "</script><script>alert(1)", "fifo");
	lf_stand_verdict(r, "error", "<!-- & <b>");
	char *text = lf_stand_output(lf_report_html, all);
	const char *data = strstr(text, "id=\"data\">");
	const char *end = strstr(data, "</script>");

	ck_assert_ptr_null(strstr(text, "<script>alert"));
	holds(text, "&lt;/script>&lt;script>alert(1)");
	holds(data, "\\u003c/script>\\u003cscript>alert(1)");
	json_t *read = json_loadb(data + 10, (size_t)(end - data - 10), 0, NULL);
	ck_assert_ptr_nonnull(read);
	ck_assert_uint_eq(json_array_size(json_object_get(read, "records")), 16);
	json_decref(read);
	free(text);
}
END_TEST

START_TEST(the_page_is_whole)
{
	char *text = lf_stand_output(lf_report_html, all);
	ck_assert_int_eq(strncmp(text, "<!DOCTYPE html>", 15), 0);
	holds(text, "<title>lockfair: ERROR, 1 of 14 cells is void</title>");
	holds(text, "default-src 'none'");
	holds(text, "<noscript><pre>\nthreads: this machine");
	holds(text, "</body>\n</html>\n");
	free(text);
}
END_TEST

/* --- Headlines --- */

START_TEST(the_headline_says_what_it_comes_to)
{
	struct lf_headline head;
	json_t *few = json_array();

	lf_stand_record(few, "order", "ticket", "fifo");
	lf_records_headline(few, &head);
	ck_assert_str_eq(head.word, "PASS");
	ck_assert_str_eq(head.sentence, "1 cell as claimed or as expected");
	lf_stand_verdict(lf_stand_record(few, "order", "mcs", "fifo"), "inconclusive", "");
	lf_records_headline(few, &head);
	ck_assert_str_eq(head.word, "OPEN");
	ck_assert_str_eq(head.sentence, "1 of 2 cells is undecided");
	lf_stand_verdict(lf_stand_record(few, "order", "a", "fifo"), "fail", "");
	lf_stand_verdict(lf_stand_record(few, "order", "b", "fifo"), "fail", "");
	lf_records_headline(few, &head);
	ck_assert_str_eq(head.word, "FAIL");
	ck_assert_str_eq(head.sentence, "2 of 4 cells are not as claimed");
	json_decref(few);
}
END_TEST

/* --- Markdown --- */

START_TEST(markdown_has_a_table_and_the_evidence)
{
	char *text = lf_stand_output(lf_report_markdown, all);
	holds(text, "## lockfair: ERROR, 1 of 14 cells is void\n\n"
		    "| threads | barging | drain | order | hog | interleaving |\n"
		    "|---|---|---|---|---|---|\n"
		    "| pthread | \\~ 312 |  |  | fail | skip |\n"
		    "| ticket | pass | **FAIL** |  | **PASS!** |  |\n");
	holds(text, "| sim | barging | drain | order | hog | interleaving |\n");
	holds(text, "<details open><summary><b>FAIL (was sensitive)</b> order on mcs "
		    "(threads)</summary>\n\n~~~~text\nclaim: overtakes: 7 grants");
	in_this_order(text, "<b>ERROR</b>", "<b>FAIL</b>");
	in_this_order(text, "<b>FAIL</b>", "<b>INCONCLUSIVE</b>");
	free(text);
}
END_TEST

START_TEST(names_are_no_markup_in_markdown)
{
	json_t *r = lf_stand_record(all, "order", "a|b*c`<d>", "fifo");
	ck_assert_ptr_nonnull(r);
	char *text = lf_stand_output(lf_report_markdown, all);
	holds(text, "| a\\|b\\*c\\`\\<d> |");
	free(text);
}
END_TEST

/* --- GitHub --- */

START_TEST(annotations_are_one_line_each)
{
	char *text = lf_stand_output(lf_report_github, all);
	holds(text, "::error title=FAIL (was sensitive)%3A order on mcs (threads)::claim: "
		    "overtakes: 7 grants, at most 0 claimed (n = 50)%0A");
	holds(text, "::warning title=INCONCLUSIVE%3A barging on mcs (threads)::");
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		ck_assert_int_eq(strncmp(line, "::", 2), 0);
	free(text);
}
END_TEST

START_TEST(no_more_annotations_than_are_shown)
{
	json_t *many = json_array();
	for (int i = 0; i < 14; i++)
		lf_stand_verdict(lf_stand_record(many, "order", "mcs", "fifo"), "fail", "");
	char *text = lf_stand_output(lf_report_github, many);
	unsigned n = 0;
	for (const char *at = text; (at = strstr(at, "::error")); at++)
		n++;
	ck_assert_uint_eq(n, 10);
	holds(text, "lockfair: 4 more of kind error are in the report");
	free(text);
	json_decref(many);
}
END_TEST

/* --- Traces --- */

START_TEST(a_trace_has_times_where_there_are_some)
{
	json_t *r = lf_stand_record(all, "hog", "tas", NULL);
	lf_stand_overtaken(r, 9);
	json_object_set_new(json_object_get(r, "metrics"), "threads", json_pack(
		"[{ss} {ss}]", "thread", "holder", "thread", "waiter"));
	json_object_set_new(json_object_get(r, "evidence"), "timeline", json_pack(
		"{si si si s[[iiii] [iiin]] s[[ii]]}", "at", 0, "decisive", 1, "end", 9000,
		"holds", 0, -1000, 0, 3000, 0, 4000, 5000, "waits", 1, -500));
	json_t *one = json_pack("[O]", r);
	char *text = lf_stand_output(lf_report_trace, one);
	holds(text, "\"args\":{\"name\":\"hog on tas (threads)\"}");
	holds(text, "{\"ph\":\"X\",\"name\":\"waits\",\"pid\":1,\"tid\":1,\"cat\":\"lock\","
		    "\"ts\":0.0,\"dur\":1.0}");
	/* Not released: until the excerpt ends. */
	holds(text, "{\"ph\":\"X\",\"name\":\"holds\",\"pid\":1,\"tid\":1,\"cat\":\"lock\","
		    "\"ts\":6.0,\"dur\":4.0}");
	holds(text, "{\"ph\":\"X\",\"name\":\"waits\",\"pid\":1,\"tid\":2,\"cat\":\"lock\","
		    "\"ts\":0.5,\"dur\":9.5}");
	holds(text, "\"waiter was overtaken 9 times while it was queued");
	free(text);
	json_decref(one);
}
END_TEST

START_TEST(a_trace_has_the_order_where_there_are_no_times)
{
	char *text = lf_stand_output(lf_report_trace, all);
	holds(text, "barging on pthread (threads), in order: 1 us a grant");
	free(text);
}
END_TEST

Suite *lf_test_page(void)
{
	Suite *suite = suite_create("page");
	TCase *c = tcase_create("page");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, every_record_has_its_words);
	tcase_add_test(c, answers_are_questions_with_lists);
	tcase_add_test(c, hashes_of_traces_stay_behind);
	tcase_add_test(c, nothing_in_a_record_ends_the_script);
	tcase_add_test(c, the_page_is_whole);
	tcase_add_test(c, the_headline_says_what_it_comes_to);
	tcase_add_test(c, markdown_has_a_table_and_the_evidence);
	tcase_add_test(c, names_are_no_markup_in_markdown);
	tcase_add_test(c, annotations_are_one_line_each);
	tcase_add_test(c, no_more_annotations_than_are_shown);
	tcase_add_test(c, a_trace_has_times_where_there_are_some);
	tcase_add_test(c, a_trace_has_the_order_where_there_are_no_times);
	suite_add_tcase(suite, c);
	return suite;
}
