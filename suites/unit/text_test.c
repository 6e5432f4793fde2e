/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report for people, for records of every verdict. */
#include "report/report.h"
#include "report/words.h"
#include "suites/unit/records.h"
#include "suites/unit/suites.h"

#include <stdlib.h>
#include <string.h>

static const char golden[] =
	"threads: this machine (2 CPUs, Linux 6.1, x86_64)\n"
	"\n"
	"  Which locks let a queued thread be overtaken?\n"
	"    pthread    claims nothing: overtaken up to 312 times, in 5 of 50 rounds\n"
	"    not seen of: ticket\n"
	"    cannot tell: mcs\n"
	"  Which locks starve a victim beside a hog?\n"
	"    starve one: pthread\n"
	"    serve it, at the latest: ticket (after 11.5 ms)\n"
	"  Under which GIL do threads take turns?\n"
	"    take turns: gil-bfs\n"
	"    do not: gil-ticks (lead 12 rounds)\n"
	"\n"
	"  backend    claims   barging  drain    order  hog    interleaving\n"
	"  pthread    nothing  ~ 312    .        .      fail   skip\n"
	"  ticket     fifo     pass     FAIL /2  .      PASS!  .\n"
	"  mcs        fifo     UNCLEAR  .        FAIL   .      ERROR\n"
	"  gil-bfs    quantum  .        .        .      .      pass\n"
	"  gil-ticks  nothing  .        .        .      .      fail\n"
	"\n"
	"  Who ended a round when, from the left; before it how many in all\n"
	"    gil-bfs pass, lead: 1 round, at most 2 required (n = 50)\n"
	"      cpu.0            4 | 0  1  2  3\n"
	"      cpu.1            4 |  0  1  2  3\n"
	"      interactive      4 |   0  1  2  3\n"
	"    gil-ticks fail, lead: 12 rounds, at most 2 required (n = 50)\n"
	"      cpu.0            1 | 0\n"
	"      cpu.1            1 |  0\n"
	"      interactive     12 |   012345678901\n"
	"\n"
	"sim: virtual time, sequentially consistent; under the models\n"
	"  desktop-2, server-64\n"
	"\n"
	"  Which locks let a queued thread be overtaken?\n"
	"    not seen of: pthread\n"
	"  Which locks starve a victim beside a hog?\n"
	"    cannot tell: pthread\n"
	"\n"
	"  backend  claims   barging  hog\n"
	"  pthread  nothing  SENS     sens\n"
	"\n"
	"  cut off, because they cost too much, and counted for nothing: runs of\n"
	"    barging on pthread (4)\n"
	"\n"
	"INCONCLUSIVE  barging on mcs (threads)\n"
	"    because: the waiter could not be confirmed to be queued\n"
	"    noise: involuntary switches 41 | run delay 31.5 ms\n"
	"    repeat: lockfair run mcs\n"
	"\n"
	"FAIL  drain/2 on ticket (threads)\n"
	"    safety: served-once: 1 waiter, at most 0 allowed (n = 50)\n"
	"    expected: no expectation excuses this\n"
	"    stacks: when it was given up\n"
	"      | TID 7\n"
	"      | #0 futex_wait\n"
	"      | #1 acquire\n"
	"    repeat: lockfair run ticket\n"
	"\n"
	"FAIL (was sensitive)  order on mcs (threads)\n"
	"    claim: overtakes: 7 grants, at most 0 claimed (n = 50)\n"
	"    seen: waiter was overtaken 7 times while it was queued, 7 of them by\n"
	"      holder\n"
	"    order: grants from 1 of 11: waiter x3, holder x7, <- waiter still waits,\n"
	"      waiter\n"
	"    repeat: lockfair run mcs\n"
	"\n"
	"UNEXPECTED PASS  hog on ticket (threads)\n"
	"    expected: was broken once\n"
	"    repeat: lockfair run ticket\n"
	"\n"
	"ERROR  interleaving on mcs (threads)\n"
	"    because: the worker was lost\n"
	"    repeat: lockfair run mcs\n"
	"\n"
	"SENSITIVE  barging on pthread (sim)\n"
	"    because: holds on 1 of 2 models\n"
	"    states: holder: phase, waiter in acquire: futex\n"
	"    model desktop-2: pass 3, 2 near a bound, 4 cut off\n"
	"    model server-64: pass 2 fail 1; seed 7: overtakes 9 against 0\n"
	"    repeat: lockfair run pthread\n"
	"\n"
	"known: hog on pthread (threads): fail (expected: a barging lock)\n"
	"known: interleaving on gil-ticks (threads): fail (expected: depends on who\n"
	"  wins the race)\n"
	"known: hog on pthread (sim): sensitive (expected: by design)\n"
	"\n"
	"skipped: 1 cell: needs 4 CPUs\n"
	"\n"
	"controls: 1 convicted\n"
	"\n"
	"words: pass: what is claimed and required holds. ~ N: nothing is claimed\n"
	"  about the order; N is what was seen. fail: known not to hold, the reason\n"
	"  is given. FAIL: does not hold. PASS!: was expected to fail. sens: known to\n"
	"  depend on the machine. SENS: depends on the machine. UNCLEAR: the machine\n"
	"  decided, not the lock. skip: cannot run here. ERROR: the test itself\n"
	"  failed. Overtaken: a later request was granted while the thread was known\n"
	"  to be queued. A claim is what the lock promises, a requirement what the\n"
	"  scenario asks of any lock of its kind.\n"
	"\n"
	"14 cells, 1 control, 7.5 s of runs: 4 PASS, 1 INCONCLUSIVE, 1 FAIL,\n"
	"  1 FAIL (was sensitive), 2 fail (expected), 1 UNEXPECTED PASS, 1 skip,\n"
	"  1 ERROR, 1 SENSITIVE, 1 sensitive (expected)\n";

static json_t *all;
static struct lf_text_style style;

static void setup(void)
{
	all = json_array();
	style = (struct lf_text_style){ .width = 100 };
}

static void teardown(void)
{
	json_decref(all);
}

static int report(FILE *out, const json_t *records)
{
	return lf_report_text(out, records, &style);
}

static bool says(const char *what)
{
	char *text = lf_stand_output(report, all);
	bool found = strstr(text, what);
	free(text);
	return found;
}

static void add_all(void)
{
	json_t *stand = lf_stand_all();
	ck_assert_int_eq(json_array_extend(all, stand), 0);
	json_decref(stand);
}

START_TEST(every_verdict_reads_as_designed)
{
	add_all();
	style.width = 76;
	char *text = lf_stand_output(report, all);
	lf_stand_same(text, golden);
	free(text);
}
END_TEST

START_TEST(quiet_shows_what_needs_attention_and_the_sum)
{
	add_all();
	style.quiet = true;
	char *text = lf_stand_output(report, all);
	ck_assert_int_eq(strncmp(text, "INCONCLUSIVE  barging on mcs", 28), 0);
	ck_assert_ptr_null(strstr(text, "backend"));
	ck_assert_ptr_null(strstr(text, "known:"));
	ck_assert_ptr_nonnull(strstr(text, "\n14 cells, 1 control, 7.5 s of runs:"));
	free(text);
}
END_TEST

START_TEST(colour_only_when_asked)
{
	add_all();
	ck_assert(!says("\033"));
	style.colour = true;
	ck_assert(says("\033[1;31mFAIL\033[0m  drain/2 on ticket"));
	ck_assert(says("\033[32mpass"));
	ck_assert(says("\033[33mINCONCLUSIVE\033[0m"));
}
END_TEST

START_TEST(lines_keep_to_the_width)
{
	add_all();
	style.width = 72;
	char *text = lf_stand_output(report, all);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		size_t length = strcspn(line, "\n");
		/* A sentence of one line, because its numbers are the answer. */
		bool sentence = strncmp(line, "    pthread ", 12) == 0;
		ck_assert_msg(length <= 72 || sentence, "%.*s", (int)length, line);
	}
	free(text);
}
END_TEST

START_TEST(ten_scenarios_fit_a_hundred_columns)
{
	static const char *const scenarios[] = {
		"exclusion", "drain/1", "order", "barging", "hog", "interleaving",
		"latency", "bandwidth", "handoff", "select",
	};
	for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
		lf_stand_verdict(
			lf_stand_record(all, scenarios[i], "pthread-adaptive", NULL),
			"skip", "no");
	char *text = lf_stand_output(report, all);
	const char *head = strstr(text, "  backend");
	ck_assert_ptr_nonnull(head);
	ck_assert_uint_le(strcspn(head, "\n"), 100);
	free(text);
}
END_TEST

START_TEST(of_a_sweep_the_worst_is_shown)
{
	lf_stand_record(all, "drain/1", "tas", NULL);
	lf_stand_verdict(lf_stand_record(all, "drain/2", "tas", NULL), "fail", "");
	lf_stand_record(all, "drain/3", "tas", NULL);
	ck_assert(says("\n  backend  claims   drain\n"
		       "  tas      nothing  FAIL /2\n"));
}
END_TEST

START_TEST(cells_of_one_cause_are_told_once)
{
	for (int i = 1; i <= 3; i++) {
		static const char *const names[] = { "drain/1", "drain/2", "drain/3" };
		json_t *r = lf_stand_record(all, names[i - 1], "tas", NULL);
		lf_stand_verdict(r, "fail", "");
		lf_stand_assert(r, "served-once", "waiters", "claim", i, 0);
	}
	lf_stand_verdict(lf_stand_record(all, "order", "tas", NULL), "error", "void");
	lf_stand_verdict(lf_stand_record(all, "order", "mcs", NULL), "error", "void");
	style.quiet = true;
	ck_assert(says("FAIL  drain/1 on tas (threads)\n"
		       "    claim: served-once: 1 waiter, at most 0 claimed (n = 50)\n"
		       "    repeat: lockfair run tas\n"
		       "    likewise: drain/2 on tas, drain/3 on tas\n"
		       "\n"
		       "ERROR  order on tas (threads)\n"
		       "    because: void\n"
		       "    repeat: lockfair run tas\n"
		       "    likewise: order on mcs\n"
		       "\n"
		       "5 cells"));
}
END_TEST

START_TEST(a_claim_to_sleep_is_none_about_the_order)
{
	lf_stand_overtaken(lf_stand_record(all, "barging", "pthread", "sleeps"), 3);
	lf_stand_overtaken(lf_stand_record(all, "barging", "handoff", "eventual"), 1);
	ck_assert(says("    pthread  claims nothing: overtaken up to 3 times, in 5 of 50 "
		       "rounds\n"
		       "    handoff  claims eventual: overtaken up to 1 time, in 5 of 50 "
		       "rounds\n"));
}
END_TEST

START_TEST(controls_have_no_row)
{
	json_t *r = lf_stand_record(all, "barging", "ticket", "fifo");
	lf_stand_record(all, "barging", "tas", NULL);
	lf_stand_control(r, "fair", "");
	ck_assert(!says("\n  ticket"));
	ck_assert(says("\ncontrols: 1 held\n"));
	ck_assert(says("\n1 cell, 1 control, 1 s of runs: 1 PASS\n"));
}
END_TEST

START_TEST(a_void_run_says_so)
{
	json_t *r = lf_stand_record(all, "barging", "ticket", "fifo");
	lf_stand_verdict(r, "fail", "claim: overtakes");
	lf_stand_assert(r, "overtakes", "grants", "claim", 3, 0);
	lf_stand_control(r, "fair", "void: the fair control ticket failed");
	ck_assert(says("CONTROL FAILED  barging on ticket (threads, fair control)\n"
		       "    claim: overtakes: 3 grants, at most 0 claimed (n = 50)\n"
		       "    controls: void: the fair control ticket failed\n"));
}
END_TEST

START_TEST(no_records_are_no_crash)
{
	ck_assert(says("0 cells, 0 controls, 0 ns of runs:\n"));
}
END_TEST

START_TEST(records_of_others_are_no_crash)
{
	json_array_append_new(all, json_object());
	json_array_append_new(all, json_pack("{s[i] s{s[ini] s{ss}}}", "assertions", 1,
					     "evidence", "starved", 1, 2, "grants", "order",
					     "x"));
	ck_assert(says("2 ERROR"));
}
END_TEST

/* The bound of a change of speed is held against the end of an interval, of which
 * pictures show the middle. */
START_TEST(a_change_of_speed_says_which_end_is_meant)
{
	char text[LF_WORDS_MAX];
	json_t *a = json_pack("{ss ss ss sf sf si}", "metric",
			      lf_metric_name(LF_METRIC_CHANGE_THROUGHPUT), "unit", "ratio",
			      "origin", "requirement", "value", 1.1, "bound", 1.05, "n", 80);
	ck_assert_str_eq(lf_assertion_text(a, text, sizeof text),
			 "change-throughput: surely 1.1 times as bad (lower end of its "
			 "interval), at most 1.05 required (n = 80)");
	json_decref(a);
}
END_TEST

Suite *lf_test_text(void)
{
	Suite *suite = suite_create("text");
	TCase *c = tcase_create("text");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, every_verdict_reads_as_designed);
	tcase_add_test(c, quiet_shows_what_needs_attention_and_the_sum);
	tcase_add_test(c, colour_only_when_asked);
	tcase_add_test(c, lines_keep_to_the_width);
	tcase_add_test(c, ten_scenarios_fit_a_hundred_columns);
	tcase_add_test(c, of_a_sweep_the_worst_is_shown);
	tcase_add_test(c, cells_of_one_cause_are_told_once);
	tcase_add_test(c, a_claim_to_sleep_is_none_about_the_order);
	tcase_add_test(c, controls_have_no_row);
	tcase_add_test(c, a_void_run_says_so);
	tcase_add_test(c, no_records_are_no_crash);
	tcase_add_test(c, records_of_others_are_no_crash);
	tcase_add_test(c, a_change_of_speed_says_which_end_is_meant);
	suite_add_tcase(suite, c);
	return suite;
}
