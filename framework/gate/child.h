/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process in which foreign code runs under measurement, and its parent's watch
 * over it: that it crashes, exits or hangs is a result like any other. What it
 * finds out goes through memory that both share, which begins with its state.
 *
 * Thread rule: one thread, in the parent, which has no other children meanwhile.
 */
#ifndef LF_GATE_CHILD_H
#define LF_GATE_CHILD_H

#include "core/error.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* How often the parent looks. */
#define LF_CHILD_LOOK_MS 20

struct lf_child_state {
	_Atomic uint64_t beat;  /* raised whenever something was done */
	_Atomic uint32_t ready; /* what is to be measured is loaded */
	_Atomic uint32_t side;  /* whose code is on, see lf_child.side_name */
	char error[512];        /* the harness's own; empty: none */
};

struct lf_child {
	pid_t pid; /* 0: it ended */
	int was_subreaper; /* the parent, before */
	struct lf_child_state *state;
	const char *const *side_name;
	unsigned hang_ms; /* so long without a beat */
	uint64_t beat;
	unsigned still_ms;
};

enum lf_child_end {
	LF_CHILD_GOING,
	LF_CHILD_LATE,  /* the time is over */
	LF_CHILD_DIED,  /* it crashed or exited, in the code of a side */
	LF_CHILD_HUNG,  /* nothing was done for too long */
	LF_CHILD_ERROR, /* the harness */
	LF_CHILD_INTERRUPTED,
};

/* Starts it: the new process calls main(context), which does not return, and ends
 * with its parent. The other fields are set by the caller. 0 or a negative errno. */
int lf_child_start(struct lf_child *child, void (*main)(void *context), void *context,
		   struct lf_error *error);

/* One look, without waiting. until_ns: of CLOCK_MONOTONIC; interrupted: may be NULL.
 * From LF_CHILD_DIED on *error says what happened, beginning with the side. */
enum lf_child_end lf_child_look(struct lf_child *child, uint64_t until_ns,
				const volatile sig_atomic_t *interrupted,
				struct lf_error *error);

/* Ends it and whatever it has forked. */
void lf_child_stop(struct lf_child *child);

/* In the child: gives up, because the harness cannot go on. */
_Noreturn void lf_child_give_up(struct lf_child_state *state, const char *what,
				const char *why);

/* In the child: the calling thread stays on that CPU. */
void lf_child_pin(int cpu);

/* Which CPUs may be used, at most LF_MAX_THREADS of them; returns how many. */
unsigned lf_child_cpus(int cpu[]);

#endif
