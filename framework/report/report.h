/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is made of records: a JSON array of them in, text for people or for
 * another program out. A report knows no cell and no observation, so that it
 * can be made again, on another machine, from the file of records alone.
 *
 * Errors: 0 or a negative errno; what was written up to then stays written.
 */
#ifndef LF_REPORT_REPORT_H
#define LF_REPORT_REPORT_H

#include "core/error.h"
#include "report/record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct lf_text_style {
	bool colour;    /* colour the words of the table */
	bool quiet;     /* only what needs attention, and the last line */
	unsigned width; /* columns there are; 0: 100 */
	bool cut_short; /* there would have been more, but for an interrupt or an error */
};

/* For people: what was seen, a table of backends × scenarios for each engine,
 * the evidence for what needs attention, and the sum. Plain ASCII. */
int lf_report_text(FILE *out, const json_t *records, const struct lf_text_style *style);

/* What a gate came to, layer by layer, the worst first, and the sum. */
int lf_report_gate(FILE *out, const json_t *records, const struct lf_text_style *style);

/* Cell by cell, how they went over many runs, the oldest record first. */
int lf_report_history(FILE *out, const json_t *records);

/* For people, too: the layouts of the benchmarks that suites come from: seed.h. Suites that come from
 * none are named and left out. */
int lf_report_seed(FILE *out, const json_t *records);

/* The records of one file, and what it is called in the comparison. */
struct lf_compared {
	const char *label;
	const json_t *records;
};

/*
 * What became of the rates of the first file in each of the others: their ratio and a
 * word (see judge/ratio.h). Describes, and never decides: *ret_open is how many rows
 * nobody can tell anything of, *ret_rows how many there are.
 */
int lf_report_compare(FILE *out, const struct lf_compared file[], size_t files,
		      size_t *ret_rows, size_t *ret_open);

/* One HTML file, complete in itself: verdicts, bounds and pictures. */
int lf_report_html(FILE *out, const json_t *records);

/* Markdown as GitHub and GitLab show it, at most a few hundred kB: the summary of a
 * job. */
int lf_report_markdown(FILE *out, const json_t *records);

/* Workflow commands of GitHub Actions: an annotation for what failed or is open. */
int lf_report_github(FILE *out, const json_t *records);

/* Trace events of Chrome, as JSON. */
int lf_report_trace(FILE *out, const json_t *records);

/* TAP version 13, one test point a record, the numbers in a YAML block. */
int lf_report_tap(FILE *out, const json_t *records);

/* JUnit XML as Jenkins and pytest's xunit2 have it; doc/junit.xsd. */
int lf_report_junit(const char *path, const json_t *records, struct lf_error *error);

#endif
