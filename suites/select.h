/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the scenarios of suite `select`. */
#ifndef LF_SUITES_SELECT_H
#define LF_SUITES_SELECT_H

#include "suites/common.h"

#include <errno.h>

/* Gives the poller its descriptor. False: it cannot, and the run ends. */
bool lf_select_begin(struct lf_thread *t, bool readable);
/* The loop of an event loop, holding the lock. */
struct lf_loop {
	enum lf_release release;
	int64_t timeout_ns;
	uint64_t done;     /* times round */
	uint64_t per_step; /* … for a step; 0: none */
};

/* How many times round make a step, which is a millisecond of work. Not for loops that
 * sleep. */
void lf_select_calibrate(struct lf_thread *t, struct lf_loop *loop, bool sleeps);
/* Goes round for at least that long; how often. */
uint64_t lf_select_iterate(struct lf_thread *t, struct lf_loop *loop, uint64_t for_ns,
			   uint64_t *ret_took_ns);
/* How long that is to be for one batch. */
uint64_t lf_select_batch_ns(struct lf_thread *t);
/* Computes, and polls the lock, as a thread that does not wait for anything. */
void lf_select_bystander(struct lf_thread *t);
/* Waits without the lock, looks with it, no error changed, no timeout cut. */
void lf_select_judge_contract(struct lf_judgement *j, const struct lf_polling *p);
const char *lf_select_skip(const struct lf_backend *backend, enum lf_engine_set engine,
			   const struct lf_point *point);

#endif
