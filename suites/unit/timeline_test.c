/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of holds and waits: what the recorder keeps, and what goes into a record. */
#include "engine/engine.h"
#include "report/evidence.h"
#include "suites/unit/paper.h"
#include "suites/unit/suites.h"

#include <stdlib.h>

/* One character of an order takes a microsecond, from 1 us on; see observe_test.c. */

static void expect(const struct paper *p, const char *text)
{
	json_t *line = lf_evidence_timeline(p->o);
	char *seen;

	ck_assert_ptr_nonnull(line);
	seen = json_dumps(line, JSON_COMPACT);
	ck_assert_str_eq(seen, text);
	free(seen);
	json_decref(line);
}

START_TEST(holds_have_their_times)
{
	struct paper p;
	paper_play_clocked(&p, 2, "?0 0 ?1 !1 /0 ?0 0 /0 ?0 0 /0 1 /1");
	expect(&p, "{\"at\":0,\"decisive\":2,\"end\":11000,\"holds\":[[0,-1000,0,3000],"
		   "[0,4000,5000,6000],[0,7000,8000,9000],[1,1000,10000,11000]],"
		   "\"waits\":[]}");
	paper_close(&p);
}
END_TEST

START_TEST(who_waits_in_the_end_is_in_it)
{
	struct paper p;
	paper_play_clocked(&p, 2, "?0 0 ?1 !1 /0 ?0 0 /0");
	lf_run_finish(p.run, 20000);
	expect(&p, "{\"at\":0,\"decisive\":1,\"end\":6000,\"holds\":[[0,-1000,0,3000],"
		   "[0,4000,5000,6000]],\"waits\":[[1,1000]]}");
	paper_close(&p);
}
END_TEST

START_TEST(who_is_served_after_the_excerpt_waits_in_it)
{
	struct paper p;
	paper_play_clocked(&p, 3, "?0 0 ?2 ?1 !1 /0 ?0 0 /0 1 /1");
	for (int i = 0; i < 12; i++)
		paper_continue(&p, "?0 0 /0");
	paper_continue(&p, "2 /2");
	json_t *line = lf_evidence_timeline(p.o);
	json_t *waits = json_object_get(line, "waits");
	ck_assert_uint_eq(json_array_size(json_object_get(line, "holds")), 2 + 8);
	ck_assert_uint_eq(json_array_size(waits), 1);
	ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(waits, 0), 0)), 2);
	ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(waits, 0), 1)),
			 1000);
	json_decref(line);
	paper_close(&p);
}
END_TEST

START_TEST(a_hold_that_goes_on_has_no_end)
{
	struct paper p;
	paper_play_clocked(&p, 2, "?0 0 /0 ?1 1");
	lf_run_finish(p.run, 9000);
	expect(&p, "{\"at\":0,\"end\":7000,\"holds\":[[0,-1000,0,1000],[1,2000,3000,null]],"
		   "\"waits\":[]}");
	paper_close(&p);
}
END_TEST

START_TEST(a_poll_that_let_others_in_ended_a_hold)
{
	struct paper p;
	paper_play_clocked(&p, 2, "?0 0 ?1 <0 1 /1 >0 /0");
	expect(&p, "{\"at\":0,\"end\":6000,\"holds\":[[0,-1000,0,2000],[1,1000,3000,4000],"
		   "[0,2000,5000,6000]],\"waits\":[]}");
	paper_close(&p);
}
END_TEST

START_TEST(without_clocks_there_are_no_times)
{
	struct paper p;
	paper_play(&p, 2, "?0 0 ?1 !1 /0 ?0 0 /0 1 /1");
	ck_assert_ptr_null(lf_evidence_timeline(p.o));
	paper_close(&p);
}
END_TEST

START_TEST(what_is_overwritten_is_not_shown)
{
	struct paper p;
	paper_play_clocked(&p, 2, "?0 0 ?1 !1 /0 ?0 0 /0 1 /1");
	for (unsigned i = 0; i < LF_TIMELINE_SIZE - 3; i++)
		paper_continue(&p, "?0 0 /0");
	json_t *line = lf_evidence_timeline(p.o);
	ck_assert_ptr_nonnull(line);
	json_decref(line);
	paper_continue(&p, "?0 0 /0");
	ck_assert_ptr_null(lf_evidence_timeline(p.o));
	paper_close(&p);
}
END_TEST

START_TEST(one_grant_is_no_timeline)
{
	struct paper p;
	paper_play_clocked(&p, 2, "?0 0 /0");
	ck_assert_ptr_null(lf_evidence_timeline(p.o));
	paper_close(&p);
}
END_TEST

Suite *lf_test_timeline(void)
{
	Suite *suite = suite_create("timeline");
	TCase *c = tcase_create("timeline");
	tcase_add_test(c, holds_have_their_times);
	tcase_add_test(c, who_waits_in_the_end_is_in_it);
	tcase_add_test(c, who_is_served_after_the_excerpt_waits_in_it);
	tcase_add_test(c, a_hold_that_goes_on_has_no_end);
	tcase_add_test(c, a_poll_that_let_others_in_ended_a_hold);
	tcase_add_test(c, without_clocks_there_are_no_times);
	tcase_add_test(c, what_is_overwritten_is_not_shown);
	tcase_add_test(c, one_grant_is_no_timeline);
	suite_add_tcase(suite, c);
	return suite;
}
