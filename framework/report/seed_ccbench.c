/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables of suite ccbench in the layout in which they were posted in 2010, a
 * column for each backend. Beside each value stands whether the cell holds.
 */
#include "report/json.h"
#include "report/seed.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

#define BACKENDS_MAX 32
#define CELL_MAX 96
#define ROWS_MAX 128
#define LABEL 16 /* columns of it */

struct page {
	FILE *out;
	const json_t *records;
	const char *engine;
	const char *backend[BACKENDS_MAX];
	unsigned backends; /* of the section */
};

/* --- Values ------------------------------------------------------------------------ */

static double value_of(const json_t *record, enum lf_metric metric)
{
	return lf_json_double(lf_record_assertion(record, metric), "value");
}

static bool has(const json_t *record, enum lf_metric metric)
{
	return lf_record_assertion(record, metric) != NULL;
}

static unsigned sweep_of(const json_t *record)
{
	return (unsigned)lf_json_uint(record, "sweep");
}

/* Of the threads that got nothing the server comes first. */
static bool server_starved(const json_t *record)
{
	const json_t *a = lf_record_assertion(record, LF_METRIC_STARVED);
	return lf_json_double(a, "value") > 0 &&
		strcmp(lf_json_string(a, "role"), "server") == 0;
}

/* --- Cells, as the benchmarks print them --------------------------------------------- */

static void latency_cell(const json_t *r, char *text, size_t size)
{
	if (server_starved(r))
		snprintf(text, size, "starved for the whole window");
	else if (has(r, LF_METRIC_LATENCY_MEAN))
		snprintf(text, size, "%.0f ms. (std dev: %.0f ms.)",
			 trunc(value_of(r, LF_METRIC_LATENCY_MEAN) / 1e6),
			 trunc(value_of(r, LF_METRIC_LATENCY_SD) / 1e6));
}

static void bandwidth_cell(const json_t *r, char *text, size_t size)
{
	if (!has(r, LF_METRIC_BANDWIDTH))
		return;
	if (sweep_of(r) == 0)
		snprintf(text, size, "%.1f packets/s.", value_of(r, LF_METRIC_BANDWIDTH));
	else
		snprintf(text, size, "%.1f ( %.0f %%)", value_of(r, LF_METRIC_BANDWIDTH),
			 trunc(100 * value_of(r, LF_METRIC_BANDWIDTH_SHARE)));
}

static void regime_cell(const json_t *r, char *text, size_t size)
{
	if (server_starved(r))
		snprintf(text, size, "starved for the whole window");
	else if (has(r, LF_METRIC_TURN_P50))
		snprintf(text, size, "turns of %.3g ms (at most %.3g ms)",
			 value_of(r, LF_METRIC_TURN_P50) / 1e6, value_of(r, LF_METRIC_TURN_MAX) / 1e6);
}

static void throughput_cell(const json_t *r, char *text, size_t size)
{
	if (!has(r, LF_METRIC_SPEED))
		return;
	if (sweep_of(r) == 1)
		snprintf(text, size, "%.0f iterations/s., %.0f switches/s.",
			 value_of(r, LF_METRIC_SPEED), value_of(r, LF_METRIC_SWITCHES));
	else
		snprintf(text, size, "%.0f ( %.0f %%), balance %.2f, %.0f switches/s.",
			 value_of(r, LF_METRIC_SPEED), trunc(100 * value_of(r, LF_METRIC_SPEED_SHARE)),
			 value_of(r, LF_METRIC_SHARE_MIN), value_of(r, LF_METRIC_SWITCHES));
}

static void transfer_cell(const json_t *r, char *text, size_t size)
{
	if (server_starved(r))
		snprintf(text, size, "starved for the whole window");
	else if (has(r, LF_METRIC_TRANSFER_BEST))
		snprintf(text, size, "best of 3: %.4g ms (%.4g to %.4g; alone %.4g)",
			 value_of(r, LF_METRIC_TRANSFER_BEST) / 1e6, value_of(r, LF_METRIC_TRANSFER_MIN) / 1e6,
			 value_of(r, LF_METRIC_TRANSFER_MAX) / 1e6,
			 value_of(r, LF_METRIC_TRANSFER_ALONE) / 1e6);
	else if (has(r, LF_METRIC_TRANSFER_ALONE))
		snprintf(text, size, "not three runs in the limit");
}

static void cpued_cell(const json_t *r, char *text, size_t size)
{
	if (has(r, LF_METRIC_LEAD))
		snprintf(text, size, "lead: %.0f rounds", value_of(r, LF_METRIC_LEAD));
}

static void single_cell(const json_t *r, char *text, size_t size)
{
	if (has(r, LF_METRIC_SLOWDOWN))
		snprintf(text, size, "poll %.1f ns, pair %.1f ns, slowdown %.2f",
			 value_of(r, LF_METRIC_POLL_COST), value_of(r, LF_METRIC_PAIR_COST),
			 value_of(r, LF_METRIC_SLOWDOWN));
}

/* --- Sections -------------------------------------------------------------------------- */

static const struct section {
	const char *scenario, *title, *row; /* row: its label, without the number */
	void (*cell)(const json_t *record, char *text, size_t size);
} sections[] = {
	{ "latency", "Latency", "CPU threads=", latency_cell },
	{ "bandwidth", "I/O bandwidth", "CPU threads=", bandwidth_cell },
	{ "throughput", "Throughput", "threads=", throughput_cell },
	{ "transfer", "UDP transfer", "CPU threads=", transfer_cell },
	{ "cpued", "Output of cpued", "", cpued_cell },
	{ "single", "Single thread", "", single_cell },
	{ "regime", "Turns beside many threads", "CPU threads=", regime_cell },
};

/* The names of the tasks as ccbench has them. */
static const char *task_name(const char *workload)
{
	static const char *const names[][2] = {
		{ "pi", "Background CPU task: Pi calculation" },
		{ "regex", "Background CPU task: regular expression" },
		{ "bz2", "Background CPU task: bz2 compression" },
		{ "sha1", "Background CPU task: SHA1 hashing" },
		{ "bulk", "datagrams, an acknowledgement for every 16" },
		{ "echo", "messages and their echoes" },
	};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i][0], workload) == 0)
			return names[i][1];
	return workload;
}

/* The value of a scenario's one axis; "": it has none. */
static const char *axis_of(const json_t *record)
{
	void *first = json_object_iter((json_t *)(uintptr_t)lf_json_get(record, "axes"));
	const char *value = first ? json_string_value(json_object_iter_value(first)) : NULL;
	return value ? value : "";
}

static bool is_in(const struct page *p, const json_t *record, const char *scenario)
{
	const char *id = lf_json_string(record, "scenario");
	return lf_text_is_of(record, p->engine) && lf_text_is_asked(record) &&
		lf_scenario_base(id) == strlen(scenario) &&
		strncmp(id, scenario, strlen(scenario)) == 0;
}

static const json_t *find_cell(const struct page *p, const char *id, const char *backend)
{
	size_t i;
	json_t *r;
	json_array_foreach(p->records, i, r)
		if (lf_text_is_of(r, p->engine) && lf_text_is_asked(r) &&
		    strcmp(lf_json_string(r, "scenario"), id) == 0 &&
		    strcmp(lf_json_string(r, "backend"), backend) == 0)
			return r;
	return NULL;
}

/* "90 ms. (std dev: 101 ms.) pass" */
static void cell_text(const struct page *p, const struct section *s, const char *id,
		      const char *backend, char text[static CELL_MAX])
{
	const json_t *r = find_cell(p, id, backend);
	size_t n;

	text[0] = '\0';
	if (!r)
		return;
	s->cell(r, text, CELL_MAX);
	n = strlen(text);
	snprintf(text + n, CELL_MAX - n, "%s%s", n ? " " : "", lf_record_shown(r)->brief);
}

/* In front of those that are there. */
static void add_backend(struct page *p, const char *name)
{
	for (unsigned i = 0; i < p->backends; i++)
		if (strcmp(p->backend[i], name) == 0)
			return;
	if (p->backends == BACKENDS_MAX)
		return;
	memmove(&p->backend[1], &p->backend[0], p->backends * sizeof p->backend[0]);
	p->backend[0] = name;
	p->backends++;
}

/* The rows of a section in the order of the axis's values, as they appear, and of
 * the numbers of threads: records of controls stand before their turn. */
struct row {
	const json_t *record; /* the first one of the cell */
	unsigned axis, sweep;
};

struct rows {
	struct row row[ROWS_MAX];
	unsigned n;
};

static unsigned axis_number(const struct rows *rows, const json_t *record)
{
	unsigned next = 0;

	for (unsigned i = 0; i < rows->n; i++) {
		if (strcmp(axis_of(rows->row[i].record), axis_of(record)) == 0)
			return rows->row[i].axis;
		if (rows->row[i].axis >= next)
			next = rows->row[i].axis + 1;
	}
	return next;
}

static void add_row(struct rows *rows, const json_t *record)
{
	struct row new = { record, axis_number(rows, record), sweep_of(record) };
	unsigned at = 0;

	for (; at < rows->n; at++) {
		const struct row *r = &rows->row[at];
		if (r->axis == new.axis && r->sweep == new.sweep)
			return;
		if (r->axis > new.axis || (r->axis == new.axis && r->sweep > new.sweep))
			break;
	}
	if (rows->n == ROWS_MAX)
		return;
	memmove(&rows->row[at + 1], &rows->row[at], (rows->n - at) * sizeof new);
	rows->row[at] = new;
	rows->n++;
}

static void measure(const struct page *p, const struct section *s,
		    const struct rows *rows, size_t width[])
{
	char text[CELL_MAX];

	for (unsigned b = 0; b < p->backends; b++) {
		width[b] = strlen(p->backend[b]);
		for (unsigned i = 0; i < rows->n; i++) {
			cell_text(p, s, lf_json_string(rows->row[i].record, "scenario"),
				  p->backend[b], text);
			width[b] = strlen(text) > width[b] ? strlen(text) : width[b];
		}
	}
}

/* A cell's text with the blanks that stand before it; none after the last one. */
static void print_cell(const struct page *p, unsigned b, const char *text,
		       const size_t width[], size_t *blanks)
{
	if (text[0])
		fprintf(p->out, "%*s%s", (int)*blanks, "", text);
	*blanks = width[b] + 2 - strlen(text) + (text[0] ? 0 : *blanks);
}

static void print_heading(const struct page *p, const struct section *s,
			  const size_t width[])
{
	size_t blanks = 0;

	fprintf(p->out, "--- %s ---\n\n%-*s", s->title, LABEL, "");
	for (unsigned b = 0; b < p->backends; b++)
		print_cell(p, b, p->backend[b], width, &blanks);
	fputc('\n', p->out);
}

static void print_row(const struct page *p, const struct section *s, const json_t *record,
		      const size_t width[])
{
	char label[64], text[CELL_MAX];
	size_t blanks = 0;

	if (json_is_integer(lf_json_get(record, "sweep")))
		snprintf(label, sizeof label, "%s%u:", s->row, sweep_of(record));
	else
		snprintf(label, sizeof label, "%s", s->row);
	fprintf(p->out, "%-*s", LABEL, label);
	for (unsigned b = 0; b < p->backends; b++) {
		cell_text(p, s, lf_json_string(record, "scenario"), p->backend[b], text);
		print_cell(p, b, text, width, &blanks);
	}
	fputc('\n', p->out);
}

static void print_rows(const struct page *p, const struct section *s,
		       const struct rows *rows)
{
	size_t width[BACKENDS_MAX];

	measure(p, s, rows, width);
	print_heading(p, s, width);
	for (unsigned i = 0; i < rows->n; i++) {
		const char *axis = axis_of(rows->row[i].record);
		bool first = i == 0 || rows->row[i].axis != rows->row[i - 1].axis;
		if (axis[0] && first)
			fprintf(p->out, "\n%s\n\n", task_name(axis));
		print_row(p, s, rows->row[i].record, width);
	}
	fputc('\n', p->out);
}

static void print_section(struct page *p, const struct section *s)
{
	struct rows rows = { .n = 0 };
	size_t i = json_array_size(p->records);
	const json_t *r;

	/* From the end: a control that was asked for as well stands before the others,
	 * but the rest of its cells in their order. */
	p->backends = 0;
	while (i-- > 0) {
		r = json_array_get(p->records, i);
		if (is_in(p, r, s->scenario))
			add_backend(p, lf_json_string(r, "backend"));
	}
	json_array_foreach(p->records, i, r)
		if (is_in(p, r, s->scenario))
			add_row(&rows, r);
	if (rows.n)
		print_rows(p, s, &rows);
}

/* --- Pages -------------------------------------------------------------------------------- */

/* The machine of the first record of ours; "": there is none. */
static const char *machine_of(const struct page *p)
{
	size_t i;
	json_t *r;

	json_array_foreach(p->records, i, r)
		for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++)
			if (is_in(p, r, sections[k].scenario))
				return lf_json_string(r, "machine");
	return "";
}

static void print_page(struct page *p)
{
	const char *machine = machine_of(p);

	if (!machine[0])
		return;
	fprintf(p->out, "== %s: %s ==\n\n", p->engine, machine);
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		print_section(p, &sections[i]);
}

void lf_seed_ccbench(FILE *out, const json_t *records, const char *engine)
{
	print_page(&(struct page){ .out = out, .records = records, .engine = engine });
}
