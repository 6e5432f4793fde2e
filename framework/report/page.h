/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the HTML report is made of; framework/report/html.c puts it together. */
#ifndef LF_REPORT_PAGE_H
#define LF_REPORT_PAGE_H

#include "report/report.h"

/* From report/page/, and uPlot with its licence where configure found it; else "". */
extern const char lf_page_css[], lf_page_js[];
extern const char lf_page_uplot_js[], lf_page_uplot_css[], lf_page_uplot_licence[];

/*
 * The headline of records: the word for the whole run, its tone, and what it comes
 * to, as in "2 of 80 cells are not as claimed".
 */
struct lf_headline {
	const char *word, *tone;
	char sentence[96];
};
void lf_records_headline(const json_t *records, struct lf_headline *ret_headline);

/*
 * Which colour a record's word has: "pass", "shown" (passes, because nothing is
 * claimed), "known", "skip", "open", "fail" or "error".
 */
const char *lf_record_tone(const json_t *record);

/*
 * What the page's script gets: the records without what it does not draw, each with
 * "said", its words, and the page's own. A new reference; NULL: out of memory.
 */
json_t *lf_page_data(const json_t *records);

#endif
