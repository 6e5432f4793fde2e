/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The boundary between scenarios and the engines that run them.
 *
 * An engine creates one actor per thread of the scenario, calls the roles'
 * functions, and ends the run: by stop flag and grace period, never by a join
 * that could hang. What actors do goes through engine/actor.c (lf_lock() and
 * the other functions of scenario.h), which records the observation and asks
 * the engine's world for everything that differs between a kernel and a
 * simulation. An engine knows no assertion and no verdict.
 */
#ifndef LF_ENGINE_ENGINE_H
#define LF_ENGINE_ENGINE_H

#include "core/cell.h"
#include "core/error.h"
#include "observe/recorder.h"

#define LF_CACHE_LINE 64

struct lf_run;

struct lf_actor {
	struct lf_thread thread; /* first: what the backend sees */
	struct lf_run *run;
	const struct lf_world *world;
	struct lf_ops ops;       /* the lock's, resolved once */
	void *lock;
	struct lf_recording rec; /* this thread's part of the recorder */
	const struct lf_role *role;
	unsigned role_index;
	unsigned end;            /* of the channel, where the lock is one */
	uint64_t random;         /* generator state */
	int64_t polls_left;      /* a mutex as a GIL */
	const struct lf_workload *workload; /* what it worked on last; NULL: nothing */
	void *work;              /* its state; see engine/work.c */
	void *engine;            /* the engine's own */
} __attribute__((aligned(LF_CACHE_LINE)));

/* What an engine does for an actor. Every function is called by the actor's
 * own thread; compare scenario.h for the meaning. */
struct lf_world {
	uint64_t (*now_ns)(struct lf_actor *a);
	/* The same at no cost to the run; NULL: there is no such clock here. */
	uint64_t (*stamp_ns)(struct lf_actor *a);
	uint64_t (*cpu_ns)(struct lf_actor *a); /* CPU clock of the thread */
	/* How long the thread was ready to run and had no CPU; NULL: never. */
	uint64_t (*delay_ns)(struct lf_actor *a);
	void (*compute_ns)(struct lf_actor *a, uint64_t ns);
	/* How long work of that length on the reference takes here (see workload.h);
	 * NULL: work is done for real. */
	uint64_t (*work_ns)(struct lf_actor *a, uint64_t reference_ns);
	void (*sleep_ns)(struct lf_actor *a, uint64_t ns);
	void (*advance)(struct lf_actor *a);
	bool (*await)(struct lf_actor *a, uint64_t phase);
	bool (*await_queued)(struct lf_actor *a, unsigned n);
	unsigned (*look_queued)(struct lf_actor *a);
	int (*send)(struct lf_actor *a, unsigned port, const void *data, size_t size);
	int (*receive)(struct lf_actor *a, unsigned port, void *data, size_t size,
		       uint64_t timeout_ns);
	/* Wakes everybody who waits in one of the above; run->stop is set. */
	void (*stop)(struct lf_actor *a);
	/* A descriptor that is readable for the whole run, or never; the engine closes
	 * it. A negative errno. */
	int (*descriptor)(struct lf_actor *a, bool readable);
	/* See lf_place() and lf_schedule(). NULL: one place, one policy. */
	int (*place)(struct lf_actor *a, enum lf_placement placement);
	int (*schedule)(struct lf_actor *a, enum lf_policy policy);
	/* How long the thread may run while others of its kind are ready; 0: nobody
	 * can tell. NULL: the same. */
	uint64_t (*slice_ns)(struct lf_actor *a);
};

/* One execution of a cell. */
struct lf_run {
	const struct lf_cell *cell;
	struct lf_observation *observation; /* zeroed by the caller */
	/* The poller under test, where the backend is one; set by the engine. */
	const struct lf_poller_ops *poller_ops;
	void *poller;
	struct lf_recorder recorder;
	uint64_t seed;
	_Atomic bool stop;
	/* Of the director, see lf_round(). */
	unsigned rounds_limit;
	bool round_open;
	uint64_t overtaken_before;
	/* Called when nothing moves any more, before the run is given up: the
	 * supervisor takes the stacks meanwhile. May be NULL. */
	void (*on_stall)(void *context);
	void *context;
	struct lf_actor actor[LF_MAX_THREADS];
};

/* Which of an engine's variants a run is: on `sim` one model and one seed. */
struct lf_variant {
	char machine[32];
	unsigned version; /* of the machine model */
	uint64_t seed;
	uint64_t trace_hash; /* set by execute; 0 on `threads` */
};

struct lf_engine {
	const char *name;
	enum lf_engine_set bit;
	/* Why this cell cannot run here (a sentence), or NULL when it can. */
	const char *(*unavailable)(const struct lf_cell *cell);
	/* How many executions make the verdict: 1 on `threads`, models × seeds
	 * on `sim`. Fills *ret_variant for i < that number. */
	unsigned (*variants)(const struct lf_cell *cell, unsigned i,
			     struct lf_variant *ret_variant);
	/* Why threads cannot be placed or scheduled like that, or NULL. */
	const char *(*cannot_place)(enum lf_placement placement, enum lf_policy policy);
	/* Runs it. 0, or a negative errno with the reason in *error when the
	 * harness failed (not when the lock did: that is in the observation). */
	int (*execute)(struct lf_run *run, struct lf_variant *variant,
		       struct lf_error *error);
};

extern const struct lf_engine lf_engine_threads, lf_engine_sim;

/* All engines, ended by NULL, and one by name (NULL: no such engine). */
extern const struct lf_engine *const lf_engines[];
const struct lf_engine *lf_engine_find(const char *name);

/* Zeroed memory shared with the processes that are forked later, where a run and
 * its observation live because foreign roles write to them. NULL: none left. */
void *lf_shared_new(size_t size);
void lf_shared_free(void *memory, size_t size);

/* The parts of a backend that every kind of lock has (a poller has none of them), and
 * its own init and destroy, whatever its kind. lf_lock_init(): what init
 * returns; processes: the run has foreign roles. */
struct lf_ops lf_ops_of(const struct lf_backend *b);
int lf_lock_init(const struct lf_backend *b, void *lock, const int64_t param[],
		 bool processes);
void lf_lock_destroy(const struct lf_backend *b, void *lock);

/* Ends the waits for a token on both ends of a run's channel, if it has one. */
void lf_run_end_waits(struct lf_run *run);

/*
 * Shared by the engines (engine/run.c). prepare: resolves the ops of the lock `backend`
 * and fills every actor of the run from the scenario's roles; `thread_data`
 * and `lock` are zeroed memory of the engine's, backend->thread_size rounded
 * up to a cache line for each thread. Returns the number of actors. finish:
 * completes the observation after the threads have ended.
 */
size_t lf_run_thread_stride(const struct lf_backend *backend);
unsigned lf_run_prepare(struct lf_run *run, const struct lf_backend *backend,
			const struct lf_world *world, void *lock, void *thread_data,
			uint64_t seed);
void lf_run_finish(struct lf_run *run, uint64_t duration_ns);
uint64_t lf_run_limit_ns(const struct lf_run *run);

/* Gives back what the thread worked with. */
void lf_work_end(struct lf_actor *a);

/* Attach to a GIL, run the role, detach. The body of every thread. */
void lf_actor_main(struct lf_actor *a);

#endif
