/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/expected.h"

#include "cli/cli.h"
#include "core/registry.h"
#include "engine/engine.h"

#include <time.h>

int lf_expected_read(struct lf_expected *e, const char *path, bool shipped,
		     struct lf_error *error)
{
	time_t now = time(NULL);
	struct tm day;
	int r = 0;

	*e = (struct lf_expected){ 0 };
	strftime(e->today, sizeof e->today, "%Y-%m-%d", localtime_r(&now, &day));
	if (shipped)
		r = lf_expectations_parse(&e->expectations, "the built-in expectations",
					  lf_expectations_shipped, error);
	return r == 0 && path ? lf_expectations_read(&e->expectations, path, error) : r;
}

void lf_expected_free(struct lf_expected *e)
{
	lf_expectations_free(&e->expectations);
}

const struct lf_expectation *lf_expected_of(const struct lf_expected *e,
					    const struct lf_cell *cell,
					    const char *command)
{
	const struct lf_expectation *found, *expired;
	const char *name = lf_plain_name(cell->backend->name);
	char id[96];

	found = lf_expectations_find(&e->expectations,
				     lf_cell_scenario_id(cell, id, sizeof id), name,
				     cell->engine->name, e->today, &expired);
	if (expired)
		lf_cli_error(command, "the expectation [%s %s %s] expired on %s and does "
			     "not hold for %s on %s; renew it or remove it",
			     expired->scenario, expired->backend, expired->engine,
			     expired->until, id, name);
	return found;
}
