/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The histogram, the log and the recorder, on hand-made sequences with known
 * answers. */
#include "engine/engine.h"
#include "observe/log.h"
#include "suites/unit/paper.h"
#include "suites/unit/suites.h"

#include <stdlib.h>

START_TEST(bucket_holds_its_value)
{
	/* Every power of two and its neighbours, over the whole range. */
	for (unsigned bit = 0; bit < 63; bit++) {
		for (int64_t d = -1; d <= 1; d++) {
			uint64_t v = (UINT64_C(1) << bit) + (uint64_t)d;
			unsigned b = lf_histogram_bucket(v);
			ck_assert_uint_lt(b, LF_HISTOGRAM_BUCKETS);
			ck_assert_uint_le(v, lf_histogram_upper(b));
			if (b > 0)
				ck_assert_uint_gt(v, lf_histogram_upper(b - 1));
		}
	}
}
END_TEST

START_TEST(bucket_is_narrow)
{
	for (unsigned b = 1; b < LF_HISTOGRAM_BUCKETS - 1; b++) {
		uint64_t low = lf_histogram_upper(b - 1) + 1, high = lf_histogram_upper(b);
		ck_assert_uint_le(high - low, low / 16);
	}
}
END_TEST

START_TEST(quantiles_of_known_values)
{
	struct lf_histogram h = { 0 };
	ck_assert_uint_eq(lf_histogram_quantile(&h, 0.5), 0);
	for (uint64_t v = 1; v <= 1000; v++)
		lf_histogram_add(&h, v);
	ck_assert_uint_eq(h.count, 1000);
	ck_assert_uint_eq(h.sum, 500500);
	ck_assert_uint_eq(h.min, 1);
	ck_assert_uint_eq(h.max, 1000);
	uint64_t median = lf_histogram_quantile(&h, 0.5);
	ck_assert_uint_ge(median, 500);
	ck_assert_uint_le(median, 500 + 500 / 16);
	ck_assert_uint_eq(lf_histogram_quantile(&h, 1), 1000);
	ck_assert_uint_eq(lf_histogram_quantile(&h, 0), 1);
}
END_TEST

START_TEST(merge_is_the_sum)
{
	struct lf_histogram a = { 0 }, b = { 0 }, both = { 0 };
	for (uint64_t v = 5; v < 50000; v += 37) {
		lf_histogram_add(v % 2 ? &a : &b, v * v);
		lf_histogram_add(&both, v * v);
	}
	lf_histogram_merge(&a, &b);
	ck_assert_mem_eq(&a, &both, sizeof a);
	struct lf_histogram empty = { 0 };
	lf_histogram_merge(&a, &empty);
	ck_assert_mem_eq(&a, &both, sizeof a);
}
END_TEST

START_TEST(log_keeps_the_last)
{
	struct lf_log *log = calloc(1, sizeof *log);
	uint64_t n = LF_LOG_SIZE + 100;
	for (uint64_t i = 0; i < n; i++)
		ck_assert_uint_eq(lf_log_append_held(log, (uint8_t)(i % 7)), i + 1);
	ck_assert_int_eq(lf_log_at(log, 99), -1);
	for (uint64_t i = 100; i < n; i++)
		ck_assert_int_eq(lf_log_at(log, i), (int)(i % 7));
	ck_assert_int_eq(lf_log_at(log, n), -1);
	free(log);
}
END_TEST

/* In the orders below, "?1" is a request of thread 1, "!1" its confirmation as
 * queued, "1" its grant and "/1" its release. */

START_TEST(unconfirmed_waiters_are_not_overtaken)
{
	struct paper p;
	paper_play(&p, 2, "?0 0 ?1 /0 ?0 0 /0 ?0 0 /0 1 /1");
	ck_assert_uint_eq(p.o->overtakes_max, 0);
	ck_assert_uint_eq(p.o->thread[1].confirmed, 0);
	ck_assert_uint_eq(p.o->thread[0].grants, 3);
	ck_assert_uint_eq(p.o->thread[1].requests, 1);
	paper_close(&p);
}
END_TEST

START_TEST(confirmed_waiter_counts_later_requests)
{
	struct paper p;
	paper_play(&p, 2, "?0 0 ?1 !1 /0 ?0 0 /0 ?0 0 /0 ?0 0 /0 1 /1");
	ck_assert_uint_eq(p.o->overtakes_max, 3);
	ck_assert_uint_eq(p.o->thread[1].confirmed, 1);
	ck_assert_uint_eq(p.o->thread[1].overtaken, 1);
	ck_assert_uint_eq(p.o->thread[1].overtakes_max, 3);
	ck_assert_uint_eq(p.o->thread[1].overtakes_run, 3);
	ck_assert_uint_eq(p.o->thread[0].grants_queued, 3);
	ck_assert_uint_eq(p.o->longest_run, 4); /* the first grant belongs to it */
	ck_assert_uint_eq(p.o->decisive_thread, 1);
	ck_assert_uint_eq(p.o->decisive_grant, 4);
	paper_close(&p);
}
END_TEST

START_TEST(earlier_requests_do_not_overtake)
{
	struct paper p;
	/* 1 and 2 queue in this order; both are served before 0 comes back. */
	paper_play(&p, 3, "?0 0 ?1 !1 ?2 !2 /0 ?0 1 /1 2 /2 0 /0");
	ck_assert_uint_eq(p.o->overtakes_max, 0);
	ck_assert_uint_eq(p.o->thread[1].confirmed, 1);
	ck_assert_uint_eq(p.o->thread[2].confirmed, 1);
	paper_close(&p);
}
END_TEST

START_TEST(newest_first_is_an_overtake)
{
	struct paper p;
	paper_play(&p, 3, "?0 0 ?1 !1 ?2 !2 /0 2 /2 1 /1");
	ck_assert_uint_eq(p.o->thread[1].overtakes_max, 1);
	ck_assert_uint_eq(p.o->thread[2].overtakes_max, 0);
	paper_close(&p);
}
END_TEST

START_TEST(overtakes_in_a_row_end_with_another)
{
	struct paper p;
	paper_play(&p, 3, "?0 0 ?1 !1 /0 ?2 2 /2 ?2 2 /2 ?0 0 /0 ?2 2 /2 1 /1");
	ck_assert_uint_eq(p.o->thread[1].overtakes_max, 4);
	ck_assert_uint_eq(p.o->thread[1].overtakes_run, 2);
	ck_assert_uint_eq(p.o->longest_run, 2);
	paper_close(&p);
}
END_TEST

START_TEST(second_owner_is_seen)
{
	struct paper p;
	paper_play(&p, 2, "?0 0 ?1 1 /1 /0");
	ck_assert_uint_ge(p.o->exclusion_violations, 1);
	paper_close(&p);
	paper_play(&p, 2, "?0 0 /0 ?1 1 /1 ?0 0 /0");
	ck_assert_uint_eq(p.o->exclusion_violations, 0);
	ck_assert_uint_eq(p.o->torn, 0);
	paper_close(&p);
}
END_TEST

START_TEST(torn_data_is_seen)
{
	struct paper p;
	paper_play(&p, 2, "?0 0 /0");
	p.run->recorder.torn[1]++;
	paper_continue(&p, "?1 1 /1");
	ck_assert_uint_eq(p.o->torn, 1);
	paper_close(&p);
}
END_TEST

START_TEST(poll_that_lets_others_in_is_a_grant)
{
	struct paper p;
	/* "<0" begins a poll of thread 0, ">0" ends it. */
	paper_play(&p, 2, "?0 0 <0 >0 <0 ?1 1 /1 >0 /0");
	ck_assert_uint_eq(p.o->grants.length, 3);
	ck_assert_uint_eq(p.o->thread[0].grants, 2);
	ck_assert_uint_eq(p.o->exclusion_violations, 0);
	paper_close(&p);
}
END_TEST

START_TEST(poll_that_does_not_exclude_is_seen)
{
	struct paper p;
	paper_play(&p, 2, "?0 0 <0 ?1 1 >0");
	ck_assert_uint_ge(p.o->exclusion_violations, 1);
	paper_close(&p);
}
END_TEST

START_TEST(open_wait_counts)
{
	struct paper p;
	paper_play(&p, 2, "?0 0 ?1 !1 /0 ?0 0 /0 ?0 0 /0");
	p.o->thread[1].censored = true;
	lf_run_finish(p.run, 5000000);
	ck_assert(p.o->thread[1].inside_acquire);
	ck_assert_uint_eq(p.o->thread[1].overtakes_max, 2);
	ck_assert_uint_eq(p.o->thread[1].overtaken, 1);
	ck_assert_int_eq(p.o->held_by, -1);
	paper_close(&p);
}
END_TEST

START_TEST(waits_are_timed)
{
	struct paper p;
	/* The paper clock advances by 1000 ns per token. */
	paper_play_clocked(&p, 2, "?0 0 ?1 /0 1 /1");
	ck_assert_uint_eq(p.o->thread[0].wait.count, 1);
	ck_assert_uint_eq(p.o->thread[0].wait.max, 1000);
	ck_assert_uint_eq(p.o->thread[1].wait.max, 2000);
	ck_assert_uint_eq(p.o->thread[0].hold_ns, 2000);
	ck_assert_uint_eq(p.o->thread[1].hold_ns, 1000);
	paper_close(&p);
}
END_TEST

Suite *lf_test_observe(void)
{
	Suite *s = suite_create("observe");
	TCase *t = tcase_create("histogram");
	tcase_add_test(t, bucket_holds_its_value);
	tcase_add_test(t, bucket_is_narrow);
	tcase_add_test(t, quantiles_of_known_values);
	tcase_add_test(t, merge_is_the_sum);
	suite_add_tcase(s, t);
	t = tcase_create("log");
	tcase_add_test(t, log_keeps_the_last);
	suite_add_tcase(s, t);
	t = tcase_create("recorder");
	tcase_add_test(t, unconfirmed_waiters_are_not_overtaken);
	tcase_add_test(t, confirmed_waiter_counts_later_requests);
	tcase_add_test(t, earlier_requests_do_not_overtake);
	tcase_add_test(t, newest_first_is_an_overtake);
	tcase_add_test(t, overtakes_in_a_row_end_with_another);
	tcase_add_test(t, second_owner_is_seen);
	tcase_add_test(t, torn_data_is_seen);
	tcase_add_test(t, poll_that_lets_others_in_is_a_grant);
	tcase_add_test(t, poll_that_does_not_exclude_is_seen);
	tcase_add_test(t, open_wait_counts);
	tcase_add_test(t, waits_are_timed);
	suite_add_tcase(s, t);
	return s;
}
