/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The supervisor starts one worker per cell and sees to it that each ends with
 * a verdict: whatever a lock does — crash, exit, hang, fork — becomes a failed
 * assertion of safety of that cell and nothing else.
 *
 * Thread rule: one thread drives all jobs.
 */
#ifndef LF_RUN_SUPERVISOR_H
#define LF_RUN_SUPERVISOR_H

#include "core/error.h"
#include "run/worker.h"

#include <sys/types.h>

/* A cell that is being run. */
struct lf_job {
	const struct lf_cell *cell;
	struct lf_worker_memory *memory;
	pid_t worker;
	int pidfd;           /* readable once the worker ended; -1: no such thing */
	uint64_t started_ns, looked_ns;
	unsigned variants;   /* that were finished at the last look */
	/* How long there has been no other one, in time for which we looked: who was
	 * kept from looking knows of no hang. And what delay_of() said then. */
	uint64_t still_ns, delay_ns;
	/* After how long stacks are taken, and it is killed. Time for which the
	 * cell's processes wanted a CPU and had none does not count. */
	uint64_t soft_ns, hard_ns;
	bool killed;
	bool judged; /* when it was killed: it had reached its verdict */
};

/* Starts a worker. The limits may be changed until the first look. 0, or a
 * negative errno with the reason in *error. */
int lf_job_start(struct lf_job *job, const struct lf_cell *cell, struct lf_error *error);

/* Does what is due; true once the job has ended and its result is complete. */
bool lf_job_look(struct lf_job *job);

/* Sleeps until one of the n jobs ends, at most `timeout_ms`; signals end it too. */
void lf_jobs_wait(struct lf_job *const job[], size_t n, int timeout_ms);

/* Ends the worker and all it has forked, with no result. */
void lf_job_abandon(struct lf_job *job);

/* Gives the memory back; job->memory->result is gone. */
void lf_job_free(struct lf_job *job);

#endif
