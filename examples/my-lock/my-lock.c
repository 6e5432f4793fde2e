/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A lock of one's own: waiters queue up, and a release hands the lock to the
 * first of them. The same file is the lock under test in `lockfair run
 * ./my-lock.so` and in my-lock-test.c.
 *
 * Three faults can be built in, to see the assertion that catches each:
 *	-DBREAK_LIFO		new waiters go to the head of the queue
 *	-DBREAK_LOST_WAKEUP	a release forgets to wake its successor
 *	-DBREAK_EXCLUSION	acquire does not wait
 */
#include <lockfair/backend.h>

#include <pthread.h>

#ifdef BREAK_LIFO
#define LIFO true
#else
#define LIFO false
#endif
#ifdef BREAK_LOST_WAKEUP
#define WAKES false
#else
#define WAKES true
#endif
#ifdef BREAK_EXCLUSION
#define EXCLUDES false
#else
#define EXCLUDES true
#endif

/* On the stack of the thread that waits. */
struct waiter {
	pthread_cond_t wake;
	bool granted;
	struct waiter *next;
};

struct my_lock {
	pthread_mutex_t guard; /* of everything below */
	bool taken;
	unsigned queued;
	struct waiter *first, **end;
};

static int my_init(void *lock, const int64_t param[])
{
	struct my_lock *l = lock;

	(void)param;
	l->taken = false;
	l->queued = 0;
	l->first = NULL;
	l->end = &l->first;
	return -pthread_mutex_init(&l->guard, NULL);
}

static void my_destroy(void *lock)
{
	struct my_lock *l = lock;

	pthread_mutex_destroy(&l->guard);
}

static void enqueue(struct my_lock *l, struct waiter *w)
{
	struct waiter **place = LIFO ? &l->first : l->end;

	w->next = *place;
	*place = w;
	if (!w->next)
		l->end = &w->next;
	l->queued++;
}

static struct waiter *dequeue(struct my_lock *l)
{
	struct waiter *w = l->first;

	if (!w)
		return NULL;
	l->first = w->next;
	if (!l->first)
		l->end = &l->first;
	l->queued--;
	return w;
}

static void my_acquire(void *lock, struct lf_thread *t)
{
	struct my_lock *l = lock;
	struct waiter me = { .wake = PTHREAD_COND_INITIALIZER };

	(void)t;
	pthread_mutex_lock(&l->guard);
	if (l->taken && EXCLUDES) {
		enqueue(l, &me);
		while (!me.granted)
			pthread_cond_wait(&me.wake, &l->guard);
	}
	l->taken = true;
	pthread_mutex_unlock(&l->guard);
	pthread_cond_destroy(&me.wake);
}

static void my_release(void *lock, struct lf_thread *t)
{
	struct my_lock *l = lock;
	struct waiter *next;

	(void)t;
	pthread_mutex_lock(&l->guard);
	next = dequeue(l);
	if (next) {
		/* The lock stays taken: nobody can come between. */
		next->granted = true;
		if (WAKES)
			pthread_cond_signal(&next->wake);
	} else {
		l->taken = false;
	}
	pthread_mutex_unlock(&l->guard);
}

/* Optional, and the surest way to tell who is queued. */
static unsigned my_waiters(void *lock)
{
	struct my_lock *l = lock;
	unsigned n;

	pthread_mutex_lock(&l->guard);
	n = l->queued;
	pthread_mutex_unlock(&l->guard);
	return n;
}

static const struct lf_mutex_ops my_ops = {
	.init = my_init,
	.destroy = my_destroy,
	.acquire = my_acquire,
	.release = my_release,
	.waiters = my_waiters,
};

LF_BACKEND(my_lock) = {
	.abi = LF_ABI,
	.name = "my-lock",
	.summary = "a queue with direct hand-off",
	.kind = LF_MUTEX,
	.claim = { .set = LF_CLAIM_FIFO | LF_CLAIM_SLEEPS },
	.engines = LF_ON_ALL,
	.lock_size = sizeof(struct my_lock),
	.mutex = &my_ops,
};
LF_PLUGIN(my_lock);
