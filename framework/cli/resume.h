/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run that goes on where another one stopped: its file of records says what
 * there is. */
#ifndef LF_CLI_RESUME_H
#define LF_CLI_RESUME_H

#include "core/error.h"
#include "run/result.h"

#include <jansson.h>

/*
 * Appends the records of the file to `records`; a file that does not exist has
 * none. A torn last line is cut off, so that more can follow, and told on
 * standard error in the name of `command`. 0, or what lf_records_read() returns.
 */
int lf_resume_read(const char *path, const char *command, json_t *records,
		   struct lf_error *error);

/* Is there, among the first n records, one of the cell that this command repeats, made
 * with this build of its plug-in? Then *r is what is known of its result. */
bool lf_resume_find(const json_t *records, size_t n, const struct lf_cell *cell,
		    const char *command, struct lf_result *r);

#endif
