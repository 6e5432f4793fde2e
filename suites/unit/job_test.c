/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers and their supervisor: one run, and what becomes of a misbehaving one. */
#include "suites/unit/deeds.h"
#include "suites/unit/suites.h"

#include "observe/noise.h"
#include "run/supervisor.h"
#include "run/tree.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct lf_cell cell_of(const struct lf_engine *engine, int64_t deed)
{
	return lf_deed_cell(&lf_deed_scenario, SUBJECT, engine, deed);
}

/* Runs a cell to its end; the result stays until the test does. */
static struct lf_result *run_job(struct lf_job *job, const struct lf_cell *cell,
				 uint64_t soft_ns, uint64_t hard_ns)
{
	struct lf_error error = { "" };

	ck_assert_msg(lf_job_start(job, cell, &error) == 0, "%s", error.text);
	if (hard_ns) {
		job->soft_ns = soft_ns;
		job->hard_ns = hard_ns;
	}
	while (!lf_job_look(job))
		lf_jobs_wait((struct lf_job *const[]){ job }, 1, 20);
	return &job->memory->result;
}

static const struct {
	int64_t deed;
	enum lf_verdict verdict;
	int metric; /* of the failed assertion; -1: none */
	const char *text;
} endings[] = {
	{ DO_PASS, LF_VERDICT_PASS, -1, "" },
	{ DO_FAIL, LF_VERDICT_FAIL, LF_METRIC_OVERTAKES, "overtakes 7" },
	{ DO_PRECONDITION, LF_VERDICT_INCONCLUSIVE, -1, "nobody was queued" },
	{ DO_SEGV, LF_VERDICT_FAIL, LF_METRIC_SURVIVES, "signal 11" },
	{ DO_EXIT_0, LF_VERDICT_FAIL, LF_METRIC_SURVIVES, "exit(0)" },
	{ DO_EXIT_3, LF_VERDICT_FAIL, LF_METRIC_SURVIVES, "status 3" },
	{ DO_CRASH_LATE, LF_VERDICT_FAIL, LF_METRIC_SURVIVES, "after the verdict" },
	{ DO_STALL, LF_VERDICT_FAIL, LF_METRIC_PROGRESS, "progress" },
	{ DO_KILL, LF_VERDICT_ERROR, -1, "killed from outside" },
	{ DO_ERROR, LF_VERDICT_ERROR, -1, "out of steam" },
};

START_TEST(every_ending_has_its_verdict)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, endings[_i].deed);
	struct lf_job job;
	struct lf_result *r = run_job(&job, &cell, 0, 0);
	const struct lf_assertion *a = lf_judgement_decisive(&r->judgement);

	ck_assert_str_eq(lf_verdict_name(r->judgement.verdict),
			 lf_verdict_name(endings[_i].verdict));
	ck_assert_int_eq(a ? (int)a->metric : -1, endings[_i].metric);
	ck_assert_msg(strstr(r->judgement.reason, endings[_i].text), "\"%s\"",
		      r->judgement.reason);
	ck_assert_int_eq(r->error[0] != '\0', endings[_i].verdict == LF_VERDICT_ERROR);
	lf_job_free(&job);
}
END_TEST

START_TEST(a_crash_hides_no_violation)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_TWO_INSIDE);
	struct lf_job job;
	struct lf_judgement *j = &run_job(&job, &cell, 0, 0)->judgement;

	ck_assert_uint_eq(j->n, 2);
	ck_assert_int_eq(j->assertion[1].metric, LF_METRIC_EXCLUSION);
	ck_assert(!j->assertion[1].holds);
	lf_job_free(&job);
}
END_TEST

START_TEST(a_hang_is_killed_and_shows_its_stacks)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_HANG);
	struct lf_job job;
	struct lf_result *r = run_job(&job, &cell, 50000000, 100000000);

	ck_assert_int_eq(r->judgement.verdict, LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&r->judgement)->metric,
			 LF_METRIC_PROGRESS);
	ck_assert_ptr_nonnull(strstr(r->judgement.reason, "hung"));
	ck_assert_ptr_nonnull(strstr(r->stack, " state "));
	lf_job_free(&job);
}
END_TEST

START_TEST(a_hang_after_the_verdict_is_one)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_HANG_LATE);
	struct lf_job job;
	struct lf_result *r = run_job(&job, &cell, 50000000, 400000000);

	ck_assert_int_eq(r->judgement.verdict, LF_VERDICT_FAIL);
	ck_assert_ptr_nonnull(strstr(r->judgement.reason, "after its verdict"));
	lf_job_free(&job);
}
END_TEST

/* Starts a job that has reached its verdict, which nobody has seen. */
static void start_unseen(struct lf_job *job, const struct lf_cell *cell)
{
	struct lf_error error = { "" };

	ck_assert_msg(lf_job_start(job, cell, &error) == 0, "%s", error.text);
	job->soft_ns = job->hard_ns = 300000000;
	while (atomic_load(&job->memory->result.state) != LF_RESULT_JUDGED)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* A busy machine, or one that was stopped: who did not look saw no hang. */
START_TEST(a_supervisor_that_was_away_kills_nobody)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_HANG_LATE);
	struct lf_job job;

	start_unseen(&job, &cell);
	ck_assert(!lf_job_look(&job));
	nanosleep(&(struct timespec){ .tv_nsec = 400000000 }, NULL);
	ck_assert(!lf_job_look(&job));
	ck_assert(!job.killed);
	lf_job_abandon(&job);
	lf_job_free(&job);
}
END_TEST

#define HOGS 5

/* It had a CPU for a sixth of the time. */
START_TEST(who_had_no_cpu_is_not_killed_for_it)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_SPIN);
	struct lf_error error = { "" };
	struct lf_job job;
	pid_t hog[HOGS];

	if (lf_noise_run_delay_of(getpid()) == LF_UNKNOWN)
		return;
	for (int i = 0; i < HOGS; i++)
		if ((hog[i] = fork()) == 0)
			lf_deed_spin();
	ck_assert_int_eq(lf_job_start(&job, &cell, &error), 0);
	job.soft_ns = job.hard_ns = 450000000;
	while (job.still_ns < 2 * job.hard_ns) {
		lf_jobs_wait((struct lf_job *const[]){ &job }, 1, 30);
		ck_assert(!lf_job_look(&job));
		ck_assert(!job.killed);
	}
	lf_job_abandon(&job);
	lf_job_free(&job);
	for (int i = 0; i < HOGS; i++)
		kill(hog[i], SIGKILL);
}
END_TEST

/* It was found to hang, and had its verdict before the kill came. */
START_TEST(a_verdict_at_the_last_moment_stands)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_PASS);
	struct lf_job job;

	start_unseen(&job, &cell);
	job.killed = true;
	while (!lf_job_look(&job))
		lf_jobs_wait((struct lf_job *const[]){ &job }, 1, 20);
	ck_assert_int_eq(job.memory->result.judgement.verdict, LF_VERDICT_PASS);
	lf_job_free(&job);
}
END_TEST

START_TEST(a_stall_gets_its_stacks_while_it_lasts)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_STALL);
	struct lf_job job;
	struct lf_result *r = run_job(&job, &cell, 0, 0);

	ck_assert_int_eq(r->stacks, LF_STACKS_TAKEN);
	ck_assert_ptr_nonnull(strstr(r->stack, "thread"));
	lf_job_free(&job);
}
END_TEST

START_TEST(nothing_escapes)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_ESCAPE);
	struct lf_job job;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ck_assert_int_eq(run_job(&job, &cell, 0, 0)->judgement.verdict, LF_VERDICT_PASS);
	ck_assert_uint_eq(lf_deed_left_behind(), 0);
	lf_job_free(&job);
}
END_TEST

START_TEST(nothing_escapes_a_kill)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_ESCAPE_AND_HANG);
	struct lf_job job;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	run_job(&job, &cell, 400000000, 500000000);
	ck_assert_uint_eq(lf_deed_left_behind(), 0);
	lf_job_free(&job);
}
END_TEST

START_TEST(an_abandoned_job_leaves_nothing)
{
	struct lf_cell cell = cell_of(&lf_deed_alone, DO_HANG);
	struct lf_error error;
	struct lf_job job;
	pid_t left[4];

	ck_assert_int_eq(lf_job_start(&job, &cell, &error), 0);
	while (atomic_load(&job.memory->tester) == 0)
		lf_jobs_wait((struct lf_job *const[]){ &job }, 1, 5);
	ck_assert_uint_eq(lf_tree_below(getpid(), left, 4), 2);
	lf_job_abandon(&job);
	ck_assert_uint_eq(lf_deed_left_behind(), 0);
	lf_job_free(&job);
}
END_TEST

START_TEST(the_run_that_decides_is_kept)
{
	struct lf_cell cell = cell_of(&lf_deed_several, DO_VARY);
	struct lf_job job;
	struct lf_result *r = run_job(&job, &cell, 0, 0);

	ck_assert_uint_eq(r->variants, 4);
	ck_assert_int_eq(r->variant[1].verdict, LF_VERDICT_PASS);
	ck_assert_int_eq(r->variant[2].verdict, LF_VERDICT_FAIL);
	ck_assert_int_eq(r->variant[2].metric, LF_METRIC_OVERTAKES);
	ck_assert(r->variant[2].value == 7);
	ck_assert_uint_eq(r->observation.rounds, 2);
	ck_assert_uint_eq(r->observation.overtakes_max, 7);
	lf_job_free(&job);
}
END_TEST

Suite *lf_test_job(void)
{
	Suite *suite = suite_create("job");
	TCase *job = tcase_create("job");

	tcase_add_loop_test(job, every_ending_has_its_verdict, 0,
			    (int)(sizeof endings / sizeof endings[0]));
	tcase_add_test(job, a_crash_hides_no_violation);
	tcase_add_test(job, a_hang_is_killed_and_shows_its_stacks);
	tcase_add_test(job, a_hang_after_the_verdict_is_one);
	tcase_add_test(job, a_supervisor_that_was_away_kills_nobody);
	tcase_add_test(job, who_had_no_cpu_is_not_killed_for_it);
	tcase_add_test(job, a_verdict_at_the_last_moment_stands);
	tcase_add_test(job, a_stall_gets_its_stacks_while_it_lasts);
	tcase_add_test(job, nothing_escapes);
	tcase_add_test(job, nothing_escapes_a_kill);
	tcase_add_test(job, an_abandoned_job_leaves_nothing);
	tcase_add_test(job, the_run_that_decides_is_kept);
	suite_add_tcase(suite, job);
	return suite;
}
