/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The backends and scenarios there are. Scenarios are part of the library
 * (suites/scenarios.h lists them); the built-in backends belong to the program
 * (fixtures/backends.h lists them), which adds them at its start; plug-ins add
 * theirs when they are loaded. Single-threaded; filled before the first cell
 * runs.
 */
#ifndef LF_CORE_REGISTRY_H
#define LF_CORE_REGISTRY_H

#include "core/error.h"
#include <lockfair/scenario.h>

struct lf_entry {
	const struct lf_backend *backend;
	const struct lf_backend *twin; /* compiled for `sim`; NULL: none */
	const char *plugin;            /* path, or NULL when built in */
	const char *absent;            /* why it cannot be run here, or NULL */
};

/* Adds n entries, whose memory must stay. 0 or -ENOMEM. */
int lf_registry_add(const struct lf_entry *entry, size_t n);

/* All entries in their order; *ret_n of them. */
const struct lf_entry *lf_registry(size_t *ret_n);
const struct lf_entry *lf_registry_find(const char *name);

/*
 * Loads a shared object and adds its backends. Every one of them is checked
 * (ABI, name, ops, sizes, parameters) before any is added.
 * -ENOENT cannot be opened · -ENOEXEC no shared object, or one without lf_backends ·
 * -EPROTO another ABI · -EINVAL malformed descriptor · -EEXIST a name that is taken.
 */
int lf_registry_load(const char *path, struct lf_error *error);

/*
 * The same for one side of a comparison: the backends get the names "SIDE:name",
 * so that two builds of one lock have a place each. lf_registry_add_as() gives an
 * entry of the registry a second one. lf_plain_name() is the name without its
 * side, by which commands and expectations know it; lf_side_name() returns
 * `buffer`, and the plain name if side is NULL.
 */
#define LF_NAME_MAX 96
int lf_registry_load_as(const char *path, const char *side, struct lf_error *error);
int lf_registry_add_as(const struct lf_entry *entry, const char *side,
		       struct lf_error *error);
const char *lf_plain_name(const char *name);
const char *lf_side_name(const char *side, const char *name,
			 char buffer[static LF_NAME_MAX]);

int lf_backend_check(const struct lf_backend *b, struct lf_error *error);

/* All scenarios, ended by NULL, and one by name (NULL: none). */
extern const struct lf_scenario *const lf_scenarios[];
const struct lf_scenario *lf_scenario_find(const char *name);

/* A named set of scenarios. */
struct lf_suite {
	const char *name;
	const char *summary;  /* one line */
	const char *backends; /* globs of those that it judges unless told otherwise */
};

/* All suites, ended by a NULL name, and one by name (NULL: none). */
extern const struct lf_suite lf_suites[];
const struct lf_suite *lf_suite_find(const char *name);

const char *lf_kind_name(enum lf_kind kind);
/* "fifo, sleeps", or "none (barging)". Returns `buffer`. */
const char *lf_claim_text(const struct lf_claim *claim, char *buffer, size_t size);

#endif
