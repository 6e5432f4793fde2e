/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/baseline.h"

#include "core/registry.h"
#include "judge/judge.h"
#include "observe/host.h"
#include "report/json.h"
#include "report/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Writing -------------------------------------------------------------------------- */

static bool is_asked(const json_t *r)
{
	return !lf_json_string(lf_json_get(r, "control"), "as")[0];
}

static bool is_cell(const json_t *cell, const json_t *record)
{
	return strcmp(lf_json_string(cell, "scenario"),
		      lf_json_string(record, "scenario")) == 0 &&
	       strcmp(lf_json_string(cell, "engine"),
		      lf_json_string(record, "engine")) == 0 &&
	       strcmp(lf_json_string(cell, "backend"),
		      lf_plain_name(lf_json_string(record, "backend"))) == 0;
}

/* A count that something hangs on: never a time, never a share. */
static bool is_bound(const json_t *assertion)
{
	int m = lf_metric_find(lf_json_string(assertion, "metric"));

	return m >= 0 && lf_metric_class((enum lf_metric)m) == LF_CLASS_ORDER &&
	       json_is_number(lf_json_get(assertion, "bound")) &&
	       strcmp(lf_json_string(assertion, "origin"), "information") != 0;
}

static json_t *bounds_of(const json_t *record)
{
	json_t *list = json_array();
	size_t i;
	json_t *a;

	json_array_foreach(lf_json_get(record, "assertions"), i, a) {
		json_t *b;
		if (!is_bound(a))
			continue;
		b = json_object();
		lf_json_put(&b, "metric", json_string(lf_json_string(a, "metric")));
		lf_json_put(&b, "role", json_string(lf_json_string(a, "role")));
		lf_json_put(&b, "bound", json_incref(json_object_get(a, "bound")));
		lf_json_put(&b, "at_least", json_boolean(lf_json_true(a, "at_least")));
		lf_json_add(&list, b);
	}
	return list;
}

/* Did the cell of this record pass in all of them, and is this the first one? */
static bool is_first_of_passing(const json_t *records, size_t at)
{
	const json_t *record = json_array_get(records, at);
	json_t *cell = json_pack("{s:s, s:s, s:s}", "scenario",
				 lf_json_string(record, "scenario"), "backend",
				 lf_plain_name(lf_json_string(record, "backend")), "engine",
				 lf_json_string(record, "engine"));
	bool good = cell && is_asked(record);
	size_t i;
	json_t *r;

	json_array_foreach(records, i, r) {
		if (!good || !is_asked(r) || !is_cell(cell, r))
			continue;
		good = i >= at && strcmp(lf_json_string(r, "verdict"), "pass") == 0;
	}
	json_decref(cell);
	return good;
}

static json_t *cell_of(const json_t *record)
{
	json_t *cell = json_object();

	lf_json_put(&cell, "scenario", json_string(lf_json_string(record, "scenario")));
	lf_json_put(&cell, "backend",
		    json_string(lf_plain_name(lf_json_string(record, "backend"))));
	lf_json_put(&cell, "engine", json_string(lf_json_string(record, "engine")));
	lf_json_put(&cell, "counts", bounds_of(record));
	return cell;
}

static json_t *host_json(void)
{
	struct lf_host h;
	json_t *o = json_object();

	lf_host_read(&h);
	lf_json_put(&o, "fingerprint", json_string(h.fingerprint));
#define X(name, text) lf_json_put(&o, #name, lf_json_text(h.name, sizeof h.name));
	LF_FACT_MAP(X)
#undef X
	return o;
}

static json_t *noise_json(void)
{
	struct lf_host_noise n;
	json_t *o = json_object();

	lf_host_listen(&n);
	lf_json_put(&o, "clock_step_ns", lf_json_count(n.clock_step_ns));
	lf_json_put(&o, "gap_p50_ns", lf_json_count(n.gap_p50_ns));
	lf_json_put(&o, "gap_max_ns", lf_json_count(n.gap_max_ns));
	lf_json_put(&o, "gaps_per_s", lf_json_number(n.gaps_per_s));
	lf_json_put(&o, "overshoot_p50_ns", lf_json_count(n.overshoot_p50_ns));
	lf_json_put(&o, "overshoot_max_ns", lf_json_count(n.overshoot_max_ns));
	lf_json_put(&o, "delay", lf_json_number(n.delay));
	return o;
}

/* One key a line at the top, one cell a line: made for version control. */
static int write_lines(FILE *f, json_t *host, json_t *noise, json_t *cells)
{
	char *text[2] = { json_dumps(host, 0), json_dumps(noise, JSON_REAL_PRECISION(4)) };
	size_t i;
	json_t *cell;

	if (text[0] && text[1])
		fprintf(f, "{\"baseline\": %d,\n\"host\": %s,\n\"noise\": %s,\n\"cells\": [\n",
			LF_BASELINE_SCHEMA, text[0], text[1]);
	json_array_foreach(cells, i, cell) {
		json_dumpf(cell, f, 0);
		fputs(i + 1 < json_array_size(cells) ? ",\n" : "\n", f);
	}
	fputs("]}\n", f);
	free(text[0]);
	free(text[1]);
	return text[0] && text[1] && !ferror(f) ? 0 : -EIO;
}

int lf_baseline_write(const char *path, const json_t *records, struct lf_error *error)
{
	json_t *cells = json_array(), *host = host_json(), *noise = noise_json();
	FILE *f = fopen(path, "we");
	int r = f ? 0 : -errno;

	for (size_t i = 0; f && i < json_array_size(records); i++)
		if (is_first_of_passing(records, i))
			lf_json_add(&cells, cell_of(json_array_get(records, i)));
	if (f) {
		r = cells && host && noise ? write_lines(f, host, noise, cells) : -ENOMEM;
		if (fclose(f) != 0 && r == 0)
			r = -errno;
	}
	json_decref(cells);
	json_decref(host);
	json_decref(noise);
	return r < 0 ? lf_error_set(error, r, "%s: the baseline cannot be written: %s; give "
				    "a path that can be", path, strerror(-r)) : 0;
}

/* --- Reading -------------------------------------------------------------------------- */

int lf_baseline_read(const char *path, json_t **ret_baseline, struct lf_error *error)
{
	json_error_t why;
	json_t *b = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	const json_t *schema = json_object_get(b, "baseline");

	*ret_baseline = NULL;
	if (!b)
		return lf_error_set(error, -EBADMSG, "%s: no baseline: %.300s; make one with "
				    "lockfair history --baseline", path, why.text);
	if (json_is_integer(schema) && json_integer_value(schema) != LF_BASELINE_SCHEMA) {
		lf_error_set(error, -EPROTO, "%s: a baseline of schema %" PRIdMAX ", and this "
			     "program reads schema %d; make it again with lockfair history "
			     "--baseline", path, (intmax_t)json_integer_value(schema),
			     LF_BASELINE_SCHEMA);
		json_decref(b);
		return -EPROTO;
	}
	if (!json_is_integer(schema) || !json_is_array(json_object_get(b, "cells"))) {
		json_decref(b);
		return lf_error_set(error, -EBADMSG, "%s: no baseline; make one with lockfair "
				    "history --baseline", path);
	}
	*ret_baseline = b;
	return 0;
}

static json_t *same_metric(const json_t *record, const json_t *bound)
{
	size_t i;
	json_t *a;

	json_array_foreach(lf_json_get(record, "assertions"), i, a)
		if (strcmp(lf_json_string(a, "metric"), lf_json_string(bound, "metric")) == 0 &&
		    strcmp(lf_json_string(a, "role"), lf_json_string(bound, "role")) == 0)
			return a;
	return NULL;
}

static bool exceeds(const json_t *a, const json_t *bound)
{
	double value = lf_json_double(a, "value"), limit = lf_json_double(bound, "bound");

	return json_is_number(lf_json_get(a, "value")) &&
	       (lf_json_true(bound, "at_least") ? value < limit : value > limit);
}

static void fail(json_t *record, json_t *a, const json_t *bound)
{
	json_object_set(a, "bound", json_object_get(bound, "bound"));
	json_object_set_new(a, "origin",
			    json_string(lf_origin_name(LF_ORIGIN_REQUIREMENT)));
	json_object_set_new(a, "holds", json_false());
	json_object_set_new(record, "verdict",
			    json_string(lf_verdict_name(LF_VERDICT_FAIL)));
	json_object_set_new(record, "reason",
			    json_sprintf("%s is %g, and the baseline has %s %g",
					 lf_json_string(bound, "metric"),
					 lf_json_double(a, "value"),
					 lf_json_true(bound, "at_least") ? "at least" :
					 "at most", lf_json_double(bound, "bound")));
}

void lf_baseline_apply(const json_t *baseline, json_t *record)
{
	size_t i, k;
	json_t *cell, *bound;

	json_array_foreach(lf_json_get(baseline, "cells"), i, cell) {
		if (!is_cell(cell, record))
			continue;
		json_array_foreach(lf_json_get(cell, "counts"), k, bound) {
			json_t *a = same_metric(record, bound);
			if (a && exceeds(a, bound))
				fail(record, a, bound);
		}
	}
}
