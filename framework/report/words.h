/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How records are put into words: shared by the reports, so that a value reads
 * the same wherever it is shown. Plain ASCII. All return `buffer`.
 */
#ifndef LF_REPORT_WORDS_H
#define LF_REPORT_WORDS_H

#include "judge/judge.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LF_WORDS_MAX 512
#define LF_CELL_MAX 24

/* What the words in a table mean, ended by NULL; and the terms of a report. */
extern const struct lf_legend {
	const char *brief, *meaning;
} lf_legend[];
extern const char lf_words_of_report[];

/*
 * The word of a record in a table, in at most LF_CELL_MAX bytes: "FAIL"; or "~ 312",
 * the largest count of disorder where it passes because nothing is claimed or
 * required of the order, not because it is orderly.
 */
const char *lf_record_cell(const json_t *record, char *buffer, size_t size);

/* "312 grants", "1 grant", "4.07 ms", "0.982". */
const char *lf_value_text(double value, const char *unit, char *buffer, size_t size);

/* "overtakes: 312 grants, at most 0 claimed (n = 50)" */
const char *lf_assertion_text(const json_t *assertion, char *buffer, size_t size);

/* Does the value lie beyond the bound, whether or not that counts? */
bool lf_assertion_exceeds(const json_t *assertion);

/* The first assertion on that metric; NULL: there is none. */
const json_t *lf_record_assertion(const json_t *record, enum lf_metric metric);

/* The metric of the first assertion that is violated; "": none is. */
const char *lf_record_violated(const json_t *record);

/* "FAIL", "fail (expected: reason)", "skip: reason". */
const char *lf_record_word(const json_t *record, char *buffer, size_t size);

/* "barging on pthread (threads)", and ", fair control" where it is one. */
const char *lf_record_title(const json_t *record, char *buffer, size_t size);

/* What the backend claims about who is served: "fifo", "io-first, quantum"; or
 * "nothing", whatever else it claims. */
const char *lf_record_claims(const json_t *record, char *buffer, size_t size);

/* The scenario without its sweep: the length of "drain" in "drain/3". */
size_t lf_scenario_base(const char *scenario);

/* "victim was overtaken 312 times before its turn, 300 of them by hog" */
const char *lf_starved_text(const json_t *entry, char *buffer, size_t size);

/*
 * Everything a person needs to believe a verdict and act on it, one line each
 * with `indent` before it: the violated assertions, who starved, the excerpt,
 * the models, the noise, how it ended, and the command that repeats it. Lines
 * are broken at `width` columns, but for the command.
 */
void lf_record_evidence(FILE *out, const json_t *record, const char *indent,
			unsigned width);

/* The order of rounds, a lane for each thread; the digit is the number of the
 * thread's own round. Nothing where the record has none. */
void lf_record_lanes(FILE *out, const json_t *record, const char *indent, unsigned width);

#endif
