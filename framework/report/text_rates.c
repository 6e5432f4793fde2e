/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What it costs to hand over, from the records of suite `handoff`: a table of loops per
 * second, a column for each placement and policy; and, where few cells were asked for,
 * what is known of each of them.
 */
#include "judge/judge.h"
#include "report/json.h"
#include "report/record.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <string.h>

#define COLUMNS_MAX 16
#define NAME_WIDTH 18
#define RATE_WIDTH 11

/* So many cells are told one by one. */
#define DETAILS_MAX 24

struct rates {
	const struct lf_text *t;
	const char *engine;
	const char *ends; /* "processes", "threads" */
};

static const char *axis_of(const json_t *record, const char *axis)
{
	return lf_json_string(lf_json_get(record, "axes"), axis);
}

/* Rates of a scenario without these axes are no part of the table. */
static bool concerns(const struct rates *r, const json_t *record)
{
	return lf_text_is_asked(record) && lf_text_is_of(record, r->engine) &&
	       lf_record_loops(record) && axis_of(record, "placement")[0] &&
	       (!r->ends || strcmp(axis_of(record, "ends"), r->ends) == 0);
}

static bool same_column(const json_t *a, const json_t *b)
{
	return strcmp(axis_of(a, "placement"), axis_of(b, "placement")) == 0 &&
	       strcmp(axis_of(a, "policy"), axis_of(b, "policy")) == 0;
}

/* "57.0k" */
static const char *scaled(double x, char *text, size_t size)
{
	static const char *const unit[] = { "", "k", "M", "G" };
	unsigned i = 0;

	for (; x >= 1000 && i < 3; i++)
		x /= 1000;
	snprintf(text, size, "%.*f%s", x < 10 ? 2 : x < 100 ? 1 : 0, x, unit[i]);
	return text;
}

static unsigned columns_of(const struct rates *r, const json_t *column[COLUMNS_MAX])
{
	unsigned n = 0, k;
	size_t i;
	json_t *record;

	json_array_foreach(r->t->records, i, record) {
		if (!concerns(r, record))
			continue;
		for (k = 0; k < n && !same_column(column[k], record); k++)
			;
		if (k == n && n < COLUMNS_MAX)
			column[n++] = record;
	}
	return n;
}

static const json_t *find(const struct rates *r, const char *backend, const json_t *column)
{
	size_t i;
	json_t *record;

	json_array_foreach(r->t->records, i, record)
		if (concerns(r, record) && same_column(record, column) &&
		    strcmp(lf_json_string(record, "backend"), backend) == 0)
			return record;
	return NULL;
}

static bool is_first_of_backend(const struct rates *r, size_t i)
{
	const char *name = lf_json_string(json_array_get(r->t->records, i), "backend");

	for (size_t k = 0; k < i; k++) {
		const json_t *other = json_array_get(r->t->records, k);
		if (concerns(r, other) &&
		    strcmp(lf_json_string(other, "backend"), name) == 0)
			return false;
	}
	return true;
}

static void say_table_row(const struct rates *r, const char *backend,
			  const json_t *const column[], unsigned n)
{
	char text[32];

	fprintf(r->t->out, "    %-*s", NAME_WIDTH, backend);
	for (unsigned k = 0; k < n; k++) {
		const json_t *record = find(r, backend, column[k]);
		fprintf(r->t->out, "%*s", RATE_WIDTH, record ?
			scaled(lf_json_double(lf_record_loops(record), "average"), text,
			       sizeof text) : ".");
	}
	fputc('\n', r->t->out);
}

static void say_table(const struct rates *r)
{
	const json_t *column[COLUMNS_MAX];
	unsigned n = columns_of(r, column);
	size_t i;
	json_t *record;
	char text[32];

	fprintf(r->t->out, "    between %-*s", NAME_WIDTH - 8, r->ends);
	for (unsigned k = 0; k < n; k++) {
		snprintf(text, sizeof text, "%.8s/%.8s", axis_of(column[k], "placement"),
			 axis_of(column[k], "policy"));
		fprintf(r->t->out, "%*s", RATE_WIDTH, text);
	}
	fputc('\n', r->t->out);
	json_array_foreach(r->t->records, i, record)
		if (concerns(r, record) && is_first_of_backend(r, i))
			say_table_row(r, lf_json_string(record, "backend"), column, n);
	fputc('\n', r->t->out);
}

/* --- One by one ------------------------------------------------------------------- */

static double value_of(const json_t *record, enum lf_metric metric)
{
	return lf_json_double(lf_record_assertion(record, metric), "value");
}

/* Of both ends, per loop: below one of each no thread was ever changed for another. */
static double switches_of(const json_t *record, const char *which)
{
	const json_t *threads = lf_json_get(lf_json_get(record, "metrics"), "threads");
	double loops = lf_json_double(json_array_get(threads, 0), "steps"), sum = 0;
	size_t i;
	json_t *noise;

	json_array_foreach(lf_json_get(lf_json_get(lf_json_get(record, "volatile"), "noise"),
				       "threads"), i, noise)
		sum += lf_json_double(noise, which);
	return loops > 0 ? sum / loops : 0;
}

static void say_details(const struct rates *r, const json_t *record)
{
	char low[32], high[32], p50[32], p99[32];
	const json_t *loops = lf_record_loops(record);

	snprintf(low, sizeof low, "%.16s/%.7s", axis_of(record, "placement"),
		 axis_of(record, "policy"));
	fprintf(r->t->out, "    %-*s%-12s%-11s", NAME_WIDTH,
		lf_json_string(record, "backend"), low, axis_of(record, "ends"));
	fprintf(r->t->out, "%7s%7s%11s%11s%6.1f %%%9.2f%8.2f\n",
		scaled(lf_json_double(loops, "low"), low, sizeof low),
		scaled(lf_json_double(loops, "high"), high, sizeof high),
		lf_value_text(value_of(record, LF_METRIC_WAIT_P50), "ns", p50, sizeof p50),
		lf_value_text(value_of(record, LF_METRIC_WAIT_P99), "ns", p99, sizeof p99),
		100 * value_of(record, LF_METRIC_LOOPS_CV),
		switches_of(record, "voluntary_switches"),
		switches_of(record, "involuntary_switches"));
}

static void say_all_details(const struct rates *r)
{
	size_t i;
	json_t *record;

	fprintf(r->t->out, "    %*s%7s%7s%11s%11s%8s%9s%8s\n", NAME_WIDTH + 23, "", "low",
		"high", "p50", "p99", "spread", "switches", "forced");
	json_array_foreach(r->t->records, i, record)
		if (concerns(r, record))
			say_details(r, record);
	fprintf(r->t->out, "    p50, p99: of one hand-over; switches: of both ends, per loop\n\n");
}

void lf_text_rates(const struct lf_text *t, const char *engine)
{
	static const char *const ends[] = { "processes", "threads" };
	struct rates r = { .t = t, .engine = engine };
	const json_t *column[COLUMNS_MAX];
	size_t i, cells = 0;
	json_t *record;

	json_array_foreach(t->records, i, record)
		cells += concerns(&r, record);
	if (cells == 0)
		return;
	fprintf(t->out, "  What does it cost to hand over? Loops per second, there and back\n");
	for (i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		r.ends = ends[i];
		if (columns_of(&r, column))
			say_table(&r);
	}
	r.ends = NULL;
	if (cells <= DETAILS_MAX)
		say_all_details(&r);
}
