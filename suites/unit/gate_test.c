/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What measures a change, on locks that are known: no test has a bound of time. */
#include "suites/unit/deeds.h"
#include "suites/unit/suites.h"

#include "core/plugin.h"
#include "core/registry.h"
#include "engine/engine.h"
#include "gate/realtime.h"
#include "gate/record.h"
#include "gate/waits.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* For what hangs; and for what ends otherwise, when the machine lets it. */
#define HANG_MS 600
#define PATIENCE_MS 30000

/* NULL where the folder is not named. */
static const char *plugin(const char *name)
{
	static char path[4096];
	const char *folder = getenv("LF_TEST_PLUGINS");

	snprintf(path, sizeof path, "%s/%s.so", folder ? folder : "suites/plugins", name);
	return path;
}

/* --- Two builds of one lock ------------------------------------------------------ */

START_TEST(a_copy_is_another_object)
{
	struct lf_plugin a, b, same;
	struct lf_error error = { "" };

	ck_assert_msg(lf_plugin_open(plugin("good"), true, &a, &error) == 0, "%s",
		      error.text);
	ck_assert_int_eq(lf_plugin_open(plugin("good"), true, &b, &error), 0);
	ck_assert_ptr_ne(a.backend[0], b.backend[0]);
	ck_assert(a.backend[0]->mutex->acquire != b.backend[0]->mutex->acquire);
	ck_assert_int_eq(lf_plugin_open(plugin("good"), false, &a, &error), 0);
	ck_assert_int_eq(lf_plugin_open(plugin("good"), false, &same, &error), 0);
	ck_assert_ptr_eq(a.backend[0], same.backend[0]);
}
END_TEST

START_TEST(a_copy_of_nothing_says_so)
{
	struct lf_plugin p;
	struct lf_error error = { "" };

	ck_assert_int_lt(lf_plugin_open(plugin("there_is_none"), true, &p, &error), 0);
	ck_assert_ptr_nonnull(strstr(error.text, "cannot be read"));
}
END_TEST

START_TEST(sides_have_names_of_their_own)
{
	struct lf_error error = { "" };
	char name[LF_NAME_MAX];
	const struct lf_entry *e;

	ck_assert_int_eq(lf_registry_load_as(plugin("good"), "base", &error), 0);
	ck_assert_int_eq(lf_registry_load_as(plugin("good"), "head", &error), 0);
	e = lf_registry_find("head:good/plain");
	ck_assert_ptr_nonnull(e);
	ck_assert_str_eq(lf_plain_name(e->backend->name), "good/plain");
	ck_assert_str_eq(lf_side_name("base", "x", name), "base:x");
	ck_assert_str_eq(lf_side_name(NULL, "x", name), "x");
	ck_assert_str_eq(lf_plain_name("x"), "x");
	ck_assert_int_lt(lf_registry_load_as(plugin("good"), "head", &error), 0);
	ck_assert_ptr_nonnull(strstr(error.text, "is taken"));
}
END_TEST

/* --- Rounds ---------------------------------------------------------------------- */

/* The last two arms keep their paths: a plan has no more. */
static struct lf_arm arm(const char *object, const char *name)
{
	static char path[2][4096];
	static unsigned next;
	char *mine = path[next++ % 2];

	snprintf(mine, sizeof path[0], "%s", plugin(object));
	return (struct lf_arm){ .path = mine, .name = name };
}

static struct lf_rounds_plan plan(struct lf_arm base, struct lf_arm head)
{
	struct lf_rounds_plan p = {
		.threads = 2, .round_ns = 500000, .hold_ns = 1000, .think_ns = 500,
		.seed = 1, .hang_ms = PATIENCE_MS,
	};

	p.arm[LF_ARM_BASE] = p.arm[LF_ARM_CONTROL] = base;
	p.arm[LF_ARM_HEAD] = head;
	return p;
}

/* A sanitizer would turn the crashes into exits of its own. */
static void leave_signals_alone(void)
{
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
}

static bool too_few_cpus(void)
{
	int cpu[LF_MAX_THREADS];

	return lf_child_cpus(cpu) < 2;
}

static enum lf_child_end run(const struct lf_rounds_plan *p, struct lf_rounds *r,
			     struct lf_error *error)
{
	ck_assert_int_eq(lf_rounds_start(r, p, error), 0);
	return lf_rounds_until(r, 3, UINT64_MAX, NULL, error);
}

START_TEST(rounds_of_all_arms_are_counted)
{
	struct lf_rounds_plan p = plan(arm("good", "good/plain"), arm("good", "good/plain"));
	struct lf_rounds r;
	struct lf_error error = { "" };

	if (too_few_cpus())
		return;
	ck_assert_msg(run(&p, &r, &error) == LF_CHILD_GOING, "%s", error.text);
	for (unsigned c = 0; c < 3; c++)
		for (unsigned k = 0; k < LF_ARMS; k++) {
			const struct lf_round *x = &r.memory->cycle[c].arm[k];
			ck_assert_uint_lt(x->is_void, LF_ROUND_VOIDS);
			if (x->is_void == LF_ROUND_VALID)
				ck_assert_double_gt(x->value[LF_ROUND_THROUGHPUT], 0);
		}
	lf_rounds_stop(&r);
}
END_TEST

static const struct { const char *object, *name, *says; enum lf_child_end end; } bad[] = {
	{ "crash", "bad/crash", "head crashed: signal 11", LF_CHILD_DIED },
	{ "exit", "bad/exit", "head ended the process, with status", LF_CHILD_DIED },
	{ "hang", "bad/hang", "head hung", LF_CHILD_HUNG },
	{ "crash_at_load", "x", "head crashed while it was loaded", LF_CHILD_DIED },
	{ "no_symbol", "x", "head: cannot be loaded", LF_CHILD_ERROR },
	{ "good", "good/none", "no such backend any more", LF_CHILD_ERROR },
};

#define BAD (sizeof bad / sizeof bad[0])

/* Only head is bad: base runs its rounds beside it. The same whether or not its threads
 * go before everybody else. */
START_TEST(a_bad_build_is_named)
{
	const size_t i = (size_t)_i % BAD;
	struct lf_rounds_plan p = plan(arm("good", "good/plain"),
				       arm(bad[i].object, bad[i].name));
	struct lf_rounds r;
	struct lf_error error = { "" };

	if (too_few_cpus())
		return;
	p.realtime = (size_t)_i >= BAD;
	if (bad[i].end == LF_CHILD_HUNG)
		p.hang_ms = HANG_MS;
	ck_assert_int_eq(run(&p, &r, &error), bad[i].end);
	ck_assert_msg(strstr(error.text, bad[i].says), "\"%s\" does not say \"%s\"",
		      error.text, bad[i].says);
	lf_rounds_stop(&r);
}
END_TEST

static bool goes_first(void)
{
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_RR;
}

/* In a process of its own: 0 it did, 1 it did not, 77 it may not. */
static int class_is_given_back(void)
{
	if (lf_realtime_prepare() <= 0 || !lf_realtime_enter())
		return 77;
	if (!goes_first())
		return 1;
	/* As a lock that hangs: without a system call that waits. */
	while (goes_first())
		;
	return 0;
}

START_TEST(who_computes_for_long_goes_first_no_more)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(class_is_given_back());
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
}
END_TEST

START_TEST(one_process_at_a_time_goes_first)
{
	int status;
	pid_t child;

	if (lf_realtime_prepare() <= 0)
		return; /* not permitted, or another one does */
	child = fork();
	if (child == 0)
		_exit(lf_realtime_prepare() == 0 ? 0 : 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

/* A trial in which all was told, and is the same as before. */
static struct lf_trial *same_trial(void)
{
	static struct lf_trial t;

	for (unsigned m = 0; m < LF_ROUND_METRICS; m++)
		t.metric[m] = (struct lf_trial_metric){
			.may_fail = true, .told = true, .change = LF_CHANGE_SAME,
		};
	t.delay = 0.5;
	return &t;
}

START_TEST(what_was_not_seen_does_not_pass)
{
	struct lf_trial *t = same_trial();

	ck_assert_int_eq(lf_trial_change(t), LF_CHANGE_SAME);
	t->metric[LF_ROUND_HANDOVER].told = false;
	ck_assert_int_eq(lf_trial_change(t), LF_CHANGE_OPEN);
	t->delay = (double)NAN;
	ck_assert_int_eq(lf_trial_change(t), LF_CHANGE_OPEN);
	/* On a quiet machine it is the nature of the lock. */
	t->delay = 0.01;
	ck_assert_int_eq(lf_trial_change(t), LF_CHANGE_SAME);
	t->metric[LF_ROUND_CPU].change = LF_CHANGE_WORSE;
	ck_assert_int_eq(lf_trial_change(t), LF_CHANGE_WORSE);
}
END_TEST

/* This process is the one that orphans come to: with what is left the test fails. */
START_TEST(what_a_build_forks_ends_with_it)
{
	struct lf_rounds_plan p = plan(arm("good", "good/plain"), arm("fork", "bad/fork"));
	struct lf_rounds r;
	struct lf_error error = { "" };

	if (too_few_cpus())
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ck_assert_msg(run(&p, &r, &error) == LF_CHILD_GOING, "%s", error.text);
	lf_rounds_stop(&r);
	ck_assert_uint_eq(lf_deed_left_behind(), 0);
}
END_TEST

START_TEST(ratios_are_positive_when_worse)
{
	struct lf_round old = { 0 }, new = { 0 };

	old.value[LF_ROUND_HANDOVER] = 100;
	new.value[LF_ROUND_HANDOVER] = 130;
	old.value[LF_ROUND_THROUGHPUT] = 130;
	new.value[LF_ROUND_THROUGHPUT] = 100;
	old.value[LF_ROUND_CPU] = (double)NAN;
	new.value[LF_ROUND_CPU] = 5;
	ck_assert_double_eq_tol(lf_round_ratio(&old, &new, LF_ROUND_HANDOVER), log(1.3), 1e-9);
	ck_assert_double_eq_tol(lf_round_ratio(&old, &new, LF_ROUND_THROUGHPUT), log(1.3),
				1e-9);
	ck_assert(isnan(lf_round_ratio(&old, &new, LF_ROUND_CPU)));
	ck_assert(isnan(lf_round_ratio(&old, &new, LF_ROUND_WAIT_P50)));
}
END_TEST

START_TEST(a_crash_of_head_fails_and_one_of_base_compares_nothing)
{
	struct lf_trial_options o = {
		.rule = { 0.05, 0.25 }, .cap_ns = UINT64_C(60000000000),
		.plan = plan(arm("good", "good/plain"), arm("crash", "bad/crash")),
	};
	struct lf_comparison *c = malloc(sizeof *c);
	struct lf_judgement j;

	if (too_few_cpus())
		return;
	lf_comparison_run(&o, 1, c);
	ck_assert_int_eq(c->verdict, LF_VERDICT_FAIL);
	lf_change_judge(c, &o, &j);
	ck_assert_int_eq(lf_judgement_decisive(&j)->metric, LF_METRIC_SURVIVES);
	o.plan = plan(arm("crash", "bad/crash"), arm("good", "good/plain"));
	lf_comparison_run(&o, 1, c);
	ck_assert_int_eq(c->verdict, LF_VERDICT_INCONCLUSIVE);
	ck_assert_ptr_nonnull(strstr(c->reason, "nothing to compare with"));
	free(c);
}
END_TEST

/* --- Waits ----------------------------------------------------------------------- */

static enum lf_child_end measure(const char *name, const char *object, unsigned hang_ms,
				 struct lf_waits *w, struct lf_error *error)
{
	struct lf_waits_plan p = {
		.side = "head", .threads = 2, .hold_ns = 20000, .pause_ns = 100000,
		.samples = 20, .cap_ns = UINT64_C(50000000000), .seed = 1,
		.hang_ms = hang_ms,
	};
	struct lf_plugin loaded;

	ck_assert_int_eq(lf_plugin_open(plugin(object), false, &loaded, error), 0);
	p.backend = lf_plugin_find(loaded.backend, name);
	ck_assert_ptr_nonnull(p.backend);
	return lf_waits_measure(&p, w, NULL, error);
}

START_TEST(waits_are_measured)
{
	struct lf_waits w = { .limit_ns = UINT64_C(3600000000000), .part = 0.5 };
	struct lf_error error = { "" };

	if (too_few_cpus())
		return;
	ck_assert_msg(measure("good/plain", "good", PATIENCE_MS, &w, &error) ==
		      LF_CHILD_GOING, "%s", error.text);
	ck_assert_uint_eq(w.samples, 20);
	ck_assert_uint_eq(w.above, 0);
}
END_TEST

START_TEST(a_lock_that_crashes_or_hangs_is_told)
{
	struct lf_waits w = { .limit_ns = 1, .part = 0.5 };
	struct lf_error error = { "" };

	if (too_few_cpus())
		return;
	ck_assert_int_eq(measure("bad/crash", "crash", PATIENCE_MS, &w, &error),
			 LF_CHILD_DIED);
	ck_assert_ptr_nonnull(strstr(error.text, "head crashed"));
	ck_assert_int_eq(measure("bad/hang", "hang", HANG_MS, &w, &error),
			 LF_CHILD_HUNG);
	ck_assert_ptr_nonnull(strstr(error.text, "head hung"));
}
END_TEST

Suite *lf_test_gate(void)
{
	Suite *s = suite_create("gate");
	TCase *builds = tcase_create("builds"), *rounds = tcase_create("rounds"),
	      *waits = tcase_create("waits");

	tcase_add_test(builds, a_copy_is_another_object);
	tcase_add_test(builds, a_copy_of_nothing_says_so);
	tcase_add_test(builds, sides_have_names_of_their_own);
	tcase_add_checked_fixture(rounds, leave_signals_alone, NULL);
	tcase_add_checked_fixture(waits, leave_signals_alone, NULL);
	tcase_add_test(rounds, rounds_of_all_arms_are_counted);
	tcase_add_loop_test(rounds, a_bad_build_is_named, 0, 2 * BAD);
	tcase_add_test(rounds, who_computes_for_long_goes_first_no_more);
	tcase_add_test(rounds, what_a_build_forks_ends_with_it);
	tcase_add_test(rounds, one_process_at_a_time_goes_first);
	tcase_add_test(rounds, what_was_not_seen_does_not_pass);
	tcase_add_test(rounds, ratios_are_positive_when_worse);
	tcase_add_test(rounds, a_crash_of_head_fails_and_one_of_base_compares_nothing);
	tcase_add_test(waits, waits_are_measured);
	tcase_add_test(waits, a_lock_that_crashes_or_hangs_is_told);
	suite_add_tcase(s, builds);
	suite_add_tcase(s, rounds);
	suite_add_tcase(s, waits);
	return s;
}
