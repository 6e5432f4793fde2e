/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The three questions that a stranger has, answered from the records: which
 * locks let a queued thread be overtaken, which starve a victim, under which
 * GIL do threads take turns.
 */
#include "report/json.h"
#include "report/text_parts.h"
#include "report/words.h"
#include "report/wrap.h"

#include <inttypes.h>
#include <string.h>

#define INDENT "    "

enum answer { YES, NO, UNCLEAR };

struct question {
	const char *scenario;
	const char *text;
	const char *yes, *no; /* the heads of the two lists */
	/* Writes details of the answer, or "". */
	enum answer (*answer)(const json_t *record, char *detail, size_t size);
};

/* --- The answers of one record --- */

static bool is_measured(const json_t *record)
{
	static const char *const verdicts[] = { "pass", "fail", "sensitive" };
	for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
		if (strcmp(lf_json_string(record, "verdict"), verdicts[i]) == 0)
			return true;
	return false;
}

static enum answer overtaken(const json_t *record, char *detail, size_t size)
{
	const json_t *m = lf_json_get(record, "metrics");
	uint64_t times = lf_json_uint(m, "overtakes_max");
	if (times > 0)
		snprintf(detail, size,
			 "up to %" PRIu64 " time%s, in %" PRIu64 " of %" PRIu64 " rounds",
			 times, times == 1 ? "" : "s",
			 lf_json_uint(m, "overtaken_rounds"), lf_json_uint(m, "rounds"));
	if (!is_measured(record))
		return UNCLEAR;
	return times > 0 ? YES : NO;
}

/* The first assertion of the scenario's own whose value lies beyond its bound,
 * whether or not somebody asked for it. */
static const json_t *exceeded(const json_t *record)
{
	size_t i;
	json_t *a;
	json_array_foreach(lf_json_get(record, "assertions"), i, a)
		if (strcmp(lf_json_string(a, "origin"), "safety") != 0 &&
		    lf_assertion_exceeds(a))
			return a;
	return NULL;
}

static void describe(const json_t *a, char *detail, size_t size)
{
	char value[64];
	const char *role = lf_json_string(a, "role");
	if (!json_is_number(lf_json_get(a, "value")))
		return;
	snprintf(detail, size, "%s%s%s %s", lf_json_string(a, "metric"),
		 role[0] ? " of " : "", role,
		 lf_value_text(lf_json_double(a, "value"), lf_json_string(a, "unit"),
			       value, sizeof value));
}

/* Served at last is not served well: the longest wait goes with it. */
static enum answer starved(const json_t *record, char *detail, size_t size)
{
	const json_t *a = lf_record_assertion(record, LF_METRIC_STARVED);
	const json_t *wait = lf_record_assertion(record, LF_METRIC_WAIT_MAX);
	char value[64];
	if (!is_measured(record) || !a)
		return UNCLEAR;
	if (lf_assertion_exceeds(a)) {
		snprintf(detail, size, "%s", lf_json_string(a, "role"));
		return YES;
	}
	if (wait)
		snprintf(detail, size, "after %s",
			 lf_value_text(lf_json_double(wait, "value"), "ns", value,
				       sizeof value));
	return NO;
}

/* Only where taking turns was asked for: of the GILs, unless told otherwise. */
static enum answer take_turns(const json_t *record, char *detail, size_t size)
{
	const json_t *a = exceeded(record);
	if (!is_measured(record))
		return UNCLEAR;
	if (!a)
		return YES;
	describe(a, detail, size);
	return NO;
}

static const struct question questions[] = {
	{ "barging", "Which locks let a queued thread be overtaken?",
	  "overtaken:", "not seen of:", overtaken },
	{ "hog", "Which locks starve a victim beside a hog?",
	  "starve one:", "serve it, at the latest:", starved },
	{ "interleaving", "Under which GIL do threads take turns?",
	  "take turns:", "do not:", take_turns },
};

/* --- Lists --- */

static bool concerns(const json_t *record, const char *engine, const struct question *q)
{
	const char *scenario = lf_json_string(record, "scenario");
	size_t length = lf_scenario_base(scenario);
	if (!lf_text_is_of(record, engine) || length != strlen(q->scenario) ||
	    strncmp(scenario, q->scenario, length) != 0 ||
	    strcmp(lf_json_string(record, "verdict"), "skip") == 0)
		return false;
	/* A mutex in a GIL's place is measured, but nobody asks it to share. */
	return q->answer != take_turns || lf_text_requires(record);
}

/* An overtaken lock that claims nothing does what it says. One a line, because
 * the numbers are the answer. */
static void say_overtaken(const struct lf_text *t, const json_t *record,
			  const char *detail, int width)
{
	char claims[64], text[256];
	snprintf(text, sizeof text, "claims %s: overtaken %s",
		 lf_record_claims(record, claims, sizeof claims), detail);
	fprintf(t->out, INDENT "%-*s  %s\n", width, lf_json_string(record, "backend"),
		text);
}

static int widest_backend(const struct lf_text *t)
{
	size_t i, widest = 0;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		size_t length = strlen(lf_json_string(record, "backend"));
		if (lf_text_is_asked(record) && length > widest)
			widest = length;
	}
	return (int)widest;
}

static void say_list(const struct lf_text *t, const char *engine,
		     const struct question *q, enum answer wanted, const char *head)
{
	struct lf_wrap w = { .out = t->out, .indent = INDENT, .width = t->width };
	char detail[128], item[256];
	bool any = false;
	size_t i;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		detail[0] = '\0';
		if (!concerns(record, engine, q) || !lf_text_is_asked(record) ||
		    q->answer(record, detail, sizeof detail) != wanted)
			continue;
		if (q->answer == overtaken && wanted == YES) {
			say_overtaken(t, record, detail, widest_backend(t));
			continue;
		}
		bool bracket = detail[0] && wanted != UNCLEAR;
		snprintf(item, sizeof item, "%s%s%s%s", lf_json_string(record, "backend"),
			 bracket ? " (" : "", bracket ? detail : "", bracket ? ")" : "");
		if (any)
			fputc(',', t->out), w.column++;
		else
			lf_wrap_begin(&w, head);
		any = true;
		lf_wrap_piece(&w, item);
	}
	if (any)
		lf_wrap_end(&w);
}

void lf_text_answers(const struct lf_text *t, const char *engine)
{
	for (size_t k = 0; k < sizeof questions / sizeof questions[0]; k++) {
		const struct question *q = &questions[k];
		bool any = false;
		size_t i;
		json_t *record;
		json_array_foreach(t->records, i, record)
			any = any ||
			      (concerns(record, engine, q) && lf_text_is_asked(record));
		if (!any)
			continue;
		fprintf(t->out, "  %s\n", q->text);
		say_list(t, engine, q, YES, q->yes);
		say_list(t, engine, q, NO, q->no);
		say_list(t, engine, q, UNCLEAR, "cannot tell:");
	}
}
