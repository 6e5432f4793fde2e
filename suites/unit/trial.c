/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/unit/trial.h"

#include "core/point.h"
#include "core/registry.h"
#include "fixtures/fixtures.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lf_cell lf_trial_cell(const char *backend, const struct lf_scenario *scenario,
			     const char *machine)
{
	struct lf_error error = { "" };
	ck_assert_msg(lf_fixtures_register(&error) == 0, "%s", error.text);
	const struct lf_entry *entry = lf_registry_find(backend);
	ck_assert_msg(entry != NULL, "no backend %s", backend);
	struct lf_cell cell;
	lf_cell_init(&cell, entry, scenario, &lf_engine_sim);
	cell.machine = machine;
	return cell;
}

const struct trial *lf_trial_of(const struct lf_cell *cell, const char *machine,
				uint64_t seed)
{
	static struct trial trial;
	struct lf_variant variant = { .seed = seed };
	struct lf_run *run = aligned_alloc(_Alignof(struct lf_run), sizeof *run);

	ck_assert_ptr_nonnull(run);
	memset(&trial, 0, sizeof trial);
	memset(run, 0, sizeof *run);
	run->cell = cell;
	run->observation = &trial.observation;
	snprintf(variant.machine, sizeof variant.machine, "%s", machine);
	trial.rc = cell->engine->execute(run, &variant, &trial.error);
	trial.hash = variant.trace_hash;
	if (trial.rc == 0)
		lf_judge(cell, &trial.observation, &trial.judgement);
	if (trial.rc != -EDEADLK) /* else a thread is in there still */
		free(run);
	return &trial;
}

const struct trial *lf_trial(const char *backend, const struct lf_scenario *scenario,
			     const char *machine, uint64_t seed)
{
	struct lf_cell cell = lf_trial_cell(backend, scenario, machine);
	const struct trial *t = lf_trial_of(&cell, machine, seed);
	ck_assert_msg(t->rc == 0, "%s on %s: %s", backend, machine, t->error.text);
	return t;
}

struct lf_cell lf_trial_cell_at(const char *id, const char *backend, const char *parameter)
{
	char name[64];
	long long value;
	size_t length = strcspn(id, "/");
	struct lf_error error = { "" };

	snprintf(name, sizeof name, "%.*s", (int)length, id);
	const struct lf_scenario *s = lf_scenario_find(name);
	ck_assert_msg(s != NULL, "no scenario %s", name);
	struct lf_cell cell = lf_trial_cell(backend, s, s->machine);
	ck_assert_msg(!id[length] || lf_point_parse(s, id + length, &cell.point),
		      "no cell %s", id);
	if (parameter && sscanf(parameter, "%63[^=]=%lld", name, &value) == 2)
		ck_assert_msg(lf_cell_set_param(&cell, name, value, &error) == 0, "%s",
			      error.text);
	return cell;
}

const struct trial *lf_trial_at(const char *id, const char *backend, const char *parameter,
				uint64_t seed)
{
	struct lf_cell cell = lf_trial_cell_at(id, backend, parameter);
	const struct trial *t = lf_trial_of(&cell, cell.machine, seed);
	ck_assert_msg(t->rc == 0, "%s on %s: %s", id, backend, t->error.text);
	return t;
}
