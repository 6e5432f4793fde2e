/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the command line to the list of cells, and from a cell back to the
 * command line that repeats it. */
#ifndef LF_CLI_CELLS_H
#define LF_CLI_CELLS_H

#include "cli/options.h"
#include "core/cell.h"

struct lf_cells {
	struct lf_cell *cell;
	size_t n;
	unsigned plugins_failed; /* told on standard error, and left out */
};

/*
 * Loads the plug-ins that are named, and makes the cells. A plug-in that cannot
 * be loaded is told on standard error and left out. 0, or a negative errno with
 * the reason in *error; -ENOENT also when nothing is selected.
 */
int lf_cells_make(struct lf_cells *cells, const struct lf_options *options,
		  struct lf_error *error);
void lf_cells_free(struct lf_cells *cells);

/* Sets "NAME=VALUE". *ret_used becomes true if the cell has such a parameter. 0, or a
 * negative errno with the reason. */
int lf_cells_param(const char *text, struct lf_cell *cell, bool *ret_used,
		   struct lf_error *error);

/* That nothing which was chosen has the parameter of "NAME=VALUE": -ENOENT. */
int lf_cells_no_param(const char *text, struct lf_error *error);

struct lf_buffer;
struct lf_entry;

/* "ticket", "./lock.so:mine": what selects an entry, as a word of a shell. */
void lf_put_selector(struct lf_buffer *t, const struct lf_entry *e);

/* "lockfair run ticket --scenario order …". Returns `buffer`. */
const char *lf_cell_command(const struct lf_cell *cell, const struct lf_options *options,
			    char *buffer, size_t size);

#endif
