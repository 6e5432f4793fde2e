/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/cells.h"

#include "cli/choose.h"
#include "core/buffer.h"
#include "core/registry.h"
#include "core/point.h"
#include "engine/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_cell(struct lf_cells *cells, const struct lf_cell *cell)
{
	struct lf_cell *grown;

	/* Doubles at every power of two. */
	if ((cells->n & (cells->n - 1)) == 0) {
		size_t room = cells->n ? 2 * cells->n : 1;
		grown = realloc(cells->cell, room * sizeof *grown);
		if (!grown)
			return -ENOMEM;
		cells->cell = grown;
	}
	cells->cell[cells->n++] = *cell;
	return 0;
}

/* With all engines to choose from, one that cannot run the cell is passed over
 * unless none can: then the cell is shown as skipped, once. */
static bool engine_applies(const struct lf_choice *c, const struct lf_engine *engine,
			   struct lf_cell *cell)
{
	cell->engine = engine;
	if (c->engine)
		return engine == c->engine;
	if (!lf_cell_unavailable(cell))
		return true;
	for (size_t i = 0; lf_engines[i]; i++) {
		cell->engine = lf_engines[i];
		if (!lf_cell_unavailable(cell))
			return false;
	}
	return engine == lf_engines[0];
}

/* Threads of the scenario with this value of its sweep. */
static unsigned thread_count(const struct lf_scenario *s, unsigned sweep)
{
	unsigned n = 0;

	for (const struct lf_role *role = s->roles; role->name; role++)
		n += role->count ? role->count : sweep;
	return n;
}

/* How many its sweep may be of: some take none, and all have threads beside those. */
static int check_threads(const struct lf_scenario *s, unsigned threads,
			 struct lf_error *error)
{
	unsigned least = s->sweep.value[0], most = LF_MAX_THREADS;

	while (most > least && thread_count(s, most) > LF_MAX_THREADS)
		most--;
	if (threads >= least && threads <= most)
		return 0;
	return lf_error_set(error, -EINVAL, "--threads=%u: %s takes from %u to %u", threads,
			    s->name, least, most);
}

static int add_points(const struct lf_choice *c, struct lf_cells *cells,
		     struct lf_cell *cell, struct lf_error *error)
{
	const struct lf_engine *engine = cell->engine;
	const struct lf_scenario *s = cell->scenario;
	unsigned threads = (unsigned)c->options->threads;
	/* One number instead of the sweep: it stays while the axes turn. */
	struct lf_scenario only = *s;
	int r = 0;

	if (s->sweep.n && c->options->threads >= 0) {
		r = check_threads(s, threads, error);
		if (r < 0)
			return r;
		only.sweep = (struct lf_sweep){ &threads, 1 };
	}
	cell->point = lf_point_first(&only);
	do {
		if (!lf_chooses_cell(c, cell) || !engine_applies(c, engine, cell))
			continue;
		cell->engine = engine;
		r = add_cell(cells, cell);
	} while (r == 0 && lf_point_next(&only, &cell->point));
	return r < 0 ? lf_error_set(error, r, "out of memory") : 0;
}

int lf_cells_param(const char *text, struct lf_cell *cell, bool *ret_used,
		   struct lf_error *error)
{
	const char *equals = strchr(text, '=');
	char name[64], *end;
	long long value;
	unsigned index;

	if (!equals || equals == text || equals[1] == '\0')
		return lf_error_set(error, -EINVAL, "--param=%s: write NAME=VALUE", text);
	snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
	errno = 0;
	value = strtoll(equals + 1, &end, 0);
	if (errno || *end != '\0')
		return lf_error_set(error, -EINVAL, "--param=%s: the value is no whole "
				    "number", text);
	if (!lf_cell_find_param(cell, name, &index))
		return 0;
	*ret_used = true;
	return lf_cell_set_param(cell, name, value, error);
}

int lf_cells_no_param(const char *text, struct lf_error *error)
{
	return lf_error_set(error, -ENOENT, "--param=%s: no selected backend has it; see "
			    "\"lockfair list backends\"", text);
}

/* *ret_used: the cell has a poller, which it is for. */
static int set_lock(const char *name, struct lf_cell *cell, bool *ret_used,
		    struct lf_error *error)
{
	const struct lf_entry *lock = name ? lf_registry_find(name) : NULL;

	if (!name || cell->backend->kind != LF_POLLER)
		return 0;
	if (!lock)
		return lf_error_set(error, -ENOENT, "--lock=%s: no backend has that name; "
				    "see \"lockfair list backends\"", name);
	*ret_used = true;
	return lf_cell_set_lock(cell, lock, error);
}

static int add_backend(const struct lf_choice *c, struct lf_cells *cells,
		       const struct lf_engine *engine, size_t scenario,
		       const struct lf_entry *entry, bool used[], struct lf_error *error)
{
	const struct lf_scenario *s = lf_scenarios[scenario];
	struct lf_cell cell;
	int r = 0;

	if (!(s->kinds & 1u << entry->backend->kind))
		return 0;
	lf_cell_init(&cell, entry, s, engine);
	cell.budget = c->options->budget;
	cell.seed = c->options->seed;
	cell.seeds = c->options->seeds;
	if (c->options->machine)
		cell.machine = c->options->machine;
	cell.required |= c->required[scenario];
	r = set_lock(c->options->lock, &cell, &used[c->options->param.n], error);
	for (size_t i = 0; r == 0 && i < c->options->param.n; i++)
		r = lf_cells_param(c->options->param.at[i], &cell, &used[i], error);
	return r < 0 ? r : add_points(c, cells, &cell, error);
}

static int add_engine(const struct lf_choice *c, struct lf_cells *cells,
		      const struct lf_engine *engine, bool used[], struct lf_error *error)
{
	int r = 0;

	if (c->engine && engine != c->engine)
		return 0;
	for (size_t i = 0; lf_scenarios[i]; i++)
		for (size_t k = 0; r == 0 && c->scenario[i] && k < c->entries; k++)
			if (lf_chooses_backend(c, lf_scenarios[i], k))
				r = add_backend(c, cells, engine, i, &c->entry[k], used,
						error);
	return r;
}

/* A machine model that does not exist leaves nothing that can run. */
static int check_machine(const struct lf_cells *cells, const char *machine,
			 struct lf_error *error)
{
	const char *why_not = NULL;

	for (size_t i = 0; machine && i < cells->n; i++) {
		why_not = lf_cell_unavailable(&cells->cell[i]);
		if (!why_not)
			return 0;
	}
	return why_not ?
		lf_error_set(error, -ENOENT, "--machine=%s: %s", machine, why_not) : 0;
}

static int check_used(const struct lf_choice *c, const struct lf_cells *cells,
		      const bool used[], struct lf_error *error)
{
	const struct lf_options *o = c->options;
	bool sweeps = o->threads < 0;

	/* Of plug-ins that could not be loaded the user knows already. */
	if (cells->n == 0 && c->plugins_failed)
		return lf_error_set(error, -ENOENT, "%s", "");
	if (cells->n == 0)
		return lf_error_set(error, -ENOENT, "nothing is selected: no scenario "
				    "that was asked for is for a backend that was; see "
				    "\"lockfair list\"");
	for (size_t i = 0; i < o->param.n; i++)
		if (!used[i])
			return lf_cells_no_param(o->param.at[i], error);
	if (o->lock && !used[o->param.n])
		return lf_error_set(error, -EINVAL, "--lock=%s: no selected backend is a "
				    "poller; see \"lockfair list backends\"", o->lock);
	for (size_t i = 0; i < cells->n; i++)
		sweeps |= cells->cell[i].scenario->sweep.n != 0;
	if (!sweeps)
		return lf_error_set(error, -EINVAL, "--threads=%d: no selected scenario "
				    "has a number of threads to set", o->threads);
	return check_machine(cells, o->machine, error);
}

static int add_all(const struct lf_choice *c, struct lf_cells *cells,
		   struct lf_error *error)
{
	bool *used = calloc(c->options->param.n + 1, sizeof *used);
	int r = used ? 0 : lf_error_set(error, -ENOMEM, "out of memory");

	for (size_t i = 0; r == 0 && lf_engines[i]; i++)
		r = add_engine(c, cells, lf_engines[i], used, error);
	if (r == 0)
		r = check_used(c, cells, used, error);
	free(used);
	return r;
}

int lf_cells_make(struct lf_cells *cells, const struct lf_options *options,
		  struct lf_error *error)
{
	struct lf_choice *choice = malloc(sizeof *choice);
	int r;

	*cells = (struct lf_cells){ 0 };
	if (!choice)
		return lf_error_set(error, -ENOMEM, "out of memory");
	r = lf_choose(choice, options, error);
	cells->plugins_failed = choice->plugins_failed;
	if (r == 0)
		r = add_all(choice, cells, error);
	free(choice);
	return r;
}

void lf_cells_free(struct lf_cells *cells)
{
	free(cells->cell);
	*cells = (struct lf_cells){ 0 };
}

/* --- And back --------------------------------------------------------------- */

static void append_option(struct lf_buffer *t, const char *option, const char *value)
{
	if (!value)
		return;
	lf_put(t, " %s ", option);
	lf_put_word(t, value);
}

void lf_put_selector(struct lf_buffer *t, const struct lf_entry *e)
{
	char selector[4096];

	snprintf(selector, sizeof selector, "%s%s%s", e->plugin ? e->plugin : "",
		 e->plugin ? ":" : "", lf_plain_name(e->backend->name));
	lf_put_word(t, selector);
}

static void append_params(struct lf_buffer *t, const struct lf_cell *cell)
{
	const struct lf_param *p = cell->backend->params;

	for (unsigned i = 0; p && p[i].name; i++)
		if (cell->param[i] != p[i].value)
			lf_put(t, " --param %s=%" PRId64, p[i].name, cell->param[i]);
	if (cell->polls != LF_MUTEX_POLLS)
		lf_put(t, " --param %s=%" PRId64, LF_PARAM_POLLS, cell->polls);
}

const char *lf_cell_command(const struct lf_cell *cell, const struct lf_options *options,
			    char *buffer, size_t size)
{
	static const char *const budget[] = {
#define X(id, name) name,
		LF_BUDGET_MAP(X)
#undef X
	};
	const struct lf_scenario *s = cell->scenario;
	struct lf_buffer t = { buffer, size, 0 };
	char id[96];

	lf_put(&t, "lockfair run ");
	lf_put_selector(&t, &(struct lf_entry){ .backend = cell->backend,
						.plugin = cell->plugin });
	lf_put(&t, " --scenario %s --engine %s", lf_cell_axes_id(cell, id, sizeof id),
	       cell->engine->name);
	if (s->sweep.n)
		lf_put(&t, " --threads %u", cell->point.sweep);
	append_params(&t, cell);
	if (cell->lock && strcmp(cell->lock->name, LF_POLLER_LOCK) != 0)
		append_option(&t, "--lock", cell->lock->name);
	if (cell->required && !(s->required_of & 1u << cell->backend->kind))
		lf_put(&t, " --require %s", s->name);
	if (cell->budget != LF_BUDGET_QUICK)
		lf_put(&t, " --budget %s", budget[cell->budget]);
	append_option(&t, "--machine", cell->machine);
	lf_put(&t, " --seed %" PRIu64, cell->seed);
	if (cell->seeds)
		lf_put(&t, " --seeds %u", cell->seeds);
	append_option(&t, "--expectations", options->expectations);
	if (options->no_expectations)
		lf_put(&t, " --no-expectations");
	return buffer;
}
