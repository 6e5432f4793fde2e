/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/cell.h"

#include "core/buffer.h"
#include "core/point.h"
#include "core/registry.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_axes(struct lf_buffer *t, const struct lf_cell *cell)
{
	const struct lf_axis *axis = cell->scenario->axes;

	lf_put(t, "%s", cell->scenario->name);
	for (unsigned i = 0; axis && axis[i].name; i++)
		lf_put(t, "/%s", axis[i].values[cell->point.axis[i]]);
}

const char *lf_cell_scenario_id(const struct lf_cell *cell, char *buffer, size_t size)
{
	struct lf_buffer t = { buffer, size, 0 };

	put_axes(&t, cell);
	if (cell->scenario->sweep.n)
		lf_put(&t, "/%u", cell->point.sweep);
	return buffer;
}

const char *lf_cell_axes_id(const struct lf_cell *cell, char *buffer, size_t size)
{
	struct lf_buffer t = { buffer, size, 0 };

	put_axes(&t, cell);
	return buffer;
}

const struct lf_role *lf_cell_roles(const struct lf_cell *cell)
{
	const struct lf_scenario *s = cell->scenario;

	return s->roles_at ? s->roles_at(&cell->point) : s->roles;
}

bool lf_cell_has_processes(const struct lf_cell *cell)
{
	for (const struct lf_role *role = lf_cell_roles(cell); role->name; role++)
		if (role->foreign)
			return true;
	return false;
}

const char *lf_cell_unavailable(const struct lf_cell *cell)
{
	const struct lf_scenario *s = cell->scenario;
	const char *why = cell->absent;

	if (!why && cell->backend->kind == LF_POLLER && !cell->lock)
		why = "a poller is judged around a lock, and there is no " LF_POLLER_LOCK
		      ": name another GIL with --lock";
	if (!why)
		why = cell->engine->unavailable(cell);
	if (!why && s->skip)
		why = s->skip(cell->backend, cell->engine->bit, &cell->point);
	return why;
}

void lf_cell_refine(struct lf_cell *cell)
{
	const struct lf_backend *b = lf_cell_lock(cell);

	cell->claim = b->claim;
	if (b->refine_claim)
		b->refine_claim(lf_cell_lock_param(cell), &cell->claim);
}

static void set_defaults(const struct lf_backend *b, int64_t ret_param[])
{
	for (unsigned i = 0; b->params && b->params[i].name; i++)
		ret_param[i] = b->params[i].value;
}

int lf_cell_set_lock(struct lf_cell *cell, const struct lf_entry *lock,
		     struct lf_error *error)
{
	const struct lf_backend *b = lock->backend;

	if (cell->backend->kind != LF_POLLER)
		return lf_error_set(error, -EINVAL, "%s is no poller: no other lock is "
				    "held around it", cell->backend->name);
	if (b->kind != LF_GIL)
		return lf_error_set(error, -EINVAL, "%s is a %s; around a poller a GIL is "
				    "held", b->name, lf_kind_name(b->kind));
	cell->lock = b;
	cell->lock_twin = lock->twin;
	set_defaults(b, cell->lock_param);
	lf_cell_refine(cell);
	return 0;
}

void lf_cell_init(struct lf_cell *cell, const struct lf_entry *entry,
		  const struct lf_scenario *scenario, const struct lf_engine *engine)
{
	const struct lf_backend *b = entry->backend;

	*cell = (struct lf_cell){
		.backend = b, .twin = entry->twin, .plugin = entry->plugin,
		.absent = entry->absent,
		.scenario = scenario, .engine = engine,
		.polls = LF_MUTEX_POLLS, .point = lf_point_default(scenario),
		.seed = LF_SEED, .machine = scenario->machine,
		.required = scenario->required_of & 1u << b->kind,
	};
	set_defaults(b, cell->param);
	lf_cell_refine(cell);
	const struct lf_entry *lock = lf_registry_find(LF_POLLER_LOCK);
	if (b->kind == LF_POLLER && lock)
		lf_cell_set_lock(cell, lock, NULL);
}

static const struct lf_param polls_param = {
	.name = LF_PARAM_POLLS, .value = LF_MUTEX_POLLS, .min = 1, .max = 1000000000,
	.unit = "polls", .help = "polls after which a mutex used as a GIL is let go",
};

const struct lf_param *lf_cell_find_param(const struct lf_cell *cell, const char *name,
					  unsigned *ret_index)
{
	const struct lf_param *p = cell->backend->params;

	for (unsigned i = 0; p && p[i].name; i++) {
		if (strcmp(p[i].name, name) == 0) {
			*ret_index = i;
			return &p[i];
		}
	}
	*ret_index = LF_MAX_PARAMS;
	if (cell->backend->kind == LF_MUTEX && strcmp(name, LF_PARAM_POLLS) == 0)
		return &polls_param;
	return NULL;
}

int lf_cell_set_param(struct lf_cell *cell, const char *name, int64_t value,
		      struct lf_error *error)
{
	unsigned index;
	const struct lf_param *p = lf_cell_find_param(cell, name, &index);

	if (!p)
		return lf_error_set(error, -ENOENT,
				    "%s: no parameter \"%s\"; \"lockfair list backends\" "
				    "shows what there is", cell->backend->name, name);
	if (value < p->min || value > p->max)
		return lf_error_set(error, -ERANGE,
				    "%s: %s=%lld is out of range; give %lld to %lld %s",
				    cell->backend->name, name, (long long)value,
				    (long long)p->min, (long long)p->max, p->unit);
	if (index < LF_MAX_PARAMS)
		cell->param[index] = value;
	else
		cell->polls = value;
	lf_cell_refine(cell);
	return 0;
}
