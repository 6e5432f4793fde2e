/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A scenario puts threads in roles against a lock. It touches the world only
 * through the functions below, which every engine provides, so that one
 * scenario runs on this machine's kernel and in virtual time alike.
 *
 * Choreography uses a single counter per run, the phase: lf_advance() adds
 * one, lf_await() waits until it has reached a value. Everything that waits
 * also ends when the run is stopped, so that loops read
 *
 *	while (lf_round(t)) { … if (!lf_await(t, n)) break; … }
 *
 * Thread rule: every function is called by the thread that it names.
 */
#ifndef LOCKFAIR_SCENARIO_H
#define LOCKFAIR_SCENARIO_H

#include <lockfair/backend.h>
#include <lockfair/observation.h>
#include <lockfair/workload.h>

#define LF_MAX_ROLES 4
#define LF_MAX_AXES 3
#define LF_PORTS 8
#define LF_PORT_MESSAGE_MAX 2048

/* How long a run may take: the choice between an answer now and a better one. */
#define LF_BUDGET_MAP(X) X(QUICK, "quick") X(NORMAL, "normal") X(LONG, "long")

enum lf_budget {
#define X(id, name) LF_BUDGET_##id,
	LF_BUDGET_MAP(X)
#undef X
	LF_BUDGET_COUNT
};

/* On which CPUs the threads of a run are; the second column is its name. */
#define LF_PLACEMENT_MAP(X)                                                    \
	X(UNI, "uni", "all on one CPU")                                        \
	X(SMP, "smp", "on two CPUs, in turns by their index")                  \
	X(FREE, "free", "wherever the scheduler puts them")

enum lf_placement {
#define X(id, name, text) LF_PLACEMENT_##id,
	LF_PLACEMENT_MAP(X)
#undef X
	LF_PLACEMENT_COUNT
};

/* How the kernel schedules a thread. */
#define LF_POLICY_MAP(X)                                                       \
	X(OTHER, "other", "SCHED_OTHER, the default")                          \
	X(RR, "rr", "SCHED_RR: before all others, in turns among themselves")  \
	X(FIFO, "fifo", "SCHED_FIFO: before all others, until it waits or yields")

enum lf_policy {
#define X(id, name, text) LF_POLICY_##id,
	LF_POLICY_MAP(X)
#undef X
	LF_POLICY_COUNT
};

struct lf_judgement;

struct lf_role {
	const char *name;
	unsigned count; /* threads in it; 0: as many as the sweep says */
	void (*run)(struct lf_thread *t);
	/* Never touches a lock: speaks through ports and channels only. A process of
	 * its own on `threads`. */
	bool foreign;
};

/* The numbers of threads with which a scenario is judged: one cell each. */
struct lf_sweep {
	const unsigned *value; /* ascending; 0 is one, too */
	unsigned n;            /* 0: no sweep */
};

#define LF_SWEEP(...) {                                                        \
	.value = (const unsigned[]){ __VA_ARGS__ },                            \
	.n = sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned),     \
}

/* Something else that varies from cell to cell, by name: a workload, a placement. */
struct lf_axis {
	const char *name;          /* its key in records */
	const char *const *values; /* ended by NULL */
};

/* One place on all axes and on the sweep; what makes a scenario a cell. */
struct lf_point {
	unsigned axis[LF_MAX_AXES]; /* indices of values */
	unsigned sweep;             /* the number itself; 0 where there is no sweep */
};

/* What a scenario wants measured beside counts, which are always taken. */
enum lf_clock_set {
	LF_CLOCK_WAIT = 1, /* from request to grant, in ns */
	LF_CLOCK_HOLD = 3, /* and from grant to release */
	LF_CLOCK_CPU = 5,  /* and CPU time spent inside acquire */
};

struct lf_scenario {
	const char *name;
	const char *summary; /* one line: what it shows */
	const char *suite;   /* "core", … */
	const char *backends; /* globs of those judged by default; NULL: the suite's */
	unsigned kinds;      /* 1 << LF_MUTEX | … : what it can judge */
	/*
	 * The lock is polled while held. A mutex then stands in for a GIL and
	 * is released and taken again every `polls` polls (parameter of the
	 * run, default LF_MUTEX_POLLS).
	 */
	bool polls;
	unsigned clocks; /* LF_CLOCK_* */
	const struct lf_role *roles; /* ends with a NULL name */
	/* Optional: other roles, as many threads, where the point wants them. */
	const struct lf_role *(*roles_at)(const struct lf_point *point);
	const struct lf_axis *axes; /* at most LF_MAX_AXES, ended by a NULL name; or NULL */
	struct lf_sweep sweep;
	/* Optional: a sentence why this cannot be judged here (a library that is
	 * missing, a permission), or NULL when it can. `engine` is one bit. */
	const char *(*skip)(const struct lf_backend *backend, enum lf_engine_set engine,
			    const struct lf_point *point);
	/* Rounds of the loop that asks lf_round(), and the hard limit. */
	unsigned rounds[LF_BUDGET_COUNT];
	uint64_t limit_ns[LF_BUDGET_COUNT];
	/* On `sim`: the machine model on which it is judged unless told otherwise (NULL:
	 * all standard ones), and with how many seeds (0: as the engine has it). */
	const char *machine;
	unsigned seeds[LF_BUDGET_COUNT];
	/* The limit is the window of the observation: reaching it decides, where
	 * otherwise it leaves the verdict open. */
	bool window;
	/* How many steps of a thread make a round, where reports are to show the
	 * order of rounds; 0: steps are no rounds. */
	unsigned steps_per_round;
	/* Kinds for which the requirement counts unless told otherwise. */
	unsigned required_of;
	/*
	 * Backends judged in the same run to show that the scenario can tell:
	 * one known to be fair (if it fails, the run is void) and one known not
	 * to be (if it is not convicted, no PASS of this scenario counts).
	 */
	const char *fair_control, *unfair_control;
	/*
	 * May the run stop here, because more of it cannot change the verdict?
	 * Optional. Called between rounds, by the thread that asks lf_round().
	 */
	bool (*decided)(const struct lf_observation *o, const struct lf_claim *c,
			bool required);
	/*
	 * States the assertions, with lf_judge_*() of judge.h. Called once,
	 * after the run, on the main thread.
	 */
	void (*judge)(struct lf_judgement *j, const struct lf_observation *o,
		      const struct lf_claim *c);
};

#define LF_MUTEX_POLLS 100

/* The lock of the run. A GIL in a mutex scenario is released voluntarily. */
void lf_lock(struct lf_thread *t);
void lf_unlock(struct lf_thread *t);

/* The evaluation loop's check, while holding the lock. */
void lf_poll(struct lf_thread *t);

/* Runs fn(arg) without the lock; called and returns holding it. fn may be NULL
 * for I/O that completes at once. */
void lf_outside(struct lf_thread *t, void (*fn)(void *arg), void *arg);

/*
 * The poller under test, where the backend is one. lf_watch() gives it a descriptor
 * that is readable for the whole run, or never; 0 or a negative errno. lf_poller_wait()
 * is called and returns holding the lock: how many descriptors are ready, or a negative
 * errno; and in *ret_seen what it did with the lock.
 */
struct lf_waited {
	unsigned releases;   /* times that it let go */
	uint64_t outside_ns; /* time without the lock, before it was wanted again */
};

int lf_watch(struct lf_thread *t, bool readable);
int lf_poller_wait(struct lf_thread *t, int64_t timeout_ns, enum lf_release release,
		   struct lf_waited *ret_seen);

/*
 * Computes for that much CPU time: a calibrated amount of work on `threads`,
 * an advance of virtual time on `sim`. lf_compute_polling() polls the lock
 * after every `every_ns` of it, as an interpreter does between instructions.
 */
void lf_compute_ns(struct lf_thread *t, uint64_t ns);
void lf_compute_polling_ns(struct lf_thread *t, uint64_t ns, uint64_t every_ns);

/*
 * One unit of a workload: on `threads` the real thing, on `sim` its model; then
 * the few polls that an interpreter's loop makes around a call. Called and returns
 * holding the lock; where the workload lets go of it, the unit is done outside.
 */
void lf_work(struct lf_thread *t, const struct lf_workload *workload);

/*
 * A think time: ns, or a quarter, half, twice or four times as much, as the run's seed
 * says (ns itself for seed 1). Locks that are fair at one think time are not at
 * another, so that no verdict of several seeds shall rest on one.
 */
uint64_t lf_think_ns(const struct lf_thread *t, uint64_t ns);

/* Sleeps for at least that long. Returns early when the run is stopped. */
void lf_sleep_ns(struct lf_thread *t, uint64_t ns);

/* Marks one unit of progress of this thread. */
void lf_step(struct lf_thread *t);

/* One more round? False once the rounds of the budget are over, the verdict is
 * decided or the run is stopped; the first false stops the run for everybody.
 * For one thread of the scenario, its director. */
bool lf_round(struct lf_thread *t);
unsigned lf_round_index(const struct lf_thread *t); /* 0 … of the current round */

/* Has the run been stopped? Loops without lf_round() ask this. */
bool lf_stopped(const struct lf_thread *t);
void lf_stop(struct lf_thread *t);

/*
 * The channel under test, where the backend is one. attach puts the calling
 * thread at an end, 0 or 1, before it uses it. send: 0 or a negative errno. wait:
 * until the token of that number comes; 0, -ECANCELED when the run was ended,
 * or another negative errno (-EBADMSG: another token came) after which the
 * observation has it and the thread should stop.
 */
void lf_channel_attach(struct lf_thread *t, unsigned end);
int lf_channel_send(struct lf_thread *t, uint64_t token);
int lf_channel_wait(struct lf_thread *t, uint64_t token);
/* The same, and 1 when the token `last` came instead. */
int lf_channel_wait_until(struct lf_thread *t, uint64_t token, uint64_t last);

/*
 * Where the calling thread runs from now on, and how it is scheduled. 0 or a
 * negative errno; lf_cannot_place() says beforehand, on the main thread, why it
 * would not work on an engine, for a scenario's skip(). slice: how long it may go
 * on while others like it are ready; 0: unknown.
 */
int lf_place(struct lf_thread *t, enum lf_placement placement);
int lf_schedule(struct lf_thread *t, enum lf_policy policy);
uint64_t lf_slice_ns(struct lf_thread *t);
const char *lf_cannot_place(enum lf_engine_set engine, enum lf_placement placement,
			    enum lf_policy policy);

/* How long the calling thread was ready to run and had no CPU, since its start; 0
 * where nobody can tell. Slow. */
uint64_t lf_delay_ns(struct lf_thread *t);

/* What the lock of the run is. */
enum lf_kind lf_kind(const struct lf_thread *t);

/* The phase: see the top of this file. lf_await() returns false when the run
 * was stopped first. */
void lf_advance(struct lf_thread *t);
bool lf_await(struct lf_thread *t, uint64_t phase);

/*
 * Waits, holding the lock, until n threads are confirmed to be queued for it.
 * From then on every grant to a later request counts as an overtake of theirs.
 * False: they could not be confirmed in time (see doc/verdicts.md, "confirmed
 * queueing"), or the run was stopped. lf_look_queued() takes one look without
 * waiting and returns how many are confirmed so far.
 */
bool lf_await_queued(struct lf_thread *t, unsigned n);
unsigned lf_look_queued(struct lf_thread *t);

/*
 * Ports carry datagrams between any two threads of a run, foreign ones too:
 * UDP sockets of the loopback interface on `threads`, a virtual queue on `sim`.
 * lf_receive() returns the length (at most `size`; longer ones are cut), or
 * -ETIMEDOUT; a sender never waits, and a datagram that finds no room is
 * counted in the observation as lost.
 */
int lf_send(struct lf_thread *t, unsigned port, const void *data, size_t size);
int lf_receive(struct lf_thread *t, unsigned port, void *data, size_t size,
	       uint64_t timeout_ns);

/* Engine time in ns since the start of the run. Virtual time has no noise, against
 * which one would measure longer. */
uint64_t lf_now_ns(struct lf_thread *t);
bool lf_time_is_virtual(const struct lf_thread *t);

/* What the lock of the run claims. */
const struct lf_claim *lf_claim_of(const struct lf_thread *t);

/* The next number of this thread's own generator, seeded by the run's seed. */
uint64_t lf_random(struct lf_thread *t);

/* What was observed so far; a scenario may fill in `order` and `rounds`. */
struct lf_observation *lf_observed(struct lf_thread *t);
enum lf_budget lf_budget(const struct lf_thread *t);

/* The value of the sweep, the index of the value on an axis, and the thread's
 * place within its role. */
unsigned lf_sweep(const struct lf_thread *t);
unsigned lf_axis(const struct lf_thread *t, unsigned axis);
unsigned lf_role_index(const struct lf_thread *t);

/* Did the lock give up something that the scenario relies on? Sets the
 * observation's reason why its precondition failed; the first reason stays. */
void lf_precondition_failed(struct lf_thread *t, const char *reason);

#endif
