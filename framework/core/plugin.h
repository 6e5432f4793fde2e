/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared objects with backends. lf_registry_load() is what most callers want;
 * this is for those that need a build of a lock for themselves.
 */
#ifndef LF_CORE_PLUGIN_H
#define LF_CORE_PLUGIN_H

#include "core/error.h"
#include <lockfair/backend.h>

struct lf_plugin {
	void *handle; /* for dlclose() */
	const struct lf_backend *const *backend; /* n of them, then NULL */
	const struct lf_backend *const *twin;    /* compiled for `sim`; may be NULL */
	size_t n;
};

/*
 * Loads a shared object and checks its backends. With `own_copy` from a copy in
 * memory: the same file can then be loaded several times, each time with code and
 * data of its own, which dlopen(3) else refuses. Errors: see lf_registry_load().
 *
 * The object is foreign code; lf_plugin_probe() says beforehand, in a process
 * that may die of it, what this function will say.
 */
int lf_plugin_open(const char *path, bool own_copy, struct lf_plugin *ret_plugin,
		   struct lf_error *error);
int lf_plugin_probe(const char *path, struct lf_error *error);

/* The backend of that name in a list that ends with NULL, or NULL. */
const struct lf_backend *lf_plugin_find(const struct lf_backend *const *list,
					const char *name);

#endif
