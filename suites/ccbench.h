/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the scenarios of suite ccbench share: the load of CPU threads, the exchange
 * of datagrams with a process that knows nothing of the lock, and how rates and
 * samples become assertions.
 *
 * After ccbench, with which Antoine Pitrou measured interpreter locks from 2010 on
 * (CPython, Tools/ccbench). Its procedure is kept and all of its times are counted
 * in intervals between two pings, so that a budget scales them alike: `long` has
 * ccbench's own 100 ms.
 *
 * Phase 1: the load begins.
 */
#ifndef LF_SUITES_CCBENCH_H
#define LF_SUITES_CCBENCH_H

#include "suites/common.h"

/* The load lasts so many intervals; pings are sent in the last 20 of them. */
#define LF_CC_LOAD 30
#define LF_CC_PAUSE 10
#define LF_CC_PINGS (LF_CC_LOAD - LF_CC_PAUSE)

/* Where turns are in order, each thread has had one after so many quanta for each of
 * them: a quantum, and what a call that is not polled adds to it. */
#define LF_CC_TURNS_PER_THREAD 1.5
/* A turn of a lock that claims none, where that is asked on a busy machine: one of
 * gil-bfs. */
#define LF_CC_TURN_NS ((double)(10 * LF_MS))
/* So many times as long must they have run there. */
#define LF_CC_BUSY 2

enum { LF_CC_SERVER_PORT, LF_CC_CLIENT_PORT };
#define LF_CC_BEGIN 1

/* What CPU threads work on: the axis of most of these scenarios. */
extern const char *const lf_cc_workload_names[];
#define LF_CC_WORKLOADS { .name = "workload", .values = lf_cc_workload_names }

/* Real work needs a library, which may be missing. */
const char *lf_cc_skip(const struct lf_backend *backend, enum lf_engine_set engine,
		       const struct lf_point *point);

/* The workload of this cell; without an axis the first of them. */
const struct lf_workload *lf_cc_workload(const struct lf_thread *t);

/* Ping to ping, and how long the load lasts. */
uint64_t lf_cc_interval_ns(const struct lf_thread *t);
uint64_t lf_cc_load_ns(const struct lf_thread *t);

/* A limit of so many intervals of each budget. */
#define LF_CC_QUICK_MS 8
#define LF_CC_NORMAL_MS 30
#define LF_CC_LONG_MS 100
#define LF_CC_LIMIT(intervals) {                                               \
	(intervals) * LF_CC_QUICK_MS * LF_MS, (intervals) * LF_CC_NORMAL_MS * LF_MS, \
	(intervals) * LF_CC_LONG_MS * LF_MS }

/* What all of them are. Of their machine models there is one, for all cells. */
#define LF_CC_COMMON                                                           \
	.suite = "ccbench", .kinds = 1 << LF_MUTEX | 1 << LF_GIL, .polls = true, \
	.required_of = 1 << LF_GIL, .machine = "q9400-2009", .seeds = { 3, 3, 3 }

/* The four of the second posting of 2010: vanilla, gilinter, PyCON and bfs. */
#define LF_CC_PATCHES "gil-interval gil-interactive gil-priority gil-bfs"

/* Role `cpu`: waits for the load to begin, then works for its length, a step a unit.
 * The time counts from the beginning, whether or not it has the lock: all end at
 * once. lf_cc_load() is the same for another length; lf_cc_work_until() the work
 * alone, up to a moment, by a thread that holds the lock. */
void lf_cc_cpu(struct lf_thread *t);
void lf_cc_load(struct lf_thread *t, uint64_t ns);
void lf_cc_work_until(struct lf_thread *t, const struct lf_workload *w, uint64_t end_ns,
		      struct lf_rate *ret_rate);

/* A datagram. `kind` is the scenarios' own. */
struct lf_cc_message {
	unsigned kind, number;
	uint64_t sent_ns; /* engine time */
};

/* Without touching the lock: for the client, and for use inside lf_outside().
 * receive: false when it did not come in time, or the run was stopped. */
void lf_cc_send(struct lf_thread *t, unsigned port, const struct lf_cc_message *m,
		size_t size);
bool lf_cc_receive(struct lf_thread *t, unsigned port, struct lf_cc_message *ret_message,
		   uint64_t timeout_ns);

/* By the thread that holds the lock, which lets go of it around the call. */
void lf_cc_send_outside(struct lf_thread *t, const struct lf_cc_message *m, size_t size);
bool lf_cc_receive_outside(struct lf_thread *t, struct lf_cc_message *ret_message);

/* --- judging ---------------------------------------------------------------------- */

/* The first thread of the role, and how many there are. */
const struct lf_thread_observation *lf_cc_of(const struct lf_observation *o,
					     const char *role);
unsigned lf_cc_count(const struct lf_observation *o, const char *role);

/* Per second; 0 for no time. */
double lf_cc_per_second(const struct lf_rate *r);

/* Does the lock claim that I/O goes first beside so many threads? */
bool lf_cc_io_goes_first(const struct lf_observation *o, const struct lf_claim *c);

/* Did the load last too short for each of its threads to have a turn, by what the
 * lock claims of its turns? Or did these threads, kept from running for half of that
 * time, run too short for it? Then who had none says nothing of the lock, and the verdict
 * is open. */
bool lf_cc_is_too_short(struct lf_judgement *j, const struct lf_observation *o,
			const struct lf_claim *c, uint64_t window_ns);

/* Requirement of all: nobody got nothing while the load was on, for window_ns.
 * `server`: a role whose rate beside the load must not be 0, or NULL. */
void lf_cc_judge_starved(struct lf_judgement *j, const struct lf_observation *o,
			 const struct lf_claim *c, uint64_t window_ns,
			 const char *server);
/* Voluntary and involuntary switches a second, of the run as a whole. */
void lf_cc_inform_switches(struct lf_judgement *j, const struct lf_observation *o);

/*
 * An assertion about a rate, in the form in which judge.h keeps them. If it does not
 * hold, and threads of the run were ready and had no CPU for half of the window, a
 * rate says nothing of the lock: then the value is information and the verdict open.
 */
void lf_cc_judge_rate(struct lf_judgement *j, const struct lf_observation *o,
		      uint64_t window_ns, const struct lf_assertion *a);

#endif
