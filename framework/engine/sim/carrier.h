/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A carrier runs the simulated threads, one at a time: it gives each a stack and
 * a place to come back to, and nothing else. Who runs next is not its decision.
 */
#ifndef LF_SIM_CARRIER_H
#define LF_SIM_CARRIER_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A thread of control. The host, which waits while a run goes on, is one too. */
struct lf_strand {
	char name[16]; /* that of a real thread, where it has one */
	void (*fn)(void *arg);
	void *arg;
	void *stack; /* lowest address */
	size_t stack_size;
	void *own;   /* the carrier's */
};

struct lf_carrier {
	const char *name;
	/* What a change of strands costs the host, in accesses to memory. */
	unsigned effort;
	/* Once per run, by the host: 0, or a negative errno with the reason. */
	int (*open)(struct lf_strand *host, struct lf_error *error);
	/* Makes a strand that will call s->fn(s->arg) when it is first entered.
	 * fn never returns; it leaves. */
	int (*start)(struct lf_strand *s, struct lf_error *error);
	/* The host enters a strand; comes back when a strand enters the host.
	 * A negative errno: it could not. -ETIMEDOUT: `stuck` said so, and that
	 * strand is running still. */
	int (*enter)(struct lf_strand *host, struct lf_strand *to,
		     bool (*stuck)(void));
	/* One strand stops here and the other goes on; back when it is entered
	 * again. */
	void (*swap)(struct lf_strand *from, struct lf_strand *to);
	/* The same for a strand that is done. */
	void (*leave)(struct lf_strand *from, struct lf_strand *to)
		__attribute__((noreturn));
	/* Ends a strand wherever it stands, and frees what it had. */
	void (*end)(struct lf_strand *s);
	void (*close)(struct lf_strand *host);
};

/* A token passed between real threads, all kept on one CPU: thread-local
 * storage, debuggers and sanitizers work as ever. */
extern const struct lf_carrier lf_carrier_token;

/* One real thread that changes stacks: fast, and not for everybody; see fiber.c.
 * NULL where the processor is not known. */
extern const struct lf_carrier *const lf_carrier_fiber;

/* Which one runs: normally lf_sim_choose_carrier() decides. For tests, which
 * compare the two, and benchmarks. */
extern const struct lf_carrier *lf_sim_only_carrier;

struct lf_backend;

/* The fastest carrier that is right for the lock. */
const struct lf_carrier *lf_sim_choose_carrier(const struct lf_backend *twin);

#endif
