/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/progress.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

bool lf_may_colour(FILE *stream)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(fileno(stream)) && (!none || none[0] == '\0') &&
	       (!terminal || strcmp(terminal, "dumb") != 0);
}

unsigned lf_terminal_width(FILE *stream)
{
	struct winsize size;

	return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void lf_progress_start(struct lf_progress *progress, bool quiet)
{
	const char *terminal = getenv("TERM");
	bool moves = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;

	progress->to = moves && !quiet ? stderr : NULL;
}

void lf_progress_show(const struct lf_progress *progress, const struct lf_cell *cell,
		      size_t i, size_t total)
{
	char id[96], line[256];
	unsigned width = lf_terminal_width(stderr);

	if (!progress->to)
		return;
	snprintf(line, sizeof line, "[%zu/%zu] %s on %s (%s)", i + 1, total,
		 lf_cell_scenario_id(cell, id, sizeof id), cell->backend->name,
		 cell->engine->name);
	/* A line that wraps could not be taken away again. */
	fprintf(progress->to, CLEAR_LINE "%.*s", width > 1 ? (int)width - 1 : 79, line);
	fflush(progress->to);
}

void lf_progress_clear(const struct lf_progress *progress)
{
	if (!progress->to)
		return;
	fputs(CLEAR_LINE, progress->to);
	fflush(progress->to);
}
