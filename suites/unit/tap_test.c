/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as TAP. */
#include "report/report.h"
#include "suites/unit/records.h"
#include "suites/unit/suites.h"

#include <stdlib.h>
#include <string.h>

static json_t *all;

static void setup(void)
{
	all = json_array();
}

static void teardown(void)
{
	json_decref(all);
}

/* The lines that are not in a YAML block. */
static char *points(const json_t *records)
{
	char *text = lf_stand_output(lf_report_tap, records), *to = text;
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n") + 1;
		if (line[0] != ' ') {
			memmove(to, line, length);
			to += length;
		}
		line += length;
	}
	*to = '\0';
	return text;
}

START_TEST(every_verdict_has_its_point)
{
	json_t *records = lf_stand_all();
	char *text = points(records);
	lf_stand_same(text,
		"TAP version 13\n"
		"1..15\n"
		"ok 1 - barging on pthread (threads)\n"
		"ok 2 - barging on ticket (threads)\n"
		"ok 3 - barging on mcs (threads) # SKIP INCONCLUSIVE: the waiter could not be "
		"confirmed to be queued\n"
		"ok 4 - drain/1 on ticket (threads)\n"
		"not ok 5 - drain/2 on ticket (threads)\n"
		"not ok 6 - order on mcs (threads)\n"
		"not ok 7 - hog on pthread (threads) # TODO a barging lock\n"
		"not ok 8 - hog on ticket (threads)\n"
		"ok 9 - interleaving on gil-bfs (threads)\n"
		"not ok 10 - interleaving on gil-ticks (threads) # TODO depends on who wins "
		"the race\n"
		"ok 11 - interleaving on pthread (threads) # SKIP needs 4 CPUs\n"
		"not ok 12 - interleaving on mcs (threads)\n"
		"ok 13 - barging on faulty/no_handoff (threads, unfair control)\n"
		"ok 14 - barging on pthread (sim) # SKIP SENSITIVE: holds on 1 of 2 models\n"
		"ok 15 - hog on pthread (sim) # SKIP sensitive (expected: by design)\n");
	free(text);
	json_decref(records);
}
END_TEST

START_TEST(the_block_holds_the_numbers)
{
	json_t *r = lf_stand_record(all, "order", "mcs", "fifo");
	lf_stand_verdict(r, "fail", "claim: overtakes");
	lf_stand_assert(r, "overtakes", "grants", "claim", 7.5, 0);
	lf_stand_overtaken(r, 7);
	char *text = lf_stand_output(lf_report_tap, all);
	lf_stand_same(text,
		"TAP version 13\n"
		"1..1\n"
		"not ok 1 - order on mcs (threads)\n"
		"  ---\n"
		"  shown: \"FAIL\"\n"
		"  verdict: \"fail\"\n"
		"  reason: \"claim: overtakes\"\n"
		"  expected:\n"
		"    verdict: \"nothing\"\n"
		"    reason: \"\"\n"
		"    until: \"\"\n"
		"  claim:\n"
		"    text: \"fifo\"\n"
		"    set:\n"
		"      - \"fifo\"\n"
		"    overtakes: 0\n"
		"    handoff_ns: 0\n"
		"    quantum_ns: 0\n"
		"  params: {}\n"
		"  machine: \"here\"\n"
		"  seeds:\n"
		"    - \"1\"\n"
		"  assertions:\n"
		"    - metric: \"overtakes\"\n"
		"      role: \"\"\n"
		"      origin: \"claim\"\n"
		"      value: 7.5\n"
		"      bound: 0.0\n"
		"      at_least: false\n"
		"      unit: \"grants\"\n"
		"      n: 50\n"
		"      holds: false\n"
		"  rerun: \"lockfair run mcs\"\n"
		"  starved:\n"
		"    - thread: \"waiter\"\n"
		"      what: \"overtaken\"\n"
		"      times: 7\n"
		"      by: \"holder\"\n"
		"      by_times: 7\n"
		"  ...\n");
	free(text);
}
END_TEST

START_TEST(names_and_reasons_cannot_break_the_protocol)
{
	json_t *r = lf_stand_record(all, "order", "m#cs\nnot ok 2", "fifo");
	lf_stand_verdict(r, "skip", "line\r\none # TODO \x01 two\n  ...\nBail out!");
	char *text = points(all);
	lf_stand_same(text, "TAP version 13\n1..1\n"
			 "ok 1 - order on m_cs not ok 2 (threads) # SKIP line  one _ TODO   two"
			 "   ... Bail out!\n");
	free(text);
}
END_TEST

START_TEST(without_its_fair_control_a_run_bails_out)
{
	json_t *r = lf_stand_record(all, "order", "ticket", "fifo");
	lf_stand_verdict(r, "fail", "");
	lf_stand_control(r, "fair", "");
	char *text = points(all);
	lf_stand_same(text, "TAP version 13\n1..1\n"
			 "not ok 1 - order on ticket (threads, fair control)\n"
			 "Bail out! what is known to be fair was not found so: order on ticket "
			 "(threads, fair control)\n");
	free(text);
}
END_TEST

START_TEST(the_plan_of_nothing_is_empty)
{
	char *text = points(all);
	lf_stand_same(text, "TAP version 13\n1..0\n");
	free(text);
}
END_TEST

Suite *lf_test_tap(void)
{
	Suite *suite = suite_create("tap");
	TCase *c = tcase_create("tap");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, every_verdict_has_its_point);
	tcase_add_test(c, the_block_holds_the_numbers);
	tcase_add_test(c, names_and_reasons_cannot_break_the_protocol);
	tcase_add_test(c, without_its_fair_control_a_run_bails_out);
	tcase_add_test(c, the_plan_of_nothing_is_empty);
	suite_add_tcase(suite, c);
	return suite;
}
