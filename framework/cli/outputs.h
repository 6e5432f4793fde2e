/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where commands that make reports of records write them. */
#ifndef LF_CLI_OUTPUTS_H
#define LF_CLI_OUTPUTS_H

#include "core/error.h"

#include <jansson.h>
#include <stdio.h>

/* Writes a report to the path; "-" is standard output. 0, or a negative errno with
 * the reason in *error. */
int lf_output_write(const char *path, int (*report)(FILE *out, const json_t *records),
		    const json_t *records, struct lf_error *error);

#endif
