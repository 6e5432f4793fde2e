/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A baseline: what a lock kept to when it was last looked at. It holds counts that
 * are bounds, which machine that was, and how noisy it was; and no time, because a
 * time of yesterday says nothing about a lock of today.
 */
#ifndef LF_REPORT_BASELINE_H
#define LF_REPORT_BASELINE_H

#include "core/error.h"

#include <jansson.h>
#include <stdbool.h>

#define LF_BASELINE_SCHEMA 1

/*
 * Writes the baseline of some records: for each cell that passed every time the
 * bounds of the counts that it kept. The file is JSON, one cell a line, to be kept
 * in version control and edited by hand. 0, or a negative errno.
 */
int lf_baseline_write(const char *path, const json_t *records, struct lf_error *error);

/* A new reference in *ret_baseline. 0 · -EPROTO another schema · -EBADMSG no
 * baseline · another negative errno. */
int lf_baseline_read(const char *path, json_t **ret_baseline, struct lf_error *error);

/*
 * Holds a record against what the baseline has for its cell, if anything: a count
 * beyond its bound becomes a requirement that failed, and the record a FAIL.
 */
void lf_baseline_apply(const json_t *baseline, json_t *record);

#endif
