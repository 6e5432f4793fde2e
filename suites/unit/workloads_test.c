/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The workloads compute what they say, poll as their models say, and hold the lock
 * or let it go as they say, for real and in the simulator.
 */
#include "suites/unit/suites.h"

#include "fixtures/fixtures.h"
#include "suites/unit/trial.h"

#include <lockfair/workload.h>
#include <string.h>

#define MS UINT64_C(1000000)

static const struct lf_workload *workload(const char *name)
{
	struct lf_error error = { "" };
	ck_assert_msg(lf_fixtures_register(&error) == 0, "%s", error.text);
	const struct lf_workload *w = lf_workload_find(name);
	ck_assert_msg(w != NULL, "no workload %s", name);
	return w;
}

/* --- for real ----------------------------------------------------------------- */

static void count(void *polls)
{
	++*(unsigned *)polls;
}

/* What others say: mathematicians; Python's re.findall(); bzip2 -9 | wc -c;
 * sha1sum, the first 8 bytes. */
static const struct {
	const char *name;
	uint64_t result;
} known[] = {
	{ "pi", UINT64_C(314159265358979323) },
	{ "regex", 127 },
	{ "bz2", 451 },
	{ "sha1", UINT64_C(0x458091c54f3a2529) },
};
#define KNOWN (int)(sizeof known / sizeof known[0])

START_TEST(a_unit_gives_the_known_result_each_time)
{
	const struct lf_workload *w = workload(known[_i].name);
	if (w->missing)
		return;
	void *state = w->create();
	ck_assert_ptr_nonnull(state);
	for (int i = 0; i < 2; i++) {
		unsigned polls = 0;
		ck_assert_uint_eq(w->run(state, count, &polls), known[_i].result);
		ck_assert_uint_eq(polls, w->model.polls);
	}
	w->destroy(state);
}
END_TEST

START_TEST(a_workload_is_real_or_says_what_is_missing)
{
	size_t n;
	workload("pi");
	const struct lf_workload *const *w = lf_workloads(&n);
	ck_assert_uint_eq(n, KNOWN);
	for (size_t i = 0; i < n; i++) {
		ck_assert_str_eq(w[i]->name, known[i].name);
		ck_assert(w[i]->missing || (w[i]->create && w[i]->run && w[i]->destroy));
		ck_assert(!w[i]->lets_go || w[i]->model.polls == 0);
		ck_assert_uint_gt(w[i]->model.unit_ns, 1);
	}
	ck_assert_ptr_null(lf_workload_find("none"));
}
END_TEST

/* --- beside a lock -------------------------------------------------------------- */

/* Which one the thread works on; a role has no argument. */
static const char *worked;

#define UNITS 20

static void work(struct lf_thread *t)
{
	const struct lf_workload *w = lf_workload_find(worked);
	lf_lock(t);
	for (int i = 0; i < UNITS; i++) {
		lf_work(t, w);
		lf_step(t);
	}
	lf_unlock(t);
}

static const struct lf_role roles[] = {
	{ .name = "worker", .count = 1, .run = work },
	{ .name = NULL },
};

static void judge_nothing(struct lf_judgement *j, const struct lf_observation *o,
			  const struct lf_claim *c)
{
	(void)j;
	(void)o;
	(void)c;
}

static const struct lf_scenario working = {
	.name = "working", .roles = roles, .polls = true, .clocks = LF_CLOCK_HOLD,
	.rounds = { 1 }, .limit_ns = { 20000 * MS }, .judge = judge_nothing,
};

static const struct lf_thread_observation *worker(const struct trial *t)
{
	ck_assert_uint_eq(t->observation.thread[0].steps, UNITS);
	return &t->observation.thread[0];
}

START_TEST(only_who_lets_go_is_granted_the_lock_again)
{
	const struct lf_workload *w = workload(known[_i].name);
	if (w->missing)
		return;
	worked = w->name;
	struct lf_cell cell = lf_trial_cell("gil-bfs", &working, NULL);
	cell.engine = &lf_engine_threads;
	const struct trial *t = lf_trial_of(&cell, "here", 1);
	ck_assert_msg(t->rc == 0, "%s", t->error.text);
	ck_assert_uint_eq(worker(t)->grants, w->lets_go ? UNITS + 1 : 1);
}
END_TEST

/* What a model does not have is skipped by the scenarios; here it stops the run. */
static void *no_memory(void)
{
	return NULL;
}

static struct lf_workload broken = { .name = "broken", .create = no_memory };

static void work_on_nothing(struct lf_thread *t)
{
	lf_lock(t);
	lf_work(t, &broken);
	lf_step(t);
	lf_unlock(t);
}

static const struct lf_role lost_roles[] = {
	{ .name = "worker", .count = 1, .run = work_on_nothing },
	{ .name = NULL },
};

static const struct lf_scenario lost = {
	.name = "lost", .roles = lost_roles, .polls = true,
	.rounds = { 1 }, .limit_ns = { 20000 * MS }, .judge = judge_nothing,
};

static const char *const reasons[] = { NULL, "a library is missing" };

START_TEST(what_cannot_work_voids_the_run_and_says_why)
{
	broken.missing = reasons[_i];
	struct lf_cell cell = lf_trial_cell("gil-bfs", &lost, NULL);
	cell.engine = &lf_engine_threads;
	const struct trial *t = lf_trial_of(&cell, "here", 1);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_INCONCLUSIVE);
	ck_assert_msg(strstr(t->judgement.reason, _i ? "a library is missing" : "memory"),
		      "%s", t->judgement.reason);
}
END_TEST

#ifdef LF_HAVE_SIM

/* With models of 100 % the unit takes what the reference takes. */
START_TEST(a_simulated_unit_takes_its_time_inside_or_outside)
{
	const struct lf_workload *w = workload(known[_i].name);
	worked = w->name;
	const struct trial *t = lf_trial("gil-ticks", &working, "2cpu", 1);
	double all = (double)UNITS * (double)w->model.unit_ns;
	double took = (double)t->observation.duration_ns;
	double held = (double)worker(t)->hold_ns;

	ck_assert_double_ge(took, all * 0.9);
	ck_assert_double_le(took, all * 1.6 + 1e6);
	ck_assert_uint_eq(worker(t)->grants, w->lets_go ? UNITS + 1 : 1);
	if (w->lets_go)
		ck_assert_double_le(held, all * 0.1);
	else
		ck_assert_double_ge(held, all * 0.9);
}
END_TEST

START_TEST(a_slower_machine_takes_longer)
{
	worked = workload("regex")->name;
	double here = (double)lf_trial("gil-ticks", &working, "2cpu", 1)->observation.duration_ns;
	double old = (double)lf_trial("gil-ticks", &working, "q9400-2009", 1)
			     ->observation.duration_ns;
	ck_assert_double_ge(old, 2 * here);
}
END_TEST

#endif

Suite *lf_test_workloads(void)
{
	Suite *s = suite_create("workloads");
	TCase *tc = tcase_create("workloads");

	tcase_add_loop_test(tc, a_unit_gives_the_known_result_each_time, 0, KNOWN);
	tcase_add_test(tc, a_workload_is_real_or_says_what_is_missing);
	tcase_add_loop_test(tc, only_who_lets_go_is_granted_the_lock_again, 0, KNOWN);
	tcase_add_loop_test(tc, what_cannot_work_voids_the_run_and_says_why, 0, 2);
#ifdef LF_HAVE_SIM
	tcase_add_loop_test(tc, a_simulated_unit_takes_its_time_inside_or_outside, 0, KNOWN);
	tcase_add_test(tc, a_slower_machine_takes_longer);
#endif
	suite_add_tcase(s, tc);
	return s;
}
