/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rates of several files of records, side by side. */
#include "judge/ratio.h"
#include "report/json.h"
#include "report/record.h"
#include "report/report.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 28
#define RATE_WIDTH 12 /* at least; file names may be longer */

struct comparison {
	FILE *out;
	const struct lf_compared *file;
	size_t files, rows, open;
	int width; /* of a rate */
	struct lf_side a, b; /* large, and of one row */
};

static bool spins(const json_t *record)
{
	size_t i;
	json_t *claim;

	json_array_foreach(lf_json_get(lf_json_get(record, "claim"), "set"), i, claim)
		if (strcmp(json_string_value(claim), "spins") == 0)
			return true;
	return false;
}

/* What a run of this cell tells of the next one. */
static enum lf_next next_of(const json_t *record)
{
	const char *placement = lf_json_string(lf_json_get(record, "axes"), "placement");

	if (strcmp(lf_json_string(record, "engine"), "sim") == 0)
		return LF_NEXT_SAME;
	if (strcmp(placement, "free") == 0 ||
	    (strcmp(placement, "smp") == 0 && !spins(record)))
		return LF_NEXT_CHANCE;
	return LF_NEXT_VARIES;
}

static bool run_of(const json_t *record, struct lf_side *ret_run)
{
	const json_t *m = lf_record_loops(record);

	*ret_run = (struct lf_side){
		.low = lf_json_double(m, "low"), .high = lf_json_double(m, "high"),
		.average = lf_json_double(m, "average"),
		.undelayed = lf_json_double(m, "undelayed"), .next = next_of(record),
	};
	lf_record_samples(lf_json_get(m, "samples"), &ret_run->samples);
	/* What was never handed over has no ratio to anything. */
	return lf_text_is_asked(record) && ret_run->low > 0 && ret_run->average > 0;
}

static bool is_same(const json_t *a, const json_t *b, const char *key)
{
	return strcmp(lf_json_string(a, key), lf_json_string(b, key)) == 0;
}

/* The machine may be another one: that is what is compared. */
static bool is_same_cell(const json_t *a, const json_t *b)
{
	return is_same(a, b, "scenario") && is_same(a, b, "backend") &&
	       is_same(a, b, "engine");
}

/* All runs that a file has of the record's cell. False: none. */
static bool rate_of(const struct lf_compared *file, const json_t *like,
		    struct lf_side *ret_rate)
{
	static struct lf_side run;
	size_t i;
	json_t *r;

	memset(ret_rate, 0, sizeof *ret_rate);
	json_array_foreach(file->records, i, r)
		if (is_same_cell(r, like) && run_of(r, &run))
			lf_side_add(ret_rate, &run);
	return ret_rate->runs > 0;
}

/* Is it the first of its cell (or of its backend) in the first file? */
static bool is_first(const struct comparison *c, size_t i, bool backend)
{
	const json_t *record = json_array_get(c->file[0].records, i);

	for (size_t k = 0; k < i; k++) {
		const json_t *r = json_array_get(c->file[0].records, k);
		if (backend ? is_same(r, record, "backend") : is_same_cell(r, record))
			return false;
	}
	return true;
}

static void say_ratio(struct comparison *c)
{
	enum lf_difference d = lf_difference_of(&c->a, &c->b);
	struct lf_ratio r = lf_side_ratio(&c->a, &c->b);
	char interval[64] = "";

	if (r.low > 0)
		snprintf(interval, sizeof interval, " (%.2f to %.2f)", r.low, r.high);
	fprintf(c->out, "%*.0f  x %-6.3f%-16s  %s", c->width, c->b.average,
		c->b.average / c->a.average, interval, lf_difference_word(d));
	c->rows++;
	c->open += d == LF_DIFFERENCE_UNKNOWN;
}

/* "uni/rr/threads" of "pingpong/uni/rr/threads", and where it ran if not here. */
static void say_name(struct comparison *c, const json_t *record)
{
	const char *scenario = lf_json_string(record, "scenario");
	const char *values = scenario + lf_scenario_base(scenario);
	const char *engine = lf_json_string(record, "engine");
	char name[128];

	snprintf(name, sizeof name, "%s%s%s%s", values[0] ? values + 1 : scenario,
		 strcmp(engine, "threads") ? " (" : "",
		 strcmp(engine, "threads") ? engine : "",
		 strcmp(engine, "threads") ? ")" : "");
	fprintf(c->out, "  %-*s%*.0f", NAME_WIDTH, name, c->width, c->a.average);
}

static void say_row(struct comparison *c, const json_t *record)
{
	bool any = false;

	if (!rate_of(&c->file[0], record, &c->a))
		return;
	for (size_t k = 1; k < c->files; k++)
		any |= rate_of(&c->file[k], record, &c->b);
	if (!any)
		return;
	say_name(c, record);
	for (size_t k = 1; k < c->files; k++) {
		if (rate_of(&c->file[k], record, &c->b))
			say_ratio(c);
		else
			fprintf(c->out, "%*s", c->width, "-");
	}
	fputc('\n', c->out);
}

static void say_backend(struct comparison *c, const json_t *first)
{
	size_t i;
	json_t *r;

	fprintf(c->out, "\n%s\n", lf_json_string(first, "backend"));
	json_array_foreach(c->file[0].records, i, r)
		if (is_same(r, first, "backend") && is_first(c, i, false))
			say_row(c, r);
}

static void say_head(struct comparison *c)
{
	fprintf(c->out, "loops per second, average; ratio to %s\n\n%*s",
		c->file[0].label, NAME_WIDTH + 2 + c->width, c->file[0].label);
	for (size_t k = 1; k < c->files; k++)
		fprintf(c->out, "%*s%*s", c->width, c->file[k].label,
			k + 1 < c->files ? 37 : 0, "");
	fputc('\n', c->out);
}

static bool is_anywhere_else(const struct comparison *c, const json_t *record)
{
	static struct lf_side run;
	bool any = false;

	for (size_t k = 1; k < c->files; k++)
		any |= rate_of(&c->file[k], record, &run);
	return any && rate_of(&c->file[0], record, &run);
}

static bool has_rows(const struct comparison *c, const json_t *first)
{
	size_t i;
	json_t *r;

	json_array_foreach(c->file[0].records, i, r)
		if (is_same(r, first, "backend") && is_anywhere_else(c, r))
			return true;
	return false;
}

int lf_report_compare(FILE *out, const struct lf_compared file[], size_t files,
		      size_t *ret_rows, size_t *ret_open)
{
	struct comparison *c = calloc(1, sizeof *c);
	size_t i;
	json_t *r;

	if (!c)
		return -ENOMEM;
	c->out = out;
	c->file = file;
	c->files = files;
	c->width = RATE_WIDTH;
	for (size_t k = 0; k < files; k++)
		if ((int)strlen(file[k].label) + 2 > c->width)
			c->width = (int)strlen(file[k].label) + 2;
	json_array_foreach(file[0].records, i, r) {
		if (!is_first(c, i, true) || !has_rows(c, r))
			continue;
		if (c->rows == 0)
			say_head(c);
		say_backend(c, r);
	}
	*ret_rows = c->rows;
	*ret_open = c->open;
	free(c);
	return ferror(out) ? -EIO : 0;
}
