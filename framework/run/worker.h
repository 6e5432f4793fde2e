/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process in which one cell runs. It is a Check runner of a single test:
 * Check forks once more, so that a lock that crashes takes only that child with
 * it. Everything of interest goes into memory shared with the supervisor.
 */
#ifndef LF_RUN_WORKER_H
#define LF_RUN_WORKER_H

#include "run/result.h"

/* How the process that ran the cell ended; the worker says so, once it knows. */
enum lf_end {
	LF_END_UNKNOWN, /* the worker itself was lost */
	LF_END_RETURNED, /* in order, or by exit(0) */
	LF_END_SIGNAL,
	LF_END_STATUS,  /* exit() with another status than 0 */
	LF_END_TIMEOUT, /* Check's own, which lies behind all of ours */
};

struct lf_worker_memory {
	struct lf_result result;
	int supervisor;     /* whose end is the worker's too */
	_Atomic int tester; /* the process that runs the cell; 0: not yet */
	_Atomic int end;    /* enum lf_end */
	int end_code;       /* the signal, the status; set before `end` */
};

/* Runs the cell and ends the process. For a freshly forked process; `timeout_s`
 * is Check's. */
_Noreturn void lf_worker_main(const struct lf_cell *cell, struct lf_worker_memory *memory,
			      double timeout_s);

#endif
