/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a worker leaves behind in memory shared with its supervisor. It is
 * complete up to the moment in which the worker died, whatever killed it.
 */
#ifndef LF_RUN_RESULT_H
#define LF_RUN_RESULT_H

#include "engine/engine.h"
#include "judge/judge.h"

/* Executions of one cell: models × seeds on `sim`, 1 on `threads`. */
#define LF_MAX_VARIANTS 512

enum lf_result_state { LF_RESULT_EMPTY, LF_RESULT_RUNNING, LF_RESULT_JUDGED };
enum lf_stacks_state { LF_STACKS_UNASKED, LF_STACKS_WANTED, LF_STACKS_TAKEN };

struct lf_variant_result {
	struct lf_variant variant;
	enum lf_verdict verdict;
	enum lf_metric metric; /* of the assertion that decided it */
	enum lf_origin origin;
	double value, bound;
	bool near;    /* it passed, but near this bound */
	bool cut_off; /* it cost too much to be simulated to its end */
};

struct lf_result {
	_Atomic int state;  /* enum lf_result_state */
	_Atomic int stacks; /* enum lf_stacks_state: the worker asks, the supervisor takes */
	unsigned variants;
	struct lf_variant_result variant[LF_MAX_VARIANTS];
	/* The one that decided; while they are run, or if the process died of it, the
	 * one that is run, which is not among `variants` yet. */
	unsigned decisive;
	struct lf_judgement judgement;      /* of the cell as a whole */
	struct lf_observation observation;  /* of the run that decided it */
	uint64_t wall_ns;
	char error[512];    /* the harness's own failure; empty: none */
	char ending[256];   /* the supervisor: how the worker died; empty: in order */
	char stack[16384];  /* of a hang */
};

#endif
