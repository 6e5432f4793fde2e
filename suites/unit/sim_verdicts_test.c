/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is known about locks comes out of the simulator: FIFO bounds exactly,
 * barging in kind, the GILs' latencies by machine model. Each value stands here;
 * where it was measured on a real machine as well, so is that.
 */
#include "suites/unit/suites.h"

#ifdef LF_HAVE_SIM

#include "core/registry.h"
#include "engine/sim/machine.h"
#include "judge/sensitivity.h"
#include "suites/unit/trial.h"

#include <string.h>

#define MS UINT64_C(1000000)
#define SEEDS 10

static const char *const standard[] = { "1cpu", "1cpu-nopreempt", "2cpu-fastwake", "2cpu",
					"2cpu-slowwake", "over2x", "smp4" };
#define STANDARD (int)(sizeof standard / sizeof standard[0])

static const struct lf_scenario *scenario(const char *name)
{
	const struct lf_scenario *s = lf_scenario_find(name);
	ck_assert_msg(s != NULL, "no scenario %s", name);
	return s;
}

/* --- order -------------------------------------------------------------------------- */

static const char *const fifo[] = { "ticket", "mcs" };

START_TEST(fifo_locks_are_fifo_under_every_model)
{
	for (int m = 0; m < STANDARD; m++) {
		const struct trial *t = lf_trial(fifo[_i], scenario("order"), standard[m], 1);
		ck_assert_uint_eq(t->observation.order.inversions, 0);
		ck_assert_uint_eq(t->observation.order.rounds, 20);
		t = lf_trial(fifo[_i], scenario("barging"), standard[m], 1);
		ck_assert_uint_eq(t->observation.overtakes_max, 0);
		ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
	}
}
END_TEST

/* On a real machine: 20 to 100 % of rounds, hundreds of overtakes. */
START_TEST(a_barging_mutex_barges_under_every_model)
{
	for (int m = 0; m < STANDARD; m++) {
		const struct trial *t = lf_trial("pthread", scenario("barging"), standard[m], 1);
		ck_assert_uint_ge(t->observation.overtakes_max, 20);
		ck_assert_uint_ge(t->observation.overtaken_rounds, 10);
		ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
	}
}
END_TEST

/* --- a CPU thread beside one that comes back from I/O every 10 ms ----------------------- */

static void cpu(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t))
		lf_compute_polling_ns(t, 1 * MS, MS / 50);
	lf_unlock(t);
}

static void sleep_10_ms(void *arg)
{
	lf_sleep_ns(arg, 10 * MS);
}

static void interactive(struct lf_thread *t)
{
	lf_lock(t);
	while (lf_round(t)) {
		lf_outside(t, sleep_10_ms, t);
		lf_compute_ns(t, MS / 50);
	}
	lf_unlock(t);
}

static void judge_nothing(struct lf_judgement *j, const struct lf_observation *o,
			  const struct lf_claim *c)
{
	(void)j;
	(void)o;
	(void)c;
}

static const struct lf_role roles[] = {
	{ .name = "cpu", .count = 1, .run = cpu },
	{ .name = "interactive", .count = 1, .run = interactive },
	{ .name = NULL },
};

static const struct lf_scenario beside = {
	.name = "beside", .roles = roles, .polls = true, .clocks = LF_CLOCK_WAIT,
	.rounds = { 1000000 }, .limit_ns = { 1000 * MS }, .judge = judge_nothing,
};

static double mean_ms(const struct trial *t)
{
	const struct lf_histogram *h = &t->observation.thread[1].wait;
	return h->count ? (double)h->sum / (double)h->count / 1e6 : 0;
}

/* The longest wait, one that is still open included. */
static double longest_ms(const struct trial *t)
{
	const struct lf_thread_observation *i = &t->observation.thread[1];
	uint64_t open = i->open_wait_ns;
	return (double)(open > i->wait.max ? open : i->wait.max) / 1e6;
}

/* The new GIL asks for the lock after 5 ms; on a real machine 5.1 to 5.2 ms. */
START_TEST(the_new_gil_takes_one_interval)
{
	static const char *const models[] = { "1cpu", "2cpu-fastwake", "2cpu",
					      "2cpu-slowwake", "smp4" };
	const struct trial *t = lf_trial("gil-interval", &beside, models[_i], 1);
	ck_assert_uint_ge(t->observation.thread[1].wait.count, 60);
	ck_assert_msg(mean_ms(t) >= 4.75 && mean_ms(t) <= 5.25, "%s: mean %.3f ms",
		      models[_i], mean_ms(t));
	double median = (double)lf_histogram_quantile(&t->observation.thread[1].wait, 0.5);
	ck_assert_msg(median >= 5e6 && median <= 5.25e6, "%s: median %.0f ns", models[_i],
		      median);
}
END_TEST

/* In how many of ten seeds no wait of the interactive thread exceeds 20 ms. */
static unsigned good_seeds(const char *gil, const char *model)
{
	unsigned good = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		good += longest_ms(lf_trial(gil, &beside, model, seed)) < 20;
	return good;
}

START_TEST(the_new_gil_is_good_under_every_model)
{
	ck_assert_uint_eq(good_seeds("gil-interval", standard[_i]), SEEDS);
}
END_TEST

/* The old GIL's latency is a race between the post's wake-up and the releaser. */
START_TEST(the_old_gil_depends_on_the_model)
{
	ck_assert_uint_eq(good_seeds("gil-ticks", "1cpu"), SEEDS);
	ck_assert_uint_eq(good_seeds("gil-ticks", "1cpu-nopreempt"), 0);
	ck_assert_uint_lt(good_seeds("gil-ticks", "2cpu-slowwake"), SEEDS);
}
END_TEST

/* The verdict of models × seeds about the wish that nobody waits for 20 ms. */
static enum lf_verdict verdict_of(const char *gil, struct lf_judgement *ret_judgement)
{
	struct lf_variant_result v[STANDARD * SEEDS] = { 0 };
	for (int i = 0; i < STANDARD * SEEDS; i++) {
		v[i].variant.seed = (uint64_t)(i % SEEDS + 1);
		strcpy(v[i].variant.machine, standard[i / SEEDS]);
		v[i].metric = LF_METRIC_WAIT_MAX;
		v[i].origin = LF_ORIGIN_REQUIREMENT;
		v[i].bound = 20e6;
		v[i].value = 1e6 * longest_ms(lf_trial(gil, &beside, standard[i / SEEDS],
						       v[i].variant.seed));
		v[i].verdict = v[i].value < v[i].bound ? LF_VERDICT_PASS : LF_VERDICT_FAIL;
	}
	*ret_judgement = (struct lf_judgement){ 0 };
	lf_combine_variants(v, STANDARD * SEEDS, ret_judgement);
	return ret_judgement->verdict;
}

START_TEST(the_old_gil_is_sensitive_and_the_new_one_is_not)
{
	struct lf_judgement j;
	ck_assert_int_eq(verdict_of("gil-interval", &j), LF_VERDICT_PASS);
	ck_assert_int_eq(verdict_of("gil-ticks", &j), LF_VERDICT_SENSITIVE);
	ck_assert_msg(strstr(j.reason, "1cpu-nopreempt") && strstr(j.reason, "not under 1cpu"),
		      "%s", j.reason);
}
END_TEST

/*
 * --- cpued: two threads compute, one does I/O that completes at once ------------------
 *
 * Nir Aides' cpued of 2010: under the new GIL the interactive thread takes all turns
 * where it wins the race for the lock against the waiter that it woke, and falls
 * behind where the waiter wins, as it does on recent kernels. Under the old GIL of one
 * busy CPU, and under BFS, rounds advance together.
 */
#define CPUED_UNITS 40

static uint64_t rounds_of(const struct trial *t, unsigned thread)
{
	return t->observation.thread[thread].steps / CPUED_UNITS;
}

START_TEST(who_wins_the_wakeup_decides_cpued_under_the_new_gil)
{
	static const char *const releaser_wins[] = { "1cpu-nopreempt", "2cpu", "2cpu-slowwake",
						     "over2x", "smp4" };
	uint64_t seed = (uint64_t)_i + 1;
	for (int m = 0; m < 5; m++) {
		const struct trial *t = lf_trial("gil-interval", scenario("interleaving"),
						 releaser_wins[m], seed);
		ck_assert_uint_eq(rounds_of(t, 0), 0);
		ck_assert_uint_eq(rounds_of(t, 1), 0);
		ck_assert_uint_ge(rounds_of(t, 2), 4);
	}
	const struct trial *t = lf_trial("gil-interval", scenario("interleaving"), "1cpu", seed);
	ck_assert_uint_ge(rounds_of(t, 0), 3);
	ck_assert_uint_ge(rounds_of(t, 1), 3);
	ck_assert_uint_le(rounds_of(t, 2), 1);
}
END_TEST

START_TEST(cpued_takes_turns_under_bfs)
{
	for (int m = 0; m < STANDARD; m++) {
		const struct trial *t = lf_trial("gil-bfs", scenario("interleaving"),
						 standard[m], (uint64_t)_i + 1);
		ck_assert_uint_le(lf_metric_lead(&t->observation, CPUED_UNITS), 2);
		ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
	}
}
END_TEST

START_TEST(cpued_under_the_old_gil_depends_on_preemption)
{
	uint64_t seed = (uint64_t)_i + 1;
	const struct trial *t = lf_trial("gil-ticks", scenario("interleaving"), "1cpu", seed);
	ck_assert_uint_le(lf_metric_lead(&t->observation, CPUED_UNITS), 1);
	t = lf_trial("gil-ticks", scenario("interleaving"), "1cpu-nopreempt", seed);
	ck_assert_uint_ge(lf_metric_lead(&t->observation, CPUED_UNITS), 4);
}
END_TEST

/* --- shares --------------------------------------------------------------------------- */

static const struct lf_assertion *assertion_of(const struct lf_judgement *j, enum lf_metric m)
{
	for (unsigned i = 0; i < j->n; i++)
		if (j->assertion[i].metric == m)
			return &j->assertion[i];
	ck_abort_msg("no %s", lf_metric_name(m));
}

/* Four threads with a CPU each: every window of 64 grants has its share for all. */
START_TEST(windows_of_a_fifo_lock_are_shared)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct trial *t = lf_trial(fifo[_i], scenario("exclusion"), "smp4", seed);
		const struct lf_assertion *a =
			assertion_of(&t->judgement, LF_METRIC_SHARE_WINDOW);
		ck_assert_int_eq(a->origin, LF_ORIGIN_CLAIM);
		ck_assert_msg(a->holds && a->value >= 0.5, "seed %d: %.2f", (int)seed, a->value);
	}
}
END_TEST

START_TEST(windows_of_a_starver_are_not)
{
	const struct trial *t = lf_trial("faulty/starver", scenario("exclusion"), "smp4", 1);
	ck_assert(!assertion_of(&t->judgement, LF_METRIC_SHARE_WINDOW)->holds);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_FAIL);
}
END_TEST

/* Where threads share CPUs, who is off the CPU asks for nothing. */
START_TEST(windows_of_threads_without_a_cpu_say_nothing)
{
	const struct trial *t = lf_trial("ticket", scenario("exclusion"), "2cpu", 1);
	ck_assert_int_eq(assertion_of(&t->judgement, LF_METRIC_SHARE_WINDOW)->origin,
			 LF_ORIGIN_INFORMATION);
}
END_TEST

/* --- the longest wait -------------------------------------------------------------------- */

static const struct {
	const char *lock;
	double turns;
} bounded[] = { { "ticket", 1 }, { "mcs", 1 }, { "pthread-pi", 1 }, { "handoff", 5 } };

START_TEST(a_bound_on_overtaking_bounds_the_longest_wait)
{
	for (int m = 0; m < STANDARD; m++) {
		const struct trial *t = lf_trial(bounded[_i].lock, scenario("hog"), standard[m],
						 1);
		const struct lf_assertion *a =
			assertion_of(&t->judgement, LF_METRIC_WAIT_MAX);
		ck_assert_int_eq(a->origin, LF_ORIGIN_CLAIM);
		ck_assert_double_eq_tol(a->bound, 30e6 * bounded[_i].turns, 1);
		ck_assert_msg(a->holds && !lf_assertion_is_near(a), "%s: %.3f ms", standard[m],
			      a->value / 1e6);
	}
}
END_TEST

START_TEST(a_longer_wait_convicts)
{
	static struct lf_observation o;
	struct lf_cell cell = lf_trial_cell("ticket", scenario("hog"), NULL);
	struct lf_judgement j;
	o = lf_trial_of(&cell, "2cpu", 1)->observation;
	o.thread[1].wait.max = 31 * MS;
	lf_judge(&cell, &o, &j);
	ck_assert_int_eq(j.verdict, LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&j)->metric, LF_METRIC_WAIT_MAX);
	o.exact = false; /* on a machine the clock says what the machine did */
	lf_judge(&cell, &o, &j);
	ck_assert_int_eq(j.verdict, LF_VERDICT_PASS);
}
END_TEST

/* --- artefacts: each test stands for a rule that keeps one out ----------------------------- */

/* Constant costs lock threads in phase, and a lock that is fair in the long run
 * starves some for ever. */
START_TEST(a_fair_race_is_fair_over_seeds)
{
	double least = 1;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct trial *t = lf_trial("pthread", scenario("exclusion"), "smp4",
						 seed);
		uint64_t grants[LF_MAX_THREADS];
		for (unsigned i = 0; i < t->observation.threads; i++)
			grants[i] = t->observation.thread[i].grants;
		double jain = lf_metric_jain(grants, t->observation.threads);
		least = jain < least ? jain : least;
	}
	ck_assert_msg(least > 0.9, "Jain's index %.3f", least);
}
END_TEST

/* --- faults ----------------------------------------------------------------------------------- */

static const struct {
	const char *backend, *scenario;
	unsigned sweep;
	enum lf_metric metric;
} faults[] = {
	{ "faulty/no_exclusion", "exclusion", 0, LF_METRIC_EXCLUSION },
	{ "faulty/starver", "hog", 0, LF_METRIC_STARVED },
	{ "faulty/lifo", "order", 0, LF_METRIC_INVERSIONS },
	{ "faulty/lost_waiters_bit", "drain", 3, LF_METRIC_PROGRESS },
	{ "faulty/burner", "hog", 0, LF_METRIC_CPU_BURNT },
	{ "faulty/no_handoff", "barging", 0, LF_METRIC_OVERTAKES },
	{ "faulty/gil_no_preempt", "interleaving", 0, LF_METRIC_LEAD },
	{ "faulty/poller_swapped", "select", 3, LF_METRIC_HELD_WAITS },
	{ "faulty/poller_eager", "select", 3, LF_METRIC_NEEDLESS_RELEASES },
	{ "faulty/poller_errno", "select", 0, LF_METRIC_ERRNO_LOST },
	{ "faulty/poller_millis", "select", 0, LF_METRIC_EARLY_RETURNS },
	{ "faulty/poller_blind", "select-gain", 1, LF_METRIC_GAIN },
};

static bool convicted(const struct trial *t, enum lf_metric metric)
{
	for (unsigned i = 0; i < t->judgement.n; i++)
		if (t->judgement.assertion[i].metric == metric &&
		    !t->judgement.assertion[i].holds)
			return true;
	return false;
}

/* On every model, by the assertion that it names. */
START_TEST(every_fault_is_caught_within_ten_seeds)
{
	struct lf_cell cell = lf_trial_cell(faults[_i].backend,
					    scenario(faults[_i].scenario), NULL);
	cell.point.sweep = faults[_i].sweep;
	for (int m = 0; m < STANDARD; m++) {
		bool caught = false;
		for (uint64_t seed = 1; seed <= SEEDS && !caught; seed++) {
			const struct trial *t = lf_trial_of(&cell, standard[m], seed);
			ck_assert_msg(t->rc == 0, "%s", t->error.text);
			caught = convicted(t, faults[_i].metric);
		}
		ck_assert_msg(caught, "%s on %s", faults[_i].backend, standard[m]);
	}
}
END_TEST

Suite *lf_test_sim_verdicts(void)
{
	Suite *s = suite_create("sim_verdicts");
	TCase *t = tcase_create("values");
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, fifo_locks_are_fifo_under_every_model, 0, 2);
	tcase_add_test(t, a_barging_mutex_barges_under_every_model);
	tcase_add_loop_test(t, the_new_gil_takes_one_interval, 0, 5);
	tcase_add_loop_test(t, the_new_gil_is_good_under_every_model, 0, STANDARD);
	tcase_add_test(t, the_old_gil_depends_on_the_model);
	tcase_add_test(t, a_fair_race_is_fair_over_seeds);
	tcase_add_test(t, the_old_gil_is_sensitive_and_the_new_one_is_not);
	tcase_add_loop_test(t, who_wins_the_wakeup_decides_cpued_under_the_new_gil, 0, SEEDS);
	tcase_add_loop_test(t, cpued_takes_turns_under_bfs, 0, SEEDS);
	tcase_add_loop_test(t, cpued_under_the_old_gil_depends_on_preemption, 0, SEEDS);
	tcase_add_loop_test(t, windows_of_a_fifo_lock_are_shared, 0, 2);
	tcase_add_test(t, windows_of_a_starver_are_not);
	tcase_add_test(t, windows_of_threads_without_a_cpu_say_nothing);
	tcase_add_loop_test(t, a_bound_on_overtaking_bounds_the_longest_wait, 0,
			    (int)(sizeof bounded / sizeof bounded[0]));
	tcase_add_test(t, a_longer_wait_convicts);
	tcase_add_loop_test(t, every_fault_is_caught_within_ten_seeds, 0,
			    (int)(sizeof faults / sizeof faults[0]));
	suite_add_tcase(s, t);
	return s;
}

#else

Suite *lf_test_sim_verdicts(void)
{
	return suite_create("sim_verdicts");
}

#endif
