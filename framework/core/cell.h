/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cell is one scenario on one backend on one engine: the unit that is run in
 * a process of its own, judged, recorded and shown.
 */
#ifndef LF_CORE_CELL_H
#define LF_CORE_CELL_H

#include "core/error.h"
#include <lockfair/scenario.h>

/* Where a cell starts from when nobody says otherwise. */
#define LF_SEED 1
#define LF_PARAM_POLLS "polls" /* the run's own parameter; no backend may use it */
#define LF_POLLER_LOCK "gil-interval" /* around pollers */

struct lf_engine;
struct lf_entry;

struct lf_cell {
	const struct lf_backend *backend; /* the plain one, also on `sim` */
	const struct lf_backend *twin;    /* compiled for `sim`; NULL: none */
	const char *plugin;               /* path it was loaded from, or NULL */
	const char *absent;               /* why the backend is not there, or NULL */
	const struct lf_scenario *scenario;
	const struct lf_engine *engine;
	/* The lock that is held around a poller, with its default parameters. NULL for
	 * backends that are locks themselves, and where there is none of that name. */
	const struct lf_backend *lock, *lock_twin;
	int64_t lock_param[LF_MAX_PARAMS];
	struct lf_claim claim;            /* the lock's, under these parameters */
	int64_t param[LF_MAX_PARAMS];     /* in the order of backend->params */
	int64_t polls;                    /* a mutex as a GIL: polls per release */
	struct lf_point point;            /* which of the scenario's cells it is */
	enum lf_budget budget;
	uint64_t seed;
	bool required;                    /* the scenario's requirement counts */
	const char *machine;              /* sim: one model's name or file; NULL: all */
	const char *model;                /* sim: one of that file; NULL: all of it */
	unsigned seeds;                   /* sim: how many; 0: as the budget has it */
};

/* "barging"; "drain/3" where the scenario sweeps; "latency/regex/3" where it also
 * has an axis. Returns `buffer`. */
const char *lf_cell_scenario_id(const struct lf_cell *cell, char *buffer, size_t size);
/* The same without the value of the sweep. */
const char *lf_cell_axes_id(const struct lf_cell *cell, char *buffer, size_t size);

/* The scenario's roles in this cell, and whether some of them are foreign. */
const struct lf_role *lf_cell_roles(const struct lf_cell *cell);
bool lf_cell_has_processes(const struct lf_cell *cell);

/* Why the cell cannot be judged: the backend is absent, the engine's reason, or the
 * scenario's; or NULL. */
const char *lf_cell_unavailable(const struct lf_cell *cell);

/* Default parameters and seed, the quick budget, the first value of every axis
 * and the largest of the sweep, the requirement as the scenario has it for this kind of backend. */
void lf_cell_init(struct lf_cell *cell, const struct lf_entry *entry,
		  const struct lf_scenario *scenario, const struct lf_engine *engine);

/* Puts a GIL around the cell's poller. -EINVAL: it is none, or the backend is no
 * poller. */
int lf_cell_set_lock(struct lf_cell *cell, const struct lf_entry *lock,
		     struct lf_error *error);

/* The lock of the cell, its copy for `sim` (NULL: none) and its parameters: of the
 * poller's, or the backend itself. */
static inline const struct lf_backend *lf_cell_lock(const struct lf_cell *cell)
{
	return cell->lock ? cell->lock : cell->backend;
}

static inline const struct lf_backend *lf_cell_lock_twin(const struct lf_cell *cell)
{
	return cell->lock ? cell->lock_twin : cell->twin;
}

static inline const int64_t *lf_cell_lock_param(const struct lf_cell *cell)
{
	return cell->lock ? cell->lock_param : cell->param;
}

/* The parameter of that name that the cell has, its place in cell->param
 * (LF_MAX_PARAMS for the run's own "polls"); NULL: it has none. */
const struct lf_param *lf_cell_find_param(const struct lf_cell *cell, const char *name,
					  unsigned *ret_index);

/* Sets a parameter and refines the claim. -ENOENT no such parameter · -ERANGE. */
int lf_cell_set_param(struct lf_cell *cell, const char *name, int64_t value,
		      struct lf_error *error);

/* Fills cell->claim: what the lock claims under its parameters. */
void lf_cell_refine(struct lf_cell *cell);

#endif
