/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/engine.h"

#include <string.h>

const struct lf_engine *const lf_engines[] = { &lf_engine_threads, &lf_engine_sim, NULL };

const char *lf_cannot_place(enum lf_engine_set engine, enum lf_placement placement,
			    enum lf_policy policy)
{
	for (const struct lf_engine *const *e = lf_engines; *e; e++)
		if ((*e)->bit == engine && (*e)->cannot_place)
			return (*e)->cannot_place(placement, policy);
	return NULL;
}

const struct lf_engine *lf_engine_find(const char *name)
{
	for (const struct lf_engine *const *e = lf_engines; *e; e++)
		if (strcmp((*e)->name, name) == 0)
			return *e;
	return NULL;
}
