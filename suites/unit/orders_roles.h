/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plays of orders.h; ORDERS is the name of their table. */
#include "suites/unit/orders.h"

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { A, B, C };

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static sem_t sem;
static pthread_rwlock_t rwlock;

/* --- mutexes: a lets go and takes it again while b sleeps on it ----------------------- */

static void init_mutex(int type, int protocol)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutex_init(&mutex, &attr);
	pthread_mutexattr_destroy(&attr);
}

static void init_normal(void)
{
	init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
}

static void init_adaptive(void)
{
	init_mutex(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE);
}

static void init_inheriting(void)
{
	init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
}

static void relock(struct lf_thread *t)
{
	lf_order_here(t);
	pthread_mutex_lock(&mutex);
	lf_order_note('a');
	lf_advance(t);
	lf_order_settle(t, B);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&mutex);
	lf_order_note('a');
	pthread_mutex_unlock(&mutex);
}

static void lock_once(struct lf_thread *t)
{
	lf_order_here(t);
	lf_await(t, 1);
	pthread_mutex_lock(&mutex);
	lf_order_note('b');
	pthread_mutex_unlock(&mutex);
}

/* --- condition variables: b waits, then c; a signals once, then wakes all ------------- */

static void init_cond(void)
{
	pthread_mutex_init(&mutex, NULL);
	pthread_cond_init(&cond, NULL);
}

static void signal_then_broadcast(struct lf_thread *t)
{
	lf_order_here(t);
	lf_await(t, 2);
	lf_order_settle(t, B);
	lf_order_settle(t, C);
	pthread_cond_signal(&cond);
	lf_order_settle(t, B);
	pthread_mutex_lock(&mutex);
	lf_order_note('a');
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
}

static void wait_as(struct lf_thread *t, char who)
{
	pthread_mutex_lock(&mutex);
	lf_advance(t);
	pthread_cond_wait(&cond, &mutex);
	lf_order_note(who);
	pthread_mutex_unlock(&mutex);
}

static void wait_first(struct lf_thread *t)
{
	lf_order_here(t);
	wait_as(t, 'b');
}

static void wait_second(struct lf_thread *t)
{
	lf_order_here(t);
	lf_await(t, 1);
	lf_order_settle(t, B);
	wait_as(t, 'c');
}

/* --- semaphores: a posts for b, who sleeps, and takes it back ------------------------------ */

static void init_sem(void)
{
	sem_init(&sem, 0, 0);
}

static void post_and_take_back(struct lf_thread *t)
{
	lf_order_here(t);
	lf_await(t, 1);
	lf_order_settle(t, B);
	sem_post(&sem);
	sem_wait(&sem);
	lf_order_note('a');
	sem_post(&sem);
}

static void take_and_post(struct lf_thread *t)
{
	lf_order_here(t);
	lf_advance(t);
	sem_wait(&sem);
	lf_order_note('b');
	sem_post(&sem);
}

/* --- reader-writer locks: a reads, b wants to write, c wants to read ----------------------- */

static void init_rwlock(int kind)
{
	pthread_rwlockattr_t attr;
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, kind);
	pthread_rwlock_init(&rwlock, &attr);
	pthread_rwlockattr_destroy(&attr);
}

static void init_for_readers(void)
{
	init_rwlock(PTHREAD_RWLOCK_PREFER_READER_NP);
}

static void init_for_writers(void)
{
	init_rwlock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
}

static void read_first(struct lf_thread *t)
{
	lf_order_here(t);
	pthread_rwlock_rdlock(&rwlock);
	lf_order_note('a');
	lf_advance(t);
	lf_await(t, 3);
	lf_order_settle(t, C);
	lf_order_note('.');
	pthread_rwlock_unlock(&rwlock);
}

static void write_second(struct lf_thread *t)
{
	lf_order_here(t);
	lf_await(t, 1);
	lf_advance(t);
	pthread_rwlock_wrlock(&rwlock);
	lf_order_note('b');
	pthread_rwlock_unlock(&rwlock);
}

static void read_third(struct lf_thread *t)
{
	lf_order_here(t);
	lf_await(t, 2);
	lf_order_settle(t, B);
	lf_advance(t);
	pthread_rwlock_rdlock(&rwlock);
	lf_order_note('c');
	pthread_rwlock_unlock(&rwlock);
}

const struct lf_order_play ORDERS[] = {
	{ "a normal mutex", init_normal, { relock, lock_once }, "aab", false },
	{ "an adaptive mutex", init_adaptive, { relock, lock_once }, "aab", false },
	{ "priority inheritance", init_inheriting, { relock, lock_once }, "aba", true },
	{ "a condition variable", init_cond,
	  { signal_then_broadcast, wait_first, wait_second }, "bac", true },
	{ "a semaphore", init_sem, { post_and_take_back, take_and_post }, "ab", false },
	{ "readers first", init_for_readers, { read_first, write_second, read_third },
	  "ac.b", true },
	{ "writers first", init_for_writers, { read_first, write_second, read_third },
	  "a.bc", true },
	{ .name = NULL },
};
