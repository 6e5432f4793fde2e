/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A replay line names one simulated run, so that it can be run again:
 *
 *	scenario=barging backend=pthread engine=sim machine=2cpu version=1 seed=3
 *	budget=quick params=spin=100,polls=7 trace=0123456789abcdef build=…
 *
 * in one line of words that blanks separate. A character that a shell or this
 * format would take for its own stands as %XX.
 *
 * Thread rule: for the main thread.
 */
#ifndef LF_RUN_REPLAY_H
#define LF_RUN_REPLAY_H

#include "core/error.h"
#include "run/result.h"

/* Key, must it be there, what it is. */
#define LF_REPLAY_MAP(X)                                                       \
	X(scenario, true, "with the value of its sweep: drain/3")              \
	X(backend, true, "its name")                                           \
	X(plugin, false, "path of the shared object that it comes from")       \
	X(lock, false, "the GIL around a poller; none: the usual one")         \
	X(engine, true, "sim")                                                 \
	X(machine, true, "name of the machine model")                          \
	X(models, false, "path of the file with it; none: one that ships")     \
	X(version, true, "of the model, when the line was written")            \
	X(seed, true, "of the run")                                            \
	X(budget, true, "quick, normal, long")                                 \
	X(params, false, "NAME=VALUE,…; those that are left out have defaults") \
	X(require, false, "yes, no: whether the scenario's requirement counts") \
	X(trace, false, "hash of the order of events; none: the run died")     \
	X(build, false, "lf_build_id() when the line was written")             \
	X(object, false, "digest of the plug-in then")

#define LF_REPLAY_LINE 16384

struct lf_replay {
	char text[LF_REPLAY_LINE]; /* what the others point into */
#define X(key, needed, help) const char *key; /* NULL: not in the line */
	LF_REPLAY_MAP(X)
#undef X
	uint64_t version_number, seed_number, trace_hash;
};

/* The digest of the shared object that the cell's backend comes from, so that another
 * build of it is told from this one; "": it is built in. Returns `buffer`. */
#define LF_OBJECT_MAX 17
const char *lf_replay_object(const struct lf_cell *cell, char buffer[static LF_OBJECT_MAX]);

/* The line for the decisive run of a result; "" where there is none, as on
 * `threads`, or where it does not fit. Returns `buffer`. */
const char *lf_replay_line(const struct lf_cell *cell, const struct lf_result *result,
			   char *buffer, size_t size);

/* Takes a line apart. 0, or -EINVAL with what is wrong and what to write. */
int lf_replay_parse(struct lf_replay *replay, const char *line, struct lf_error *error);

/*
 * The cell of that one run, which refers to *replay. Loads the plug-in if there
 * is one. -ENOENT: something is named that does not exist · what
 * lf_registry_load() and lf_cell_set_param() return.
 */
int lf_replay_cell(const struct lf_replay *replay, struct lf_cell *ret_cell,
		   struct lf_error *error);

/*
 * After the run: "same trace: …", or that it is another one and what has changed
 * since the line was written. *ret_same: false only if the traces differ. Returns
 * `buffer`.
 */
const char *lf_replay_compare(const struct lf_replay *replay, const struct lf_cell *cell,
			      const struct lf_result *result, bool *ret_same,
			      char *buffer, size_t size);

#endif
