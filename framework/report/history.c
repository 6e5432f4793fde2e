/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How cells went over many runs: a line each, oldest run first. What another machine
 * did is another series: nothing is compared across.
 */
#include "report/json.h"
#include "report/record.h"
#include "report/report.h"
#include "report/shown.h"
#include "report/words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values that are drawn; of more, the last ones. */
#define DRAWN 48

/* One cell of one series. */
struct line {
	const json_t *first; /* the record that began it */
	const char *series;
	size_t n;
	double least, most, first_value, last_value;
	double value[DRAWN]; /* the last ones, in a ring */
	size_t values;
	char verdict[DRAWN];
};

struct history {
	struct line *line;
	size_t n;
};

static const char *fingerprint(const json_t *record)
{
	const json_t *host = lf_json_get(lf_json_get(record, "volatile"), "host");
	const char *print = lf_json_string(host, "fingerprint");

	/* What the simulator does depends on no machine. */
	if (strcmp(lf_json_string(record, "engine"), "sim") == 0)
		return "sim";
	return print[0] ? print : lf_json_string(host, "kernel");
}

/* The number that is followed: of a gate's comparison the change of what decided, else
 * the first assertion that anything hangs on. */
static bool followed(const json_t *record, const char **ret_what, double *ret_value)
{
	const json_t *gate = lf_json_get(record, "gate");
	size_t i;
	json_t *m;

	json_array_foreach(lf_json_get(lf_json_get(gate, "change"), "metrics"), i, m) {
		if (!lf_json_true(m, "may_fail") || !lf_json_true(m, "told"))
			continue;
		*ret_what = lf_json_string(m, "name");
		*ret_value = exp(lf_json_double(lf_json_get(m, "head"), "median"));
		return true;
	}
	json_array_foreach(lf_json_get(record, "assertions"), i, m) {
		if (strcmp(lf_json_string(m, "origin"), "safety") == 0 ||
		    !json_is_number(lf_json_get(m, "value")))
			continue;
		*ret_what = lf_json_string(m, "metric");
		*ret_value = lf_json_double(m, "value");
		return true;
	}
	return false;
}

static bool is_same(const struct line *l, const json_t *r)
{
	return strcmp(l->series, fingerprint(r)) == 0 &&
	       strcmp(lf_json_string(l->first, "scenario"),
		      lf_json_string(r, "scenario")) == 0 &&
	       strcmp(lf_json_string(l->first, "backend"),
		      lf_json_string(r, "backend")) == 0 &&
	       strcmp(lf_json_string(l->first, "engine"),
		      lf_json_string(r, "engine")) == 0 &&
	       json_equal(lf_json_get(l->first, "params"), lf_json_get(r, "params"));
}

static bool is_control(const json_t *record)
{
	int as = lf_control_find(lf_json_string(lf_json_get(record, "control"), "as"));

	return as == LF_CONTROL_FAIR || as == LF_CONTROL_UNFAIR;
}

static struct line *line_of(struct history *h, const json_t *record)
{
	struct line *grown;

	for (size_t i = 0; i < h->n; i++)
		if (is_same(&h->line[i], record))
			return &h->line[i];
	grown = realloc(h->line, (h->n + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	h->line = grown;
	h->line[h->n] = (struct line){ .first = record, .series = fingerprint(record) };
	return &h->line[h->n++];
}

static void add_value(struct line *l, double value)
{
	if (l->values == 0)
		l->least = l->most = l->first_value = value;
	l->least = fmin(l->least, value);
	l->most = fmax(l->most, value);
	l->last_value = value;
	l->value[l->values++ % DRAWN] = value;
}

static int add(struct history *h, const json_t *record)
{
	struct line *l = line_of(h, record);
	const char *what;
	double value;

	if (!l)
		return -ENOMEM;
	l->verdict[l->n++ % DRAWN] = lf_json_string(record, "verdict")[0];
	if (followed(record, &what, &value))
		add_value(l, value);
	return 0;
}

/* From the least to the most in eight steps. */
static void draw(FILE *out, const struct line *l)
{
	static const char step[] = "_.-=+*%#";
	size_t from = l->values > DRAWN ? l->values - DRAWN : 0;

	for (size_t i = from; i < l->values; i++) {
		double range = l->most - l->least;
		double part = range > 0 ? (l->value[i % DRAWN] - l->least) / range : 0;
		fputc(step[(size_t)(part * 7 + 0.5)], out);
	}
}

/* "pass", or a letter each, the first of its verdict. */
static void say_verdicts(FILE *out, const struct line *l)
{
	size_t from = l->n > DRAWN ? l->n - DRAWN : 0;
	bool same = true;

	for (size_t i = from; i < l->n; i++)
		same &= l->verdict[i % DRAWN] == l->verdict[from % DRAWN];
	if (same) {
		fprintf(out, "%zu x %s", l->n, lf_json_string(l->first, "verdict"));
		return;
	}
	for (size_t i = from; i < l->n; i++)
		fputc(l->verdict[i % DRAWN], out);
}

static void say_line(FILE *out, const struct line *l)
{
	const char *what = "";
	double unused;

	fprintf(out, "  %s on %s, %s: ", lf_json_string(l->first, "scenario"),
		lf_json_string(l->first, "backend"), lf_json_string(l->first, "engine"));
	say_verdicts(out, l);
	if (l->values && followed(l->first, &what, &unused)) {
		fprintf(out, "; %s %.4g", what, l->first_value);
		if (l->least != l->most)
			fprintf(out, " -> %.4g (%.4g .. %.4g) ", l->last_value, l->least,
				l->most);
		if (l->least != l->most)
			draw(out, l);
	}
	fputc('\n', out);
}

static void say_series(FILE *out, const struct line *l, unsigned number)
{
	const json_t *host = lf_json_get(lf_json_get(l->first, "volatile"), "host");

	if (strcmp(l->series, "sim") == 0)
		fprintf(out, "series %u: sim, the same on every machine\n", number);
	else
		fprintf(out, "series %u: %s, %llu CPUs, %s, from %s\n", number, l->series,
			(unsigned long long)lf_json_uint(host, "cpus"),
			lf_json_string(host, "kernel"),
			lf_json_string(lf_json_get(l->first, "volatile"), "time"));
}

int lf_report_history(FILE *out, const json_t *records)
{
	struct history h = { 0 };
	unsigned series = 0;
	size_t i;
	json_t *r;
	int code = 0;

	/* A control's own cells are no part of what was asked; a gate's base is. */
	json_array_foreach(records, i, r)
		if (code == 0 && !is_control(r))
			code = add(&h, r);
	for (i = 0; code == 0 && i < h.n; i++) {
		bool told = false;
		for (size_t k = 0; k < i; k++)
			told |= strcmp(h.line[k].series, h.line[i].series) == 0;
		if (told)
			continue;
		say_series(out, &h.line[i], ++series);
		for (size_t k = i; k < h.n; k++)
			if (strcmp(h.line[k].series, h.line[i].series) == 0)
				say_line(out, &h.line[k]);
	}
	free(h.line);
	return ferror(out) ? -EIO : code;
}
