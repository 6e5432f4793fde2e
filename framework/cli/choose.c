/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/choose.h"

#include "cli/cli.h"
#include "core/cell.h"
#include "core/select.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULTY "faulty/"

/* --- Backends --------------------------------------------------------------- */

/* A selector is a path when it looks like one; then it may end in ":GLOB". */
static bool is_path(const char *selector, size_t *ret_length)
{
	const char *colon = strstr(selector, ".so:");

	*ret_length = colon ? (size_t)(colon - selector) + 3 : strlen(selector);
	return selector[0] == '.' || selector[0] == '/' || colon ||
	       (*ret_length > 3 && strcmp(selector + *ret_length - 3, ".so") == 0);
}

/* dlopen() searches the system for a name without a slash; we never mean that. */
static void plugin_path(const char *selector, char *path, size_t size)
{
	size_t length;

	is_path(selector, &length);
	snprintf(path, size, "%s%.*s", memchr(selector, '/', length) ? "" : "./",
		 (int)length, selector);
}

static bool is_loaded(const char *path)
{
	size_t n;
	const struct lf_entry *entry = lf_registry(&n);

	for (size_t i = 0; i < n; i++)
		if (entry[i].plugin && strcmp(entry[i].plugin, path) == 0)
			return true;
	return false;
}

static unsigned load_plugins(const struct lf_options *o)
{
	unsigned failed = 0;
	size_t length;

	for (size_t i = 0; i < o->selector.n; i++) {
		char path[4096];
		struct lf_error error;
		if (!is_path(o->selector.at[i], &length))
			continue;
		plugin_path(o->selector.at[i], path, sizeof path);
		if (is_loaded(path) || lf_registry_load(path, &error) == 0)
			continue;
		lf_cli_error(o->command, "%s", error.text);
		failed++;
	}
	return failed;
}

static bool selects(const char *selector, const struct lf_entry *e)
{
	char path[4096];
	size_t length;

	if (!is_path(selector, &length))
		return lf_glob(selector, e->backend->name);
	plugin_path(selector, path, sizeof path);
	if (!e->plugin || strcmp(e->plugin, path) != 0)
		return false;
	return selector[length] != ':' ||
	       lf_glob(selector + length + 1, e->backend->name);
}

static int no_backend(const struct lf_choice *c, const char *selector,
		      struct lf_error *error)
{
	const char *name[LF_CHOICE_MAX];
	char meant[256];
	size_t n = c->entries < LF_CHOICE_MAX ? c->entries : LF_CHOICE_MAX;

	for (size_t i = 0; i < n; i++)
		name[i] = c->entry[i].backend->name;
	lf_did_you_mean(selector, name, n, meant, sizeof meant);
	return lf_error_set(error, -ENOENT,
			    "no backend matches \"%s\"%s; see \"lockfair list backends\"",
			    selector, meant);
}

static int choose_backends(struct lf_choice *c, struct lf_error *error)
{
	const struct lf_strings *selector = &c->options->selector;
	size_t length;

	for (size_t i = 0; selector->n == 0 && i < c->entries; i++)
		c->backend[i] = strncmp(c->entry[i].backend->name, FAULTY,
					strlen(FAULTY)) != 0;
	for (size_t k = 0; k < selector->n; k++) {
		char path[4096];
		bool any = false;
		for (size_t i = 0; i < c->entries; i++) {
			bool hit = selects(selector->at[k], &c->entry[i]);
			c->backend[i] |= hit;
			any |= hit;
		}
		plugin_path(selector->at[k], path, sizeof path);
		/* Of a plug-in that was not loaded the user knows already. */
		if (!any && !(is_path(selector->at[k], &length) && !is_loaded(path)))
			return no_backend(c, selector->at[k], error);
	}
	return 0;
}

/* --- Scenarios -------------------------------------------------------------- */

static bool in_suite(const struct lf_choice *c, const struct lf_scenario *s)
{
	const char *suite = c->options->suite;

	/* Who names a scenario need not know its suite. */
	if (!suite && c->options->scenario.n)
		return true;
	if (!suite)
		suite = "core";
	return strcmp(suite, "all") == 0 || strcmp(suite, s->suite) == 0;
}

static int check_suite(const struct lf_choice *c, struct lf_error *error)
{
	const char *name[LF_CHOICE_MAX] = { "all" };
	char meant[256];
	size_t n = 1;

	for (size_t i = 0; lf_scenarios[i] && n < LF_CHOICE_MAX; i++) {
		if (in_suite(c, lf_scenarios[i]))
			return 0;
		name[n++] = lf_scenarios[i]->suite;
	}
	return lf_error_set(error, -ENOENT,
			    "no suite is named \"%s\"%s; see \"lockfair list scenarios\"",
			    c->options->suite, lf_did_you_mean(c->options->suite, name, n,
							       meant, sizeof meant));
}

/* Does the glob speak of some cell of the scenario, or (sweep ≠ 0) of this one? */
static bool names_scenario(const char *glob, const struct lf_scenario *s, unsigned sweep)
{
	struct lf_cell cell = { .scenario = s, .sweep = sweep };
	char id[96];

	if (lf_glob(glob, s->name))
		return true;
	if (sweep)
		return lf_glob(glob, lf_cell_scenario_id(&cell, id, sizeof id));
	for (unsigned v = s->sweep.from; s->sweep.to && v <= s->sweep.to; v++)
		if (names_scenario(glob, s, v))
			return true;
	return false;
}

static int no_scenario(const char *option, const char *glob, struct lf_error *error)
{
	const char *name[LF_CHOICE_MAX];
	char meant[256];
	size_t n = 0;

	for (; lf_scenarios[n] && n < LF_CHOICE_MAX; n++)
		name[n] = lf_scenarios[n]->name;
	return lf_error_set(error, -ENOENT, "--%s=%s matches no selected scenario%s; see "
			    "\"lockfair list scenarios\"", option, glob,
			    lf_did_you_mean(glob, name, n, meant, sizeof meant));
}

static int mark_scenarios(const struct lf_strings *glob, const char *option,
			  const bool among[], bool flag[], struct lf_error *error)
{
	for (size_t k = 0; k < glob->n; k++) {
		bool any = false;
		for (size_t i = 0; lf_scenarios[i]; i++) {
			bool hit = among[i] &&
				   names_scenario(glob->at[k], lf_scenarios[i], 0);
			flag[i] |= hit;
			any |= hit;
		}
		if (!any)
			return no_scenario(option, glob->at[k], error);
	}
	return 0;
}

static int choose_scenarios(struct lf_choice *c, struct lf_error *error)
{
	const struct lf_options *o = c->options;
	bool of_suite[LF_CHOICE_MAX] = { false };
	int r = check_suite(c, error);

	for (size_t i = 0; lf_scenarios[i]; i++)
		of_suite[i] = in_suite(c, lf_scenarios[i]);
	if (r == 0 && o->scenario.n == 0)
		memcpy(c->scenario, of_suite, sizeof c->scenario);
	if (r == 0)
		r = mark_scenarios(&o->scenario, "scenario",
				   of_suite, c->scenario, error);
	if (r == 0)
		r = mark_scenarios(&o->require, "require",
				   c->scenario, c->required, error);
	return r;
}

static int choose_engine(struct lf_choice *c, struct lf_error *error)
{
	const char *name[8] = { "all" };
	char meant[64];
	size_t n = 1;

	/* Only on `sim` is there a choice of machines. */
	if (strcmp(c->options->engine, "all") != 0)
		c->engine = lf_engine_find(c->options->engine);
	else if (c->options->machine)
		c->engine = &lf_engine_sim;
	else
		return 0;
	if (c->engine)
		return 0;
	for (size_t i = 0; lf_engines[i] && n < 8; i++)
		name[n++] = lf_engines[i]->name;
	return lf_error_set(error, -ENOENT, "no engine is named \"%s\"%s; use threads, "
			    "sim or all", c->options->engine,
			    lf_did_you_mean(c->options->engine, name, n, meant,
					    sizeof meant));
}

bool lf_chooses_sweep(const struct lf_choice *choice, const struct lf_scenario *s,
		      unsigned sweep)
{
	const struct lf_strings *glob = &choice->options->scenario;

	for (size_t k = 0; k < glob->n; k++)
		if (names_scenario(glob->at[k], s, sweep))
			return true;
	return glob->n == 0;
}

int lf_choose(struct lf_choice *choice, const struct lf_options *options,
	      struct lf_error *error)
{
	int r;

	*choice = (struct lf_choice){ .options = options };
	choice->plugins_failed = load_plugins(options);
	choice->entry = lf_registry(&choice->entries);
	if (choice->entries > LF_CHOICE_MAX)
		return lf_error_set(error, -E2BIG,
				    "more than %d backends; load fewer plug-ins",
				    LF_CHOICE_MAX);
	r = choose_engine(choice, error);
	if (r == 0)
		r = choose_backends(choice, error);
	return r == 0 ? choose_scenarios(choice, error) : r;
}
