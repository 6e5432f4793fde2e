/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints words and keeps to a width; continued lines begin with the indent. */
#ifndef LF_REPORT_WRAP_H
#define LF_REPORT_WRAP_H

#include <stdio.h>

struct lf_wrap {
	FILE *out;
	const char *indent;
	unsigned width;
	unsigned column; /* 0: at the start of a line */
};

/* Starts a line: indent and head. */
void lf_wrap_begin(struct lf_wrap *w, const char *head);
/* One piece that is not broken, after a blank. */
void lf_wrap_piece(struct lf_wrap *w, const char *piece);
/* The pieces of a text that blanks separate; a line break in it is a blank. */
void lf_wrap_text(struct lf_wrap *w, const char *text);
void lf_wrap_end(struct lf_wrap *w);

/* All of that for one text. */
void lf_wrap_line(FILE *out, const char *indent, unsigned width, const char *head,
		  const char *text);

#endif
