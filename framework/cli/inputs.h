/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of commands that read files of records. */
#ifndef LF_CLI_INPUTS_H
#define LF_CLI_INPUTS_H

#include "core/error.h"

#include <argp.h>
#include <jansson.h>
#include <stddef.h>

struct lf_inputs {
	char **path; /* of the command line */
	size_t n;
};

/* For the parser of argp of such a command, with what is no option of its own: takes
 * the arguments, and refuses that there are none. */
error_t lf_inputs_parse(struct lf_inputs *inputs, int key, struct argp_state *state);

/* The records of all files in their order, a new reference; NULL with the reason
 * in *error. "-" is standard input. */
json_t *lf_inputs_read(const struct lf_inputs *inputs, struct lf_error *error);

/* Writing to this path would destroy one of them, by whatever name: -EEXIST with the
 * reason; else 0. path: NULL and "-" are none. */
int lf_inputs_spare(const struct lf_inputs *inputs, const char *path,
		    struct lf_error *error);

#endif
