/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/interpreters.h"

#include "cli/place.h"
#include "core/registry.h"
#include "core/select.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* What stands in for one that was not built. Nothing of it is ever called. */
static const struct lf_gil_ops no_ops;

#define ABSENT(name_, summary_, package_)                                      \
	{                                                                      \
		.backend = &(const struct lf_backend){                         \
			.abi = LF_ABI, .kind = LF_GIL, .name = name_,          \
			.summary = summary_, .engines = LF_ON_THREADS,         \
			.lock_size = 1, .gil = &no_ops,                        \
		},                                                             \
		.absent = "this lockfair was built without it; install "       \
			  package_ " and build again",                         \
	},

static const struct lf_entry absent[] = { LF_INTERPRETER_MAP(ABSENT) };

static int load(const struct lf_entry *e, struct lf_error *error)
{
	char folder[PATH_MAX], file[64], path[PATH_MAX + 64];
	int r;

	snprintf(file, sizeof file, "%s.so", e->backend->name);
	if (lf_find_place(LF_PLACE_MODULES, file, folder, sizeof folder)) {
		snprintf(path, sizeof path, "%s/%s", folder, file);
		return lf_registry_load(path, error);
	}
	r = lf_registry_add(e, 1);
	return r < 0 ? lf_error_set(error, r, "out of memory") : 0;
}

int lf_interpreters_load(const char *glob, struct lf_error *error)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof absent / sizeof absent[0]; i++)
		if (lf_glob(glob, absent[i].backend->name) &&
		    !lf_registry_find(absent[i].backend->name))
			r = load(&absent[i], error);
	return r;
}
