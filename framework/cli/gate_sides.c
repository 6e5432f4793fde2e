/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which locks are compared: both sides loaded, under names of their own. */
#include "cli/gate.h"

#include "cli/cells.h"
#include "cli/choose.h"
#include "cli/cli.h"
#include "core/select.h"
#include "fixtures/fixtures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gives every built-in backend that matches a second name. */
static int add_built_in(const char *glob, const char *side, struct lf_error *error)
{
	size_t n, found = 0;
	const char *name[LF_CHOICE_MAX];
	char meant[256];
	int r = 0;

	lf_registry(&n);
	for (size_t i = 0; r == 0 && i < n && i < LF_CHOICE_MAX; i++) {
		size_t now;
		struct lf_entry e = lf_registry(&now)[i];
		name[i] = e.backend->name;
		if (strchr(name[i], ':') || !lf_glob(glob, name[i]))
			continue;
		r = lf_registry_add_as(&e, side, error);
		found++;
	}
	if (r < 0 || found)
		return r;
	return lf_error_set(error, -ENOENT, "--%s=%s: no backend has that name%s; a plug-in "
			    "is a path that ends in .so", side, glob,
			    lf_did_you_mean(glob, name, n < LF_CHOICE_MAX ? n : LF_CHOICE_MAX,
					    meant, sizeof meant));
}

static int load_side(const char *selector, const char *side, struct lf_error *error)
{
	char path[4096];

	if (!lf_selector_path(selector, path, sizeof path))
		return add_built_in(selector, side, error);
	return lf_registry_load_as(path, side, error);
}

/* Is this entry one that the side's selector chose? */
static bool is_chosen(const struct lf_entry *e, const char *selector, const char *side)
{
	char path[4096];
	const char *glob = lf_selector_path(selector, path, sizeof path);
	size_t length = strlen(side);

	return strncmp(e->backend->name, side, length) == 0 &&
	       e->backend->name[length] == ':' &&
	       ((glob && !glob[0]) ||
		lf_glob(glob ? glob : selector, lf_plain_name(e->backend->name)));
}

/* The i-th that was chosen on a side, or NULL. */
static const struct lf_entry *chosen(const char *selector, const char *side, size_t i)
{
	size_t n;
	const struct lf_entry *e = lf_registry(&n);

	for (size_t k = 0; k < n; k++)
		if (is_chosen(&e[k], selector, side) && i-- == 0)
			return &e[k];
	return NULL;
}

static const struct lf_entry *find(const char *selector, const char *side,
				   const char *name)
{
	const struct lf_entry *e;

	for (size_t i = 0; (e = chosen(selector, side, i)); i++)
		if (strcmp(lf_plain_name(e->backend->name), name) == 0)
			return e;
	return NULL;
}

static int add_lock(struct lf_gate *gate, const struct lf_entry *base,
		    const struct lf_entry *head)
{
	struct lf_gate_lock *grown = realloc(gate->lock, (gate->n + 1) * sizeof *grown);

	if (!grown)
		return lf_error_set(&gate->error, -ENOMEM, "out of memory");
	gate->lock = grown;
	gate->lock[gate->n] = (struct lf_gate_lock){
		.name = lf_plain_name(head->backend->name), .head = *head,
	};
	if (base)
		gate->lock[gate->n].base = *base;
	gate->n++;
	return 0;
}

static int add_gone(struct lf_gate *gate, const struct lf_entry *base)
{
	struct lf_entry *grown = realloc(gate->gone, (gate->gone_n + 1) * sizeof *grown);

	if (!grown)
		return lf_error_set(&gate->error, -ENOMEM, "out of memory");
	gate->gone = grown;
	gate->gone[gate->gone_n++] = *base;
	return 0;
}

/* One lock on either side is a pair, whatever they are called. */
static int pair_locks(struct lf_gate *gate)
{
	const struct lf_gate_options *o = gate->options;
	const struct lf_entry *head, *base = chosen(o->base, LF_SIDE_BASE, 0);
	bool only = base && !chosen(o->base, LF_SIDE_BASE, 1) &&
		!chosen(o->head, LF_SIDE_HEAD, 1);
	int r = 0;

	for (size_t i = 0; r == 0 && (head = chosen(o->head, LF_SIDE_HEAD, i)); i++)
		r = add_lock(gate, only ? base : find(o->base, LF_SIDE_BASE,
			     lf_plain_name(head->backend->name)), head);
	for (size_t i = 0; r == 0 && !only && (base = chosen(o->base, LF_SIDE_BASE, i)); i++)
		if (!find(o->head, LF_SIDE_HEAD, lf_plain_name(base->backend->name)))
			r = add_gone(gate, base);
	return r;
}

static int check_kinds(struct lf_gate *gate)
{
	for (size_t i = 0; i < gate->n; i++) {
		const struct lf_gate_lock *l = &gate->lock[i];
		if (l->base.backend && l->base.backend->kind != l->head.backend->kind)
			return lf_error_set(&gate->error, -EINVAL,
					    "%s is of kind %s and %s of kind %s: they cannot "
					    "be compared", l->base.backend->name,
					    lf_kind_name(l->base.backend->kind),
					    l->head.backend->name,
					    lf_kind_name(l->head.backend->kind));
	}
	return 0;
}

/* Each is for one lock at least, on either side. */
static int check_param(struct lf_gate *gate, const char *text)
{
	bool used = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2 * gate->n; i++) {
		const struct lf_gate_lock *l = &gate->lock[i / 2];
		const struct lf_entry *e = i % 2 ? &l->head : &l->base;
		struct lf_cell cell;
		if (!e->backend)
			continue;
		lf_cell_init(&cell, e, lf_scenarios[0], &lf_engine_threads);
		r = lf_cells_param(text, &cell, &used, &gate->error);
	}
	return r < 0 || used ? r : lf_cells_no_param(text, &gate->error);
}

int lf_gate_load(struct lf_gate *gate)
{
	const struct lf_gate_options *o = gate->options;
	int r = lf_fixtures_register(&gate->error);

	if (r == 0)
		r = load_side(o->base, LF_SIDE_BASE, &gate->error);
	if (r == 0)
		r = load_side(o->head, LF_SIDE_HEAD, &gate->error);
	if (r == 0)
		r = pair_locks(gate);
	if (r == 0 && gate->n == 0)
		r = lf_error_set(&gate->error, -ENOENT, "--head=%s: it has no such backend",
				 o->head);
	if (r == 0)
		r = check_kinds(gate);
	for (size_t i = 0; r == 0 && i < o->run.param.n; i++)
		r = check_param(gate, o->run.param.at[i]);
	return r;
}

void lf_gate_unload(struct lf_gate *gate)
{
	free(gate->lock);
	free(gate->gone);
	gate->lock = NULL;
	gate->gone = NULL;
	gate->n = gate->gone_n = 0;
}
