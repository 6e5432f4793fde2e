/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stand to try one backend on: a lock, up to STAND_THREADS threads that ask
 * for it, and the order in which they got it. Thread 0 is the test itself.
 * Checks are made by the test, never in a worker.
 */
#ifndef LF_UNIT_STAND_H
#define LF_UNIT_STAND_H

#include <lockfair/backend.h>

#include <pthread.h>
#include <stdatomic.h>

#define STAND_THREADS 5

struct stand;

struct stand_worker {
	struct lf_thread thread; /* first: a worker is found by its thread */
	struct stand *stand;
	void (*run)(struct stand *s, struct lf_thread *t);
	pthread_t id;
};

struct stand {
	const struct lf_backend *backend;
	int64_t param[LF_MAX_PARAMS];
	void *lock;
	struct stand_worker worker[STAND_THREADS];
	unsigned order[64];    /* who got the lock, by lf_stand_note() */
	atomic_uint grants;    /* entries of it */
	unsigned long counter; /* guarded by the lock under test */
	atomic_uint done;      /* workers that left their function */
};

/* Default parameters, garbage where the lock will be; then init and attach all
 * threads. Fails the test when init does. */
void lf_stand_open(struct stand *s, const struct lf_backend *b);
/* The same with the value of the first parameter. */
void lf_stand_open_with(struct stand *s, const struct lf_backend *b, int64_t param);
/* Starts the lock afresh with another value of parameter i. Nobody uses it. */
void lf_stand_set(struct stand *s, unsigned i, int64_t value);
/* Detaches all threads, destroys the lock and frees it. */
void lf_stand_close(struct stand *s);

/* Destroys the lock, soils its memory, and makes it anew for the same threads. */
void lf_stand_renew(struct stand *s);

/* init and destroy alone, on the memory as it is. */
int lf_stand_init(struct stand *s);
void lf_stand_destroy(struct stand *s);

/* The ops that mutexes and GILs share. lf_stand_waiters() is -1 without the op. */
void lf_stand_acquire(struct stand *s, struct lf_thread *t);
void lf_stand_release(struct stand *s, struct lf_thread *t);
int lf_stand_waiters(struct stand *s);
void lf_stand_detach(struct stand *s, struct lf_thread *t);

/* Thread 0. */
struct lf_thread *lf_stand_self(struct stand *s);

/* Notes that t has the lock now. Called by the holder. */
void lf_stand_note(struct stand *s, const struct lf_thread *t);

void lf_stand_start(struct stand *s, unsigned index,
		    void (*run)(struct stand *s, struct lf_thread *t));
void lf_stand_join(struct stand *s, unsigned index);

/* For workers: acquire, note, release. */
void lf_stand_once(struct stand *s, struct lf_thread *t);

/* Starts worker `index` with lf_stand_once() and returns when it is queued, by
 * the backend's own count. The caller holds the lock. */
void lf_stand_queue(struct stand *s, unsigned index);

#endif
