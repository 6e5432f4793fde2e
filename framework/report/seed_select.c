/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Suite `select` as benchmark-ips prints it, in the four blocks of io-event's design
 * document of 2021: one thread, a descriptor that is always readable. Where that tool
 * compares intervals of one standard deviation and calls what overlaps "same-ish", and
 * printed 0.00 for the error of a ratio, there is a confidence interval of the ratio: of
 * two means, by the delta method and Student's t, with batches taken for independent.
 */
#include "report/seed.h"

#include "judge/judge.h"
#include "report/json.h"
#include "report/record.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define POLLERS_MAX 16

static const struct block {
	const char *scenario, *title;
} blocks[] = {
	{ "select/always/ready/1/0", "Release around every wait, select(1):" },
	{ "select/nonzero/ready/1/0",
	  "Release unless the timeout is zero, select(1), the slow path:" },
	{ "select/nonzero/ready/0/0",
	  "Release unless the timeout is zero, select(0), the fast path:" },
	{ "select/probe/ready/1/0", "Release only if a look finds nothing ready, select(1):" },
};

struct row {
	const char *name;
	const json_t *polling;
	struct lf_spread spread;
	unsigned n;
};

static struct row row_of(const json_t *record)
{
	struct row r = { .name = lf_json_string(record, "backend"),
			 .polling = lf_json_get(lf_json_get(record, "metrics"), "polling") };
	struct lf_series s;

	lf_record_samples(lf_json_get(r.polling, "per_s"), &s);
	r.spread = lf_metric_spread(&s);
	r.n = s.n;
	return r;
}

static unsigned rows_of(const json_t *records, const char *engine, const char *scenario,
			struct row row[POLLERS_MAX])
{
	unsigned n = 0;
	size_t i;
	json_t *record;
	json_array_foreach(records, i, record) {
		if (!lf_text_is_asked(record) || !lf_text_is_of(record, engine) ||
		    strcmp(lf_json_string(record, "scenario"), scenario) != 0)
			continue;
		struct row r = row_of(record);
		if (r.n > 0 && n < POLLERS_MAX)
			row[n++] = r;
	}
	return n;
}

/* Three decimals and a letter: 532.515k. */
static const char *scaled(double x, char text[32])
{
	static const char letter[] = { ' ', 'k', 'M', 'B', 'T' };
	unsigned i = 0;
	for (; x >= 1000 && i + 1 < sizeof letter; i++)
		x /= 1000;
	snprintf(text, 32, i ? "%.3f%c" : "%.3f", x, letter[i]);
	return text;
}

static void say_row(FILE *out, const struct row *r)
{
	char rate[32], total[32];
	fprintf(out, "%20s  %10s (± %.1f%%) i/s - %11s in %10.6fs\n", r->name,
		scaled(r->spread.mean, rate), 100 * r->spread.cv,
		scaled(lf_json_double(r->polling, "iterations"), total),
		lf_json_double(r->polling, "batches_ns") / 1e9);
}

/* Half of the 95 % interval; Student's quantile, close enough from 5 on. */
static double half_width(const struct row *best, const struct row *r, double ratio)
{
	double df = best->n + r->n - 2.0;
	double t = df >= 1 ? 1.96 + 2.4 / df : INFINITY;
	return ratio * t * sqrt(best->spread.cv * best->spread.cv / best->n +
				r->spread.cv * r->spread.cv / r->n);
}

static void compare(FILE *out, const struct row *best, const struct row *r)
{
	double ratio = best->spread.mean / r->spread.mean;
	double half = half_width(best, r, ratio);
	fprintf(out, "%20s: %10.1f i/s", r->name, r->spread.mean);
	if (r != best)
		fprintf(out, " - %.2fx  (± %.2f) %s", ratio, half,
			ratio - half > 1 ? "slower" : "slower, or not: cannot tell");
	fputc('\n', out);
}

static void sort_by_rate(struct row row[], unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		struct row r = row[i];
		unsigned k = i;
		for (; k > 0 && row[k - 1].spread.mean < r.spread.mean; k--)
			row[k] = row[k - 1];
		row[k] = r;
	}
}

static void say_block(FILE *out, const char *title, struct row row[], unsigned n)
{
	char text[32];
	fprintf(out, "%s\n\nWarming up --------------------------------------\n", title);
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%20s %10s i/100ms\n", row[i].name,
			scaled(lf_json_double(row[i].polling, "per_batch"), text));
	fprintf(out, "Calculating -------------------------------------\n");
	for (unsigned i = 0; i < n; i++)
		say_row(out, &row[i]);
	sort_by_rate(row, n);
	fprintf(out, "\nComparison:\n");
	for (unsigned i = 0; i < n; i++)
		compare(out, &row[0], &row[i]);
	fputc('\n', out);
}

void lf_seed_select(FILE *out, const json_t *records, const char *engine)
{
	fprintf(out, "%s:\n\n", engine);
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
		struct row row[POLLERS_MAX];
		unsigned n = rows_of(records, engine, blocks[i].scenario, row);
		if (n > 0)
			say_block(out, blocks[i].title, row, n);
	}
}
