/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/scenarios.h"

#include "core/registry.h"

#include <string.h>

#define X(id) extern const struct lf_scenario lf_scenario_##id;
LF_SCENARIO_MAP(X)
#undef X

const struct lf_scenario *const lf_scenarios[] = {
#define X(id) &lf_scenario_##id,
	LF_SCENARIO_MAP(X)
#undef X
	NULL
};

const struct lf_suite lf_suites[] = {
#define X(name_, summary_, backends_)                                          \
	{ .name = name_, .summary = summary_, .backends = backends_ },
	LF_SUITE_MAP(X)
#undef X
	{ .name = NULL },
};

const struct lf_suite *lf_suite_find(const char *name)
{
	for (const struct lf_suite *s = lf_suites; s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

const struct lf_scenario *lf_scenario_find(const char *name)
{
	for (const struct lf_scenario *const *s = lf_scenarios; *s; s++)
		if (strcmp((*s)->name, name) == 0)
			return *s;
	return NULL;
}
