/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of the shards of one run, put together as if it had run whole. */
#ifndef LF_REPORT_MERGE_H
#define LF_REPORT_MERGE_H

#include "core/error.h"

#include <jansson.h>
#include <stddef.h>

struct lf_merged {
	size_t of;      /* cells of the whole run, controls included */
	size_t missing; /* so many have no record */
	char where[96]; /* … and where: "places 12-31, 40" */
};

/*
 * Brings the records into the order of their run and leaves one for each place: the
 * one that voids the run, or else that of the shard that was asked for it, or
 * else the first. 0 · -EINVAL: they are not of one run · -ENODATA: one has no
 * place, because no `run` of this version wrote it · -ENOMEM.
 */
int lf_records_merge(json_t *records, struct lf_merged *merged, struct lf_error *error);

#endif
