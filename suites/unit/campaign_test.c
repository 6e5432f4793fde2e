/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workers, supervisor and campaign, tried with engines of our own whose runs do
 * what a misbehaving lock would: crash, exit, hang, fork.
 */
#include "suites/unit/suites.h"

#include "core/registry.h"
#include "observe/noise.h"
#include "run/campaign.h"
#include "run/supervisor.h"
#include "run/tree.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a run does; the parameter of every backend here. */
enum deed {
	DO_PASS, DO_FAIL, DO_PRECONDITION, DO_SEGV, DO_EXIT_0, DO_EXIT_3, DO_KILL,
	DO_HANG, DO_ERROR, DO_STALL, DO_ESCAPE, DO_VARY, DO_SLOW, DO_CRASH_LATE,
	DO_HANG_LATE, DO_SPIN, DO_TWO_INSIDE, DO_ESCAPE_AND_HANG,
};

#define BEHAVES(id, text, deed)                                                \
	static const struct lf_param id##_param[] = {                          \
		{ "deed", deed, 0, 99, "deeds", "what its runs do" }, { 0 },   \
	};                                                                     \
	static const struct lf_backend id = {                                  \
		.abi = LF_ABI, .kind = LF_MUTEX, .name = "unit/" text,         \
		.summary = "for the tests", .params = id##_param,              \
	}

BEHAVES(fair, "fair", DO_PASS);
BEHAVES(unfair, "unfair", DO_FAIL);
BEHAVES(subject, "subject", DO_PASS);

static const struct lf_entry entries[] = {
	{ .backend = &fair }, { .backend = &unfair }, { .backend = &subject },
};

static void crash_late(void)
{
	raise(SIGSEGV);
}

static void hang_late(void)
{
	for (;;)
		pause();
}

/* On the first CPU that we may use, where others do the same. */
static void spin(void)
{
	cpu_set_t set;
	int cpu = 0;

	sched_getaffinity(0, sizeof set, &set);
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
	for (;;)
		__asm__ volatile("");
}

static void escape(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			for (;;)
				pause();
		_exit(0);
	}
	wait(NULL);
}

static void misbehave(struct lf_run *run, int64_t deed, unsigned variant)
{
	struct lf_observation *o = run->observation;

	/* A sanitizer would turn the signals into exits of its own. */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	switch (deed) {
	case DO_FAIL:
		o->overtakes_max = 7;
		break;
	case DO_PRECONDITION:
		snprintf(o->precondition, sizeof o->precondition, "nobody was queued");
		break;
	case DO_SEGV:
		raise(SIGSEGV);
		break;
	case DO_TWO_INSIDE:
		o->exclusion_violations = 2;
		raise(SIGABRT);
		break;
	case DO_EXIT_0:
		exit(0);
	case DO_EXIT_3:
		exit(3);
	case DO_KILL:
		raise(SIGKILL);
		break;
	case DO_HANG:
		for (;;)
			pause();
	case DO_STALL:
		run->on_stall(run->context);
		o->thread[0].censored = o->thread[0].inside_acquire = true;
		break;
	case DO_ESCAPE:
		escape();
		break;
	case DO_ESCAPE_AND_HANG:
		escape();
		for (;;)
			pause();
	case DO_VARY:
		o->overtakes_max = variant >= 2 ? 7 : 0;
		break;
	case DO_SLOW:
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
		break;
	case DO_CRASH_LATE:
		atexit(crash_late);
		break;
	case DO_HANG_LATE:
		atexit(hang_late);
		break;
	case DO_SPIN:
		spin();
		break;
	}
}

static int execute(struct lf_run *run, struct lf_variant *variant, struct lf_error *error)
{
	int64_t deed = run->cell->param[0];

	run->observation->threads = 1;
	run->observation->rounds = (unsigned)variant->seed;
	if (deed == DO_ERROR)
		return lf_error_set(error, -EIO, "the engine ran out of steam");
	misbehave(run, deed, (unsigned)variant->seed);
	return 0;
}

static const char *available(const struct lf_cell *cell)
{
	return cell->seed == 99 ? "not on a Sunday" : NULL;
}

static unsigned one_variant(const struct lf_cell *cell, unsigned i, struct lf_variant *v)
{
	(void)cell;
	*v = (struct lf_variant){ .seed = i };
	return 1;
}

static unsigned four_variants(const struct lf_cell *cell, unsigned i,
			      struct lf_variant *v)
{
	one_variant(cell, i, v);
	return 4;
}

static const struct lf_engine alone = {
	.name = "alone", .bit = LF_ON_THREADS, .unavailable = available,
	.variants = one_variant, .execute = execute,
};
static const struct lf_engine together = {
	.name = "together", .bit = LF_ON_SIM, .unavailable = available,
	.variants = one_variant, .execute = execute,
};
static const struct lf_engine several = {
	.name = "several", .bit = LF_ON_SIM, .unavailable = available,
	.variants = four_variants, .execute = execute,
};

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	(void)c;
	lf_judge_at_most(j, LF_METRIC_OVERTAKES, LF_ORIGIN_CLAIM,
			 (double)o->overtakes_max, 0, 1, NULL);
}

static const struct lf_role roles[] = { { 0 } };
static const struct lf_scenario scenario = {
	.name = "unit", .suite = "unit", .kinds = 1 << LF_MUTEX, .roles = roles,
	.limit_ns = { 1000000000, 1000000000, 1000000000 }, .judge = judge,
};
static const struct lf_scenario controlled = {
	.name = "controlled", .suite = "unit", .kinds = 1 << LF_MUTEX, .roles = roles,
	.limit_ns = { 1000000000, 1000000000, 1000000000 }, .judge = judge,
	.fair_control = "unit/fair", .unfair_control = "unit/unfair",
};

static struct lf_cell cell_of(const struct lf_scenario *s, const struct lf_entry *entry,
			      const struct lf_engine *engine, int64_t deed)
{
	struct lf_cell cell;

	lf_cell_init(&cell, entry, s, engine);
	cell.param[0] = deed;
	return cell;
}

/* --- One job ----------------------------------------------------------------- */

/* How many processes there are below us; none is left after the question. */
static size_t left_behind(void)
{
	pid_t left[4];
	size_t n = lf_tree_below(getpid(), left, 4);

	lf_tree_kill_below(getpid(), 0);
	return n;
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
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, endings[_i].deed);
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
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_TWO_INSIDE);
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
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_HANG);
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
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_HANG_LATE);
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
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_HANG_LATE);
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
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_SPIN);
	struct lf_error error = { "" };
	struct lf_job job;
	pid_t hog[HOGS];

	if (lf_noise_run_delay_of(getpid()) == LF_UNKNOWN)
		return;
	for (int i = 0; i < HOGS; i++)
		if ((hog[i] = fork()) == 0)
			spin();
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
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_PASS);
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
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_STALL);
	struct lf_job job;
	struct lf_result *r = run_job(&job, &cell, 0, 0);

	ck_assert_int_eq(r->stacks, LF_STACKS_TAKEN);
	ck_assert_ptr_nonnull(strstr(r->stack, "thread"));
	lf_job_free(&job);
}
END_TEST

START_TEST(nothing_escapes)
{
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_ESCAPE);
	struct lf_job job;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ck_assert_int_eq(run_job(&job, &cell, 0, 0)->judgement.verdict, LF_VERDICT_PASS);
	ck_assert_uint_eq(left_behind(), 0);
	lf_job_free(&job);
}
END_TEST

START_TEST(nothing_escapes_a_kill)
{
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_ESCAPE_AND_HANG);
	struct lf_job job;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	run_job(&job, &cell, 400000000, 500000000);
	ck_assert_uint_eq(left_behind(), 0);
	lf_job_free(&job);
}
END_TEST

START_TEST(an_abandoned_job_leaves_nothing)
{
	struct lf_cell cell = cell_of(&scenario, &entries[2], &alone, DO_HANG);
	struct lf_error error;
	struct lf_job job;
	pid_t left[4];

	ck_assert_int_eq(lf_job_start(&job, &cell, &error), 0);
	while (atomic_load(&job.memory->tester) == 0)
		lf_jobs_wait((struct lf_job *const[]){ &job }, 1, 5);
	ck_assert_uint_eq(lf_tree_below(getpid(), left, 4), 2);
	lf_job_abandon(&job);
	ck_assert_uint_eq(left_behind(), 0);
	lf_job_free(&job);
}
END_TEST

START_TEST(the_run_that_decides_is_kept)
{
	struct lf_cell cell = cell_of(&scenario, &entries[2], &several, DO_VARY);
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

/* --- Whole campaigns --------------------------------------------------------- */

struct diary {
	size_t n;
	struct {
		const char *backend;
		enum lf_verdict verdict;
		char control[8], note[128], error[256];
	} entry[16];
	volatile sig_atomic_t *interrupt; /* set after the first result */
	int answer;
};

static int write_down(void *context, const struct lf_cell_outcome *outcome)
{
	struct diary *d = context;
	size_t i = d->n++;

	d->entry[i].backend = outcome->cell->backend->name;
	d->entry[i].verdict = outcome->result->judgement.verdict;
	snprintf(d->entry[i].control, 8, "%s", outcome->control);
	snprintf(d->entry[i].note, 128, "%.127s",
		 outcome->control_note ? outcome->control_note : "");
	snprintf(d->entry[i].error, 256, "%.255s", outcome->result->error);
	if (d->interrupt)
		*d->interrupt = SIGINT;
	return d->answer;
}

static void register_all(void)
{
	if (!lf_registry_find("unit/fair"))
		ck_assert_int_eq(lf_registry_add(entries, 3), 0);
}

static int run_campaign(struct diary *d, const struct lf_cell cell[], size_t n,
			size_t *ret_missing)
{
	struct lf_error error;
	struct lf_campaign campaign = {
		.cell = cell, .n = n, .ended = write_down, .context = d,
		.interrupted = d->interrupt,
	};

	register_all();
	return lf_campaign_run(&campaign, ret_missing, &error);
}

static void expect_entry(const struct diary *d, size_t i, const char *backend,
			 const char *control, enum lf_verdict verdict)
{
	ck_assert_uint_gt(d->n, i);
	ck_assert_str_eq(d->entry[i].backend, backend);
	ck_assert_str_eq(d->entry[i].control, control);
	ck_assert_str_eq(lf_verdict_name(d->entry[i].verdict), lf_verdict_name(verdict));
}

START_TEST(results_come_in_order)
{
	const struct lf_cell cell[] = {
		cell_of(&scenario, &entries[2], &together, DO_SLOW),
		cell_of(&scenario, &entries[0], &together, DO_PASS),
		cell_of(&scenario, &entries[1], &together, DO_SEGV),
		cell_of(&scenario, &entries[0], &alone, DO_SLOW),
		cell_of(&scenario, &entries[2], &alone, DO_PASS),
	};
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 5, &missing), 0);
	ck_assert_uint_eq(missing, 0);
	ck_assert_uint_eq(d.n, 5);
	expect_entry(&d, 0, "unit/subject", "", LF_VERDICT_PASS);
	expect_entry(&d, 1, "unit/fair", "", LF_VERDICT_PASS);
	expect_entry(&d, 2, "unit/unfair", "", LF_VERDICT_FAIL);
	expect_entry(&d, 3, "unit/fair", "", LF_VERDICT_PASS);
	expect_entry(&d, 4, "unit/subject", "", LF_VERDICT_PASS);
}
END_TEST

START_TEST(controls_come_first)
{
	struct lf_cell cell = cell_of(&controlled, &entries[2], &alone, DO_PASS);
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, &cell, 1, &missing), 0);
	ck_assert_uint_eq(d.n, 3);
	expect_entry(&d, 0, "unit/fair", "fair", LF_VERDICT_PASS);
	expect_entry(&d, 1, "unit/unfair", "unfair", LF_VERDICT_FAIL);
	expect_entry(&d, 2, "unit/subject", "", LF_VERDICT_PASS);
	ck_assert_str_eq(d.entry[2].note, "");
}
END_TEST

START_TEST(a_control_that_is_asked_for_runs_once)
{
	const struct lf_cell cell[] = {
		cell_of(&controlled, &entries[2], &alone, DO_PASS),
		cell_of(&controlled, &entries[0], &alone, DO_PASS),
		cell_of(&controlled, &entries[1], &alone, DO_FAIL),
	};
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 3, &missing), 0);
	ck_assert_uint_eq(d.n, 3);
	expect_entry(&d, 0, "unit/fair", "", LF_VERDICT_PASS);
	expect_entry(&d, 1, "unit/unfair", "", LF_VERDICT_FAIL);
	expect_entry(&d, 2, "unit/subject", "", LF_VERDICT_PASS);
}
END_TEST

/* Two backends whose deeds, as controls, are the wrong ones. */
BEHAVES(fails, "fails", DO_FAIL);
BEHAVES(passes, "passes", DO_PASS);
BEHAVES(crashes, "crashes", DO_SEGV);
static const struct lf_entry wrong[] = {
	{ .backend = &fails }, { .backend = &passes }, { .backend = &crashes },
};

static struct lf_scenario with_controls(const char *fair_name, const char *unfair_name)
{
	struct lf_scenario s = controlled;

	register_all();
	ck_assert_int_eq(lf_registry_add(wrong, 3), 0);
	s.fair_control = fair_name;
	s.unfair_control = unfair_name;
	return s;
}

START_TEST(a_fair_control_that_fails_voids)
{
	struct lf_scenario s = with_controls("unit/fails", "unit/unfair");
	struct lf_cell cell = cell_of(&s, &entries[2], &alone, DO_PASS);
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, &cell, 1, &missing), 0);
	expect_entry(&d, 0, "unit/fails", "fair", LF_VERDICT_FAIL);
	expect_entry(&d, 2, "unit/subject", "", LF_VERDICT_ERROR);
	ck_assert_ptr_nonnull(strstr(d.entry[2].error, "unit/fails failed controlled"));
	ck_assert_ptr_nonnull(strstr(d.entry[2].note, "void"));
}
END_TEST

START_TEST(a_failing_fair_control_that_is_asked_for_voids_too)
{
	struct lf_scenario s = with_controls("unit/fails", "unit/unfair");
	struct lf_cell cell = cell_of(&s, &wrong[0], &alone, DO_FAIL);
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, &cell, 1, &missing), 0);
	expect_entry(&d, 0, "unit/fails", "fair", LF_VERDICT_FAIL);
}
END_TEST

static const char *const not_convicted[] = { "unit/passes", "unit/crashes" };

START_TEST(an_unconvicted_control_takes_the_pass)
{
	struct lf_scenario s = with_controls("unit/fair", not_convicted[_i]);
	const struct lf_cell cell[] = {
		cell_of(&s, &entries[2], &alone, DO_PASS),
		cell_of(&s, &entries[2], &alone, DO_FAIL),
	};
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 2, &missing), 0);
	expect_entry(&d, 2, "unit/subject", "", LF_VERDICT_INCONCLUSIVE);
	ck_assert_ptr_nonnull(strstr(d.entry[2].note, not_convicted[_i]));
	expect_entry(&d, 3, "unit/subject", "", LF_VERDICT_FAIL);
}
END_TEST

START_TEST(what_cannot_run_is_skipped_with_the_reason)
{
	struct lf_cell cell = cell_of(&controlled, &entries[2], &alone, DO_PASS);
	struct diary d = { 0 };
	size_t missing;

	cell.seed = 99;
	ck_assert_int_eq(run_campaign(&d, &cell, 1, &missing), 0);
	ck_assert_uint_eq(d.n, 1);
	expect_entry(&d, 0, "unit/subject", "", LF_VERDICT_SKIP);
}
END_TEST

START_TEST(an_interruption_keeps_what_was_there)
{
	const struct lf_cell cell[] = {
		cell_of(&scenario, &entries[0], &alone, DO_PASS),
		cell_of(&scenario, &entries[1], &alone, DO_HANG),
		cell_of(&scenario, &entries[2], &alone, DO_PASS),
	};
	volatile sig_atomic_t interrupt = 0;
	struct diary d = { .interrupt = &interrupt };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 3, &missing), -EINTR);
	ck_assert_uint_eq(d.n, 1);
	ck_assert_uint_eq(missing, 2);
	ck_assert_uint_eq(left_behind(), 0);
}
END_TEST

START_TEST(a_receiver_that_fails_ends_it)
{
	const struct lf_cell cell[] = {
		cell_of(&scenario, &entries[0], &alone, DO_PASS),
		cell_of(&scenario, &entries[2], &alone, DO_PASS),
	};
	struct diary d = { .answer = -ENOSPC };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 2, &missing), -ENOSPC);
	/* What it was given is not safe with it. */
	ck_assert_uint_eq(missing, 2);
}
END_TEST

/* --- Parts of campaigns ------------------------------------------------------ */

struct parts {
	unsigned times[16]; /* results for each place */
	size_t of;
	size_t planned, known, missed;
	const char *from_before; /* a backend whose results are known … */
	enum lf_verdict verdict; /* … to be this */
	enum lf_verdict last;
};

static int count_place(void *context, const struct lf_cell_outcome *outcome)
{
	struct parts *p = context;

	p->of = outcome->of;
	p->times[outcome->at]++;
	p->last = outcome->result->judgement.verdict;
	return 0;
}

static bool from_before(void *context, const struct lf_cell *cell, struct lf_result *r)
{
	const struct parts *p = context;

	r->judgement.verdict = p->verdict;
	return strcmp(cell->backend->name, p->from_before) == 0;
}

static int count_planned(void *context, const struct lf_cell *const cell[], size_t n,
			 size_t known)
{
	struct parts *p = context;

	p->planned = n;
	p->known = known;
	ck_assert(n == 0 || cell[0]);
	return 0;
}

static void run_part(struct parts *p, const struct lf_cell cell[], size_t n,
		     unsigned shard, unsigned shards)
{
	struct lf_campaign campaign = {
		.cell = cell, .n = n, .shard = shard, .shards = shards,
		.planned = count_planned, .ended = count_place, .context = p,
		.known = p->from_before ? from_before : NULL,
	};
	struct lf_error error;
	size_t missing;

	register_all();
	ck_assert_int_eq(lf_campaign_run(&campaign, &missing, &error), 0);
	ck_assert_uint_eq(missing, 0);
}

START_TEST(shards_are_the_whole_with_the_controls_in_each)
{
	struct lf_scenario other = controlled;
	struct lf_cell cell[6];

	other.name = "other";
	for (int i = 0; i < 6; i++)
		cell[i] = cell_of(i < 3 ? &controlled : &other, &entries[2], &alone,
				  i % 3 ? DO_FAIL : DO_PASS);
	cell[2].seed = cell[5].seed = 2;
	cell[1].polls = cell[4].polls = 7;
	/* fair, unfair and three cells of each scenario; in the middle one, both. */
	static const unsigned in_shard[3][10] = {
		{ 1, 1, 1, 1, 0, 0, 0, 0, 0, 0 },
		{ 1, 1, 0, 0, 1, 1, 1, 1, 0, 0 },
		{ 0, 0, 0, 0, 0, 1, 1, 0, 1, 1 },
	};
	for (unsigned shard = 1; shard <= 3; shard++) {
		struct parts p = { .of = 0 };
		run_part(&p, cell, 6, shard, 3);
		ck_assert_uint_eq(p.of, 10);
		for (int i = 0; i < 10; i++)
			ck_assert_msg(p.times[i] == in_shard[shard - 1][i],
				      "shard %u, place %d: %u", shard, i, p.times[i]);
	}
}
END_TEST

START_TEST(more_shards_than_cells)
{
	struct lf_cell cell = cell_of(&controlled, &entries[2], &alone, DO_PASS);
	unsigned results = 0;

	for (unsigned shard = 1; shard <= 3; shard++) {
		struct parts p = { .of = 0 };
		run_part(&p, &cell, 1, shard, 3);
		results += p.times[0] + p.times[1] + p.times[2];
	}
	ck_assert_uint_eq(results, 3);
}
END_TEST

START_TEST(what_is_known_is_not_run_again)
{
	struct lf_cell cell = cell_of(&controlled, &entries[2], &alone, DO_HANG);
	struct parts p = { .from_before = "unit/subject" };

	run_part(&p, &cell, 1, 0, 0);
	ck_assert_uint_eq(p.planned, 2);
	ck_assert_uint_eq(p.known, 1);
	ck_assert_uint_eq(p.times[0] + p.times[1], 2);
	ck_assert_uint_eq(p.times[2], 0);
}
END_TEST

START_TEST(a_known_control_counts)
{
	struct lf_cell cell = cell_of(&controlled, &entries[2], &alone, DO_PASS);
	struct parts p = { .from_before = "unit/unfair", .verdict = LF_VERDICT_PASS };

	run_part(&p, &cell, 1, 0, 0);
	ck_assert_uint_eq(p.times[1], 0);
	ck_assert_int_eq(p.last, LF_VERDICT_INCONCLUSIVE);
}
END_TEST

Suite *lf_test_campaign(void)
{
	Suite *suite = suite_create("campaign");
	TCase *job = tcase_create("job");
	TCase *whole = tcase_create("whole");

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
	tcase_add_test(whole, results_come_in_order);
	tcase_add_test(whole, controls_come_first);
	tcase_add_test(whole, a_control_that_is_asked_for_runs_once);
	tcase_add_test(whole, a_fair_control_that_fails_voids);
	tcase_add_test(whole, a_failing_fair_control_that_is_asked_for_voids_too);
	tcase_add_loop_test(whole, an_unconvicted_control_takes_the_pass, 0, 2);
	tcase_add_test(whole, what_cannot_run_is_skipped_with_the_reason);
	tcase_add_test(whole, an_interruption_keeps_what_was_there);
	tcase_add_test(whole, a_receiver_that_fails_ends_it);
	tcase_add_test(whole, shards_are_the_whole_with_the_controls_in_each);
	tcase_add_test(whole, more_shards_than_cells);
	tcase_add_test(whole, what_is_known_is_not_run_again);
	tcase_add_test(whole, a_known_control_counts);
	suite_add_tcase(suite, job);
	suite_add_tcase(suite, whole);
	return suite;
}
