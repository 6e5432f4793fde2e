/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scenario pingpong: that the two ends are where the axes say, what is counted, what is
 * skipped and why; and the same channels in virtual time. That faulty channels are
 * caught is in threads_test.c, with all others.
 */
#include "core/registry.h"
#include "engine/engine.h"
#include "fixtures/backends.h"
#include "suites/unit/suites.h"
#include "suites/unit/trial.h"

#include <lockfair/assert.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#define X(id) extern const struct lf_backend lf_backend_##id;
LF_FIXTURE_MAP(X)
#undef X

/* --- A channel that tells where its ends are -------------------------------------- */

static struct seen {
	pid_t process[2];
	int policy[2], cpus[2], cpu[2];
} *seen; /* shared by processes */

static void telling_attach(void *channel, struct lf_thread *t, unsigned end)
{
	cpu_set_t set;

	(void)channel;
	(void)t;
	sched_getaffinity(0, sizeof set, &set);
	seen->process[end] = getpid();
	seen->policy[end] = sched_getscheduler(0);
	seen->cpus[end] = CPU_COUNT(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			seen->cpu[end] = cpu;
}

static struct lf_channel_ops telling_ops;
static struct lf_backend telling;

static void set_up(void)
{
	seen = lf_shared_new(sizeof *seen);
	telling_ops = *lf_backend_futex.channel;
	telling_ops.attach = telling_attach;
	memcpy(&telling, &lf_backend_futex, sizeof telling);
	telling.name = "telling";
	telling.channel = &telling_ops;
}

static void tear_down(void)
{
	lf_shared_free(seen, sizeof *seen);
}

/* NULL: real-time scheduling, or a second CPU, is not to be had here. */
static struct lf_outcome *observe(const struct lf_backend *b, const char *cell)
{
	const struct lf_observe_options options = { .tolerate_inconclusive = true };
	struct lf_outcome *o = lf_observe(b, cell, &options);
	const char *message = lf_check_claims(o);

	if (!message)
		return o;
	ck_assert_msg(strstr(message, "not permitted here") || strstr(message, "one CPU only"),
		      "%s", message);
	lf_outcome_free(o);
	return NULL;
}

START_TEST(ends_are_threads_or_processes)
{
	lf_outcome_free(observe(&telling, "pingpong/free/other/processes"));
	ck_assert_int_ne(seen->process[0], seen->process[1]);
	ck_assert_int_ne(seen->process[0], getpid());
	ck_assert_int_ne(seen->process[1], getpid());
	lf_outcome_free(observe(&telling, "pingpong/free/other/threads"));
	ck_assert_int_eq(seen->process[0], getpid());
	ck_assert_int_eq(seen->process[1], getpid());
}
END_TEST

START_TEST(ends_are_where_the_placement_says)
{
	struct lf_outcome *o = observe(&telling, "pingpong/uni/other/threads");

	ck_assert_ptr_nonnull(o);
	lf_outcome_free(o);
	ck_assert_int_eq(seen->cpus[0], 1);
	ck_assert_int_eq(seen->cpus[1], 1);
	ck_assert_int_eq(seen->cpu[0], seen->cpu[1]);
	o = observe(&telling, "pingpong/smp/other/processes");
	if (!o)
		return;
	lf_outcome_free(o);
	ck_assert_int_eq(seen->cpus[0], 1);
	ck_assert_int_eq(seen->cpus[1], 1);
	ck_assert_int_ne(seen->cpu[0], seen->cpu[1]);
}
END_TEST

START_TEST(ends_are_scheduled_as_the_policy_says)
{
	static const struct {
		const char *cell;
		int policy;
	} known[] = {
		{ "pingpong/free/other/threads", SCHED_OTHER },
		{ "pingpong/uni/rr/threads", SCHED_RR },
		{ "pingpong/uni/fifo/processes", SCHED_FIFO },
	};
	struct lf_outcome *o = observe(&telling, known[_i].cell);

	if (!o)
		return;
	lf_outcome_free(o);
	ck_assert_int_eq(seen->policy[0], known[_i].policy);
	ck_assert_int_eq(seen->policy[1], known[_i].policy);
}
END_TEST

/* --- What is counted --------------------------------------------------------------- */

START_TEST(repetitions_are_kept)
{
	struct lf_outcome *outcome = observe(&lf_backend_pipes, "pingpong/uni/other/processes");
	const struct lf_observation *o = lf_outcome_observation(outcome);
	const struct lf_thread_observation *ping = &o->thread[0];

	ck_assert_uint_eq(o->loops_per_s.n, 5);
	ck_assert_uint_eq(o->rounds, 5);
	for (unsigned i = 0; i < o->loops_per_s.n; i++)
		ck_assert_double_gt(o->loops_per_s.value[i], 0);
	/* Those of the warm-up are steps, and not in the histogram. */
	ck_assert_uint_gt(ping->wait.count, 0);
	ck_assert_uint_lt(ping->wait.count, ping->steps);
	ck_assert_uint_eq(ping->grants, ping->steps);
	ck_assert_uint_eq(o->tokens_misplaced, 0);
	/* Whoever waits lets the other one go on, or it takes the CPU when it is woken. */
	ck_assert_uint_ge(ping->voluntary_switches + ping->involuntary_switches,
			  ping->steps / 2);
	lf_outcome_free(outcome);
}
END_TEST

START_TEST(a_lock_is_handed_over)
{
	struct lf_outcome *outcome = observe(&lf_backend_ticket, "pingpong/free/other/threads");
	const struct lf_observation *o = lf_outcome_observation(outcome);

	ck_assert_uint_eq(o->loops_per_s.n, 5);
	/* Loops of the one are times that it took the lock after the other. */
	ck_assert_uint_gt(o->thread[0].steps, 0);
	ck_assert_uint_le(o->thread[0].steps, o->thread[0].grants);
	ck_assert_uint_le(o->thread[0].steps, o->thread[1].grants + 1);
	lf_outcome_free(outcome);
}
END_TEST

START_TEST(what_cannot_be_is_skipped_with_a_reason)
{
	static const struct {
		const struct lf_backend *backend;
		const char *cell, *reason;
	} known[] = {
		{ &lf_backend_ticket, "pingpong/free/other/processes", "in one process" },
		{ &lf_backend_spinlock, "pingpong/uni/fifo/threads", "" },
		{ &lf_backend_pipes, "pingpong/uni/idle/threads", "PLACEMENT/POLICY/ENDS" },
	};
	struct lf_outcome *o = lf_observe(known[_i].backend, known[_i].cell, NULL);
	const char *message = lf_check_claims(o);

	ck_assert_ptr_nonnull(message);
	ck_assert_msg(strstr(message, known[_i].reason), "%s", message);
	ck_assert_ptr_null(lf_outcome_observation(o));
	lf_outcome_free(o);
}
END_TEST

/* --- In virtual time ------------------------------------------------------------------ */

#ifdef LF_HAVE_SIM
static const char *const sleeping[] = {
	"sigusr1", "message-queue", "pipes", "semaphore", "futex", "eventfd", "posix-mq",
	"socketpair", "condvar",
};
#define SLEEPING (int)(sizeof sleeping / sizeof sleeping[0])

static const struct trial *pass_on(const char *backend, const char *machine, bool threads)
{
	const struct lf_scenario *s = lf_scenario_find("pingpong");
	struct lf_cell cell = lf_trial_cell(backend, s, machine);
	const struct trial *t;

	cell.point.axis[0] = LF_PLACEMENT_FREE;
	cell.point.axis[2] = threads;
	ck_assert_ptr_null(lf_cell_unavailable(&cell));
	t = lf_trial_of(&cell, machine, 1);
	ck_assert_msg(t->rc == 0, "%s on %s: %s", backend, machine, t->error.text);
	return t;
}

static double rate_on(const char *backend, const char *machine, bool threads)
{
	const struct trial *t = pass_on(backend, machine, threads);

	ck_assert_msg(t->judgement.verdict == LF_VERDICT_PASS, "%s on %s: %s", backend,
		      machine, t->judgement.reason);
	return lf_metric_spread(&t->observation.loops_per_s).mean;
}

/* As in 2002: one CPU beats two, and its own kernel beats that for several. */
START_TEST(channels_that_sleep_have_the_shape_of_2002)
{
	for (int threads = 0; threads < 2; threads++) {
		double uni = rate_on(sleeping[_i], "celeron-uni", threads);
		double nosmp = rate_on(sleeping[_i], "celeron-nosmp", threads);
		double smp = rate_on(sleeping[_i], "celeron-smp", threads);
		ck_assert_double_gt(uni, nosmp);
		ck_assert_double_gt(nosmp, smp);
		ck_assert_double_gt(smp, 1000);
	}
}
END_TEST

START_TEST(spinning_takes_two_slices_on_one_cpu)
{
	double uni = rate_on("spinlock", "celeron-uni", true);

	/* 1 / (2 * 150 ms) */
	ck_assert_double_eq_tol(uni, 3.33, 0.33);
	ck_assert_double_gt(rate_on("spinlock", "celeron-smp", true), 1000 * uni);
	ck_assert_double_gt(rate_on("spin-yield", "celeron-uni", true),
			    rate_on("pipes", "celeron-uni", true));
}
END_TEST

START_TEST(a_lost_token_is_a_deadlock)
{
	const struct trial *t = pass_on("faulty/channel_lossy", "2cpu", true);

	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_FAIL);
	ck_assert_int_eq(lf_judgement_decisive(&t->judgement)->metric, LF_METRIC_TOKEN);
}
END_TEST

static TCase *virtual_time(void)
{
	TCase *tcase = tcase_create("virtual");

	tcase_add_loop_test(tcase, channels_that_sleep_have_the_shape_of_2002, 0, SLEEPING);
	tcase_add_test(tcase, spinning_takes_two_slices_on_one_cpu);
	tcase_add_test(tcase, a_lost_token_is_a_deadlock);
	return tcase;
}
#endif

Suite *lf_test_pingpong(void)
{
	Suite *suite = suite_create("pingpong");
	TCase *axes = tcase_create("axes"), *counts = tcase_create("counts");

	tcase_add_checked_fixture(axes, set_up, tear_down);
	tcase_add_test(axes, ends_are_threads_or_processes);
	tcase_add_test(axes, ends_are_where_the_placement_says);
	tcase_add_loop_test(axes, ends_are_scheduled_as_the_policy_says, 0, 3);
	tcase_add_test(counts, repetitions_are_kept);
	tcase_add_test(counts, a_lock_is_handed_over);
	tcase_add_loop_test(counts, what_cannot_be_is_skipped_with_a_reason, 0, 3);
	suite_add_tcase(suite, axes);
	suite_add_tcase(suite, counts);
#ifdef LF_HAVE_SIM
	suite_add_tcase(suite, virtual_time());
#endif
	return suite;
}
