/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/seed.h"

#include "core/registry.h"
#include "engine/engine.h"
#include "report/json.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <string.h>

static const struct layout {
	const char *suite;
	lf_seed_print *print;
} layouts[] = {
#define X(suite, print) { suite, print },
	LF_SEED_MAP(X)
#undef X
};

static const char *suite_of(const json_t *record)
{
	const char *id = lf_json_string(record, "scenario");
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)lf_scenario_base(id), id);
	const struct lf_scenario *s = lf_scenario_find(name);
	return s ? s->suite : "";
}

static bool has(const json_t *records, const char *suite, const char *engine)
{
	size_t i;
	json_t *record;
	json_array_foreach(records, i, record)
		if (lf_text_is_asked(record) && lf_text_is_of(record, engine) &&
		    strcmp(suite_of(record), suite) == 0)
			return true;
	return false;
}

static lf_seed_print *layout_of(const char *suite)
{
	for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
		if (strcmp(layouts[i].suite, suite) == 0)
			return layouts[i].print;
	return NULL;
}

int lf_report_seed(FILE *out, const json_t *records)
{
	for (const struct lf_suite *s = lf_suites; s->name; s++) {
		lf_seed_print *print = layout_of(s->name);
		if (!has(records, s->name, NULL))
			continue;
		if (!print)
			fprintf(out, "suite %s comes from no benchmark whose layout is known; "
				"see --format text\n", s->name);
		for (size_t e = 0; print && lf_engines[e]; e++)
			if (has(records, s->name, lf_engines[e]->name))
				print(out, records, lf_engines[e]->name);
	}
	return ferror(out) ? -1 : 0;
}
