/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interpreter locks: poll, release around a blocking call, threads that leave,
 * and the rules of the old, the new and the scheduling one. What is said to hold
 * here holds by the rules of the locks and not by the speed of the machine; what
 * shows in virtual time only stands in gils_sim_test.c.
 */
#include "fixtures/backends.h"
#include "suites/unit/stand.h"
#include "suites/unit/suites.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* A copy of the interval GIL whose inside can be looked at. */
#define LF_TEMPLATE
#include "fixtures/gils/gil_interval.c"

static const struct lf_backend interval_copy = {
	.kind = LF_GIL,
	.name = "gil-interval, a copy",
	.refine_claim = gil_interval_refine_claim,
	.params = gil_interval_params,
	.lock_size = sizeof(struct gil_interval),
	.gil = &gil_interval_ops,
};

#define X(id) extern const struct lf_backend lf_backend_##id;
LF_FIXTURE_MAP(X)
#undef X

static const struct lf_backend *const gils[] = {
	&lf_backend_gil_ticks,
	&lf_backend_gil_ticks_2500,
	&lf_backend_gil_interval,
	&lf_backend_gil_interactive,
	&lf_backend_gil_priority,
	&lf_backend_gil_holy,
	&lf_backend_gil_bfs,
	&lf_backend_gvl_3_1,
	&lf_backend_gvl_3_3,
	&lf_backend_gvl_deferred,
	&lf_backend_ocaml_4_08,
	&lf_backend_ocaml_4_09,
};

#define GILS ((int)(sizeof(gils) / sizeof(gils[0])))
#define FIRST_THAT_TELLS_WAITERS 2

static void poll_lock(struct stand *s, struct lf_thread *t)
{
	s->backend->gil->poll(s->lock, t);
}

/* A thread that only polls lets another one in, sooner or later. */
START_TEST(poll_lets_a_waiter_in)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open(&s, gils[_i]);
	lf_stand_acquire(&s, self);
	lf_stand_start(&s, 1, lf_stand_once);
	while (atomic_load(&s.grants) == 0)
		poll_lock(&s, self);
	lf_stand_release(&s, self);
	lf_stand_join(&s, 1);
	lf_stand_close(&s);
}
END_TEST

/* Outside: another thread can have the lock during the whole call. */
START_TEST(release_around_a_call)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open(&s, gils[_i]);
	lf_stand_acquire(&s, self);
	lf_stand_start(&s, 1, lf_stand_once);
	lf_stand_release(&s, self);
	lf_stand_join(&s, 1);
	lf_stand_acquire(&s, self);
	ck_assert_uint_eq(atomic_load(&s.grants), 1);
	lf_stand_release(&s, self);
	lf_stand_close(&s);
}
END_TEST

/* --- gil-ticks ------------------------------------------------------------ */

/* One release in interval + 1 polls, as a ticker that is reset below 0 does.
 * Between two of them nobody gets in. In all three flavours. */
START_TEST(ticks_are_counted)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open_with(&s, &lf_backend_gil_ticks, 1000000);
	lf_stand_set(&s, 1, _i);
	lf_stand_acquire(&s, self);
	poll_lock(&s, self); /* the first tick of all runs out at once */
	lf_stand_start(&s, 1, lf_stand_once);
	for (unsigned i = 0; i < 1000000; i++)
		poll_lock(&s, self);
	ck_assert_uint_eq(atomic_load(&s.grants), 0);
	while (atomic_load(&s.grants) == 0)
		poll_lock(&s, self);
	lf_stand_release(&s, self);
	lf_stand_join(&s, 1);
	lf_stand_close(&s);
}
END_TEST

/* --- gil-interval --------------------------------------------------------- */

/* Polls with a waiter in the queue until the poll gives way or `limit` ns are
 * over. True when somebody else had the lock. */
static bool gives_way(const struct lf_backend *b, int64_t interval_us, int64_t limit_ns)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);
	struct timespec start, now;
	bool gave_way;

	lf_stand_open_with(&s, b, interval_us);
	lf_stand_acquire(&s, self);
	lf_stand_queue(&s, 1);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		poll_lock(&s, self);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (atomic_load(&s.grants) == 0 &&
		 (now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec <
			 limit_ns);
	gave_way = atomic_load(&s.grants) > 0;
	lf_stand_release(&s, self);
	lf_stand_join(&s, 1);
	lf_stand_close(&s);
	return gave_way;
}

/* The time limit is a way out for a broken lock, not a bound. */
START_TEST(interval_asks)
{
	ck_assert(gives_way(&lf_backend_gil_interval, 100, INT64_C(30000000000)));
}
END_TEST

/* 500 intervals without a request: what the fault consists in. */
START_TEST(no_preempt_does_not_ask)
{
	ck_assert(!gives_way(&lf_backend_faulty_gil_no_preempt, 100, 50000000));
}
END_TEST

/* Forced switch: a poll that finds a request returns only after another thread
 * had the lock, and a voluntary release that finds one as well. */
START_TEST(interval_forces_the_switch)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open_with(&s, &interval_copy, 100);
	lf_stand_acquire(&s, self);
	for (unsigned round = 1; round <= 100; round++) {
		lf_stand_queue(&s, 1);
		while (!gil_interval_requested(s.lock))
			sched_yield();
		if (round % 2) {
			poll_lock(&s, self);
		} else {
			lf_stand_release(&s, self);
			lf_stand_acquire(&s, self);
		}
		ck_assert_uint_eq(atomic_load(&s.grants), round);
		ck_assert(!gil_interval_requested(s.lock));
		lf_stand_join(&s, 1);
	}
	lf_stand_release(&s, self);
	lf_stand_close(&s);
}
END_TEST

/* --- Threads that leave --------------------------------------------------- */

static void leave_with_the_lock(struct stand *s, struct lf_thread *t)
{
	lf_stand_acquire(s, t);
	lf_stand_note(s, t);
	while (lf_stand_waiters(s) == 0)
		sched_yield();
	lf_stand_detach(s, t);
	s->worker[t->index].thread.data = NULL; /* as freed: nobody may look */
}

START_TEST(leaving_frees_the_lock)
{
	struct stand s;
	void *data;

	lf_stand_open(&s, gils[_i]);
	data = s.worker[1].thread.data;
	lf_stand_start(&s, 1, leave_with_the_lock);
	while (atomic_load(&s.grants) == 0)
		sched_yield();
	lf_stand_acquire(&s, lf_stand_self(&s));
	lf_stand_note(&s, lf_stand_self(&s));
	lf_stand_release(&s, lf_stand_self(&s));
	lf_stand_join(&s, 1);
	ck_assert_uint_eq(atomic_load(&s.grants), 2);
	/* And it goes on without the one that left. */
	lf_stand_acquire(&s, lf_stand_self(&s));
	lf_stand_queue(&s, 2);
	lf_stand_release(&s, lf_stand_self(&s));
	lf_stand_join(&s, 2);
	ck_assert_uint_eq(s.order[2], 2);
	lf_stand_close(&s);
	free(data);
}
END_TEST

static void leave_when_asked(struct stand *s, struct lf_thread *t)
{
	lf_stand_acquire(s, t);
	lf_stand_note(s, t);
	while (!gil_interval_requested(s->lock))
		sched_yield();
	lf_stand_detach(s, t);
}

/* Asked to let go, a thread leaves for good: it waits for no switch, and the one
 * that had asked is not asked in turn by what it left behind. */
START_TEST(leaving_takes_the_request_along)
{
	struct stand s;
	struct gil_interval *g;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open_with(&s, &interval_copy, 100);
	g = s.lock;
	lf_stand_start(&s, 1, leave_when_asked);
	while (atomic_load(&s.grants) == 0)
		sched_yield();
	lf_stand_acquire(&s, self);
	lf_stand_join(&s, 1);
	ck_assert(!gil_interval_requested(g));
	ck_assert_ptr_eq(g->last_holder, self);
	ck_assert_uint_eq(g->switches, 2);
	lf_stand_release(&s, self);
	ck_assert(!g->locked);
	lf_stand_close(&s);
}
END_TEST

/* Nobody is asked by a waiter whose time was not over, or that saw a switch. */
START_TEST(interval_asks_only_after_a_whole_interval)
{
	struct stand s;
	struct gil_interval *g;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open_with(&s, &interval_copy, 1000000);
	g = s.lock;
	lf_stand_acquire(&s, self);
	lf_stand_queue(&s, 1);
	for (unsigned i = 0; i < 1000; i++) {
		pthread_mutex_lock(&g->mutex);
		pthread_cond_signal(&g->cond); /* as a release that was barged */
		pthread_mutex_unlock(&g->mutex);
		poll_lock(&s, self);
	}
	ck_assert(!gil_interval_requested(g));
	ck_assert_uint_eq(atomic_load(&s.grants), 0);
	lf_stand_release(&s, self);
	lf_stand_join(&s, 1);
	lf_stand_close(&s);
}
END_TEST

/* --- gil-bfs -------------------------------------------------------------- */

static void pass_time(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

/* Virtual time passes while somebody holds the lock. */
static void bfs_hold(struct stand *s, struct lf_thread *t)
{
	lf_stand_acquire(s, t);
	pass_time();
	lf_stand_release(s, t);
}

#define BFS_LONG_SLICE_US 1000000 /* none is used up, however slow the machine */

static void bfs_open(struct stand *s, int64_t slice_us, int64_t factor_milli)
{
	lf_stand_open_with(s, &lf_backend_gil_bfs, slice_us);
	lf_stand_set(s, 1, factor_milli);
}

/*
 * Thread 2 gets its deadline first and goes off, as for I/O. Time passes; then
 * thread 1, which computes, queues, and thread 2 behind it.
 */
static void bfs_io_behind_cpu(struct stand *s)
{
	struct lf_thread *self = lf_stand_self(s);

	lf_stand_start(s, 2, lf_stand_once);
	lf_stand_join(s, 2);
	bfs_hold(s, self);
	lf_stand_acquire(s, self);
	lf_stand_queue(s, 1);
	lf_stand_queue(s, 2);
	pass_time();
	lf_stand_release(s, self);
	lf_stand_join(s, 1);
	lf_stand_join(s, 2);
	lf_stand_close(s);
	ck_assert_uint_eq(s->order[0], 2);
}

START_TEST(bfs_serves_the_earliest_deadline)
{
	struct stand s;

	bfs_open(&s, BFS_LONG_SLICE_US, 8000);
	bfs_io_behind_cpu(&s);
	ck_assert_uint_eq(s.order[1], 2);
	ck_assert_uint_eq(s.order[2], 1);
}
END_TEST

/* Deadlines of 10 us have all passed: order of arrival. */
START_TEST(bfs_serves_expired_ones_in_order)
{
	struct stand s;

	bfs_open(&s, 10000, 1);
	bfs_io_behind_cpu(&s);
	ck_assert_uint_eq(s.order[1], 1);
	ck_assert_uint_eq(s.order[2], 2);
}
END_TEST

/* A waiter back from I/O asks at once: the next poll gives way to it, and the
 * forced hand-over lets the poll return only after it had the lock. */
START_TEST(bfs_preempts_for_io)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	bfs_open(&s, BFS_LONG_SLICE_US, 8000);
	lf_stand_start(&s, 2, lf_stand_once);
	lf_stand_join(&s, 2);
	bfs_hold(&s, &s.worker[3].thread);
	lf_stand_acquire(&s, self);
	lf_stand_queue(&s, 2);
	poll_lock(&s, self);
	ck_assert_uint_eq(atomic_load(&s.grants), 2);
	lf_stand_release(&s, self);
	lf_stand_join(&s, 2);
	lf_stand_close(&s);
}
END_TEST

/* A waiter that computes asks as well, but a poll gives way to it only when the
 * holder's slice is used up. */
START_TEST(bfs_keeps_its_slice)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	bfs_open(&s, BFS_LONG_SLICE_US, 8000);
	bfs_hold(&s, self);
	lf_stand_acquire(&s, self);
	lf_stand_queue(&s, 1);
	poll_lock(&s, self);
	ck_assert_uint_eq(atomic_load(&s.grants), 0);
	while (atomic_load(&s.grants) == 0)
		poll_lock(&s, self);
	lf_stand_release(&s, self);
	lf_stand_join(&s, 1);
	lf_stand_close(&s);
}
END_TEST

Suite *lf_test_gils(void)
{
	Suite *suite = suite_create("gils");
	TCase *every = tcase_create("all"), *one = tcase_create("rules");

	tcase_add_loop_test(every, poll_lets_a_waiter_in, 0, GILS);
	tcase_add_loop_test(every, release_around_a_call, 0, GILS);
	tcase_add_loop_test(one, ticks_are_counted, 0, 3);
	tcase_add_test(one, interval_asks);
	tcase_add_test(one, interval_asks_only_after_a_whole_interval);
	tcase_add_test(one, no_preempt_does_not_ask);
	tcase_add_test(one, interval_forces_the_switch);
	tcase_add_loop_test(one, leaving_frees_the_lock, FIRST_THAT_TELLS_WAITERS, GILS);
	tcase_add_test(one, leaving_takes_the_request_along);
	tcase_add_test(one, bfs_serves_the_earliest_deadline);
	tcase_add_test(one, bfs_serves_expired_ones_in_order);
	tcase_add_test(one, bfs_preempts_for_io);
	tcase_add_test(one, bfs_keeps_its_slice);
	suite_add_tcase(suite, every);
	suite_add_tcase(suite, one);
	return suite;
}
