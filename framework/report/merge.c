/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/merge.h"

#include "core/buffer.h"
#include "report/json.h"
#include "report/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const json_t *place(const json_t *record)
{
	return lf_json_get(lf_json_get(record, "volatile"), "place");
}

static bool is_asked(const json_t *record)
{
	return !lf_json_string(lf_json_get(record, "control"), "as")[0];
}

static bool voids(const json_t *record)
{
	return lf_record_shown(record)->exit == LF_EXIT_HARNESS;
}

/* The one of two records of a cell that stays. */
static json_t *better(json_t *a, json_t *b)
{
	if (!a)
		return b;
	if (voids(a) != voids(b))
		return voids(a) ? a : b;
	return is_asked(b) && !is_asked(a) ? b : a;
}

/* What the record is of: two cells of one place differ in it. */
static bool same_cell(const json_t *a, const json_t *b)
{
	return strcmp(lf_json_string(a, "rerun"), lf_json_string(b, "rerun")) == 0;
}

static int put_in_place(json_t *record, json_t **slot, size_t of, struct lf_error *error)
{
	uint64_t at = lf_json_uint(place(record), "at");

	if (lf_json_uint(place(record), "of") != of || at >= of ||
	    (slot[at] && !same_cell(slot[at], record)))
		return lf_error_set(error, -EINVAL, "the records are not of one run: %s is "
				    "of another; give the files of shards that were run "
				    "with the same options", lf_json_string(record, "rerun"));
	slot[at] = better(slot[at], record);
	return 0;
}

static void note_missing(struct lf_merged *m, json_t *const slot[])
{
	struct lf_buffer where = { m->where, sizeof m->where, 0 };

	for (size_t i = 0; i < m->of; i++) {
		size_t first = i;
		while (i < m->of && !slot[i])
			i++;
		if (i == first)
			continue;
		lf_put(&where, "%s%zu", m->missing ? ", " : "places ", first);
		if (i > first + 1)
			lf_put(&where, "-%zu", i - 1);
		m->missing += i - first;
	}
}

static int check_places(const json_t *records, struct lf_error *error)
{
	size_t i;
	json_t *record;

	json_array_foreach(records, i, record) {
		if (json_is_object(lf_json_get(record, "gate")))
			return lf_error_set(error, -EINVAL, "these are the records of a "
					    "gate, which has no shards and is not merged; "
					    "\"lockfair report\" takes several files");
		if (!place(record))
			return lf_error_set(error, -ENODATA, "the record of %s says not "
					    "where in its run it was; run it again with "
					    "this version of lockfair",
					    lf_json_string(record, "rerun"));
	}
	return 0;
}

/* The records that stay, in order, in the place of all. */
static int replace(json_t *records, json_t *const slot[], size_t of)
{
	json_t *kept = json_array();
	int r = kept ? 0 : -1;

	for (size_t i = 0; r == 0 && i < of; i++)
		if (slot[i])
			r = json_array_append(kept, slot[i]);
	if (r == 0)
		r = json_array_clear(records);
	if (r == 0)
		r = json_array_extend(records, kept);
	json_decref(kept);
	return r;
}

int lf_records_merge(json_t *records, struct lf_merged *merged, struct lf_error *error)
{
	int r = check_places(records, error);
	json_t **slot, *record;
	size_t i;

	*merged = (struct lf_merged){ 0 };
	if (r < 0 || json_array_size(records) == 0)
		return r;
	merged->of = lf_json_uint(place(json_array_get(records, 0)), "of");
	slot = calloc(merged->of + 1, sizeof *slot);
	if (!slot)
		return lf_error_set(error, -ENOMEM, "no memory for %zu records",
				    merged->of);
	json_array_foreach(records, i, record)
		if (r == 0)
			r = put_in_place(record, slot, merged->of, error);
	if (r == 0)
		note_missing(merged, slot);
	if (r == 0 && replace(records, slot, merged->of) < 0)
		r = lf_error_set(error, -ENOMEM, "no memory for %zu records", merged->of);
	free(slot);
	return r;
}
