/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The `threads` engine and the scenarios on it: what each scenario must say of a
 * good lock and of the faulty one that names it, ports between processes, and
 * the assertions that users call.
 */
#include "engine/engine.h"
#include "fixtures/backends.h"
#include "fixtures/fixtures.h"
#include "judge/judge.h"
#include "suites/unit/suites.h"

#include <lockfair/assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define X(id) extern const struct lf_backend lf_backend_##id;
LF_FIXTURE_MAP(X)
#undef X

#define TIMEOUT_S 60

/* One line per faulty backend: the scenario and check that must catch it, and a
 * sound one that the same check lets pass. */
static const struct verdict_case {
	const char *scenario;
	const struct lf_backend *faulty, *sound;
	const char *metric;
} cases[] = {
	{ "exclusion", &lf_backend_faulty_no_exclusion, &lf_backend_pthread, "exclusion" },
	{ "drain", &lf_backend_faulty_lost_waiters_bit, &lf_backend_pthread, "progress" },
	{ "order", &lf_backend_faulty_lifo, &lf_backend_ticket, "inversions" },
	{ "barging", &lf_backend_faulty_no_handoff, &lf_backend_handoff, "overtakes" },
	{ "hog", &lf_backend_faulty_starver, &lf_backend_mcs, "starved" },
	{ "hog", &lf_backend_faulty_burner, &lf_backend_handoff, "cpu-burnt" },
	{ "interleaving", &lf_backend_faulty_gil_no_preempt, &lf_backend_gil_bfs, "lead" },
	{ "io-latency", &lf_backend_faulty_gil_no_preempt, &lf_backend_gil_bfs, "passed-p90" },
	{ "latency/pi/1", &lf_backend_faulty_gil_late, &lf_backend_gil_interval,
	  "latency-mean" },
	{ "latency/pi/1", &lf_backend_faulty_bfs_no_preempt, &lf_backend_gil_bfs,
	  "latency-p50" },
	{ "regime/12", &lf_backend_faulty_bfs_latest, &lf_backend_gil_bfs, "turn-max" },
	{ "throughput/pi/4", &lf_backend_faulty_gil_selfish, &lf_backend_gil_interval,
	  "share-min" },
	{ "single", &lf_backend_faulty_gil_slow_poll, &lf_backend_gil_interval, "slowdown" },
	{ "select", &lf_backend_faulty_poller_swapped, &lf_backend_select, "held-waits" },
	{ "select", &lf_backend_faulty_poller_eager, &lf_backend_poll, "needless-releases" },
	{ "select", &lf_backend_faulty_poller_errno, &lf_backend_epoll, "errno-lost" },
	{ "select", &lf_backend_faulty_poller_millis, &lf_backend_epoll, "early-returns" },
	{ "select-gain", &lf_backend_faulty_poller_blind, &lf_backend_poll, "gain" },
	{ "pingpong", &lf_backend_faulty_channel_lossy, &lf_backend_pipes, "token" },
	{ "pingpong/uni/rr/processes", &lf_backend_faulty_channel_slow,
	  &lf_backend_futex, "loop-rate" },
	{ "ranking", &lf_backend_faulty_channel_moody, &lf_backend_pipes, "place-spread" },
	{ "ranking", &lf_backend_faulty_channel_yields, &lf_backend_spinlock, "two-cpus" },
	{ "pingpong/uni/rr/threads", &lf_backend_faulty_channel_yields,
	  &lf_backend_spinlock, "loop-slices" },
};
#define CASES ((int)(sizeof cases / sizeof cases[0]))

/* What is held around pollers; the test has no registry to look it up in. */
static const struct lf_backend *lock_for(const struct lf_backend *b)
{
	return b->kind == LF_POLLER ? &lf_backend_gil_interval : NULL;
}

/* Real-time scheduling, or a second CPU. */
static bool is_not_to_be_had(const char *message)
{
	return message && (strstr(message, "not permitted here") ||
			   strstr(message, "one CPU only"));
}

static bool is_time(const struct verdict_case *c)
{
	return strncmp(c->metric, "latency-", 8) == 0 ||
	       strncmp(c->metric, "turn-", 5) == 0 || strcmp(c->metric, "gain") == 0;
}

/* A busy machine may excuse a latency, and leave it open or to a count; on `sim` none
 * is excused. */
static bool is_caught(const struct verdict_case *c, const char *message)
{
	return message && (strstr(message, c->metric) ||
			   (is_time(c) && (strstr(message, "inconclusive") ||
					   strstr(message, "starved") ||
					   strstr(message, "needless-releases"))));
}

#define ATTEMPTS 4

/* Where others take the CPUs from the threads that should starve one, it has its turns,
 * and the fault shows less: then once more. On `sim` every run convicts. */
START_TEST(faulty_backend_is_caught)
{
	const struct verdict_case *c = &cases[_i];
	const struct lf_observe_options options = { .lock = lock_for(c->faulty) };
	char said[512] = "";
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		struct lf_outcome *o = lf_observe(c->faulty, c->scenario, &options);
		const char *message = lf_check_claims(o);
		if (is_not_to_be_had(message))
			return;
		bool caught = is_caught(c, message);
		snprintf(said, sizeof said, "%s", message ? message : "it passed");
		lf_outcome_free(o);
		if (caught)
			return;
	}
	ck_abort_msg("%s in %s is not caught for %s: %s", c->faulty->name, c->scenario,
		     c->metric, said);
}
END_TEST

START_TEST(sound_backend_passes)
{
	const struct verdict_case *c = &cases[_i];
	const struct lf_observe_options options = { .tolerate_inconclusive = true,
						    .lock = lock_for(c->sound) };
	struct lf_outcome *o = lf_observe(c->sound, c->scenario, &options);
	const char *message = lf_check_claims(o);
	ck_assert_msg(!message || is_not_to_be_had(message), "%s", message);
	lf_outcome_free(o);
}
END_TEST

/* Does it name the assertion that the backend names? Of one cell of its scenario. */
static bool catches(const struct verdict_case *c)
{
	const char *by = c->faulty->caught_by, *metric = strchr(by, ':') + 1;
	size_t scenario = strcspn(by, "/:");

	return strcmp(metric, c->metric) == 0 && scenario == strcspn(c->scenario, "/") &&
		strncmp(by, c->scenario, scenario) == 0;
}

/* Every faulty backend says itself what must catch it; the table must agree. */
START_TEST(table_covers_every_faulty_backend)
{
	static const struct lf_backend *const all[] = {
#define X(id) &lf_backend_##id,
		LF_FIXTURE_MAP(X)
#undef X
	};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		bool covered = !all[i]->caught_by;
		for (int k = 0; k < CASES; k++)
			covered |= cases[k].faulty == all[i] && catches(&cases[k]);
		ck_assert_msg(covered, "no case for %s", all[i]->name);
	}
}
END_TEST

#define MESSAGES 20

static void echo(struct lf_thread *t)
{
	char text[64];
	for (int i = 0; i < MESSAGES && !lf_stopped(t); i++) {
		int n = lf_receive(t, 0, text, sizeof text, UINT64_C(2000000000));
		if (n > 0)
			lf_send(t, 1, text, (size_t)n);
	}
}

static void client(struct lf_thread *t)
{
	char sent[16], back[64];
	for (int i = 0; i < MESSAGES; i++) {
		snprintf(sent, sizeof sent, "ping %d", i);
		lf_send(t, 0, sent, strlen(sent) + 1);
		int n = lf_receive(t, 1, back, sizeof back, UINT64_C(2000000000));
		if (n == (int)strlen(sent) + 1 && strcmp(sent, back) == 0)
			lf_step(t);
	}
	/* Nothing comes any more: this must end by its time-out. */
	if (lf_receive(t, 1, back, sizeof back, 1000000) != -ETIMEDOUT)
		lf_precondition_failed(t, "a receive did not time out");
	lf_stop(t);
}

static void judge_nothing(struct lf_judgement *j, const struct lf_observation *o,
			  const struct lf_claim *c)
{
	(void)j;
	(void)o;
	(void)c;
}

static const struct lf_role ping_roles[] = {
	{ .name = "echo", .count = 1, .run = echo },
	{ .name = "client", .count = 1, .run = client, .foreign = true },
	{ .name = NULL },
};
static const struct lf_scenario ping = {
	.name = "ping", .kinds = 1 << LF_MUTEX, .roles = ping_roles,
	.limit_ns = { UINT64_C(20000000000) }, .judge = judge_nothing,
};

/* To be given back with lf_shared_free(). */
static struct lf_observation *run_here(const struct lf_backend *backend,
				       const struct lf_scenario *scenario)
{
	struct lf_run *run = lf_shared_new(sizeof *run);
	struct lf_observation *o = lf_shared_new(sizeof *o);
	struct lf_cell cell = { .backend = backend, .scenario = scenario };
	struct lf_variant variant;
	struct lf_error error;

	run->cell = &cell;
	run->observation = o;
	lf_engine_threads.variants(&cell, 0, &variant);
	ck_assert_int_eq(lf_engine_threads.execute(run, &variant, &error), 0);
	lf_shared_free(run, sizeof *run);
	return o;
}

START_TEST(ports_carry_between_processes)
{
	struct lf_observation *o = run_here(&lf_backend_pthread, &ping);

	ck_assert(!o->limit_reached);
	ck_assert_str_eq(o->precondition, "");
	ck_assert_uint_eq(o->thread[1].steps + o->lost_datagrams, MESSAGES);
	ck_assert_uint_gt(o->thread[1].steps, 0);
	lf_shared_free(o, sizeof *o);
}
END_TEST

/* --- a lock that comes with an interpreter ------------------------------------ */

/* In place of an interpreter: what the engine asks of it, in which order. */
struct runtime {
	pthread_mutex_t mutex;
	atomic_uint started, spawned, ended, before_start;
};

static int runtime_init(void *lock, const int64_t param[])
{
	struct runtime *g = lock;
	(void)param;
	return -pthread_mutex_init(&g->mutex, NULL);
}

static int runtime_start(void *lock)
{
	struct runtime *g = lock;
	atomic_fetch_add(&g->started, 1);
	return 0;
}

struct spawned {
	struct runtime *runtime;
	void *(*fn)(void *arg);
	void *arg;
};

static void *spawned_main(void *arg)
{
	struct spawned s = *(struct spawned *)arg;
	free(arg);
	s.fn(s.arg);
	atomic_fetch_add(&s.runtime->ended, 1);
	return NULL;
}

static int runtime_spawn(void *lock, void *(*fn)(void *arg), void *arg)
{
	struct spawned *s = malloc(sizeof *s);
	pthread_t thread;
	int rc;
	*s = (struct spawned){ lock, fn, arg };
	atomic_fetch_add(&s->runtime->spawned, 1);
	atomic_fetch_add(&s->runtime->before_start, !atomic_load(&s->runtime->started));
	rc = pthread_create(&thread, NULL, spawned_main, s);
	if (rc == 0)
		pthread_detach(thread); /* who joins it all the same crashes */
	return -rc;
}

static void runtime_acquire(void *lock, struct lf_thread *t)
{
	struct runtime *g = lock;
	(void)t;
	pthread_mutex_lock(&g->mutex);
}

static void runtime_release(void *lock, struct lf_thread *t)
{
	struct runtime *g = lock;
	(void)t;
	pthread_mutex_unlock(&g->mutex);
}

static void runtime_poll(void *lock, struct lf_thread *t)
{
	runtime_release(lock, t);
	runtime_acquire(lock, t);
}

/* What the test wants to know, kept from the memory that goes. */
static struct { unsigned started, spawned, before_start; bool destroyed; } runtime_seen;

static void runtime_destroy(void *lock)
{
	struct runtime *g = lock;
	const struct timespec pause = { .tv_nsec = 100000 };
	while (atomic_load(&g->ended) < atomic_load(&g->spawned))
		nanosleep(&pause, NULL);
	runtime_seen.started = atomic_load(&g->started);
	runtime_seen.spawned = atomic_load(&g->spawned);
	runtime_seen.before_start = atomic_load(&g->before_start);
	runtime_seen.destroyed = true;
}

static const struct lf_gil_ops runtime_ops = {
	.init = runtime_init, .destroy = runtime_destroy, .acquire = runtime_acquire,
	.release = runtime_release, .poll = runtime_poll,
	.runtime_start = runtime_start, .spawn = runtime_spawn,
};
static const struct lf_backend runtime_backend = {
	.abi = LF_ABI, .kind = LF_GIL, .name = "runtime", .summary = "for a test",
	.engines = LF_ON_THREADS, .lock_size = sizeof(struct runtime), .gil = &runtime_ops,
};

static void count_up(struct lf_thread *t)
{
	for (int i = 0; i < 100; i++) {
		lf_lock(t);
		lf_poll(t);
		lf_step(t);
		lf_unlock(t);
	}
}

static const struct lf_role counting_roles[] = {
	{ .name = "counter", .count = 3, .run = count_up },
	{ .name = NULL },
};
static const struct lf_scenario counting = {
	.name = "counting", .kinds = 1 << LF_GIL, .roles = counting_roles, .polls = true,
	.limit_ns = { UINT64_C(20000000000) }, .judge = judge_nothing,
};

START_TEST(interpreters_start_their_own_threads)
{
	struct lf_observation *o = run_here(&runtime_backend, &counting);

	ck_assert_uint_eq(o->steps.length, 300);
	ck_assert_uint_eq(o->exclusion_violations, 0);
	ck_assert_uint_eq(runtime_seen.started, 1);
	ck_assert_uint_eq(runtime_seen.spawned, 3);
	ck_assert_uint_eq(runtime_seen.before_start, 0);
	ck_assert(runtime_seen.destroyed);
	lf_shared_free(o, sizeof *o);
}
END_TEST

/* The bound that a check is given, on both sides of what happened. */
START_TEST(checks_have_two_sides)
{
	struct lf_outcome *o = lf_observe(&lf_backend_pthread, "order", NULL);
	ck_assert_msg(lf_check_overtakes(o, "waiter", 8) == NULL, "%s",
		      lf_check_overtakes(o, "waiter", 8));
	lf_assert_grants(o, "waiter", 20);
	ck_assert_ptr_nonnull(lf_check_grants(o, "waiter", 21));
	lf_assert_exclusion(o);
	lf_assert_progress(o);
	lf_assert_order(o);
	lf_assert_share(o, 0.9);
	ck_assert_ptr_nonnull(lf_check_share(o, 1.1));
	lf_outcome_free(o);
}
END_TEST

/* A bound on something that was never sampled does not hold. */
START_TEST(checks_are_never_vacuous)
{
	struct lf_outcome *o = lf_observe(&lf_backend_pthread, "exclusion", NULL);
	ck_assert_ptr_nonnull(lf_check_wait(o, NULL, 0.5, UINT64_MAX));
	ck_assert_ptr_nonnull(lf_check_overtakes(o, NULL, UINT64_MAX));
	ck_assert_ptr_nonnull(lf_check_grants(o, "reader", 0));
	ck_assert_ptr_nonnull(lf_check_order(o));
	ck_assert_ptr_nonnull(lf_check_lead(o, 1000000, 5));
	lf_outcome_free(o);
}
END_TEST

START_TEST(wait_and_lead_are_bounded)
{
	struct lf_outcome *o = lf_observe(&lf_backend_faulty_gil_no_preempt,
					  "interleaving", NULL);
	ck_assert_ptr_nonnull(lf_check_lead(o, 40, 2));
	ck_assert_ptr_null(lf_check_lead(o, 40, 1000));
	ck_assert_ptr_nonnull(lf_check_wait(o, "interactive", 1, 1000));
	ck_assert_ptr_null(lf_check_wait(o, "interactive", 1, UINT64_MAX));
	lf_outcome_free(o);
}
END_TEST

START_TEST(expectations_fail_once_with_all)
{
	struct lf_outcome *o = lf_observe(&lf_backend_pthread, "order", NULL);
	lf_expect_order(o);
	lf_assert_expected(o);
	lf_expect_grants(o, "waiter", 1000);
	lf_expect_share(o, 2);
	const char *all = lf_outcome_violations(o);
	ck_assert_ptr_nonnull(strstr(all, "at least 1000"));
	ck_assert_ptr_nonnull(strstr(all, "at least 2.000"));
	ck_assert_ptr_nonnull(strstr(all, "threads_test.c:"));
	lf_outcome_free(o);
}
END_TEST

START_TEST(what_cannot_run_says_why)
{
	static const struct lf_backend old = { .abi = LF_ABI + 1, .name = "old" };
	struct lf_outcome *o = lf_observe(&lf_backend_pthread, "bargain", NULL);
	ck_assert_ptr_nonnull(strstr(lf_check_claims(o), "bargain"));
	ck_assert_ptr_nonnull(lf_check_exclusion(o));
	ck_assert_ptr_nonnull(lf_check_overtakes(o, NULL, UINT64_MAX));
	lf_outcome_free(o);
	o = lf_observe(&old, "barging", NULL);
	ck_assert_ptr_nonnull(lf_check_claims(o));
	lf_outcome_free(o);
	o = lf_observe(&lf_backend_pthread, "io-latency", NULL);
	ck_assert_ptr_nonnull(strstr(lf_check_claims(o), "mutex"));
	lf_outcome_free(o);
	const struct lf_observe_options options = { .parameters = "spin=" };
	o = lf_observe(&lf_backend_ticket, "order", &options);
	ck_assert_ptr_nonnull(strstr(lf_check_claims(o), "spin="));
	lf_outcome_free(o);
}
END_TEST

/* Some scenarios need the program's workloads. */
static void set_up(void)
{
	struct lf_error error;

	ck_assert_msg(lf_fixtures_register(&error) == 0, "%s", error.text);
}

Suite *lf_test_threads(void)
{
	Suite *s = suite_create("threads");
	TCase *t = tcase_create("verdicts");
	tcase_set_timeout(t, TIMEOUT_S);
	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_loop_test(t, faulty_backend_is_caught, 0, CASES);
	tcase_add_loop_test(t, sound_backend_passes, 0, CASES);
	tcase_add_test(t, table_covers_every_faulty_backend);
	suite_add_tcase(s, t);
	t = tcase_create("ports");
	tcase_set_timeout(t, TIMEOUT_S);
	tcase_add_test(t, ports_carry_between_processes);
	suite_add_tcase(s, t);
	t = tcase_create("interpreters");
	tcase_set_timeout(t, TIMEOUT_S);
	tcase_add_test(t, interpreters_start_their_own_threads);
	suite_add_tcase(s, t);
	t = tcase_create("checks");
	tcase_set_timeout(t, TIMEOUT_S);
	tcase_add_test(t, checks_have_two_sides);
	tcase_add_test(t, checks_are_never_vacuous);
	tcase_add_test(t, wait_and_lead_are_bounded);
	tcase_add_test(t, expectations_fail_once_with_all);
	tcase_add_test(t, what_cannot_run_says_why);
	suite_add_tcase(s, t);
	return s;
}
