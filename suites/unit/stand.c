/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/unit/stand.h"

#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64

/* Zeroed, or filled with anything but zeroes. */
static void *stand_memory(size_t size, int fill)
{
	size_t rounded = (size + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
	void *memory = aligned_alloc(CACHE_LINE, rounded);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, fill, rounded);
}

static void stand_attach(struct stand *s)
{
	for (unsigned i = 0; i < STAND_THREADS; i++) {
		struct stand_worker *w = &s->worker[i];

		w->stand = s;
		w->thread.index = i;
		w->thread.data = stand_memory(s->backend->thread_size, 0);
		if (s->backend->kind == LF_GIL && s->backend->gil->attach)
			s->backend->gil->attach(s->lock, &w->thread);
	}
}

static void stand_prepare(struct stand *s, const struct lf_backend *b)
{
	memset(s, 0, sizeof(*s));
	s->backend = b;
	for (unsigned i = 0; b->params && b->params[i].name; i++)
		s->param[i] = b->params[i].value;
	s->lock = stand_memory(b->lock_size, 0xa5);
}

void lf_stand_open(struct stand *s, const struct lf_backend *b)
{
	stand_prepare(s, b);
	ck_assert_int_eq(lf_stand_init(s), 0);
	stand_attach(s);
}

void lf_stand_open_with(struct stand *s, const struct lf_backend *b, int64_t param)
{
	stand_prepare(s, b);
	s->param[0] = param;
	ck_assert_int_eq(lf_stand_init(s), 0);
	stand_attach(s);
}

void lf_stand_set(struct stand *s, unsigned i, int64_t value)
{
	s->param[i] = value;
	lf_stand_destroy(s);
	ck_assert_int_eq(lf_stand_init(s), 0);
}

/* Nobody may be attached to a lock that is destroyed. */
static void stand_detach(struct stand *s)
{
	for (unsigned i = 0; i < STAND_THREADS; i++) {
		lf_stand_detach(s, &s->worker[i].thread);
		free(s->worker[i].thread.data);
	}
}

void lf_stand_renew(struct stand *s)
{
	stand_detach(s);
	lf_stand_destroy(s);
	memset(s->lock, 0x5a, s->backend->lock_size);
	ck_assert_int_eq(lf_stand_init(s), 0);
	stand_attach(s);
}

void lf_stand_close(struct stand *s)
{
	stand_detach(s);
	lf_stand_destroy(s);
	free(s->lock);
}

int lf_stand_init(struct stand *s)
{
	return s->backend->kind == LF_GIL ? s->backend->gil->init(s->lock, s->param)
					  : s->backend->mutex->init(s->lock, s->param);
}

void lf_stand_destroy(struct stand *s)
{
	void (*destroy)(void *) = s->backend->kind == LF_GIL ? s->backend->gil->destroy
							     : s->backend->mutex->destroy;

	if (destroy)
		destroy(s->lock);
}

void lf_stand_acquire(struct stand *s, struct lf_thread *t)
{
	if (s->backend->kind == LF_GIL)
		s->backend->gil->acquire(s->lock, t);
	else
		s->backend->mutex->acquire(s->lock, t);
}

void lf_stand_release(struct stand *s, struct lf_thread *t)
{
	if (s->backend->kind == LF_GIL)
		s->backend->gil->release(s->lock, t);
	else
		s->backend->mutex->release(s->lock, t);
}

int lf_stand_waiters(struct stand *s)
{
	unsigned (*waiters)(void *) = s->backend->kind == LF_GIL
					      ? s->backend->gil->waiters
					      : s->backend->mutex->waiters;

	return waiters ? (int)waiters(s->lock) : -1;
}

void lf_stand_detach(struct stand *s, struct lf_thread *t)
{
	if (s->backend->kind == LF_GIL && s->backend->gil->detach && t->data)
		s->backend->gil->detach(s->lock, t);
}

struct lf_thread *lf_stand_self(struct stand *s)
{
	return &s->worker[0].thread;
}

void lf_stand_note(struct stand *s, const struct lf_thread *t)
{
	unsigned at = atomic_load(&s->grants);

	if (at < sizeof(s->order) / sizeof(s->order[0]))
		s->order[at] = t->index;
	atomic_store(&s->grants, at + 1);
}

static void *stand_main(void *arg)
{
	struct stand_worker *w = arg;

	w->run(w->stand, &w->thread);
	atomic_fetch_add(&w->stand->done, 1);
	return NULL;
}

void lf_stand_start(struct stand *s, unsigned index,
		    void (*run)(struct stand *s, struct lf_thread *t))
{
	struct stand_worker *w = &s->worker[index];

	w->run = run;
	ck_assert_int_eq(pthread_create(&w->id, NULL, stand_main, w), 0);
}

void lf_stand_join(struct stand *s, unsigned index)
{
	ck_assert_int_eq(pthread_join(s->worker[index].id, NULL), 0);
}

void lf_stand_once(struct stand *s, struct lf_thread *t)
{
	lf_stand_acquire(s, t);
	lf_stand_note(s, t);
	lf_stand_release(s, t);
}

void lf_stand_queue(struct stand *s, unsigned index)
{
	int queued = lf_stand_waiters(s) + 1;

	lf_stand_start(s, index, lf_stand_once);
	while (lf_stand_waiters(s) != queued)
		sched_yield();
}
