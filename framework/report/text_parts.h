/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the report for people; report/text.c puts them together. */
#ifndef LF_REPORT_TEXT_PARTS_H
#define LF_REPORT_TEXT_PARTS_H

#include "report/report.h"

struct lf_text {
	FILE *out;
	const json_t *records;
	unsigned width;
	bool colour, quiet;
};

/* NULL engine: any. */
bool lf_text_is_of(const json_t *record, const char *engine);
/* Was it asked for? A cell that only ran as a control has no place in the tables. */
bool lf_text_is_asked(const json_t *record);

/* Does a requirement count for this cell? */
bool lf_text_requires(const json_t *record);

/* Does it come to more than an exit code of 0? */
bool lf_text_needs_attention(const json_t *record);

/* Do two records say the same, so that one may stand for both? They fail alike in cells
 * of one sweep, or for one reason and with nothing of their own to show. */
bool lf_text_is_alike(const json_t *a, const json_t *b);

/* The escape sequence for a word, or "" without colour; and the one after it. */
const char *lf_text_colour(const struct lf_text *t, const struct lf_shown *shown);
const char *lf_text_plain(const struct lf_text *t);

/* What the run says of the locks in whole sentences. */
void lf_text_answers(const struct lf_text *t, const char *engine);
/* Suite `select`: loops per second and bystanders' waits, by poller and rule. */
void lf_text_select(const struct lf_text *t, const char *engine);
/* What it costs to hand over: rates by channel, placement and policy. */
void lf_text_rates(const struct lf_text *t, const char *engine);
/* The evidence of every cell that needs attention. */
void lf_text_attention(const struct lf_text *t);
/* What is known and why, and what could not run. */
void lf_text_known(const struct lf_text *t);
/* Backends × scenarios. 0 or -ENOMEM. */
int lf_text_table(const struct lf_text *t, const char *engine);

#endif
