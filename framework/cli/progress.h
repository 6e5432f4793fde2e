/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line on a terminal that says what is being run right now. */
#ifndef LF_CLI_PROGRESS_H
#define LF_CLI_PROGRESS_H

#include "core/cell.h"

#include <stdint.h>
#include <stdio.h>

/* What is known of the cells of one engine. */
struct lf_pace {
	const struct lf_engine *engine;
	size_t left, ended;
	uint64_t spent_ns; /* by the clock on the wall, so that it is the same whether
			    * they run side by side or one after another */
};

struct lf_progress {
	FILE *to; /* NULL: nothing is shown */
	size_t n;
	struct lf_pace pace[4];
	const struct lf_cell *cell; /* begun last; NULL: none */
	size_t i;
	uint64_t started_ns, paced_ns, shown_ns;
};

/* On standard error, if that is a terminal. */
void lf_progress_start(struct lf_progress *progress, bool quiet);
/* These n are going to run. */
void lf_progress_plan(struct lf_progress *progress, const struct lf_cell *const cell[],
		      size_t n);
/* The i-th of them begins, and shows so; it has ended. */
void lf_progress_begin(struct lf_progress *progress, const struct lf_cell *cell,
		       size_t i);
void lf_progress_end(struct lf_progress *progress, const struct lf_cell *cell);
/* Anything else that takes its time. */
__attribute__((format(printf, 2, 3)))
void lf_progress_say(struct lf_progress *progress, const char *format, ...);
/* Brings the line up to date, once a second however often it is called. */
void lf_progress_show(struct lf_progress *progress);

/* How long the rest takes if cells go on as those of their engine did, ns; 0: not
 * known, because none has ended. */
uint64_t lf_progress_left_ns(const struct lf_progress *progress);

/* Takes the line away, before anything else is printed. */
void lf_progress_clear(const struct lf_progress *progress);

/* May colour be used on this stream? A terminal, and neither NO_COLOR nor a
 * dumb one. */
bool lf_may_colour(FILE *stream);
unsigned lf_terminal_width(FILE *stream); /* 0: no terminal */

#endif
