/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The built-in backends: what all of them have in common, and what their
 * claims and faults rest on. The fairness of the locks is not judged here, but
 * by the scenarios.
 */
#include "core/registry.h"
#include "fixtures/backends.h"
#include "fixtures/fixtures.h"
#include "judge/judge.h"
#include "suites/unit/stand.h"
#include "suites/unit/suites.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define X(id) extern const struct lf_backend lf_backend_##id;
LF_FIXTURE_MAP(X)
#undef X

static const struct lf_backend *const all[] = {
#define X(id) &lf_backend_##id,
	LF_FIXTURE_MAP(X)
#undef X
};

#define ALL ((int)(sizeof(all) / sizeof(all[0])))

/* The list has the mutexes first, then the GILs, then what is no lock, and the faulty
 * ones of all kinds last. */
static int mutexes(void)
{
	int n = 0;

	while (all[n]->kind == LF_MUTEX)
		n++;
	return n;
}

static int good_locks(void)
{
	int n = mutexes();

	while (all[n]->kind == LF_GIL && !all[n]->caught_by)
		n++;
	return n;
}

static int good_ones(void)
{
	int n = 0;

	while (!all[n]->caught_by)
		n++;
	return n;
}

static bool is_lock(const struct lf_backend *b)
{
	return b->kind == LF_MUTEX || b->kind == LF_GIL;
}

/* --- The list ------------------------------------------------------------- */

START_TEST(register_adds_all_once)
{
	struct lf_error error = { "" };
	const struct lf_entry *entry;
	size_t before, n;

	lf_registry(&before);
	ck_assert_msg(lf_fixtures_register(&error) == 0, "%s", error.text);
	entry = lf_registry(&n);
	ck_assert_uint_eq(n, before + ALL);
	for (size_t i = 0; i < ALL; i++) {
		ck_assert_ptr_eq(entry[before + i].backend, all[i]);
		ck_assert_ptr_null(entry[before + i].plugin);
		ck_assert_ptr_eq(lf_registry_find(all[i]->name)->backend, all[i]);
	}
	ck_assert_int_eq(lf_fixtures_register(NULL), 0);
	lf_registry(&n);
	ck_assert_uint_eq(n, before + ALL);
}
END_TEST

/* "SCENARIO:METRIC", both from their lists. */
static bool names_an_assertion(const char *text)
{
	char scenario[64];
	const char *metric = strchr(text, ':');

	snprintf(scenario, sizeof scenario, "%.*s", (int)strcspn(text, "/:"), text);
	return metric && lf_scenario_find(scenario) && lf_metric_find(metric + 1) >= 0;
}

START_TEST(descriptor)
{
	const struct lf_backend *b = all[_i];
	bool faulty = strncmp(b->name, "faulty/", 7) == 0;
	struct lf_error error = { "" };

	ck_assert_msg(lf_backend_check(b, &error) == 0, "%s", error.text);
	ck_assert_ptr_nonnull(b->source);
	ck_assert_int_eq(faulty, b->caught_by != NULL);
	ck_assert_int_eq(faulty, _i >= good_ones());
	if (faulty)
		ck_assert_msg(names_an_assertion(b->caught_by), "%s", b->caught_by);
	for (int i = 0; i < _i; i++)
		ck_assert_str_ne(all[i]->name, b->name);
}
END_TEST

/* What the descriptor says is what it claims under the default parameters. */
START_TEST(claim_of_defaults)
{
	const struct lf_backend *b = all[_i];
	struct lf_claim c = b->claim;
	int64_t param[LF_MAX_PARAMS] = { 0 };

	for (int i = 0; b->params && b->params[i].name; i++)
		param[i] = b->params[i].value;
	if (!b->refine_claim)
		return;
	b->refine_claim(param, &c);
	ck_assert_uint_eq(c.set, b->claim.set);
	ck_assert_uint_eq(c.overtakes, b->claim.overtakes);
	ck_assert_uint_eq(c.handoff_ns, b->claim.handoff_ns);
	ck_assert_uint_eq(c.quantum_ns, b->claim.quantum_ns);
	ck_assert_uint_eq(c.io_threads, b->claim.io_threads);
	param[0]++;
	b->refine_claim(param, &c);
	ck_assert(c.overtakes != b->claim.overtakes || c.quantum_ns != b->claim.quantum_ns);
}
END_TEST

/* --- All backends --------------------------------------------------------- */

START_TEST(init_starts_afresh)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	if (!is_lock(all[_i]))
		return;
	lf_stand_open(&s, all[_i]);
	for (int round = 0; round < 3; round++) {
		lf_stand_acquire(&s, self);
		ck_assert_int_le(lf_stand_waiters(&s), 0);
		lf_stand_release(&s, self);
		lf_stand_renew(&s);
	}
	lf_stand_close(&s);
}
END_TEST

/* Also takes the lock by all the ways there are. */
static void count_up(struct stand *s, struct lf_thread *t)
{
	const struct lf_backend *b = s->backend;

	for (unsigned i = 0; i < 2000; i++) {
		bool held = false;

		if (b->kind == LF_MUTEX && b->mutex->try_acquire && i % 4 == 1)
			held = b->mutex->try_acquire(s->lock, t);
		if (b->kind == LF_MUTEX && b->mutex->timed_acquire && i % 4 == 2)
			held = b->mutex->timed_acquire(s->lock, t, 100000) == 0;
		if (!held)
			lf_stand_acquire(s, t);
		s->counter++;
		if (b->kind == LF_GIL && i % 4 == 3) {
			b->gil->poll(s->lock, t);
			s->counter++;
		} else if (i % 16 == 0) {
			sched_yield();
		}
		lf_stand_release(s, t);
	}
}

START_TEST(excludes)
{
	struct stand s;
	unsigned long expected = 4 * 2000;

	if (all[_i]->kind == LF_GIL)
		expected += 4 * 500;
	lf_stand_open(&s, all[_i]);
	for (unsigned i = 1; i < STAND_THREADS; i++)
		lf_stand_start(&s, i, count_up);
	for (unsigned i = 1; i < STAND_THREADS; i++)
		lf_stand_join(&s, i);
	ck_assert_uint_eq(s.counter, expected);
	lf_stand_close(&s);
}
END_TEST

/* --- try_acquire and timed_acquire ---------------------------------------- */

/* Leaves in `counter` what the ops said while the test held the lock. */
static void try_in_vain(struct stand *s, struct lf_thread *t)
{
	const struct lf_mutex_ops *m = s->backend->mutex;

	s->counter = 0;
	if (m->try_acquire && m->try_acquire(s->lock, t))
		s->counter |= 1;
	if (m->timed_acquire && m->timed_acquire(s->lock, t, 1000000) != -ETIMEDOUT)
		s->counter |= 2;
}

START_TEST(try_and_timed)
{
	const struct lf_mutex_ops *m = all[_i]->mutex;
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open(&s, all[_i]);
	lf_stand_acquire(&s, self);
	lf_stand_start(&s, 1, try_in_vain);
	lf_stand_join(&s, 1);
	ck_assert_uint_eq(s.counter, 0);
	ck_assert_int_le(lf_stand_waiters(&s), 0);
	lf_stand_release(&s, self);
	if (m->try_acquire) {
		ck_assert(m->try_acquire(s.lock, self));
		lf_stand_release(&s, self);
	}
	if (m->timed_acquire) {
		ck_assert_int_eq(m->timed_acquire(s.lock, self, 0), 0);
		lf_stand_release(&s, self);
	}
	lf_stand_close(&s);
}
END_TEST

/* --- Queues --------------------------------------------------------------- */

/* Queues workers 1, 2, 3 in this order, lets them go and keeps their order. */
static void serve_three(struct stand *s)
{
	struct lf_thread *self = lf_stand_self(s);

	lf_stand_acquire(s, self);
	ck_assert_int_eq(lf_stand_waiters(s), 0);
	for (unsigned i = 1; i <= 3; i++) {
		lf_stand_queue(s, i);
		ck_assert_int_eq(lf_stand_waiters(s), (int)i);
	}
	lf_stand_release(s, self);
	for (unsigned i = 1; i <= 3; i++)
		lf_stand_join(s, i);
	ck_assert_uint_eq(atomic_load(&s->grants), 3);
	lf_stand_acquire(s, self);
	ck_assert_int_eq(lf_stand_waiters(s), 0);
	lf_stand_release(s, self);
}

static void check_order(const struct stand *s, const unsigned expected[3])
{
	for (unsigned i = 0; i < 3; i++)
		ck_assert_msg(s->order[i] == expected[i],
			      "%s: grant %u went to thread %u and not to %u",
			      s->backend->name, i, s->order[i], expected[i]);
}

/* Which backends count their waiters: the confirmation of queueing rests on it. */
static const struct {
	const struct lf_backend *backend;
	unsigned order[3]; /* 0: any */
} counting[] = {
	{ &lf_backend_ticket, { 1, 2, 3 } },
	{ &lf_backend_mcs, { 1, 2, 3 } },
	{ &lf_backend_handoff, { 1, 2, 3 } },
	{ &lf_backend_gil_interval, { 0 } },
	{ &lf_backend_gil_bfs, { 1, 2, 3 } }, /* no deadline has passed: equal ones */
	{ &lf_backend_faulty_burner, { 1, 2, 3 } },
	{ &lf_backend_faulty_no_handoff, { 1, 2, 3 } },
	{ &lf_backend_faulty_lifo, { 3, 2, 1 } },
	{ &lf_backend_faulty_starver, { 2, 3, 1 } },
	{ &lf_backend_faulty_gil_no_preempt, { 0 } },
};

START_TEST(waiters_and_their_order)
{
	struct stand s;

	lf_stand_open(&s, counting[_i].backend);
	serve_three(&s);
	if (counting[_i].order[0])
		check_order(&s, counting[_i].order);
	lf_stand_close(&s);
}
END_TEST

/* --- handoff -------------------------------------------------------------- */

/* Grants to the test between worker 1's queueing and its grant, while the test
 * does nothing but release and take again. Gives up at `limit`. */
static unsigned overtakes(const struct lf_backend *b, int64_t patience, unsigned limit)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);
	unsigned n = 0;

	lf_stand_open_with(&s, b, patience);
	lf_stand_acquire(&s, self);
	lf_stand_queue(&s, 1);
	while (n < limit) {
		lf_stand_release(&s, self);
		lf_stand_acquire(&s, self);
		if (atomic_load(&s.grants) > 0)
			break;
		n++;
	}
	lf_stand_release(&s, self);
	lf_stand_join(&s, 1);
	lf_stand_close(&s);
	return n;
}

START_TEST(handoff_keeps_its_bound)
{
	for (int64_t patience = 0; patience <= 4; patience++)
		for (int round = 0; round < 10; round++)
			ck_assert_uint_le(overtakes(&lf_backend_handoff, patience, 1000),
					  (unsigned)patience);
}
END_TEST

/* The same loop sees the fault, so the test above can tell. That one thread
 * wins the race after every single release of a thousand rounds does not occur. */
START_TEST(no_handoff_breaks_its_bound)
{
	unsigned most = 0;

	for (int round = 0; round < 1000 && most <= 4; round++) {
		unsigned n = overtakes(&lf_backend_faulty_no_handoff, 4, 5);

		most = n > most ? n : most;
	}
	ck_assert_uint_gt(most, 4);
}
END_TEST

/* A releaser that finds the head's turn come makes it the owner on the spot:
 * nobody can take the lock even before the head runs. */
START_TEST(handoff_hands_over_at_once)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open_with(&s, &lf_backend_handoff, 0);
	for (unsigned round = 1; round <= 200; round++) {
		lf_stand_acquire(&s, self);
		lf_stand_queue(&s, 1);
		lf_stand_release(&s, self);
		/* Free only after the worker had it. */
		while (!s.backend->mutex->try_acquire(s.lock, self))
			sched_yield();
		ck_assert_uint_eq(atomic_load(&s.grants), round);
		lf_stand_release(&s, self);
		lf_stand_join(&s, 1);
	}
	lf_stand_close(&s);
}
END_TEST

static void ask_for_20_ms(struct stand *s, struct lf_thread *t)
{
	if (s->backend->mutex->timed_acquire(s->lock, t, 20000000) != 0)
		return;
	lf_stand_note(s, t);
	lf_stand_release(s, t);
}

/* A waiter whose time runs out finds the lock free, as the head stands back; but
 * it is not the head, and may have the lock after it only. */
START_TEST(handoff_serves_only_the_head)
{
	struct stand s;
	struct lf_thread *self = lf_stand_self(&s);

	lf_stand_open_with(&s, &lf_backend_handoff, 1000);
	lf_stand_set(&s, 1, 200000);
	lf_stand_acquire(&s, self);
	lf_stand_queue(&s, 1);
	lf_stand_start(&s, 2, ask_for_20_ms);
	while (lf_stand_waiters(&s) != 2 && atomic_load(&s.done) == 0)
		sched_yield();
	lf_stand_release(&s, self);
	lf_stand_join(&s, 1);
	lf_stand_join(&s, 2);
	ck_assert_uint_eq(s.order[0], 1);
	lf_stand_acquire(&s, self);
	ck_assert_int_eq(lf_stand_waiters(&s), 0);
	lf_stand_release(&s, self);
	lf_stand_close(&s);
}
END_TEST

/* --- no_exclusion --------------------------------------------------------- */

START_TEST(no_exclusion_lets_two_in)
{
	struct stand s;

	lf_stand_open(&s, &lf_backend_faulty_no_exclusion);
	lf_stand_acquire(&s, &s.worker[0].thread);
	lf_stand_acquire(&s, &s.worker[1].thread);
	lf_stand_release(&s, &s.worker[1].thread);
	lf_stand_release(&s, &s.worker[0].thread);
	lf_stand_close(&s);
}
END_TEST

Suite *lf_test_fixtures(void)
{
	Suite *suite = suite_create("fixtures");
	TCase *list = tcase_create("list"), *every = tcase_create("all");
	TCase *queue = tcase_create("queues"), *handoff = tcase_create("handoff");

	tcase_add_test(list, register_adds_all_once);
	tcase_add_loop_test(list, descriptor, 0, ALL);
	tcase_add_loop_test(list, claim_of_defaults, 0, ALL);
	tcase_add_loop_test(every, init_starts_afresh, 0, ALL);
	tcase_add_loop_test(every, excludes, 0, good_locks());
	tcase_add_loop_test(every, try_and_timed, 0, mutexes());
	tcase_add_test(every, no_exclusion_lets_two_in);
	tcase_add_loop_test(queue, waiters_and_their_order, 0,
			    (int)(sizeof(counting) / sizeof(counting[0])));
	tcase_add_test(handoff, handoff_keeps_its_bound);
	tcase_add_test(handoff, no_handoff_breaks_its_bound);
	tcase_add_test(handoff, handoff_hands_over_at_once);
	tcase_add_test(handoff, handoff_serves_only_the_head);
	suite_add_tcase(suite, list);
	suite_add_tcase(suite, every);
	suite_add_tcase(suite, queue);
	suite_add_tcase(suite, handoff);
	return suite;
}
