/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line on a terminal that says what is being run right now. */
#ifndef LF_CLI_PROGRESS_H
#define LF_CLI_PROGRESS_H

#include "core/cell.h"

#include <stdio.h>

struct lf_progress {
	FILE *to; /* NULL: nothing is shown */
};

/* On standard error, if that is a terminal. */
void lf_progress_start(struct lf_progress *progress, bool quiet);
void lf_progress_show(const struct lf_progress *progress, const struct lf_cell *cell,
		      size_t i, size_t total);
/* Takes the line away, before anything else is printed. */
void lf_progress_clear(const struct lf_progress *progress);

/* May colour be used on this stream? A terminal, and neither NO_COLOR nor a
 * dumb one. */
bool lf_may_colour(FILE *stream);
unsigned lf_terminal_width(FILE *stream); /* 0: no terminal */

#endif
