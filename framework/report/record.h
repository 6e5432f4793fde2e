/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records: one JSON object a line and a cell, the only thing that reports and
 * the gate read. doc/record.schema.json describes them; the keys always come
 * in its order. Everything that may differ between two identical runs on `sim`
 * stands below the key "volatile".
 *
 * Thread rule: none of this is for the threads of a run.
 */
#ifndef LF_REPORT_RECORD_H
#define LF_REPORT_RECORD_H

#include "core/error.h"
#include "judge/expectation.h"
#include "report/shown.h"
#include "run/result.h"

#include <jansson.h>

/* Raised whenever a reader of older records would misread newer ones. */
#define LF_RECORD_SCHEMA 1

/* The most that the evidence of one record may take as text, in bytes. */
#define LF_EVIDENCE_MAX 65536u

/*
 * The record of one cell, a new reference; NULL: out of memory.
 *
 * expectation: the entry that decides for this cell, or NULL. control: "" for
 * a cell that was asked for, "fair" or "unfair" for one that was run as a
 * control; control_note: what the controls said about this cell, or NULL.
 * rerun: the command that repeats the cell.
 *
 * A result with an error is an ERROR whatever else it holds, and so is a PASS
 * of a worker that did not reach its verdict: it never passes.
 */
json_t *lf_record_make(const struct lf_cell *cell, const struct lf_result *result,
		       const struct lf_expectation *expectation, const char *control,
		       const char *control_note, const char *rerun);

/* Its place in a campaign, which puts the records of several shards in order. */
void lf_record_set_place(json_t *record, size_t at, size_t of);

/* Of a result that is known from its record alone: the verdict, the reason, and
 * whether the lock survived. */
void lf_record_recall(const json_t *record, struct lf_result *result);

/* The record as text: one line without its newline, to be freed by free().
 * NULL: out of memory. */
char *lf_record_text(const json_t *record);

/*
 * Appends the record to the file as one line and waits until it is on the
 * disk, so that whatever kills the program later loses nothing of it. A line
 * that does not fit (disk full) is taken back. `name` stands in the error.
 * 0, or a negative errno.
 */
int lf_record_append(int fd, const char *name, const json_t *record,
		     struct lf_error *error);

/*
 * Appends the records of a file to the JSON array `records`. The first line that
 * cannot be used ends the reading, and the error names the file and the line;
 * what stood before it is in `records` all the same.
 * -ENODATA: the last line is torn, its writer was killed or the disk was full ·
 * -EBADMSG: not a record · -EPROTO: a record of another schema ·
 * another negative errno: cannot be read.
 */
int lf_records_read(const char *path, json_t *records, struct lf_error *error);

/* Loops per second of a record of hand-overs: low, high, average, samples. NULL: it has
 * none. And a list of samples; of more than a series holds, the last ones. */
const json_t *lf_record_loops(const json_t *record);
void lf_record_samples(const json_t *list, struct lf_series *ret_series);

/* What a record comes to (see shown.h), the controls' own rows included. */
const struct lf_shown *lf_record_shown(const json_t *record);

/* The exit code of a run with these records; LF_EXIT_USAGE for an empty array. */
enum lf_exit lf_records_exit(const json_t *records);

#endif
