/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of commands that read files of records. */
#ifndef LF_CLI_INPUTS_H
#define LF_CLI_INPUTS_H

#include "core/error.h"

#include <jansson.h>
#include <stddef.h>

/* The records of all files in their order, a new reference; NULL with the reason
 * in *error. "-" is standard input. */
json_t *lf_inputs_read(const char *const path[], size_t n, struct lf_error *error);

#endif
