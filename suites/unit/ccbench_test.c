/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Suite ccbench in virtual time: every assertion convicts a faulty backend and lets
 * a sound one pass; what a starved cell looks like; what noise excuses.
 */
#include "suites/unit/suites.h"

#include "core/registry.h"
#include "core/workloads.h"
#include "fixtures/fixtures.h"
#include "suites/ccbench.h"
#include "suites/unit/trial.h"

#include <stdio.h>
#include <string.h>

/* --- rates and samples ------------------------------------------------------------- */

START_TEST(samples_have_a_mean_and_a_deviation)
{
	struct lf_samples s = { 0 };
	ck_assert_double_eq(lf_samples_mean(&s), 0);
	ck_assert_double_eq(lf_samples_deviation(&s), 0);
	for (uint64_t i = 0; i < 20; i++)
		lf_sample(&s, i * 100);
	ck_assert_double_eq_tol(lf_samples_mean(&s), 950, 1e-9);
	ck_assert_double_eq_tol(lf_samples_deviation(&s), 576.628, 1e-3);
	ck_assert_uint_eq(s.values.max, 1900);
}
END_TEST

START_TEST(a_rate_of_no_time_is_none)
{
	ck_assert_double_eq(lf_cc_per_second(&(struct lf_rate){ 5, 0 }), 0);
	ck_assert_double_eq(lf_cc_per_second(&(struct lf_rate){ 5, 500000000 }), 10);
}
END_TEST

static struct lf_observation seen;

static const struct lf_assertion half = {
	.metric = LF_METRIC_SHARE_MIN, .origin = LF_ORIGIN_REQUIREMENT, .value = 0.4,
	.bound = 0.5, .at_least = true, .n = 10, .role = "cpu",
};

static struct lf_judgement judge_rate(uint64_t delay_ns, double value)
{
	struct lf_judgement j = { .required = true };
	struct lf_assertion a = half;
	a.value = value;
	seen.noise.run_delay_ns = delay_ns;
	lf_cc_judge_rate(&j, &seen, 100 * LF_MS, &a);
	ck_assert_uint_eq(j.n, 1);
	return j;
}

START_TEST(a_rate_convicts_unless_threads_had_no_cpu)
{
	ck_assert(!judge_rate(LF_UNKNOWN, 0.4).assertion[0].holds);
	ck_assert(!judge_rate(49 * LF_MS, 0.4).assertion[0].holds);
	struct lf_judgement j = judge_rate(50 * LF_MS, 0.4);
	ck_assert_int_eq(j.assertion[0].origin, LF_ORIGIN_INFORMATION);
	ck_assert_ptr_nonnull(strstr(j.open, "50 ms"));
	ck_assert_str_eq(judge_rate(50 * LF_MS, 0.6).open, "");
}
END_TEST

/* A claim of "I/O first" ends where it says so. */
START_TEST(io_first_counts_beside_so_many_threads)
{
	struct lf_claim c = { .set = LF_CLAIM_IO_FIRST, .io_threads = 2 };
	seen = (struct lf_observation){ .threads = 3 };
	for (unsigned i = 0; i < 3; i++)
		strcpy(seen.thread[i].role, i ? "cpu" : "server");
	ck_assert(lf_cc_io_goes_first(&seen, &c));
	c.io_threads = 1;
	ck_assert(!lf_cc_io_goes_first(&seen, &c));
	c.io_threads = 0;
	ck_assert(lf_cc_io_goes_first(&seen, &c));
	c.set = LF_CLAIM_QUANTUM;
	ck_assert(!lf_cc_io_goes_first(&seen, &c));
	ck_assert_uint_eq(lf_cc_count(&seen, "cpu"), 2);
	ck_assert_ptr_null(lf_cc_of(&seen, "client"));
}
END_TEST

START_TEST(what_starved_is_told_by_role)
{
	struct lf_judgement j = { .required = true };
	const struct lf_claim nothing = { 0 };
	seen = (struct lf_observation){ .threads = 2 };
	strcpy(seen.thread[0].role, "server");
	strcpy(seen.thread[1].role, "cpu");
	lf_cc_judge_starved(&j, &seen, &nothing, 1, "server");
	ck_assert_double_eq(j.assertion[0].value, 2);
	ck_assert_str_eq(j.assertion[0].role, "server");
	seen.thread[0].beside.units = 1;
	lf_cc_judge_starved(&j, &seen, &nothing, 1, "server");
	ck_assert_double_eq(j.assertion[1].value, 1);
	ck_assert_str_eq(j.assertion[1].role, "cpu");
	seen.thread[1].steps = 1;
	lf_cc_judge_starved(&j, &seen, &nothing, 1, "server");
	ck_assert(j.assertion[2].holds);
}
END_TEST

/* Turns of 10 ms by a server and one CPU thread. */
START_TEST(a_short_load_convicts_nobody)
{
	struct lf_judgement j = { .required = true };
	struct lf_claim c = { .set = LF_CLAIM_QUANTUM, .quantum_ns = 10000000 };
	seen = (struct lf_observation){ .threads = 3 };
	strcpy(seen.thread[0].role, "server");
	strcpy(seen.thread[1].role, "cpu");
	strcpy(seen.thread[2].role, "client");
	lf_cc_judge_starved(&j, &seen, &c, 30000000, "server");
	ck_assert(!j.assertion[0].holds);
	ck_assert_str_eq(j.open, "");
	lf_cc_judge_starved(&j, &seen, &c, 29000000, "server");
	ck_assert_int_eq(j.assertion[1].origin, LF_ORIGIN_INFORMATION);
	ck_assert_double_eq(j.assertion[1].value, 2);
	ck_assert_ptr_nonnull(strstr(j.open, "29 ms, too short for turns of 10 ms by 2"));
	c.set = LF_CLAIM_SLEEPS;
	lf_cc_judge_starved(&j, &seen, &c, 29000000, "server");
	ck_assert(!j.assertion[2].holds);
}
END_TEST

/* A server and a CPU thread that both got nothing in 100 ms. */
static bool convicts(uint64_t delay_ns, uint64_t ran_ns, const struct lf_claim *c)
{
	struct lf_judgement j = { .required = true };
	seen = (struct lf_observation){ .threads = 2, .noise.run_delay_ns = delay_ns };
	strcpy(seen.thread[0].role, "server");
	strcpy(seen.thread[1].role, "cpu");
	seen.thread[0].cpu_ns = seen.thread[1].cpu_ns = ran_ns / 2;
	lf_cc_judge_starved(&j, &seen, c, 100 * LF_MS, "server");
	ck_assert(j.assertion[0].holds == (strstr(j.open, "had the CPU for") != NULL));
	return !j.assertion[0].holds;
}

START_TEST(who_had_no_cpu_convicts_nobody)
{
	const struct lf_claim claim[] = {
		{ .set = LF_CLAIM_QUANTUM, .quantum_ns = 10 * LF_MS }, { .set = 0 },
	};
	for (int i = 0; i < 2; i++) {
		ck_assert(convicts(49 * LF_MS, 20 * LF_MS, &claim[i]));
		ck_assert(!convicts(50 * LF_MS, 20 * LF_MS, &claim[i]));
		ck_assert(!convicts(50 * LF_MS, 59 * LF_MS, &claim[i]));
		ck_assert(convicts(50 * LF_MS, 60 * LF_MS, &claim[i]));
		ck_assert(convicts(LF_UNKNOWN, 20 * LF_MS, &claim[i]));
	}
}
END_TEST

START_TEST(only_real_work_needs_a_library)
{
	static struct lf_workload lost = { .name = "regex", .missing = "it is missing" };
	static const struct lf_workload *const list[] = { &lost };
	struct lf_error error;
	ck_assert_int_eq(lf_fixtures_register(&error), 0);
	const struct lf_point regex = { .axis = { 1 } }, pi = { .axis = { 0 } };
	ck_assert_ptr_null(lf_cc_skip(NULL, LF_ON_SIM, &pi));
	ck_assert_ptr_null(lf_cc_skip(NULL, LF_ON_THREADS, &pi));
	lf_workloads_set(list, 1);
	ck_assert_str_eq(lf_cc_skip(NULL, LF_ON_THREADS, &regex), "it is missing");
	ck_assert_ptr_null(lf_cc_skip(NULL, LF_ON_SIM, &regex));
	ck_assert_ptr_nonnull(lf_cc_skip(NULL, LF_ON_SIM, &pi));
}
END_TEST

#ifdef LF_HAVE_SIM

extern const struct lf_scenario lf_scenario_single;

/* --- every assertion ----------------------------------------------------------------- */

static const struct pair {
	const char *cell, *faulty, *sound;
	enum lf_metric metric;
} pairs[] = {
	{ "latency/pi/1", "faulty/gil_late", "gil-interval", LF_METRIC_LATENCY_MEAN },
	{ "latency/pi/1", "faulty/bfs_no_preempt", "gil-bfs", LF_METRIC_LATENCY_P50 },
	{ "latency/pi/4", "faulty/gil_no_preempt", "gil-interval", LF_METRIC_STARVED },
	{ "latency/regex/4", "faulty/gil_no_preempt", "gil-bfs", LF_METRIC_STARVED },
	{ "bandwidth/1", "faulty/bfs_no_preempt", "gil-bfs", LF_METRIC_BANDWIDTH_SHARE },
	{ "bandwidth/1", "faulty/gil_late", "gil-interval", LF_METRIC_TURN_MEAN },
	{ "bandwidth/4", "faulty/gil_no_preempt", "gil-bfs", LF_METRIC_STARVED },
	{ "throughput/pi/4", "faulty/gil_selfish", "gil-interval", LF_METRIC_SHARE_MIN },
	{ "transfer/echo/2", "faulty/bfs_no_preempt", "gil-bfs", LF_METRIC_TRANSFER_SLOWDOWN },
	{ "transfer/bulk/2", "faulty/gil_no_preempt", "gil-bfs", LF_METRIC_STARVED },
	{ "single", "faulty/gil_slow_poll", "gil-interval", LF_METRIC_SLOWDOWN },
	{ "regime/12", "faulty/bfs_latest", "gil-bfs", LF_METRIC_TURN_MAX },
	{ "cpued", "faulty/gil_no_preempt", "gil-bfs", LF_METRIC_LEAD },
};
#define PAIRS (int)(sizeof pairs / sizeof pairs[0])

static const struct lf_assertion *find(const struct trial *t, enum lf_metric m)
{
	for (unsigned i = 0; i < t->judgement.n; i++)
		if (t->judgement.assertion[i].metric == m)
			return &t->judgement.assertion[i];
	return NULL;
}

START_TEST(an_assertion_convicts_the_faulty_one)
{
	const struct pair *p = &pairs[_i];
	const struct trial *t = lf_trial_at(p->cell, p->faulty, NULL, 1);
	const struct lf_assertion *a = find(t, p->metric);
	ck_assert_ptr_nonnull(a);
	ck_assert_msg(!a->holds, "%s on %s: %g", p->cell, p->faulty, a->value);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_FAIL);
}
END_TEST

START_TEST(an_assertion_lets_the_sound_one_pass)
{
	const struct pair *p = &pairs[_i];
	for (uint64_t seed = 1; seed <= 3; seed++) {
		const struct trial *t = lf_trial_at(p->cell, p->sound, NULL, seed);
#ifdef LF_SANITIZED /* which makes switches dear */
		if (t->observation.cut_off)
			return;
#endif
		ck_assert_msg(t->judgement.verdict == LF_VERDICT_PASS, "%s on %s: %s",
			      p->cell, p->sound, t->judgement.reason);
		ck_assert_ptr_nonnull(find(t, p->metric));
	}
}
END_TEST

/* --- what is seen ---------------------------------------------------------------------- */

/* Twenty pings that are received when the load is over. */
START_TEST(a_starved_cell_has_the_signature)
{
	const struct trial *t = lf_trial_at("latency/regex/4", "gil-ticks", NULL, 1);
	const struct lf_thread_observation *server = lf_cc_of(&t->observation, "server");
	const struct lf_samples *s = &server->samples;
	double interval = LF_CC_QUICK_MS * (double)LF_MS;
	ck_assert_uint_eq(server->beside.units, 0);
	ck_assert_uint_eq(s->values.count, LF_CC_PINGS);
	ck_assert_double_eq_tol(lf_samples_mean(s), 9.5 * interval, interval);
	ck_assert_double_eq_tol(lf_samples_deviation(s), 5.766 * interval, interval / 4);
}
END_TEST

/* Turns of 100 ms: the quick load has no time for them, and the long one has. */
START_TEST(long_turns_want_a_long_load)
{
	struct lf_cell cell = lf_trial_cell_at("latency/pi/4", "gvl-3.1", NULL);
	const struct trial *t = lf_trial_of(&cell, cell.machine, 1);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_INCONCLUSIVE);
	ck_assert_ptr_nonnull(strstr(t->judgement.reason, "--budget long"));
	cell.budget = LF_BUDGET_LONG;
	t = lf_trial_of(&cell, cell.machine, 1);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
	ck_assert_uint_gt(lf_cc_of(&t->observation, "server")->beside.units, 0);
}
END_TEST

/* A block that the end of the run cuts short has told what its units cost. */
START_TEST(a_slow_poll_needs_no_whole_block)
{
	struct lf_scenario scenario = lf_scenario_single;
	scenario.limit_ns[LF_BUDGET_QUICK] = 900 * LF_US;
	const struct trial *t = lf_trial("faulty/gil_slow_poll", &scenario,
					 scenario.machine, 1);
	ck_assert_uint_eq(t->observation.rounds, 0);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&t->judgement)->metric, LF_METRIC_SLOWDOWN);
}
END_TEST

/* The headline of 2010: a short interval switches all the time. */
START_TEST(a_short_interval_switches_ten_times_as_often)
{
	static double rate[2];
	static const char *const gils[] = { "gil-ticks", "gil-ticks-2500" };
	for (int i = 0; i < 2; i++)
		rate[i] = find(lf_trial_at("throughput/pi/4", gils[i], NULL, 1),
			       LF_METRIC_SWITCHES)->value;
	ck_assert_double_ge(rate[0], 10 * rate[1]);
}
END_TEST

/* Up to how many CPU threads is the median below a quarter of a slice? */
static unsigned last_with_io_first(const char *parameters)
{
	unsigned n = 5;
	for (; n <= 12; n++) {
		char cell[32];
		snprintf(cell, sizeof cell, "regime/%u", n);
		const struct trial *t = lf_trial_at(cell, "gil-bfs", parameters, 1);
		if (find(t, LF_METRIC_TURN_P50)->value > 10e6 / 4)
			break;
	}
	return n - 1;
}

/* The answer on DEADLINE_FACTOR: it is the load beyond which threads expire. */
START_TEST(the_regime_changes_where_the_deadline_factor_says)
{
	unsigned later = last_with_io_first(NULL);
	unsigned posted = last_with_io_first("deadline_factor_milli=6727");
	ck_assert_msg(later >= 8 && later <= 10, "factor 8: %u", later);
	ck_assert_msg(posted >= 6 && posted <= 8, "factor 6.7: %u", posted);
	ck_assert_uint_lt(posted, later);
}
END_TEST

/* cpued on the laptop of 2010: who computes does not finish a round. */
static const char *const starving[] = { "gil-interval", "gil-interactive", "gil-priority" };

START_TEST(the_patches_of_2010_starve_threads_that_compute)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		const struct trial *t = lf_trial_at("cpued", starving[_i], NULL, seed);
		const struct lf_observation *o = &t->observation;
		ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_FAIL);
		ck_assert_uint_lt(o->thread[0].steps + o->thread[1].steps, 40);
		ck_assert_uint_ge(lf_cc_of(o, "interactive")->steps, 160);
	}
}
END_TEST

START_TEST(the_bfs_patch_interleaves)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		const struct trial *t = lf_trial_at("cpued", "gil-bfs", NULL, seed);
		ck_assert_uint_le(lf_metric_lead(&t->observation, 40), 1);
		ck_assert_uint_ge(t->observation.rounds, 5);
	}
}
END_TEST

#endif

static TCase *simulated(void)
{
	TCase *tc = tcase_create("simulated");
#ifdef LF_HAVE_SIM
	tcase_set_timeout(tc, 240);
	tcase_add_loop_test(tc, an_assertion_convicts_the_faulty_one, 0, PAIRS);
	tcase_add_loop_test(tc, an_assertion_lets_the_sound_one_pass, 0, PAIRS);
	tcase_add_test(tc, a_starved_cell_has_the_signature);
	tcase_add_test(tc, long_turns_want_a_long_load);
	tcase_add_test(tc, a_slow_poll_needs_no_whole_block);
	tcase_add_test(tc, a_short_interval_switches_ten_times_as_often);
	tcase_add_test(tc, the_regime_changes_where_the_deadline_factor_says);
	tcase_add_loop_test(tc, the_patches_of_2010_starve_threads_that_compute, 0, 3);
	tcase_add_test(tc, the_bfs_patch_interleaves);
#endif
	return tc;
}

Suite *lf_test_ccbench(void)
{
	Suite *s = suite_create("ccbench");
	TCase *tc = tcase_create("rules");

	tcase_add_test(tc, samples_have_a_mean_and_a_deviation);
	tcase_add_test(tc, a_rate_of_no_time_is_none);
	tcase_add_test(tc, a_rate_convicts_unless_threads_had_no_cpu);
	tcase_add_test(tc, io_first_counts_beside_so_many_threads);
	tcase_add_test(tc, what_starved_is_told_by_role);
	tcase_add_test(tc, a_short_load_convicts_nobody);
	tcase_add_test(tc, who_had_no_cpu_convicts_nobody);
	tcase_add_test(tc, only_real_work_needs_a_library);
	suite_add_tcase(s, tc);
	suite_add_tcase(s, simulated());
	return s;
}
