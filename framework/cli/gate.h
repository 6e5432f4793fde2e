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

#define LF_GATE_THREADS 2 /* of layers B and C, unless asked for more */

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
	const char *baseline;        /* a file, or NULL */
	bool keep_going;
	bool no_realtime;
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
	struct lf_entry *gone;       /* what base has, and head has not */
	size_t gone_n;
	struct lf_expected expected;
	json_t *baseline;            /* or NULL */
	struct lf_progress progress;
	const volatile sig_atomic_t *interrupted;
	uint64_t start_ns;
	json_t *records;             /* what is reported */
	json_t *written;             /* those of them that are in the file */
	int fd;                      /* of the file; -1: none */
	struct lf_error error;
};

/* 0, or what to exit with after the reason was printed. */
int lf_gate_options_parse(struct lf_gate_options *options, int argc, char **argv);
void lf_gate_options_free(struct lf_gate_options *options);

/* Loads both and makes pairs of locks. 0, or a negative errno with the reason in
 * gate->error. */
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

/* The key "gate" of a record. earlier: may be NULL. */
json_t *lf_gate_key(const char *layer, const char *lock, unsigned attempt,
		    json_t *earlier);

/* Adds the key to the record and the record to those of the gate. */
int lf_gate_keep(struct lf_gate *gate, json_t *record, json_t *key);

/* Appends the record to the file that was asked for, unless it is there already. 0, or a
 * negative errno with the reason in gate->error. */
int lf_gate_write(struct lf_gate *gate, json_t *record);

/* The record of a lock's cell on layer B or C. The result is complete but for its
 * state. known: an expectation that replaces the user's, or NULL. */
json_t *lf_gate_record(struct lf_gate *gate, const struct lf_gate_lock *lock,
		       const struct lf_scenario *scenario, struct lf_result *result,
		       const struct lf_expectation *known, const char *layer);

/* A result that says why something is not judged. */
void lf_gate_skip(struct lf_result *result, const char *reason);

/*
 * A change is not to blame for what base gives as well: it is a known failure of the
 * lock, until somebody mends it. The expectation for that, or NULL. base: the name of
 * a verdict. Safety is never excused: see shown.h.
 */
const struct lf_expectation *lf_gate_known(enum lf_verdict head, const char *base);

/* The values of a backend's parameters: those of --param, else the defaults. 0 or a
 * negative errno. */
int lf_gate_params(const struct lf_gate *gate, const struct lf_entry *e,
		   int64_t param[static LF_MAX_PARAMS], struct lf_error *error);

#endif
