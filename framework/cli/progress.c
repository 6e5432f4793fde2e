/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/progress.h"

#include "core/clock.h"
#include "engine/engine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"
#define SECOND UINT64_C(1000000000)
#define PATIENCE (2 * SECOND) /* what is over sooner says nothing of the time left */
#define PACES (sizeof ((struct lf_progress *)0)->pace / sizeof (struct lf_pace))

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

	*progress = (struct lf_progress){ .to = moves && !quiet ? stderr : NULL };
}

/* --- How long it will take --------------------------------------------------- */

static struct lf_pace *pace_of(struct lf_progress *p, const struct lf_cell *cell)
{
	size_t i = 0;

	while (i < PACES - 1 && p->pace[i].engine && p->pace[i].engine != cell->engine)
		i++;
	p->pace[i].engine = cell->engine;
	return &p->pace[i];
}

/* The time since the last call was that of the cell that was begun last. */
static void pace(struct lf_progress *p)
{
	uint64_t now = lf_monotonic_ns();

	if (p->cell)
		pace_of(p, p->cell)->spent_ns += now - p->paced_ns;
	p->paced_ns = now;
}

void lf_progress_plan(struct lf_progress *progress, const struct lf_cell *const cell[],
		      size_t n)
{
	progress->n = n;
	for (size_t i = 0; i < n; i++)
		pace_of(progress, cell[i])->left++;
	progress->started_ns = progress->paced_ns = lf_monotonic_ns();
}

uint64_t lf_progress_left_ns(const struct lf_progress *progress)
{
	uint64_t ended = 0, spent_ns = 0, left_ns = 0;

	for (size_t i = 0; i < PACES; i++) {
		ended += progress->pace[i].ended;
		spent_ns += progress->pace[i].spent_ns;
	}
	for (size_t i = 0; ended && i < PACES; i++) {
		const struct lf_pace *p = &progress->pace[i];
		left_ns += p->left * (p->ended ? p->spent_ns / p->ended : spent_ns / ended);
	}
	return left_ns;
}

/* --- The line ----------------------------------------------------------------- */

static const char *left_text(const struct lf_progress *p, char *buffer, size_t size)
{
	uint64_t left_s = (lf_progress_left_ns(p) + SECOND - 1) / SECOND;

	buffer[0] = '\0';
	if (left_s == 0 || lf_monotonic_ns() - p->started_ns < PATIENCE)
		return buffer;
	if (left_s < 100)
		snprintf(buffer, size, ", about %u s left", (unsigned)left_s);
	else
		snprintf(buffer, size, ", about %u min left", (unsigned)(left_s + 30) / 60);
	return buffer;
}

void lf_progress_say(struct lf_progress *progress, const char *format, ...)
{
	char line[320];
	unsigned width = lf_terminal_width(stderr);
	va_list arguments;

	if (!progress->to)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	/* A line that wraps could not be taken away again. */
	fprintf(progress->to, CLEAR_LINE "%.*s", width > 1 ? (int)width - 1 : 79, line);
	fflush(progress->to);
	progress->shown_ns = lf_monotonic_ns();
}

static void paint(struct lf_progress *p)
{
	char id[96], left[48];

	lf_progress_say(p, "[%zu/%zu] %s on %s (%s)%s", p->i + 1, p->n,
			lf_cell_scenario_id(p->cell, id, sizeof id), p->cell->backend->name,
			p->cell->engine->name, left_text(p, left, sizeof left));
}

void lf_progress_begin(struct lf_progress *progress, const struct lf_cell *cell,
		       size_t i)
{
	pace(progress);
	progress->cell = cell;
	progress->i = i;
	if (progress->to)
		paint(progress);
}

void lf_progress_end(struct lf_progress *progress, const struct lf_cell *cell)
{
	struct lf_pace *p = pace_of(progress, cell);

	pace(progress);
	p->left -= p->left > 0;
	p->ended++;
}

void lf_progress_show(struct lf_progress *progress)
{
	if (progress->to && progress->cell && lf_monotonic_ns() - progress->shown_ns >= SECOND)
		paint(progress);
}

void lf_progress_clear(const struct lf_progress *progress)
{
	if (!progress->to)
		return;
	fputs(CLEAR_LINE, progress->to);
	fflush(progress->to);
}
