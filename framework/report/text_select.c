/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Suite `select` in one table: how often the loop goes round, and how long those are
 * kept waiting who want its lock. On a descriptor that is ready all the time, because
 * there the rules differ.
 */
#include "judge/judge.h"
#include "report/json.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <lockfair/backend.h>

#include <inttypes.h>
#include <string.h>

static const char *const releases[] = {
#define X(id, name, text) name,
	LF_RELEASE_MAP(X)
#undef X
};

static const unsigned bystanders[] = { 0, 1, 3 };

#define COLUMNS (sizeof bystanders / sizeof bystanders[0])

static const json_t *find(const struct lf_text *t, const char *engine, const char *backend,
			  const char *scenario)
{
	size_t i;
	json_t *r;
	json_array_foreach(t->records, i, r)
		if (lf_text_is_asked(r) && lf_text_is_of(r, engine) &&
		    strcmp(lf_json_string(r, "backend"), backend) == 0 &&
		    strcmp(lf_json_string(r, "scenario"), scenario) == 0)
			return r;
	return NULL;
}

/* The value of a metric, as text with its unit; "-": there is none. */
static const char *value_of(const json_t *record, enum lf_metric metric, char text[32])
{
	const json_t *a = lf_record_assertion(record, metric);
	double value = lf_json_double(a, "value");
	if (lf_json_uint(a, "n") == 0)
		snprintf(text, 32, "-");
	else if (metric == LF_METRIC_RATE)
		snprintf(text, 32, "%.0f/s", value);
	else
		lf_value_text(value, "ns", text, 32);
	return text;
}

static bool say_row(const struct lf_text *t, const char *engine, const char *backend,
		    const char *release)
{
	char line[160] = "", rate[32], wait[32], id[64];
	size_t used = 0;
	bool any = false;
	for (size_t i = 0; i < COLUMNS; i++) {
		snprintf(id, sizeof id, "select/%s/ready/1/%u", release, bystanders[i]);
		const json_t *r = find(t, engine, backend, id);
		any |= r != NULL;
		used += (size_t)snprintf(line + used, sizeof line - used, "%12s",
					 value_of(r, LF_METRIC_RATE, rate));
		if (bystanders[i])
			used += (size_t)snprintf(line + used, sizeof line - used, " %9s",
						 value_of(r, LF_METRIC_WAIT_P90, wait));
	}
	if (any)
		fprintf(t->out, "    %-12s %-8s %s\n", backend, release, line);
	return any;
}

/* Its first cell of the suite with this engine. */
static bool is_first(const struct lf_text *t, const char *engine, size_t at)
{
	const json_t *record = json_array_get(t->records, at);
	for (size_t i = 0; i <= at; i++) {
		const json_t *r = json_array_get(t->records, i);
		if (lf_text_is_asked(r) && lf_text_is_of(r, engine) &&
		    strncmp(lf_json_string(r, "scenario"), "select/", 7) == 0 &&
		    strcmp(lf_json_string(r, "verdict"), "skip") != 0 &&
		    strcmp(lf_json_string(r, "backend"),
			   lf_json_string(record, "backend")) == 0)
			return i == at;
	}
	return false;
}

void lf_text_select(const struct lf_text *t, const char *engine)
{
	bool begun = false;
	for (size_t i = 0; i < json_array_size(t->records); i++) {
		if (!is_first(t, engine, i))
			continue;
		if (!begun)
			fprintf(t->out, "  How often does the loop go round, and how long (nine "
				"waits in ten) are others kept waiting?\n"
				"    ready, timeout 1      %12s%22s%22s\n", "alone",
				"1 bystander", "3 bystanders");
		begun = true;
		const json_t *r = json_array_get(t->records, i);
		for (size_t k = 0; k < sizeof releases / sizeof releases[0]; k++)
			say_row(t, engine, lf_json_string(r, "backend"), releases[k]);
	}
}
