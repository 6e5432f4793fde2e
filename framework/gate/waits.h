/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a thread waits that asks now and then, beside threads that take the lock
 * again and again: each on a CPU of its own, in a process of their own. Every wait
 * comes with what the machine did meanwhile.
 */
#ifndef LF_GATE_WAITS_H
#define LF_GATE_WAITS_H

#include "gate/child.h"
#include "judge/waits.h"

#include <lockfair/backend.h>

struct lf_waits_plan {
	const char *side;   /* for messages: "head" */
	const struct lf_backend *backend;
	int64_t param[LF_MAX_PARAMS];
	unsigned threads;   /* one of them asks, the others hog */
	uint64_t hold_ns;   /* of the others; the one that asks holds it for 2 us */
	uint64_t pause_ns;  /* mean of what the one that asks sleeps in between */
	unsigned samples;   /* wanted */
	uint64_t cap_ns;
	uint64_t seed;
	unsigned hang_ms;   /* 0: 10 s */
};

/* Measures. *waits holds limit and part; the rest is filled in, also of a run that
 * did not come to its end. LF_CHILD_LATE: there are fewer samples than wanted. */
enum lf_child_end lf_waits_measure(const struct lf_waits_plan *plan, struct lf_waits *waits,
				   const volatile sig_atomic_t *interrupted,
				   struct lf_error *error);

#endif
