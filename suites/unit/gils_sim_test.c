/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interpreter locks in virtual time: how long a turn is, who comes after whom,
 * whether a hand-off is strict, what a priority does. Each value stands in the
 * source that a lock names; another value is another lock.
 */
#include "suites/unit/suites.h"

#ifdef LF_HAVE_SIM

#include "core/registry.h"
#include "suites/unit/trial.h"

#define MS UINT64_C(1000000)
#define POLL_NS (MS / 50)

/* --- what threads do ------------------------------------------------------------------ */

/* The first turns may be shorter: two threads that begin together have one
 * deadline, and gil-bfs lets each preempt the other. */
#define SETTLED_NS (1000 * MS)

/* Notes how long each of its later turns was, in place of the steps of others. */
static void cpu(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	uint64_t begun_ns, ended_ns, turn;

	lf_lock(t);
	begun_ns = lf_now_ns(t);
	while (!lf_stopped(t)) {
		turn = mine->grants;
		lf_compute_ns(t, POLL_NS);
		ended_ns = lf_now_ns(t);
		lf_poll(t);
		lf_step(t);
		if (mine->grants == turn)
			continue;
		if (begun_ns > SETTLED_NS)
			lf_histogram_add(&mine->passed, ended_ns - begun_ns);
		begun_ns = lf_now_ns(t);
	}
	lf_unlock(t);
}

/* Calls that are over at once, and next to nothing between them. */
static void caller(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t)) {
		lf_outside(t, NULL, NULL);
		lf_compute_ns(t, 1000);
		lf_step(t);
	}
	lf_unlock(t);
}

static void sleep_10_ms(void *arg)
{
	lf_sleep_ns(arg, 10 * MS);
}

static void sleeper(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t)) {
		lf_outside(t, sleep_10_ms, t);
		lf_compute_ns(t, POLL_NS);
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

static const struct lf_role only_cpu[] = {
	{ .name = "cpu", .run = cpu },
	{ .name = NULL },
};
static const struct lf_role beside_caller[] = {
	{ .name = "cpu", .run = cpu },
	{ .name = "caller", .count = 1, .run = caller },
	{ .name = NULL },
};
static const struct lf_role beside_sleeper[] = {
	{ .name = "cpu", .run = cpu },
	{ .name = "sleeper", .count = 1, .run = sleeper },
	{ .name = NULL },
};

/* So many CPU threads with these roles; the result stays until the next one. */
static const struct trial *run(const char *gil, const char *param, int64_t value,
			       const struct lf_role *roles, unsigned threads,
			       const char *machine)
{
	static struct lf_scenario scenario;
	struct lf_error error = { "" };
	const struct trial *t;
	struct lf_cell cell;

	scenario = (struct lf_scenario){
		.name = "turns", .roles = roles, .polls = true, .clocks = LF_CLOCK_HOLD,
		.rounds = { 1000000 }, .limit_ns = { 4000 * MS }, .judge = judge_nothing,
	};
	cell = lf_trial_cell(gil, &scenario, machine);
	cell.point.sweep = threads;
	if (param)
		ck_assert_msg(lf_cell_set_param(&cell, param, value, &error) == 0, "%s",
			      error.text);
	t = lf_trial_of(&cell, machine, 1);
	ck_assert_msg(t->rc == 0, "%s on %s: %s", gil, machine, t->error.text);
	return t;
}

static double hold_share(const struct trial *t, unsigned thread)
{
	return (double)t->observation.thread[thread].hold_ns /
	       (double)t->observation.duration_ns;
}

/* --- how long a turn is ------------------------------------------------------------------ */

static const struct {
	const char *gil, *param;
	int64_t value;
	double ms;
} turns[] = {
	{ "gil-interval", NULL, 0, 5 },
	{ "gil-interval", "interval", 20000, 20 },
	{ "gil-interactive", NULL, 0, 5 },
	{ "gil-priority", NULL, 0, 5 },
	{ "gil-holy", NULL, 0, 5 },
	{ "gil-bfs", NULL, 0, 10 },
	{ "gil-bfs", "slice_us", 6000, 6 },
	{ "gvl-3.1", NULL, 0, 100 },
	{ "gvl-3.1", "priority", -1, 100 }, /* its messages are a quantum apart */
	{ "gvl-3.1", "priority", 1, 200 },
	{ "gvl-3.3", NULL, 0, 100 },
	{ "gvl-3.3", "priority", -1, 50 },
	{ "gvl-3.3", "priority", -2, 30 }, /* 25 ms, and the tick comes at 30 */
	{ "gvl-3.3", "priority", -3, 20 },
	{ "gvl-3.3", "priority", 1, 200 },
	{ "gvl-3.3", "tick_ms", 40, 120 },
	{ "gvl-deferred", NULL, 0, 100 },
	{ "ocaml-4.08", NULL, 0, 50 },
	{ "ocaml-4.09", NULL, 0, 50 },
	{ "ocaml-4.09", "tick_ms", 10, 10 },
};
#define TURNS (int)(sizeof turns / sizeof turns[0])

START_TEST(turns_last_as_long_as_the_source_says)
{
	const struct trial *t = run(turns[_i].gil, turns[_i].param, turns[_i].value,
				    only_cpu, 2, "2cpu");
	const struct lf_histogram *h = &t->observation.thread[0].passed;
	double ms = (double)lf_histogram_quantile(h, 0.5) / 1e6;

	ck_assert_uint_ge(h->count, 5);
	ck_assert_msg(ms > turns[_i].ms * 0.94 && ms < turns[_i].ms * 1.06,
		      "%s %s: turns of %.3f ms and not %g", turns[_i].gil,
		      turns[_i].param ? turns[_i].param : "", ms, turns[_i].ms);
}
END_TEST

/* --- who comes after whom ------------------------------------------------------------------ */

static const char *const in_order[] = { "gvl-3.1", "gvl-3.3", "gvl-deferred" };

/* Three threads that compute come round in one order for ever. */
START_TEST(queued_threads_come_round)
{
	const struct lf_log *log;
	unsigned n;

	log = &run(in_order[_i], "quantum_ms", 10, only_cpu, 3, "2cpu")->observation.grants;
	n = (unsigned)log->length;
	ck_assert_uint_ge(n, 30);
	ck_assert_uint_lt(n, LF_LOG_SIZE);
	for (unsigned i = 3; i < n; i++) /* the first are still on their way in */
		if (i >= 6)
			ck_assert_uint_eq(log->entry[i], log->entry[i - 3]);
}
END_TEST

/* --- hand-off ---------------------------------------------------------------------------- */

/* Beside one CPU thread each call of 3.3 costs a quantum; deferred hand-off makes
 * calls that are over before the tick cost nothing, and still lets the CPU thread
 * have its half. */
START_TEST(strict_hand_off_makes_calls_dear)
{
	const struct trial *t = run("gvl-3.3", NULL, 0, beside_caller, 1, "2cpu");

	ck_assert_uint_ge(t->observation.thread[1].steps, 20);
	ck_assert_uint_le(t->observation.thread[1].steps, 4000 / 100 + 20);
}
END_TEST

START_TEST(deferred_hand_off_makes_calls_cheap)
{
	const struct trial *t = run("gvl-deferred", NULL, 0, beside_caller, 1, "2cpu");
	double share = hold_share(t, 0);

	ck_assert_uint_ge(t->observation.thread[1].steps, 10000);
	ck_assert_msg(share > 0.4 && share < 0.6, "the CPU thread's share is %.2f", share);
}
END_TEST

/* A call that takes longer than a tick loses its turn: the CPU thread goes on. */
START_TEST(deferred_hand_off_hands_over_at_the_tick)
{
	const struct trial *t = run("gvl-deferred", NULL, 0, beside_sleeper, 1, "2cpu");
	double share = hold_share(t, 0);

	ck_assert_msg(share > 0.85, "the CPU thread's share is %.2f", share);
	ck_assert_uint_ge(t->observation.thread[1].grants, 20);
}
END_TEST

/* A thread that lets go and wants the lock again at once: passes the queue of 3.1,
 * never that of 3.3. */
START_TEST(only_one_of_the_queues_can_be_passed)
{
	const struct lf_scenario *barging = lf_scenario_find("barging");
	const struct trial *t = lf_trial("gvl-3.3", barging, "2cpu", 1);

	ck_assert_uint_eq(t->observation.overtakes_max, 0);
	t = lf_trial("gvl-3.1", barging, "2cpu", 1);
	ck_assert_uint_ge(t->observation.overtakes_max, 20);
}
END_TEST

/* 4.09 forces a switch at every tick; 4.08 sleeps for a nanosecond, and where a
 * wake-up takes long it is back before the waiter. */
START_TEST(ocaml_forces_the_switch_since_4_09)
{
	uint64_t old, forced;

	old = run("ocaml-4.08", NULL, 0, only_cpu, 2, "2cpu-slowwake")->observation.grants.length;
	forced = run("ocaml-4.09", NULL, 0, only_cpu, 2, "2cpu-slowwake")
			 ->observation.grants.length;
	ck_assert_uint_ge(forced, 4000 / 50 - 3);
	ck_assert_uint_lt(old, forced - 5);
}
END_TEST

/* --- the variants of the new GIL ------------------------------------------------------------ */

static double mean_wait_ms(const struct trial *t, unsigned thread)
{
	const struct lf_histogram *h = &t->observation.thread[thread].wait;

	return h->count ? (double)h->sum / (double)h->count / 1e6 : 0;
}

/* A holy CPU thread gives way at its next poll, another after 5 ms. */
START_TEST(holy_threads_give_way_at_once)
{
	double holy = mean_wait_ms(run("gil-holy", "holy", 1, beside_sleeper, 1, "2cpu"), 1);
	double none = mean_wait_ms(run("gil-holy", "holy", 0, beside_sleeper, 1, "2cpu"), 1);
	double both = mean_wait_ms(run("gil-holy", "holy", 3, beside_sleeper, 1, "2cpu"), 1);

	ck_assert_msg(holy > 0 && holy < 0.5, "%.3f ms", holy);
	ck_assert_msg(none > 4.75 && none < 5.25, "%.3f ms", none);
	ck_assert_msg(both > 4.75 && both < 5.25, "%.3f ms", both);
}
END_TEST

static const char *const asking[] = { "gil-interactive", "gil-priority" };

/* A thread back from I/O asks a CPU thread at once, where the new GIL waits. */
START_TEST(the_stand_ins_ask_at_once)
{
	double ms = mean_wait_ms(run(asking[_i], NULL, 0, beside_sleeper, 1, "2cpu"), 1);

	ck_assert_msg(ms > 0 && ms < 0.5, "%s: %.3f ms", asking[_i], ms);
}
END_TEST

/* What Nir Aides saw in 2010 with cpued on a Core 2 Duo: all but his own lock
 * starve the threads that compute. */
static const struct {
	const char *gil;
	bool starves;
} cpued[] = {
	{ "gil-interval", true },
	{ "gil-interactive", true },
	{ "gil-priority", true },
	{ "gil-bfs", false },
};
#define CPUED (int)(sizeof cpued / sizeof cpued[0])

START_TEST(interactive_threads_starve_the_others)
{
	static const char *const models[] = { "core2duo-2010", "q9400-2009" };

	for (int m = 0; m < 2; m++) {
		const struct trial *t = lf_trial(cpued[_i].gil,
						 lf_scenario_find("interleaving"),
						 models[m], 1);
		uint64_t t0 = t->observation.thread[0].steps;
		uint64_t t1 = t->observation.thread[1].steps;
		uint64_t interactive = t->observation.thread[2].steps;

		if (cpued[_i].starves) {
			ck_assert_uint_ge(interactive, 160); /* four rounds */
			ck_assert_uint_lt(t0 + t1, 40);
		} else {
			ck_assert_uint_le(lf_metric_lead(&t->observation, 40), 1);
		}
	}
}
END_TEST

/* Why the new GIL starves them: each release, one a millisecond, makes one of two
 * waiters start its interval again. With an interval below that they get in. */
START_TEST(a_short_interval_escapes_the_wake_ups)
{
	struct lf_error error;
	struct lf_cell cell = lf_trial_cell("gil-interval", lf_scenario_find("interleaving"),
					    "core2duo-2010");
	const struct trial *t;

	ck_assert_int_eq(lf_cell_set_param(&cell, "interval", 500, &error), 0);
	t = lf_trial_of(&cell, "core2duo-2010", 1);
	ck_assert_uint_ge(t->observation.thread[0].steps, 40);
	ck_assert_uint_ge(t->observation.thread[1].steps, 40);
}
END_TEST

/* --- the scheduling one ---------------------------------------------------------------------- */

static double bfs_median_ms(int64_t factor_milli, unsigned threads)
{
	const struct trial *t = run("gil-bfs", "deadline_factor_milli", factor_milli,
				    beside_sleeper, threads, "smp4");

	return (double)lf_histogram_quantile(&t->observation.thread[threads].wait, 0.5) / 1e6;
}

/* A CPU thread's turn comes back after a slice for each of the others. Up to as
 * many as the factor says its deadline has not passed by then, and a thread back
 * from I/O goes first; beyond that it queues behind all of them. The seven that
 * 1.1^20 stands for are the load of "about 6" that its author gave. */
static const struct {
	int64_t factor_milli;
	unsigned serves;
} loads[] = { { 4000, 4 }, { 6727, 7 }, { 8000, 8 } };
#define LOADS (int)(sizeof loads / sizeof loads[0])

START_TEST(the_deadline_factor_sets_the_load)
{
	unsigned n = loads[_i].serves;
	double below = bfs_median_ms(loads[_i].factor_milli, n);
	double beyond = bfs_median_ms(loads[_i].factor_milli, n + 1);

	ck_assert_msg(below < 0.5, "%u CPU threads: %.3f ms", n, below);
	ck_assert_msg(beyond > 10 * (n - 1), "%u CPU threads: %.3f ms", n + 1, beyond);
}
END_TEST

/* Signalled outside of the mutex the nominee runs against it, and for the
 * scheduler's decisions that makes no difference. */
START_TEST(where_bfs_signals_is_all_one_to_its_decisions)
{
	const struct lf_scenario *latency = lf_scenario_find("io-latency");
	struct lf_error error;
	struct lf_cell cell = lf_trial_cell("gil-bfs", latency, "2cpu");
	uint64_t hash = lf_trial_of(&cell, "2cpu", 1)->hash;
	const struct trial *t;

	ck_assert_int_eq(lf_cell_set_param(&cell, "signal_inside", 0, &error), 0);
	t = lf_trial_of(&cell, "2cpu", 1);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
	ck_assert_msg(t->hash != hash, "the parameter has no effect");
	t = lf_trial_of(&cell, "1cpu", 1);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
}
END_TEST

Suite *lf_test_gils_sim(void)
{
	Suite *s = suite_create("gils_sim");
	TCase *t = tcase_create("rules");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, turns_last_as_long_as_the_source_says, 0, TURNS);
	tcase_add_loop_test(t, queued_threads_come_round, 0, 3);
	tcase_add_test(t, strict_hand_off_makes_calls_dear);
	tcase_add_test(t, deferred_hand_off_makes_calls_cheap);
	tcase_add_test(t, deferred_hand_off_hands_over_at_the_tick);
	tcase_add_test(t, only_one_of_the_queues_can_be_passed);
	tcase_add_test(t, ocaml_forces_the_switch_since_4_09);
	tcase_add_test(t, holy_threads_give_way_at_once);
	tcase_add_loop_test(t, the_stand_ins_ask_at_once, 0, 2);
	tcase_add_loop_test(t, interactive_threads_starve_the_others, 0, CPUED);
	tcase_add_test(t, a_short_interval_escapes_the_wake_ups);
	tcase_add_loop_test(t, the_deadline_factor_sets_the_load, 0, LOADS);
	tcase_add_test(t, where_bfs_signals_is_all_one_to_its_decisions);
	suite_add_tcase(s, t);
	return s;
}

#else

Suite *lf_test_gils_sim(void)
{
	return suite_create("gils_sim");
}

#endif
