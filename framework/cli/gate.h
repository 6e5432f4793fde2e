/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of `lockfair gate`: gate_options.c takes the command line apart,
 * gate_sides.c loads both sides, gate_claims.c is layer A, gate_waits.c layer B,
 * gate_change.c layer C, and gate.c runs them and says what they come to.
 */
#ifndef LF_CLI_GATE_H
#define LF_CLI_GATE_H

#include "cli/expected.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "core/registry.h"
#include "judge/change.h"
#include "report/record.h"

#include <signal.h>

#define LF_SIDE_BASE "base"
#define LF_SIDE_HEAD "head"

enum lf_gate_layer { LF_GATE_A = 1, LF_GATE_B = 2, LF_GATE_C = 4, LF_GATE_ALL = 7 };

struct lf_gate_options {
	struct lf_options run;       /* what layer A shares with `lockfair run` */
	const char *base, *head;
	unsigned layers;             /* enum lf_gate_layer */
	struct lf_change_rule rule;
	unsigned threads;            /* of layers B and C; 0: 2 */
	double wait_part;            /* 0.99: so many of the waits … */
	uint64_t wait_limit_ns;      /* … at most so long; 0: as claimed */
	unsigned attempts;
	uint64_t pause_ns;           /* between them */
	uint64_t limit_ns;           /* no new attempt after that */
	bool warn;                   /* inconclusive does not block */
	bool keep_going;
};

/* One lock, on both sides. */
struct lf_gate_lock {
	const char *name;            /* without its side; head's */
	struct lf_entry base, head;  /* base.backend NULL: base has none */
};

struct lf_gate {
	const struct lf_gate_options *options;
	struct lf_gate_lock *lock;
	size_t n;
	struct lf_expected expected;
	struct lf_progress progress;
	const volatile sig_atomic_t *interrupted;
	uint64_t start_ns;
	json_t *records;             /* what is reported */
	struct lf_error error;
};

/* 0, or what to exit with after the reason was printed. */
int lf_gate_options_parse(struct lf_gate_options *options, int argc, char **argv);
void lf_gate_options_free(struct lf_gate_options *options);

/* Loads both and makes pairs of locks. What base has and head has not is told on
 * standard error. 0, or a negative errno with the reason in gate->error. */
int lf_gate_load(struct lf_gate *gate);
void lf_gate_unload(struct lf_gate *gate);

/* The layers. Each appends its records. 0 · -EINTR · another negative errno with
 * the reason in gate->error. */
int lf_gate_claims(struct lf_gate *gate);
int lf_gate_waits(struct lf_gate *gate);
int lf_gate_changes(struct lf_gate *gate);

/* May there be one more attempt, after `attempt` of them (1 …)? Waits for the pause
 * between them. */
bool lf_gate_again(const struct lf_gate *gate, unsigned attempt);

/* The key "gate" of a record. base: what base came to, or NULL. */
json_t *lf_gate_key(const char *layer, const char *lock, unsigned attempt,
		    json_t *earlier);

#endif
