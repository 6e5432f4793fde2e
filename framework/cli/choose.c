/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/choose.h"

#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/interpreters.h"
#include "core/point.h"
#include "core/select.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const char *lf_selector_path(const char *selector, char *path, size_t size)
{
	size_t length;

	if (!is_path(selector, &length))
		return NULL;
	plugin_path(selector, path, size);
	return selector[length] == ':' ? selector + length + 1 : "";
}

int lf_selectors_spare(const struct lf_strings *selectors, const char *path,
		       struct lf_error *error)
{
	char plugin[4096], *in = plugin;
	const struct lf_inputs one = { &in, 1 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < selectors->n; i++)
		if (lf_selector_path(selectors->at[i], plugin, sizeof plugin))
			r = lf_inputs_spare(&one, path, error);
	return r;
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

static int load_plugin(const char *selector, struct lf_error *error)
{
	char path[4096];

	if (!lf_selector_path(selector, path, sizeof path))
		return lf_interpreters_load(selector, error);
	return is_loaded(path) ? 0 : lf_registry_load(path, error);
}

/* The next word of a list of globs; *ret_rest is what follows. */
static bool next_glob(const char *list, char *glob, size_t size, const char **ret_rest)
{
	size_t length = strcspn(list, " ");

	snprintf(glob, size, "%.*s", (int)length, list);
	*ret_rest = list + length + (list[length] == ' ');
	return length > 0;
}

/* Where no backend is named the suites name them, interpreters too. */
static int load_interpreters(const struct lf_options *o, struct lf_error *error)
{
	const char *suite = o->suite ? o->suite : o->scenario.n ? "all" : "core";
	int r = 0;

	for (const struct lf_suite *s = lf_suites; s->name; s++) {
		const char *list = s->backends;
		char glob[64];
		if (strcmp(suite, "all") != 0 && strcmp(suite, s->name) != 0)
			continue;
		while (r == 0 && next_glob(list, glob, sizeof glob, &list))
			r = lf_interpreters_load(glob, error);
	}
	return r;
}

static unsigned load_plugins(const struct lf_options *o)
{
	struct lf_error error;
	unsigned failed = 0;

	if (o->selector.n == 0 && load_interpreters(o, &error) < 0) {
		lf_cli_error(o->command, "%s", error.text);
		failed++;
	}

	for (size_t i = 0; i < o->selector.n; i++) {
		if (load_plugin(o->selector.at[i], &error) == 0)
			continue;
		lf_cli_error(o->command, "%s", error.text);
		failed++;
	}
	return failed;
}

#define LOCK "lock:"

static bool selects(const char *selector, const struct lf_entry *e)
{
	char path[4096];
	const char *glob = lf_selector_path(selector, path, sizeof path);

	/* Beside channels a lock is told by its kind. */
	if (strncmp(selector, LOCK, strlen(LOCK)) == 0)
		return e->backend->kind != LF_CHANNEL &&
		       lf_glob(selector + strlen(LOCK), e->backend->name);
	if (!glob)
		return lf_glob(selector, e->backend->name);
	return e->plugin && strcmp(e->plugin, path) == 0 &&
	       (!glob[0] || lf_glob(glob, e->backend->name));
}

static int no_backend(const struct lf_choice *c, const char *selector,
		      struct lf_error *error)
{
	const char *name[LF_CHOICE_MAX], *glob;
	char meant[256], path[4096];
	size_t n = 0;

	glob = lf_selector_path(selector, path, sizeof path);
	for (size_t i = 0; i < c->entries && n < LF_CHOICE_MAX; i++)
		if (!glob || (c->entry[i].plugin && strcmp(c->entry[i].plugin, path) == 0))
			name[n++] = c->entry[i].backend->name;
	lf_did_you_mean(glob ? glob : selector, name, n, meant, sizeof meant);
	return lf_error_set(error, -ENOENT,
			    "no backend matches \"%.200s\"%s; see \"lockfair list "
			    "backends%s%.200s\"", selector, meant, glob ? " " : "",
			    glob ? path : "");
}

/* Is it one of the words of a suite's list of globs? */
static bool is_listed(const char *globs, const char *name)
{
	char glob[64];

	while (next_glob(globs, glob, sizeof glob, &globs))
		if (lf_glob(glob, name))
			return true;
	return false;
}

bool lf_chooses_backend(const struct lf_choice *c, const struct lf_scenario *s, size_t entry)
{
	if (c->options->selector.n)
		return c->backend[entry];
	return is_listed(s->backends ? s->backends : lf_suite_find(s->suite)->backends,
			 c->entry[entry].backend->name);
}

static int choose_backends(struct lf_choice *c, struct lf_error *error)
{
	const struct lf_strings *selector = &c->options->selector;
	size_t length;

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
	const char *suite = c->options->suite;
	char meant[256];
	size_t n = 1;

	if (!suite || strcmp(suite, "all") == 0 || lf_suite_find(suite))
		return 0;
	for (const struct lf_suite *s = lf_suites; s->name && n < LF_CHOICE_MAX; s++)
		name[n++] = s->name;
	return lf_error_set(error, -ENOENT,
			    "no suite is named \"%s\"%s; see \"lockfair list suites\"",
			    suite, lf_did_you_mean(suite, name, n, meant, sizeof meant));
}

static bool names_cell(const char *glob, const struct lf_cell *cell)
{
	char id[96];

	return lf_glob(glob, cell->scenario->name) ||
	       lf_glob(glob, lf_cell_axes_id(cell, id, sizeof id)) ||
	       lf_glob(glob, lf_cell_scenario_id(cell, id, sizeof id));
}

/* Does the glob speak of some cell of the scenario? */
static bool names_scenario(const char *glob, const struct lf_scenario *s)
{
	struct lf_cell cell = { .scenario = s, .point = lf_point_first(s) };

	do {
		if (names_cell(glob, &cell))
			return true;
	} while (lf_point_next(s, &cell.point));
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
				   names_scenario(glob->at[k], lf_scenarios[i]);
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

/* The glob without the number that it ends with. */
static const char *without_number(const char *glob, char *buffer, size_t size)
{
	const char *slash = strrchr(glob, '/');
	bool number = slash && slash[1] && !slash[1 + strspn(slash + 1, "0123456789*?")];

	snprintf(buffer, size, "%.*s", number ? (int)(slash - glob) : (int)strlen(glob),
		 glob);
	return buffer;
}

bool lf_chooses_cell(const struct lf_choice *choice, const struct lf_cell *cell)
{
	const struct lf_strings *glob = &choice->options->scenario;
	bool replaced = choice->options->threads >= 0 && cell->scenario->sweep.n;
	char text[96];

	for (size_t k = 0; k < glob->n; k++)
		if (names_cell(glob->at[k], cell) ||
		    (replaced &&
		     names_cell(without_number(glob->at[k], text, sizeof text), cell)))
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
