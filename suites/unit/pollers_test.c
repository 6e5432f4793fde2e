/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The built-in pollers, called as an event loop calls them, with a way out that only
 * counts: when they let go, what they return, and what becomes of errors and of short
 * timeouts. And the scenarios of suite `select` in virtual time: what they measure, and
 * which lock they blame.
 */
#include "core/registry.h"
#include "fixtures/backends.h"
#include "fixtures/fixtures.h"
#include "judge/judge.h"
#include "suites/unit/suites.h"
#include "suites/unit/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define X(id) extern const struct lf_backend lf_backend_##id;
LF_FIXTURE_MAP(X)
#undef X

#define MS INT64_C(1000000)

static const struct lf_backend *const all[] = {
	&lf_backend_select, &lf_backend_poll, &lf_backend_epoll, &lf_backend_kqueue,
	&lf_backend_io_uring,
};

#define ALL ((int)(sizeof all / sizeof all[0]))

/* One poller with one descriptor, and how often it went out. */
static struct bench {
	struct lf_way_out way; /* first */
	const struct lf_poller_ops *ops;
	void *poller;
	int fd[2];
	unsigned passed;
} bench;

static void pass(const struct lf_way_out *way, void (*fn)(void *arg), void *arg)
{
	struct bench *b = (struct bench *)(uintptr_t)way;
	b->passed++;
	fn(arg);
	errno = EOWNERDEAD;
}

/* False: this system does not have it. */
static bool set_up(const struct lf_backend *b, bool readable)
{
	static const int64_t none[LF_MAX_PARAMS];
	memset(&bench, 0, sizeof bench);
	bench.way.outside = pass;
	bench.ops = b->poller;
	if (b->poller->unavailable && b->poller->unavailable())
		return false;
	bench.poller = calloc(1, b->lock_size);
	ck_assert_ptr_nonnull(bench.poller);
	ck_assert_int_eq(b->poller->init(bench.poller, none), 0);
	ck_assert_int_eq(pipe(bench.fd), 0);
	if (readable)
		ck_assert_int_eq(write(bench.fd[1], "x", 1), 1);
	ck_assert_int_eq(b->poller->watch(bench.poller, bench.fd[0]), 0);
	return true;
}

static void tear_down(void)
{
	if (bench.ops->destroy)
		bench.ops->destroy(bench.poller);
	close(bench.fd[0]);
	close(bench.fd[1]);
	free(bench.poller);
}

static int call(int64_t timeout_ns, enum lf_release release, unsigned *ret_passed)
{
	bench.passed = 0;
	int rc = bench.ops->wait(bench.poller, timeout_ns, release, &bench.way);
	*ret_passed = bench.passed;
	return rc;
}

/* Under each rule, with a timeout of 0 and another: how often it lets go. */
static const struct {
	enum lf_release release;
	unsigned at_zero, idle, ready;
} rules[] = {
	{ LF_RELEASE_PROBE, 0, 1, 0 },
	{ LF_RELEASE_NONZERO, 0, 1, 1 },
	{ LF_RELEASE_ALWAYS, 1, 1, 1 },
};

START_TEST(each_rule_lets_go_as_it_says)
{
	unsigned passed;
	for (int ready = 0; ready < 2; ready++) {
		if (!set_up(all[_i], ready))
			return;
		for (int i = 0; i < 3; i++) {
			ck_assert_int_eq(call(0, rules[i].release, &passed), ready);
			ck_assert_uint_eq(passed, rules[i].at_zero);
			ck_assert_int_eq(call(MS, rules[i].release, &passed), ready);
			ck_assert_uint_eq(passed, ready ? rules[i].ready : rules[i].idle);
		}
		if (ready) {
			ck_assert_int_eq(call(LF_FOREVER, LF_RELEASE_NONZERO, &passed), 1);
			ck_assert_int_eq(call(LF_FOREVER, LF_RELEASE_PROBE, &passed), 1);
		}
		tear_down();
	}
}
END_TEST

/* Nobody answers but the kernel, whatever is in errno by then. */
START_TEST(errors_are_the_system_call_s)
{
	unsigned passed;
	if (!set_up(all[_i], false))
		return;
	for (int i = 0; i < LF_RELEASE_COUNT; i++) {
		int rc = call(-2000000000, (enum lf_release)i, &passed);
		/* io_uring takes such a timeout for one that is over. */
		ck_assert(rc == -EINVAL || (rc == 0 && all[_i] == &lf_backend_io_uring));
	}
	tear_down();
}
END_TEST

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* No timer ends before its time; that needs no bound on how long it took. */
START_TEST(short_timeouts_are_waited_for)
{
	unsigned passed;
	if (!set_up(all[_i], false))
		return;
	for (int64_t ns = 100000; ns < MS; ns += 300000) {
		int64_t begin = now_ns();
		ck_assert_int_eq(call(ns, LF_RELEASE_ALWAYS, &passed), 0);
		ck_assert_int_ge(now_ns() - begin, ns);
	}
	tear_down();
}
END_TEST

START_TEST(a_poller_takes_no_more_than_it_can_hold)
{
	int rc = 0;
	if (!set_up(all[_i], true))
		return;
	for (int i = 0; i < 100 && rc == 0 && all[_i] != &lf_backend_epoll; i++)
		rc = bench.ops->watch(bench.poller, bench.fd[0]);
	ck_assert(rc == -EMFILE || all[_i] == &lf_backend_epoll);
	if (all[_i] == &lf_backend_epoll)
		ck_assert_int_eq(bench.ops->watch(bench.poller, bench.fd[0]), -EEXIST);
	tear_down();
}
END_TEST

#ifdef LF_HAVE_SIM

/* --- in virtual time ------------------------------------------------------------------ */

enum { IDLE, READY };
enum { ONE, ZERO };

static struct lf_cell cell_of(const char *backend, const char *lock, enum lf_release release,
			      unsigned state, unsigned timeout, unsigned bystanders)
{
	struct lf_error error = { "" };
	struct lf_cell cell = lf_trial_cell(backend, lf_scenario_find("select"), NULL);
	ck_assert_msg(lf_cell_set_lock(&cell, lf_registry_find(lock), &error) == 0, "%s",
		      error.text);
	cell.point = (struct lf_point){ { release, state, timeout }, bystanders };
	return cell;
}

static const struct trial *run(const struct lf_cell *cell, const char *machine)
{
	const struct trial *t = lf_trial_of(cell, machine, 1);
	ck_assert_msg(t->rc == 0, "%s", t->error.text);
	return t;
}

static const struct lf_assertion *find(const struct trial *t, enum lf_metric m)
{
	for (unsigned i = 0; i < t->judgement.n; i++)
		if (t->judgement.assertion[i].metric == m)
			return &t->judgement.assertion[i];
	ck_abort_msg("no %s", lf_metric_name(m));
	return NULL;
}

static const char *const simulated[] = { "select", "poll", "epoll", "kqueue" };

START_TEST(good_pollers_pass_everywhere)
{
	for (int release = 0; release < LF_RELEASE_COUNT; release++) {
		for (unsigned at = 0; at < 4; at++) {
			struct lf_cell cell = cell_of(simulated[_i], "gil-interval",
						      (enum lf_release)release, at / 2,
						      at % 2, at);
			const struct trial *t = run(&cell, "2cpu");
			ck_assert_msg(t->judgement.verdict == LF_VERDICT_PASS, "%s",
				      t->judgement.reason);
			ck_assert_uint_eq(t->observation.polling.per_s.n, 10);
		}
	}
}
END_TEST

/* Looking first costs no more than a call. Letting go costs a turn of 5 ms as often as
 * the bystander wakes up before the loop is back: this lock barges. */
START_TEST(a_bystander_costs_turns_where_the_lock_is_let_go)
{
	struct lf_cell cell = cell_of(simulated[_i], "gil-interval", LF_RELEASE_ALWAYS, READY,
				      ONE, 1);
	double rate = find(run(&cell, "2cpu"), LF_METRIC_RATE)->value;
	ck_assert_msg(rate > 150 && rate < 10000, "always: %g /s", rate);
	cell.point.axis[0] = LF_RELEASE_PROBE;
	rate = find(run(&cell, "2cpu"), LF_METRIC_RATE)->value;
	ck_assert_msg(rate > 100000, "probe: %g /s", rate);
}
END_TEST

/* A loop that never lets go by itself: the bystander waits for its lock's quantum, and
 * no longer. */
START_TEST(a_bystander_waits_one_quantum)
{
	struct lf_cell cell = cell_of(simulated[_i], "gil-interval", LF_RELEASE_PROBE, READY,
				      ONE, 1);
	const struct trial *t = run(&cell, "2cpu");
	const struct lf_histogram *waits = &t->observation.thread[1].wait;
	double p90 = (double)lf_histogram_quantile(waits, 0.9);
	ck_assert_uint_ge(waits->count, 4);
	ck_assert_msg(p90 >= 5e6 && p90 <= 5.5e6, "%g ns", p90);
}
END_TEST

/* Of three, each waits for the others' quanta: three on the average, in whatever order. */
START_TEST(three_bystanders_wait_for_one_another)
{
	struct lf_cell cell = cell_of(simulated[_i], "gil-interval", LF_RELEASE_PROBE, READY,
				      ONE, 3);
	const struct trial *t = run(&cell, "smp4");
	double sum = 0, count = 0;
	for (unsigned i = 1; i <= 3; i++) {
		sum += (double)t->observation.thread[i].wait.sum;
		count += (double)t->observation.thread[i].wait.count;
	}
	ck_assert_double_ge(count, 20);
	ck_assert_msg(sum / count >= 12e6 && sum / count <= 18e6, "%g ns", sum / count);
}
END_TEST

/* The same loop with locks whose waiters never ask, or late. */
static void is_caught_with(const char *poller, const char *lock, unsigned bystanders)
{
	struct lf_cell cell = cell_of(poller, lock, LF_RELEASE_PROBE, READY, ONE, bystanders);
	const struct trial *t = run(&cell, "2cpu");
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_FAIL);
	ck_assert(!find(t, LF_METRIC_PASSED_P50)->holds);
}

START_TEST(a_lock_that_starves_bystanders_is_caught)
{
	for (unsigned bystanders = 1; bystanders <= 3; bystanders += 2) {
		is_caught_with(simulated[_i], "faulty/gil_no_preempt", bystanders);
		is_caught_with(simulated[_i], "faulty/gil_late", bystanders);
	}
}
END_TEST

START_TEST(looking_first_wins_where_others_want_the_lock)
{
	struct lf_cell cell = lf_trial_cell(simulated[_i], lf_scenario_find("select-gain"),
					    NULL);
	const struct trial *t = run(&cell, "2cpu");
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
	ck_assert_int_eq(find(t, LF_METRIC_GAIN)->origin, LF_ORIGIN_REQUIREMENT);
	ck_assert(find(t, LF_METRIC_GAIN)->value > 100);
	cell.point.sweep = 0;
	t = run(&cell, "2cpu");
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
	ck_assert_int_eq(find(t, LF_METRIC_GAIN)->origin, LF_ORIGIN_INFORMATION);
	ck_assert(find(t, LF_METRIC_GAIN)->value >= 1);
}
END_TEST

START_TEST(only_a_gil_goes_around_a_poller)
{
	struct lf_error error = { "" };
	struct lf_cell cell = lf_trial_cell("poll", lf_scenario_find("select"), NULL);
	ck_assert_str_eq(lf_cell_lock(&cell)->name, "gil-interval");
	ck_assert_int_eq(lf_cell_set_lock(&cell, lf_registry_find("ticket"), &error), -EINVAL);
	ck_assert_int_eq(lf_cell_set_lock(&cell, lf_registry_find("gil-bfs"), &error), 0);
	ck_assert_str_eq(lf_cell_lock(&cell)->name, "gil-bfs");
	cell = lf_trial_cell("gil-bfs", lf_scenario_find("hog"), NULL);
	ck_assert_str_eq(lf_cell_lock(&cell)->name, "gil-bfs");
	ck_assert_int_eq(lf_cell_set_lock(&cell, lf_registry_find("gil-bfs"), &error), -EINVAL);
}
END_TEST

static void add_simulated(Suite *s)
{
	TCase *t = tcase_create("sim");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, good_pollers_pass_everywhere, 0, 4);
	tcase_add_loop_test(t, a_bystander_costs_turns_where_the_lock_is_let_go, 0, 4);
	tcase_add_loop_test(t, a_bystander_waits_one_quantum, 0, 4);
	tcase_add_loop_test(t, three_bystanders_wait_for_one_another, 0, 4);
	tcase_add_loop_test(t, a_lock_that_starves_bystanders_is_caught, 0, 4);
	tcase_add_loop_test(t, looking_first_wins_where_others_want_the_lock, 0, 4);
	tcase_add_test(t, only_a_gil_goes_around_a_poller);
	suite_add_tcase(s, t);
}
#else
static void add_simulated(Suite *s)
{
	(void)s;
}
#endif

Suite *lf_test_pollers(void)
{
	Suite *s = suite_create("pollers");
	TCase *t = tcase_create("calls");
	tcase_add_loop_test(t, each_rule_lets_go_as_it_says, 0, ALL);
	tcase_add_loop_test(t, errors_are_the_system_call_s, 0, ALL);
	tcase_add_loop_test(t, short_timeouts_are_waited_for, 0, ALL);
	tcase_add_loop_test(t, a_poller_takes_no_more_than_it_can_hold, 0, ALL);
	suite_add_tcase(s, t);
	add_simulated(s);
	return s;
}
