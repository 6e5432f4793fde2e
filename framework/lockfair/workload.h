/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workload is what a CPU thread of a scenario computes: lf_work() of
 * scenario.h runs one unit of it. On this machine's kernel that is the real
 * thing; on the simulator it is a model of it, whose numbers were measured from
 * the real one (`make calibrate`).
 *
 * To an interpreter lock three kinds of work differ: work that polls all the
 * time, work that does not poll for a long time, and work that is done without
 * the lock.
 */
#ifndef LOCKFAIR_WORKLOAD_H
#define LOCKFAIR_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * After each unit the thread polls that often: what the loop around a call costs
 * an interpreter in instructions. Without it a workload that does not poll inside
 * would never let anybody in.
 */
#define LF_LOOP_POLLS 6

/*
 * CPU time of a unit on the reference, a core that does one dependent multiply
 * and add in 1 ns; and how often the unit polls, evenly spread. The machine
 * models say how fast they are compared to the reference.
 */
struct lf_workload_model {
	uint64_t unit_ns;
	unsigned polls;
};

/*
 * create: the state of one thread, given to run() and destroy(); NULL: no memory.
 * run: one unit. Calls poll(context) wherever an interpreter would look at its
 * lock. Returns a number made of what was computed, the same each time.
 */
struct lf_workload {
	const char *name;
	const char *summary; /* one line */
	const char *missing; /* why the real one cannot run; NULL: it can */
	bool lets_go;        /* a unit is done without the lock; then it never polls */
	void *(*create)(void);
	uint64_t (*run)(void *state, void (*poll)(void *context), void *context);
	void (*destroy)(void *state);
	struct lf_workload_model model;
};

/*
 * The workloads belong to the program, which adds them at its start (see
 * fixtures/workloads.h). One of that name, or NULL; and all of them in order.
 */
const struct lf_workload *lf_workload_find(const char *name);
const struct lf_workload *const *lf_workloads(size_t *ret_n);

#endif
