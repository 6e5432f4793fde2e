/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics with known answers, and every path to a verdict. */
#include "judge/judge.h"
#include "suites/unit/paper.h"
#include "suites/unit/suites.h"

#include <stdlib.h>
#include <string.h>

START_TEST(jain_of_known_values)
{
	ck_assert_double_eq_tol(lf_metric_jain((uint64_t[]){ 7, 7, 7, 7 }, 4), 1, 1e-12);
	ck_assert_double_eq_tol(lf_metric_jain((uint64_t[]){ 5, 0, 0, 0 }, 4), 0.25, 1e-12);
	ck_assert_double_eq_tol(lf_metric_jain((uint64_t[]){ 1, 2, 3 }, 3), 36.0 / 42, 1e-12);
}
END_TEST

START_TEST(lead_of_turns)
{
	struct paper p;
	paper_play(&p, 3, "+0 +1 +2 +0 +1 +2 +0 +1 +2");
	ck_assert_uint_eq(lf_metric_lead(p.o, 1), 1);
	paper_close(&p);
}
END_TEST

START_TEST(lead_of_a_runaway)
{
	struct paper p;
	paper_play(&p, 3, "+0 +1 +2 +2 +2 +2 +2 +0 +1");
	ck_assert_uint_eq(lf_metric_lead(p.o, 1), 4);
	ck_assert_uint_eq(lf_metric_lead(p.o, 2), 2);
	paper_close(&p);
}
END_TEST

/* Steps that fell out of the bounded log still count for where threads stand. */
START_TEST(lead_beyond_the_log)
{
	struct paper p;
	paper_play(&p, 2, "+0 +0 +0");
	for (unsigned i = 0; i < LF_LOG_SIZE; i++)
		lf_record_step(&p.run->actor[i % 2]);
	ck_assert_uint_eq(lf_metric_lead(p.o, 1), 4);
	paper_close(&p);
}
END_TEST

/* A scenario whose judge states what the test wants. */
static void (*state)(struct lf_judgement *j);

static void judge_as_told(struct lf_judgement *j, const struct lf_observation *o,
			  const struct lf_claim *c)
{
	(void)o;
	(void)c;
	state(j);
}

static bool over_two_rounds(const struct lf_observation *o, const struct lf_claim *c,
			    bool required)
{
	(void)c;
	(void)required;
	return o->rounds > 2;
}

static struct lf_scenario told = { .name = "told", .judge = judge_as_told };
static struct lf_cell cell = { .scenario = &told };
static struct lf_observation *seen;
static struct lf_judgement verdict;

static void setup(void)
{
	seen = calloc(1, sizeof *seen);
	seen->threads = 2;
	seen->held_by = -1;
	told.window = false;
	told.decided = NULL;
	cell.required = false;
}

static void teardown(void)
{
	free(seen);
}

static enum lf_verdict judge_with(void (*how)(struct lf_judgement *))
{
	state = how;
	lf_judge(&cell, seen, &verdict);
	return verdict.verdict;
}

static void nothing(struct lf_judgement *j)
{
	(void)j;
}

static void claim_holds(struct lf_judgement *j)
{
	lf_judge_at_most(j, LF_METRIC_OVERTAKES, LF_ORIGIN_CLAIM, 0, 0, 50, "waiter");
}

static void claim_broken(struct lf_judgement *j)
{
	lf_judge_at_most(j, LF_METRIC_OVERTAKES, LF_ORIGIN_CLAIM, 3, 0, 50, "waiter");
}

static void requirement_broken(struct lf_judgement *j)
{
	lf_judge_at_most(j, LF_METRIC_LEAD, LF_ORIGIN_REQUIREMENT, 6, 2, 10, NULL);
}

static void too_few(struct lf_judgement *j)
{
	lf_judge_at_least(j, LF_METRIC_GRANTS_MIN, LF_ORIGIN_CLAIM, 1, 5, 10, NULL);
}

static void precondition_broken(struct lf_judgement *j)
{
	lf_judge_void(j, "nobody queued");
	lf_judge_void(j, "second reason");
}

static void broken_beside_a_precondition(struct lf_judgement *j)
{
	precondition_broken(j);
	claim_broken(j);
}

static void wait_too_long(struct lf_judgement *j)
{
	lf_judge_at_most(j, LF_METRIC_WAIT_P90, LF_ORIGIN_CLAIM, 50e6, 45e6, 40, "victim");
}

START_TEST(pass)
{
	ck_assert_int_eq(judge_with(claim_holds), LF_VERDICT_PASS);
	ck_assert_ptr_null(lf_judgement_decisive(&verdict));
	ck_assert_str_eq(verdict.reason, "");
}
END_TEST

START_TEST(broken_claim_fails)
{
	ck_assert_int_eq(judge_with(claim_broken), LF_VERDICT_FAIL);
	ck_assert_str_eq(verdict.reason, "claim, waiter: overtakes 3 grants, at most 0 (n=50)");
	ck_assert_int_eq(judge_with(too_few), LF_VERDICT_FAIL);
	ck_assert_str_eq(verdict.reason, "claim: grants-min 1 grants, at least 5 (n=10)");
}
END_TEST

START_TEST(requirement_counts_only_when_asked)
{
	ck_assert_int_eq(judge_with(requirement_broken), LF_VERDICT_PASS);
	cell.required = true;
	ck_assert_int_eq(judge_with(requirement_broken), LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&verdict)->origin, LF_ORIGIN_REQUIREMENT);
}
END_TEST

START_TEST(broken_precondition_is_inconclusive)
{
	ck_assert_int_eq(judge_with(precondition_broken), LF_VERDICT_INCONCLUSIVE);
	ck_assert_str_eq(verdict.reason, "nobody queued");
	strcpy(seen->precondition, "the waiters could not be confirmed");
	ck_assert_int_eq(judge_with(claim_holds), LF_VERDICT_INCONCLUSIVE);
	ck_assert_str_eq(verdict.reason, "the waiters could not be confirmed");
}
END_TEST

START_TEST(conviction_needs_no_precondition)
{
	ck_assert_int_eq(judge_with(broken_beside_a_precondition), LF_VERDICT_FAIL);
}
END_TEST

START_TEST(time_limit_leaves_it_open)
{
	seen->limit_reached = true;
	ck_assert_int_eq(judge_with(claim_holds), LF_VERDICT_INCONCLUSIVE);
	told.window = true;
	ck_assert_int_eq(judge_with(claim_holds), LF_VERDICT_PASS);
	told.window = false;
	told.decided = over_two_rounds;
	ck_assert_int_eq(judge_with(claim_holds), LF_VERDICT_INCONCLUSIVE);
	seen->rounds = 3;
	ck_assert_int_eq(judge_with(claim_holds), LF_VERDICT_PASS);
}
END_TEST

START_TEST(stalled_run_leaves_it_open)
{
	seen->stalled = true;
	ck_assert_int_eq(judge_with(claim_holds), LF_VERDICT_INCONCLUSIVE);
	ck_assert_int_eq(judge_with(claim_broken), LF_VERDICT_FAIL);
}
END_TEST

START_TEST(two_owners_fail_whatever_was_asked)
{
	seen->exclusion_violations = 1;
	ck_assert_int_eq(judge_with(nothing), LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&verdict)->metric, LF_METRIC_EXCLUSION);
	seen->exclusion_violations = 0;
	seen->torn = 1;
	ck_assert_int_eq(judge_with(nothing), LF_VERDICT_FAIL);
}
END_TEST

START_TEST(thread_left_behind_fails)
{
	seen->thread[1].censored = true;
	ck_assert_int_eq(judge_with(nothing), LF_VERDICT_PASS);
	seen->thread[1].inside_acquire = true;
	strcpy(seen->thread[1].role, "waiter");
	ck_assert_int_eq(judge_with(nothing), LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&verdict)->metric, LF_METRIC_PROGRESS);
	ck_assert_str_eq(lf_judgement_decisive(&verdict)->role, "waiter");
}
END_TEST

START_TEST(safety_decides_before_claims)
{
	seen->exclusion_violations = 1;
	judge_with(claim_broken);
	ck_assert_int_eq(lf_judgement_decisive(&verdict)->origin, LF_ORIGIN_SAFETY);
}
END_TEST

START_TEST(noise_excuses_what_it_explains)
{
	/* The wait is 5 ms over its bound. */
	ck_assert_int_eq(judge_with(wait_too_long), LF_VERDICT_FAIL);
	seen->noise.run_delay_ns = 4000000;
	ck_assert_int_eq(judge_with(wait_too_long), LF_VERDICT_FAIL);
	seen->noise.run_delay_ns = 6000000;
	ck_assert_int_eq(judge_with(wait_too_long), LF_VERDICT_INCONCLUSIVE);
	ck_assert_ptr_nonnull(strstr(verdict.reason, "6.0 ms"));
}
END_TEST

START_TEST(noise_never_excuses_a_count)
{
	seen->noise.run_delay_ns = UINT64_C(1000000000000);
	ck_assert_int_eq(judge_with(claim_broken), LF_VERDICT_FAIL);
}
END_TEST

static void wait_and_count(struct lf_judgement *j)
{
	wait_too_long(j);
	lf_judge_at_most(j, LF_METRIC_LEAD, LF_ORIGIN_CLAIM, 4, 2, 9, NULL);
}

/* What comes first decides, but not when noise explains it. */
START_TEST(an_excused_wait_hides_no_count)
{
	seen->noise.run_delay_ns = 4000000;
	ck_assert_int_eq(judge_with(wait_and_count), LF_VERDICT_FAIL);
	ck_assert_int_ne(lf_judgement_decisive(&verdict)->metric, LF_METRIC_LEAD);
	seen->noise.run_delay_ns = 6000000;
	ck_assert_int_eq(judge_with(wait_and_count), LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&verdict)->metric, LF_METRIC_LEAD);
}
END_TEST

START_TEST(unknown_noise_excuses_nothing)
{
	seen->noise.run_delay_ns = LF_UNKNOWN;
	seen->noise.sleep_overshoot_ns = LF_UNKNOWN;
	seen->noise.steal_ns = LF_UNKNOWN;
	ck_assert_int_eq(judge_with(wait_too_long), LF_VERDICT_FAIL);
}
END_TEST

static void violated_claims(struct lf_judgement *j)
{
	claim_broken(j);
	lf_judge_at_most(j, LF_METRIC_SERVED_ONCE, LF_ORIGIN_SAFETY, 2, 0, 50, "waiter");
}

/* Whatever it saw: who was not served yet might have been. */
START_TEST(a_run_that_was_cut_off_says_nothing)
{
	seen->cut_off = true;
	strcpy(seen->precondition, "cut off");
	seen->thread[1].censored = seen->thread[1].inside_acquire = true;
	ck_assert_int_eq(judge_with(violated_claims), LF_VERDICT_INCONCLUSIVE);
	ck_assert_str_eq(verdict.reason, "cut off");
	ck_assert_int_eq(judge_with(claim_holds), LF_VERDICT_INCONCLUSIVE);
	seen->exclusion_violations = 1;
	ck_assert_int_eq(judge_with(violated_claims), LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&verdict)->metric, LF_METRIC_EXCLUSION);
}
END_TEST

static const struct {
	enum lf_metric metric;
	enum lf_origin origin;
	bool at_least, near;
	double value, bound;
} margins[] = {
	{ LF_METRIC_WAIT_P90, LF_ORIGIN_CLAIM, false, true, 41e6, 45e6 },
	{ LF_METRIC_WAIT_P90, LF_ORIGIN_CLAIM, false, false, 40e6, 45e6 },
	{ LF_METRIC_WAIT_P90, LF_ORIGIN_INFORMATION, false, false, 41e6, 45e6 },
	{ LF_METRIC_CPU_BURNT, LF_ORIGIN_CLAIM, false, true, 0.095, 0.1 },
	{ LF_METRIC_OVERTAKES, LF_ORIGIN_CLAIM, false, false, 4, 4 },
	{ LF_METRIC_LEAD, LF_ORIGIN_REQUIREMENT, false, false, 2, 2 },
	{ LF_METRIC_SERVED_ONCE, LF_ORIGIN_SAFETY, false, false, 0, 0 },
	{ LF_METRIC_SHARE_WINDOW, LF_ORIGIN_CLAIM, true, true, 0.3, 0.25 },
	{ LF_METRIC_SHARE_WINDOW, LF_ORIGIN_CLAIM, true, false, 0.33, 0.25 },
	{ LF_METRIC_WAIT_MAX, LF_ORIGIN_CLAIM, true, true, 10.5e6, 10e6 },
	{ LF_METRIC_WAIT_MAX, LF_ORIGIN_CLAIM, true, false, 11.5e6, 10e6 },
	{ LF_METRIC_WAIT_P90, LF_ORIGIN_CLAIM, false, false, 46e6, 45e6 },
};

START_TEST(margin)
{
	struct lf_judgement j = { .required = true };
	(margins[_i].at_least ? lf_judge_at_least : lf_judge_at_most)(
		&j, margins[_i].metric, margins[_i].origin, margins[_i].value,
		margins[_i].bound, 10, NULL);
	ck_assert_int_eq(lf_assertion_is_near(&j.assertion[0]), margins[_i].near);
}
END_TEST

START_TEST(shares_in_windows)
{
	struct paper p;
	paper_play(&p, 2, "?0 0 /0 ?1 1 /1 ?0 0 /0 ?0 0 /0 ?0 0 /0 ?1 1 /1");
	/* 0 1 0 0 0 1: the worst three in a row are 0 0 0, the worst four 1 0 0 0. */
	ck_assert_double_eq_tol(lf_metric_window_share(p.o, 3), 0, 1e-12);
	ck_assert_double_eq_tol(lf_metric_window_share(p.o, 4), 0.5, 1e-12);
	ck_assert_double_eq_tol(lf_metric_window_share(p.o, 6), 2.0 * 2 / 6, 1e-12);
	ck_assert_double_eq_tol(lf_metric_window_share(p.o, 99), 2.0 * 2 / 6, 1e-12);
	paper_close(&p);
}
END_TEST

START_TEST(names_find_their_metric)
{
	for (int m = 0; m < LF_METRIC_COUNT; m++)
		ck_assert_int_eq(lf_metric_find(lf_metric_name((enum lf_metric)m)), m);
	ck_assert_int_eq(lf_metric_find("fairness"), -1);
}
END_TEST

Suite *lf_test_judge(void)
{
	Suite *s = suite_create("judge");
	TCase *t = tcase_create("metrics");
	tcase_add_test(t, jain_of_known_values);
	tcase_add_test(t, lead_of_turns);
	tcase_add_test(t, lead_of_a_runaway);
	tcase_add_test(t, lead_beyond_the_log);
	tcase_add_test(t, shares_in_windows);
	tcase_add_loop_test(t, margin, 0, (int)(sizeof margins / sizeof margins[0]));
	tcase_add_test(t, names_find_their_metric);
	suite_add_tcase(s, t);
	t = tcase_create("verdict");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, pass);
	tcase_add_test(t, broken_claim_fails);
	tcase_add_test(t, requirement_counts_only_when_asked);
	tcase_add_test(t, broken_precondition_is_inconclusive);
	tcase_add_test(t, conviction_needs_no_precondition);
	tcase_add_test(t, time_limit_leaves_it_open);
	tcase_add_test(t, stalled_run_leaves_it_open);
	tcase_add_test(t, two_owners_fail_whatever_was_asked);
	tcase_add_test(t, thread_left_behind_fails);
	tcase_add_test(t, safety_decides_before_claims);
	tcase_add_test(t, noise_excuses_what_it_explains);
	tcase_add_test(t, noise_never_excuses_a_count);
	tcase_add_test(t, an_excused_wait_hides_no_count);
	tcase_add_test(t, a_run_that_was_cut_off_says_nothing);
	tcase_add_test(t, unknown_noise_excuses_nothing);
	suite_add_tcase(s, t);
	return s;
}
