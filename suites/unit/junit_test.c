/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as JUnit XML, read back with libxml2's parser. */
#include "report/report.h"
#include "suites/unit/records.h"
#include "suites/unit/suites.h"

#include <errno.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *all;
static xmlDoc *document;
static xmlXPathContext *context;

static void setup(void)
{
	all = json_array();
	document = NULL;
	context = NULL;
}

static void teardown(void)
{
	json_decref(all);
	xmlXPathFreeContext(context);
	xmlFreeDoc(document);
	xmlCleanupParser();
}

static void write_and_parse(void)
{
	char path[] = "/tmp/lockfair-junit-XXXXXX";
	struct lf_error error;
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(lf_report_junit(path, all, &error), 0);
	document = xmlReadFile(path, NULL, XML_PARSE_NOERROR);
	unlink(path);
	ck_assert_ptr_nonnull(document);
	context = xmlXPathNewContext(document);
}

static void expect(const char *xpath, const char *expected)
{
	xmlXPathObject *o = xmlXPathEvalExpression((const xmlChar *)xpath, context);
	ck_assert_ptr_nonnull(o);
	xmlChar *text = xmlXPathCastToString(o);
	ck_assert_msg(strcmp((const char *)text, expected) == 0, "%s: \"%s\", not \"%s\"",
		      xpath, (const char *)text, expected);
	xmlFree(text);
	xmlXPathFreeObject(o);
}

START_TEST(every_verdict_is_counted)
{
	json_t *stand = lf_stand_all();
	json_array_extend(all, stand);
	json_decref(stand);
	write_and_parse();
	expect("concat(/testsuites/@tests, ' ', /testsuites/@failures, ' ', "
	       "/testsuites/@errors)",
	       "15 3 1");
	expect("count(/testsuites/testsuite)", "2");
	expect("concat(//testsuite[1]/@name, ' ', //testsuite[1]/@tests, ' ', "
	       "//testsuite[1]/@skipped, ' ', //testsuite[1]/@time)",
	       "lockfair.threads 13 4 6.500");
	expect("concat(//testsuite[2]/@name, ' ', //testsuite[2]/@tests, ' ', "
	       "//testsuite[2]/@skipped)",
	       "lockfair.sim 2 2");
	expect("count(//failure)", "3");
	expect("count(//error)", "1");
	expect("count(//skipped)", "6");
	expect("string(//testsuite[1]/@timestamp)", "2026-01-31T12:00:00");
	expect("string(//property[@name='kernel']/@value)", "Linux 6.1");
}
END_TEST

START_TEST(a_failure_carries_its_evidence)
{
	json_t *r = lf_stand_record(all, "order", "mcs", "fifo");
	lf_stand_verdict(r, "fail", "claim: overtakes 7");
	lf_stand_assert(r, "overtakes", "grants", "claim", 7, 0);
	lf_stand_overtaken(r, 7);
	write_and_parse();
	expect("concat(//testcase/@classname, ' ', //testcase/@name, ' ', "
	       "//testcase/@time)",
	       "lockfair.threads.mcs order 0.500");
	expect("string(//failure/@message)", "FAIL: claim: overtakes 7");
	expect("string(//failure/@type)", "FAIL");
	expect("string(//failure)",
	       "order on mcs (threads): FAIL\n"
	       "claim: fifo\n"
	       "claim: overtakes: 7 grants, at most 0 claimed (n = 50)\n"
	       "seen: waiter was overtaken 7 times while it was queued, 7 of them by "
	       "holder\n"
	       "order: grants from 1 of 11: waiter x3, holder x7, <- waiter still waits, "
	       "waiter\n"
	       "repeat: lockfair run mcs\n");
}
END_TEST

START_TEST(an_expected_failure_is_skipped_with_its_reason)
{
	json_t *r = lf_stand_record(all, "order", "tas", NULL);
	lf_stand_verdict(r, "fail", "");
	lf_stand_expect(r, "fail", "a barging lock");
	write_and_parse();
	expect("count(//failure)", "0");
	expect("string(//skipped/@message)", "fail (expected: a barging lock)");
}
END_TEST

START_TEST(a_control_is_named_as_one)
{
	json_t *r = lf_stand_record(all, "order", "ticket", "fifo");
	lf_stand_verdict(r, "fail", "");
	lf_stand_control(r, "fair", "");
	write_and_parse();
	expect("string(//testcase/@name)", "order (fair control)");
	expect("string(//error/@type)", "CONTROL FAILED");
}
END_TEST

/* libxml2 would write the control characters, and no parser would read them. */
START_TEST(what_xml_forbids_is_replaced)
{
	json_t *r = lf_stand_record(all, "order", "<m&cs>", "fifo");
	lf_stand_verdict(r, "error", "a\x01\x1b[31m \"b\" \xef\xbf\xbf caf\xc3\xa9");
	write_and_parse();
	expect("string(//testcase/@classname)", "lockfair.threads.<m&cs>");
	expect("string(//error/@message)", "ERROR: a??[31m \"b\" ??"
					   "? caf\xc3\xa9");
}
END_TEST

/* A text that is cut to its buffer may end in the middle of a character. */
START_TEST(half_a_character_is_replaced)
{
	char reason[2001];
	memset(reason, 'x', sizeof reason);
	for (size_t i = 1; i + 2 < sizeof reason; i += 2)
		memcpy(reason + i, "\xc3\xa9", 2);
	reason[sizeof reason - 2] = 'x';
	reason[sizeof reason - 1] = '\0';
	lf_stand_verdict(lf_stand_record(all, "order", "mcs", "fifo"), "skip", reason);
	lf_stand_verdict(lf_stand_record(all, "order", "tas", "fifo"), "skip",
			 reason + 1);
	write_and_parse();
	expect("count(//skipped)", "2");
}
END_TEST

START_TEST(what_cannot_be_written_is_told)
{
	struct lf_error error;
	lf_stand_record(all, "order", "mcs", "fifo");
	ck_assert_int_eq(lf_report_junit("/nowhere/x.xml", all, &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/x.xml: cannot write"));
	ck_assert_int_eq(lf_report_junit("/dev/full", all, &error), -EIO);
	ck_assert_ptr_nonnull(strstr(error.text, "disk full"));
}
END_TEST

Suite *lf_test_junit(void)
{
	Suite *suite = suite_create("junit");
	TCase *c = tcase_create("junit");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, every_verdict_is_counted);
	tcase_add_test(c, a_failure_carries_its_evidence);
	tcase_add_test(c, an_expected_failure_is_skipped_with_its_reason);
	tcase_add_test(c, a_control_is_named_as_one);
	tcase_add_test(c, what_xml_forbids_is_replaced);
	tcase_add_test(c, half_a_character_is_replaced);
	tcase_add_test(c, what_cannot_be_written_is_told);
	suite_add_tcase(suite, c);
	return suite;
}
