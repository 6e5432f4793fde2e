/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Queues of waiting threads, one for each address that somebody waits at, first
 * in, first out, as the kernel keeps them for futexes of threads of equal
 * priority. Few threads wait at a time, so that one list of all of them, in order
 * of arrival, does.
 */
#include "engine/sim/sim.h"

#include <errno.h>

static struct lf_sim_thread *first, *last;

void lf_sim_waits_reset(void)
{
	first = last = NULL;
}

static void append(struct lf_sim_thread *t)
{
	t->wait.next = NULL;
	t->wait.prev = last;
	*(last ? &last->wait.next : &first) = t;
	last = t;
}

void lf_sim_wait_cancel(struct lf_sim_thread *t)
{
	struct lf_sim_wait *w = &t->wait;
	*(w->prev ? &w->prev->wait.next : &first) = w->next;
	*(w->next ? &w->next->wait.prev : &last) = w->prev;
	w->key = NULL;
}

void lf_sim_wait_begin(const void *key, const char *what, uint32_t mask)
{
	struct lf_sim_thread *me = lf_sim.self;
	me->wait = (struct lf_sim_wait){ .key = key, .what = what, .mask = mask };
	append(me);
}

/* Between the two parts somebody may have taken the thread out of the queue
 * already; then there is nothing to sleep for. */
int lf_sim_wait_end(uint64_t deadline_ns)
{
	struct lf_sim_thread *me = lf_sim.self;
	if (!me->wait.key)
		return me->wait.result;
	if (deadline_ns <= lf_sim.now_ns) {
		lf_sim_wait_cancel(me);
		return me->wait.result = ETIMEDOUT;
	}
	return lf_sim_block(deadline_ns);
}

int lf_sim_wait_on(const void *key, const char *what, uint32_t mask, uint64_t deadline_ns)
{
	lf_sim_wait_begin(key, what, mask);
	return lf_sim_wait_end(deadline_ns);
}

static struct lf_sim_thread *find(struct lf_sim_thread *t, const void *key, uint32_t mask)
{
	while (t && (t->wait.key != key || !(t->wait.mask & mask)))
		t = t->wait.next;
	return t;
}

struct lf_sim_thread *lf_sim_wait_first(const void *key)
{
	return find(first, key, UINT32_MAX);
}

/* Takes it out of its queue. Who has queued up but does not sleep yet will not
 * go to sleep. */
static void wake_one(struct lf_sim_thread *t)
{
	lf_sim_wait_cancel(t);
	t->wait.result = 0;
	if (t->state != LF_SIM_WAITING)
		return;
	lf_sim_wake(t);
	if (lf_sim.self)
		lf_sim_advance(lf_sim_jitter(lf_sim.machine.wake_waker_ns));
}

unsigned lf_sim_wake_first(const void *key, unsigned most, uint32_t mask)
{
	struct lf_sim_thread *t;
	unsigned woken = 0;
	for (; woken < most && (t = find(first, key, mask)); woken++)
		wake_one(t);
	return woken;
}

void lf_sim_wake_reached(const void *key, bool (*reached)(const struct lf_sim_thread *))
{
	struct lf_sim_thread *t = first;
	while ((t = find(t, key, UINT32_MAX))) {
		if (!reached(t)) {
			t = t->wait.next;
			continue;
		}
		wake_one(t);
		t = first; /* waking takes time, in which the queue may change */
	}
}

unsigned lf_sim_requeue(const void *from, const void *to, unsigned most)
{
	struct lf_sim_thread *t;
	unsigned moved = 0;
	while (moved < most && (t = find(first, from, UINT32_MAX))) {
		lf_sim_wait_cancel(t);
		t->wait.key = to;
		append(t);
		moved++;
	}
	return moved;
}
