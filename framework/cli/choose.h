/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was typed, looked up: which backends, scenarios and engines it names. */
#ifndef LF_CLI_CHOOSE_H
#define LF_CLI_CHOOSE_H

#include "cli/options.h"
#include "core/cell.h"
#include "core/error.h"
#include "core/registry.h"

#define LF_CHOICE_MAX 512

struct lf_engine;

struct lf_choice {
	const struct lf_options *options;
	const struct lf_entry *entry; /* the registry, plug-ins included */
	size_t entries;
	/* One flag for each entry, one for each of lf_scenarios. No entry is
	 * flagged when none was asked for: then the suites name them. */
	bool backend[LF_CHOICE_MAX];
	bool scenario[LF_CHOICE_MAX];
	bool required[LF_CHOICE_MAX];
	const struct lf_engine *engine; /* NULL: every one that applies */
	unsigned plugins_failed;        /* told on standard error, and left out */
};

/*
 * A selector is a path when it looks like one: "./lock.so:GLOB". Writes the path,
 * which then has a slash, and returns the glob ("" where there is none: all that it
 * has). NULL: the selector is a glob of names.
 */
const char *lf_selector_path(const char *selector, char *path, size_t size);

/* Writing to this path would destroy a plug-in that is selected: -EEXIST with the
 * reason; else 0. */
int lf_selectors_spare(const struct lf_strings *selectors, const char *path,
		       struct lf_error *error);

/* Loads the plug-ins that are named, then looks everything up. 0, or a negative
 * errno with the reason, and what may have been meant, in *error. */
int lf_choose(struct lf_choice *choice, const struct lf_options *options,
	      struct lf_error *error);

/* Is this entry of the registry to be judged by that scenario? */
bool lf_chooses_backend(const struct lf_choice *choice, const struct lf_scenario *s,
			size_t entry);

/* Does one of the globs, or there being none, choose this cell of its scenario?
 * Where --threads was given, the number that a glob ends with does not count. */
bool lf_chooses_cell(const struct lf_choice *choice, const struct lf_cell *cell);

#endif
