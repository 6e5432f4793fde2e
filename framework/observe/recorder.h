/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The recorder: what happens at each request, grant and release of the lock
 * under test. It runs inside the lock's critical section, so its own cost is
 * part of every measurement; bench/observe_cost.c holds it to 5 ns a pair.
 *
 * Overtakes are counted against confirmed waiters only. Confirming a waiter
 * starts a new epoch; a request carries the epoch in which it was made; a grant
 * to a request of a later epoch than a waiter's confirmation overtakes it.
 *
 * The fields that only the lock's holder writes are relaxed atomics and not
 * plain, because the lock under test may fail to exclude.
 */
#ifndef LF_OBSERVE_RECORDER_H
#define LF_OBSERVE_RECORDER_H

#include <lockfair/observation.h>

#define LF_NOBODY UINT8_MAX

/* Beside LF_CLOCK_*: the engine has a clock that costs nothing to read. */
#define LF_CLOCK_STAMP 0x100u

/* The parts of a backend's ops that every run calls, whatever its kind. */
struct lf_ops {
	void (*acquire)(void *lock, struct lf_thread *t);
	void (*release)(void *lock, struct lf_thread *t);
	void (*outside)(void *lock, struct lf_thread *t, void (*fn)(void *), void *arg);
	void (*poll)(void *lock, struct lf_thread *t);
	void (*attach)(void *lock, struct lf_thread *t);
	void (*detach)(void *lock, struct lf_thread *t);
	unsigned (*waiters)(void *lock);
	const struct lf_channel_ops *channel; /* then nothing of the above */
};

/* Shared by the threads of a run. */
struct lf_recorder {
	_Alignas(64) _Atomic uint64_t epoch;    /* confirmations so far */
	_Atomic unsigned confirmed;             /* waiters confirmed now */
	/* Written by the holder. */
	_Alignas(64) _Atomic uint8_t owner;     /* LF_NOBODY when free */
	_Atomic uint8_t last;                   /* who was granted last */
	_Atomic uint32_t run_length;            /* grants in a row to `last` */
	_Atomic uint64_t torn[2];               /* always equal, if exclusion holds */
};

/* One thread's part. Written by the thread; read by whoever confirms. */
struct lf_recording {
	struct lf_observation *o;
	struct lf_thread_observation *mine;
	struct lf_recorder *shared;
	unsigned clocks;               /* LF_CLOCK_*, LF_CLOCK_STAMP */
	_Atomic bool inside;           /* in acquire */
	uint64_t arrival_epoch;
	_Atomic uint64_t confirm_epoch; /* 0: not confirmed */
	_Atomic uint64_t overtakes;     /* since confirmed */
	_Atomic uint64_t overtakes_row; /* … in a row by one thread */
	_Atomic uint8_t overtaker;
	uint64_t request_ns, grant_ns, request_cpu_ns, request_delay_ns;
	uint64_t asked_ns;              /* for the timeline */
	uint64_t grant_seq;            /* length of the log at my last grant */
	uint64_t polls;                /* begun: a holder that goes on */
};

struct lf_actor;

void lf_record_request(struct lf_actor *a);
void lf_record_grant(struct lf_actor *a);
void lf_record_release(struct lf_actor *a);
/* Around a poll, which may have let others in: then a release and a grant. */
void lf_record_poll_begin(struct lf_actor *a);
void lf_record_poll_end(struct lf_actor *a);
/* Called by the holder: `waiter` is now known to be queued. Idempotent. */
void lf_record_confirm(struct lf_actor *waiter, enum lf_confirm how);
void lf_record_step(struct lf_actor *a);
/* Around the wait for a token, which counts as a request and its arrival as a
 * grant. At the end of the run who is inside waits for a token that was lost. */
void lf_record_wait_begin(struct lf_actor *a);
void lf_record_wait_end(struct lf_actor *a, bool arrived);

#endif
