/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Short rounds of several builds of a lock, in turns and in one process.
 *
 * Every build is an arm. In a cycle each arm has one round of 2 ms, in an order
 * that is drawn anew: threads that are pinned to a CPU each take the lock, compute,
 * release it and compute again. What of it depends on the machine is the same for
 * neighbouring rounds, and goes out when they are compared in pairs.
 *
 * The process is a child, because builds are foreign code and may crash or hang;
 * rounds go through shared memory as they end. Threads: the functions below are
 * for the one that started the child.
 */
#ifndef LF_GATE_ROUNDS_H
#define LF_GATE_ROUNDS_H

#include "gate/child.h"
#include <lockfair/backend.h>

/* Which of them may fail a lock: one that sleeps while it waits, one that spins.
 * The others are shown. Better: the smaller, or the larger. */
enum lf_round_may_fail { LF_ROUND_SHOWN = 0, LF_ROUND_SLEEPING = 1, LF_ROUND_SPINNING = 2 };

#define LF_ROUND_METRIC_MAP(X)                                                 \
	X(HANDOVER, "hand-over", "ns", LF_ROUND_SLEEPING | LF_ROUND_SPINNING, false, \
	  "from a release to the grant of who waited: mean of the middle half") \
	X(THROUGHPUT, "throughput", "1/s", LF_ROUND_SLEEPING, true,            \
	  "acquisitions per second")                                           \
	X(WAIT_MEAN, "mean wait", "ns", LF_ROUND_SLEEPING, false,              \
	  "from a request to its grant")                                       \
	X(WAIT_P50, "median wait", "ns", LF_ROUND_SPINNING, false, "")         \
	X(WAIT_P99, "p99 of the wait", "ns", LF_ROUND_SPINNING, false, "")     \
	X(CPU, "CPU per acquisition", "ns", LF_ROUND_SPINNING, false,          \
	  "CPU time of all threads")                                           \
	X(WAIT_MAX, "longest wait", "ns", LF_ROUND_SHOWN, false, "")           \
	X(JAIN, "Jain's index", "", LF_ROUND_SHOWN, true, "over the grants per thread")

enum lf_round_metric {
#define X(id, name, unit, may_fail, larger, text) LF_ROUND_##id,
	LF_ROUND_METRIC_MAP(X)
#undef X
	LF_ROUND_METRICS
};

struct lf_round_metric_info {
	const char *name, *unit, *text;
	unsigned may_fail; /* enum lf_round_may_fail */
	bool larger_is_better;
};
extern const struct lf_round_metric_info lf_round_metric_info[LF_ROUND_METRICS];

/* The arms. The control is the old build once more, loaded for itself. */
#define LF_ARM_MAP(X) X(BASE, "base") X(HEAD, "head") X(CONTROL, "control")

enum lf_arm_id {
#define X(id, name) LF_ARM_##id,
	LF_ARM_MAP(X)
#undef X
	LF_ARMS
};

struct lf_arm {
	const char *path;   /* a shared object, of which a copy is loaded; NULL: */
	const char *name;   /* of its backend */
	const struct lf_backend *backend; /* … as it is in this process */
	int64_t param[LF_MAX_PARAMS];
};

struct lf_rounds_plan {
	struct lf_arm arm[LF_ARMS];
	unsigned threads;        /* at most as many as CPUs may be used */
	uint64_t round_ns, hold_ns, think_ns;
	uint64_t seed;           /* of orders, addresses and thinking times */
	unsigned hang_ms;        /* without a round; 0: 10 s */
	bool realtime;           /* go before everybody else, where that may be */
};

/* Why a round counts for nothing. */
#define LF_ROUND_VOID_MAP(X)                                                   \
	X(VALID, "")                                                           \
	X(LATE, "a thread did not start in time")                              \
	X(UNCONTENDED, "nobody waited")

enum lf_round_void {
#define X(id, text) LF_ROUND_##id,
	LF_ROUND_VOID_MAP(X)
#undef X
	LF_ROUND_VOIDS
};

struct lf_round {
	enum lf_round_void is_void;
	double value[LF_ROUND_METRICS]; /* NAN: cannot be told */
	uint32_t grants, handovers;
	uint32_t sleeps;                /* voluntary switches of all threads */
};

#define LF_CYCLES_MAX 200

struct lf_cycle {
	struct lf_round arm[LF_ARMS];
};

/* Shared with the child. */
struct lf_rounds_memory {
	struct lf_child_state state; /* side: enum lf_arm_id of the round that is on */
	_Atomic uint32_t quota;   /* futex word: how many cycles are wanted */
	_Atomic uint32_t done;    /* futex word: how many there are */
	_Atomic uint64_t delay_ns, time_ns; /* of all threads: without a CPU, in all */
	_Atomic uint32_t realtime;  /* threads that go before everybody else */
	struct lf_cycle cycle[LF_CYCLES_MAX];
};

struct lf_rounds {
	struct lf_rounds_memory *memory;
	struct lf_child child;
};

/* Starts a child that makes `plan` ready. 0 or a negative errno. */
int lf_rounds_start(struct lf_rounds *r, const struct lf_rounds_plan *plan,
		    struct lf_error *error);

/* Waits until there are `cycles` of them, at most LF_CYCLES_MAX; else see
 * lf_child_look(). */
enum lf_child_end lf_rounds_until(struct lf_rounds *r, unsigned cycles, uint64_t until_ns,
				  const volatile sig_atomic_t *interrupted,
				  struct lf_error *error);

/* Ends the child and gives the memory back. */
void lf_rounds_stop(struct lf_rounds *r);

/* The child's part, in gate/arena.c: makes cycles until it is killed. */
struct lf_arena_context {
	const struct lf_rounds_plan *plan;
	struct lf_rounds_memory *memory;
};
void lf_arena_main(void *context);

/* Fewer than these say nothing of a round's middle. */
#define LF_ROUND_HANDOVERS_MIN 8
#define LF_ROUND_WAITS_MIN 20

/* Of two rounds, what is compared: the logarithm of new over old, > 0 is worse.
 * NAN where either cannot be told. */
double lf_round_ratio(const struct lf_round *old, const struct lf_round *new,
		      enum lf_round_metric m);

/* Was there too little in this round to tell the metric, so that more of the same
 * might? What lies below the resolution of the clock is another matter. */
bool lf_round_is_poor(const struct lf_round *r, enum lf_round_metric m);

#endif
