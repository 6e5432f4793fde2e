/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of backends and scenarios, printed by libsmartcols. */
#include "report/json.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIOS_MAX 32
#define BACKENDS_MAX 256

struct cell {
	const struct lf_shown *shown; /* NULL: there is none */
	char text[LF_CELL_MAX + 16];
};

struct grid {
	unsigned rows, columns;
	const char *backend[BACKENDS_MAX];
	char claim[BACKENDS_MAX][48];
	const char *scenario[SCENARIOS_MAX]; /* may go on with "/sweep" */
	struct cell cell[BACKENDS_MAX][SCENARIOS_MAX];
};

/* --- Filling it --- */

static bool same_scenario(const char *a, const char *b)
{
	return lf_scenario_base(a) == lf_scenario_base(b) &&
	       strncmp(a, b, lf_scenario_base(a)) == 0;
}

static struct cell *place(struct grid *g, const json_t *record)
{
	const char *backend = lf_json_string(record, "backend");
	const char *scenario = lf_json_string(record, "scenario");
	unsigned row = 0, column = 0;

	while (row < g->rows && strcmp(g->backend[row], backend) != 0)
		row++;
	while (column < g->columns && !same_scenario(g->scenario[column], scenario))
		column++;
	if (row == BACKENDS_MAX || column == SCENARIOS_MAX)
		return NULL;
	if (row == g->rows) {
		g->backend[g->rows] = backend;
		lf_record_claims(record, g->claim[g->rows], sizeof g->claim[0]);
		g->rows++;
	}
	if (column == g->columns)
		g->scenario[g->columns++] = scenario;
	return &g->cell[row][column];
}

static void write_cell(struct cell *cell, const json_t *record)
{
	const char *sweep = strchr(lf_json_string(record, "scenario"), '/');
	bool pass = strcmp(lf_json_string(record, "verdict"), "pass") == 0;
	char text[LF_CELL_MAX];

	lf_record_cell(record, text, sizeof text);
	snprintf(cell->text, sizeof cell->text, "%s%s%.8s", text,
		 !pass && sweep && cell->shown->tap != LF_TAP_SKIP ? " " : "",
		 !pass && sweep && cell->shown->tap != LF_TAP_SKIP ? sweep : "");
}

/* Of the cells of one sweep the worst is shown. */
static void fill(struct grid *g, const struct lf_text *t, const char *engine)
{
	size_t i;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		if (!lf_text_is_of(record, engine) || !lf_text_is_asked(record))
			continue;
		const struct lf_shown *shown = lf_record_shown(record);
		struct cell *cell = place(g, record);
		if (!cell)
			continue;
		if (cell->shown && lf_shown_worse(cell->shown, shown) == cell->shown)
			continue;
		cell->shown = shown;
		write_cell(cell, record);
	}
}

/* --- Printing it --- */

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* How wide the table is with `gap` blanks between its columns. */
static size_t width_of(const struct grid *g, bool with_claim, size_t gap)
{
	size_t sum = 2, backend = strlen("backend"), claim = strlen("claims");
	for (unsigned r = 0; r < g->rows; r++) {
		backend = larger(backend, strlen(g->backend[r]));
		claim = larger(claim, strlen(g->claim[r]));
	}
	sum += backend + (with_claim ? gap + claim : 0);
	for (unsigned c = 0; c < g->columns; c++) {
		size_t widest = lf_scenario_base(g->scenario[c]);
		for (unsigned r = 0; r < g->rows; r++)
			widest = larger(widest, strlen(g->cell[r][c].text));
		sum += gap + widest;
	}
	return sum;
}

static int add_columns(struct libscols_table *table, const struct grid *g,
		       bool with_claim)
{
	if (!scols_table_new_column(table, "  backend", 0, 0) ||
	    (with_claim && !scols_table_new_column(table, "claims", 0, 0)))
		return -ENOMEM;
	for (unsigned c = 0; c < g->columns; c++) {
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)lf_scenario_base(g->scenario[c]),
			 g->scenario[c]);
		if (!scols_table_new_column(table, name, 0, 0))
			return -ENOMEM;
	}
	return 0;
}

static int add_row(const struct lf_text *t, struct libscols_table *table,
		   const struct grid *g, unsigned row, bool with_claim)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	size_t column = 0;
	char name[160];
	if (!line)
		return -ENOMEM;
	snprintf(name, sizeof name, "  %.150s", g->backend[row]);
	int r = scols_line_set_data(line, column++, name);
	if (r == 0 && with_claim)
		r = scols_line_set_data(line, column++, g->claim[row]);
	for (unsigned c = 0; r == 0 && c < g->columns; c++, column++) {
		const struct cell *cell = &g->cell[row][c];
		r = scols_line_set_data(line, column, cell->shown ? cell->text : ".");
		if (r == 0 && cell->shown && t->colour)
			r = scols_cell_set_color(scols_line_get_cell(line, column),
						 lf_text_colour(t, cell->shown));
	}
	return r;
}

static int print(const struct lf_text *t, struct libscols_table *table,
		 const struct grid *g)
{
	bool with_claim = width_of(g, true, 2) <= t->width;
	const char *gap = width_of(g, with_claim, 2) <= t->width ? "  " : " ";
	int r = add_columns(table, g, with_claim);

	for (unsigned row = 0; r == 0 && row < g->rows; row++)
		r = add_row(t, table, g, row, with_claim);
	if (r == 0)
		r = scols_table_set_column_separator(table, gap);
	if (r != 0)
		return r;
	/* The same text whatever it is printed to. */
	scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
	scols_table_enable_minout(table, 1);
	scols_table_enable_colors(table, t->colour);
	scols_table_set_stream(table, t->out);
	return scols_print_table(table);
}

int lf_text_table(const struct lf_text *t, const char *engine)
{
	struct grid *g = calloc(1, sizeof *g);
	struct libscols_table *table = scols_new_table();
	int r = -ENOMEM;
	if (g && table) {
		fill(g, t, engine);
		r = g->rows ? print(t, table, g) : 0;
	}
	scols_unref_table(table);
	free(g);
	return r;
}
