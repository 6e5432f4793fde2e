/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records as trace events of Chrome, which Perfetto and chrome://tracing open: a
 * process for each cell, a thread for each of its threads, and what they did around
 * the decisive moment. Times are in microseconds there, with a fraction.
 */
#include "report/json.h"
#include "report/report.h"
#include "report/words.h"

#include <errno.h>
#include <string.h>

/* One cell on its way into the trace. */
struct cell {
	json_t **events;
	const json_t *record;
	json_int_t pid;
	json_int_t start_ns; /* what is shown as 0 */
};

static json_t *event(const struct cell *c, const char *phase, const char *name,
		     json_int_t thread)
{
	json_t *e = json_object();

	lf_json_put(&e, "ph", json_string(phase));
	lf_json_put(&e, "name", json_string(name));
	lf_json_put(&e, "pid", json_integer(c->pid));
	lf_json_put(&e, "tid", json_integer(thread + 1));
	return e;
}

static json_t *microseconds(json_int_t ns)
{
	return json_real((double)ns / 1e3);
}

static void name_it(const struct cell *c, const char *what, json_int_t thread,
		    const char *name)
{
	json_t *e = event(c, "M", what, thread);

	lf_json_put(&e, "args", json_pack("{ss}", "name", name));
	lf_json_add(c->events, e);
}

static void span(const struct cell *c, const char *name, json_int_t thread,
		 json_int_t from_ns, json_int_t to_ns)
{
	json_t *e = event(c, "X", name, thread);

	lf_json_put(&e, "cat", json_string("lock"));
	lf_json_put(&e, "ts", microseconds(from_ns - c->start_ns));
	lf_json_put(&e, "dur", microseconds(to_ns > from_ns ? to_ns - from_ns : 0));
	lf_json_add(c->events, e);
}

static void moment(const struct cell *c, json_int_t at_ns)
{
	const json_t *starved = lf_json_get(lf_json_get(c->record, "evidence"), "starved");
	char text[LF_WORDS_MAX];
	json_t *e;

	if (json_array_size(starved) == 0)
		return;
	lf_starved_text(json_array_get(starved, 0), text, sizeof text);
	e = event(c, "i", text, 0);
	lf_json_put(&e, "s", json_string("p")); /* across the process */
	lf_json_put(&e, "cat", json_string("lock"));
	lf_json_put(&e, "ts", microseconds(at_ns - c->start_ns));
	lf_json_add(c->events, e);
}

static json_int_t at(const json_t *list, size_t i)
{
	return json_integer_value(json_array_get(list, i));
}

/* --- With times --- */

static json_int_t earliest(const json_t *line)
{
	json_int_t first = 0;
	size_t i;
	json_t *x;

	json_array_foreach(lf_json_get(line, "holds"), i, x)
		first = at(x, 1) < first ? at(x, 1) : first;
	json_array_foreach(lf_json_get(line, "waits"), i, x)
		first = at(x, 1) < first ? at(x, 1) : first;
	return first;
}

static void times(struct cell *c, const json_t *line)
{
	const json_t *holds = lf_json_get(line, "holds");
	json_int_t end = json_integer_value(lf_json_get(line, "end"));
	const json_t *decisive = lf_json_get(line, "decisive");
	size_t i;
	json_t *x;

	c->start_ns = earliest(line);
	json_array_foreach(holds, i, x) {
		const json_t *next = json_array_get(holds, i + 1);
		const json_t *released = json_array_get(x, 3);
		json_int_t until = json_is_integer(released) ?
			json_integer_value(released) : next ? at(next, 2) : end;
		if (at(x, 2) > at(x, 1))
			span(c, "waits", at(x, 0), at(x, 1), at(x, 2));
		span(c, "holds", at(x, 0), at(x, 2), until);
	}
	json_array_foreach(lf_json_get(line, "waits"), i, x)
		span(c, "waits", at(x, 0), at(x, 1), end);
	if (json_is_integer(decisive))
		moment(c, at(json_array_get(holds, (size_t)json_integer_value(decisive)),
			     2));
}

/* --- In order only: a grant takes a microsecond --- */

static json_int_t thread_of(const json_t *record, const char *name)
{
	const json_t *threads = lf_json_get(lf_json_get(record, "metrics"), "threads");
	size_t i;
	json_t *t;

	json_array_foreach(threads, i, t)
		if (name && strcmp(lf_json_string(t, "thread"), name) == 0)
			return (json_int_t)i;
	return 0;
}

static void order(const struct cell *c, const json_t *grants)
{
	json_int_t from = (json_int_t)lf_json_uint(grants, "from"), now = from;
	size_t i;
	json_t *run;

	json_array_foreach(lf_json_get(grants, "order"), i, run) {
		json_int_t n = at(run, 1);
		const char *name = json_string_value(json_array_get(run, 0));
		span(c, "holds", thread_of(c->record, name), now * 1000,
		     (now + n) * 1000);
		now += n;
	}
	if (lf_json_get(grants, "decisive"))
		moment(c, (json_int_t)lf_json_uint(grants, "decisive") * 1000);
}

/* --- A cell --- */

static void put_cell(struct cell *c)
{
	const json_t *evidence = lf_json_get(c->record, "evidence");
	const json_t *line = lf_json_get(evidence, "timeline");
	const json_t *threads = lf_json_get(lf_json_get(c->record, "metrics"), "threads");
	char title[LF_WORDS_MAX], name[LF_WORDS_MAX + 32];
	size_t i;
	json_t *t;

	lf_record_title(c->record, title, sizeof title);
	snprintf(name, sizeof name, "%s%s", title,
		 line ? "" : ", in order: 1 us a grant");
	name_it(c, "process_name", 0, name);
	json_array_foreach(threads, i, t)
		name_it(c, "thread_name", (json_int_t)i, lf_json_string(t, "thread"));
	if (line)
		times(c, line);
	else
		order(c, lf_json_get(evidence, "grants"));
}

int lf_report_trace(FILE *out, const json_t *records)
{
	json_t *events = json_array(), *trace = json_object();
	size_t i;
	json_t *record;
	int r;

	json_array_foreach(records, i, record) {
		struct cell c = { &events, record, (json_int_t)i + 1, 0 };
		put_cell(&c);
	}
	lf_json_put(&trace, "displayTimeUnit", json_string("ns"));
	lf_json_put(&trace, "traceEvents", events);
	r = trace ? json_dumpf(trace, out, JSON_COMPACT | JSON_REAL_PRECISION(15)) : -1;
	json_decref(trace);
	fputc('\n', out);
	return r < 0 || fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
