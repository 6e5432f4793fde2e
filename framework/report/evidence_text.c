/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The evidence of a record in words. */
#include "report/json.h"
#include "report/record.h"
#include "report/words.h"
#include "report/wrap.h"

#include <inttypes.h>
#include <string.h>

/* Runs of equal grants that are shown around the decisive one. */
#define RUNS_BEFORE 14
#define RUNS_AFTER 6
#define STACK_LINES 24

struct place {
	FILE *out;
	const char *indent;
	unsigned width;
};

static void say(const struct place *p, const char *head, const char *text)
{
	if (text[0])
		lf_wrap_line(p->out, p->indent, p->width, head, text);
}

static bool is(const json_t *record, const char *key, const char *value)
{
	return strcmp(lf_json_string(record, key), value) == 0;
}

/* --- Assertions --- */

static void say_assertions(const struct place *p, const json_t *record)
{
	char text[LF_WORDS_MAX], head[48];
	size_t i;
	json_t *a;
	json_array_foreach(lf_json_get(record, "assertions"), i, a) {
		if (lf_json_true(a, "holds"))
			continue;
		snprintf(head, sizeof head, "%.40s:", lf_json_string(a, "origin"));
		say(p, head, lf_assertion_text(a, text, sizeof text));
	}
}

/* --- The excerpt of the grant order --- */

/* The run in which grant `decisive` lies; the last one when none is. */
static size_t decisive_run(const json_t *grants, uint64_t *ret_first)
{
	const json_t *order = lf_json_get(grants, "order");
	uint64_t at = lf_json_uint(grants, "from");
	uint64_t decisive = lf_json_uint(grants, "decisive");
	size_t i, n = json_array_size(order);
	for (i = 0; i + 1 < n; i++) {
		at += (uint64_t)json_integer_value(
			json_array_get(json_array_get(order, i), 1));
		if (decisive && at >= decisive)
			break;
	}
	*ret_first = lf_json_uint(grants, "from");
	for (size_t k = 0; k + RUNS_BEFORE <= i; k++)
		*ret_first += (uint64_t)json_integer_value(
			json_array_get(json_array_get(order, k), 1));
	return i;
}

static void say_run(struct lf_wrap *w, const json_t *run, bool last)
{
	char text[64];
	const char *name = json_string_value(json_array_get(run, 0));
	json_int_t times = json_integer_value(json_array_get(run, 1));
	if (times > 1)
		snprintf(text, sizeof text, "%.30s x%" PRIdMAX "%s", name ? name : "?",
			 (intmax_t)times, last ? "" : ",");
	else
		snprintf(text, sizeof text, "%.30s%s", name ? name : "?",
			 last ? "" : ",");
	lf_wrap_piece(w, text);
}

static void say_grants(const struct place *p, const json_t *grants)
{
	const json_t *order = lf_json_get(grants, "order");
	const char *waiting = lf_json_string(grants, "waiting");
	size_t n = json_array_size(order);
	char text[96];
	uint64_t first;
	if (n == 0)
		return;
	size_t decisive = decisive_run(grants, &first);
	size_t from = decisive + 1 > RUNS_BEFORE ? decisive + 1 - RUNS_BEFORE : 0;
	size_t to = decisive + 1 + RUNS_AFTER < n ? decisive + 1 + RUNS_AFTER : n;

	struct lf_wrap w = { .out = p->out, .indent = p->indent, .width = p->width };
	snprintf(text, sizeof text, "order: grants from %" PRIu64 " of %" PRIu64 ":",
		 first + 1, lf_json_uint(grants, "total"));
	lf_wrap_begin(&w, text);
	for (size_t i = from; i < to; i++) {
		say_run(&w, json_array_get(order, i), i + 1 == to);
		if (i == decisive && waiting[0]) {
			snprintf(text, sizeof text, "<- %.30s still waits%s", waiting,
				 i + 1 == to ? "" : ",");
			lf_wrap_piece(&w, text);
		}
	}
	lf_wrap_end(&w);
}

/* --- Machine models --- */

/* "seed 7: fail, overtakes 9 against 0" of the first run that did not pass. */
static void first_trouble(const json_t *model, char *text, size_t size)
{
	size_t i;
	json_t *run;
	text[0] = '\0';
	json_array_foreach(lf_json_get(model, "runs"), i, run) {
		const char *seed = json_string_value(json_array_get(run, 0));
		const char *verdict = json_string_value(json_array_get(run, 1));
		const char *metric = json_string_value(json_array_get(run, 2));
		if (!seed || !verdict || !metric || strcmp(verdict, "pass") == 0)
			continue;
		snprintf(text, size, "; seed %.20s: %.40s %.6g against %.6g", seed,
			 metric, json_number_value(json_array_get(run, 3)),
			 json_number_value(json_array_get(run, 4)));
		return;
	}
}

/* ", 3 of them near a bound": what is there of it. */
static size_t add_count(char *text, size_t size, const json_t *model, const char *key,
			const char *meaning)
{
	uint64_t n = lf_json_uint(model, key);
	if (n == 0 || size < 64)
		return 0;
	return (size_t)snprintf(text, size, ", %" PRIu64 " %s", n, meaning);
}

static void say_models(const struct place *p, const json_t *models)
{
	char text[LF_WORDS_MAX], trouble[128];
	size_t i;
	json_t *model;
	json_array_foreach(models, i, model) {
		const char *verdict;
		json_t *count;
		size_t used = (size_t)snprintf(
			text, sizeof text, "%.32s:", lf_json_string(model, "machine"));
		json_object_foreach((json_t *)lf_json_get(model, "verdicts"), verdict,
				    count)
			if (used + 64 < sizeof text)
				used += (size_t)snprintf(
					text + used, sizeof text - used,
					" %.16s %" PRIdMAX, verdict,
					(intmax_t)json_integer_value(count));
		used += add_count(text + used, sizeof text - used, model, "near",
				  "near a bound");
		used += add_count(text + used, sizeof text - used, model, "cut_off",
				  "cut off");
		first_trouble(model, trouble, sizeof trouble);
		snprintf(text + used, sizeof text - used, "%s", trouble);
		say(p, "model", text);
	}
}

/* --- The machine, and how it ended --- */

static void say_noise(const struct place *p, const json_t *noise)
{
	struct lf_wrap w = { .out = p->out, .indent = p->indent, .width = p->width };
	static const struct {
		const char *key, *unit;
	} witness[] = {
#define X(name, unit) { #name, unit },
		LF_WITNESS_MAP(X)
#undef X
	};
	char text[96], value[48];
	bool any = false;
	for (size_t i = 0; i < sizeof witness / sizeof witness[0]; i++) {
		if (!json_is_integer(lf_json_get(noise, witness[i].key)))
			continue;
		size_t length = strlen(witness[i].key);
		double seen = lf_json_double(noise, witness[i].key);
		if (strcmp(witness[i].unit, "ns") == 0) {
			length -= strlen("_ns");
			lf_value_text(seen, "ns", value, sizeof value);
		} else {
			snprintf(value, sizeof value, "%.0f", seen);
		}
		snprintf(text, sizeof text, "%s%.*s %s", any ? "| " : "", (int)length,
			 witness[i].key, value);
		for (char *c = text; *c; c++)
			if (*c == '_')
				*c = ' ';
		if (!any)
			lf_wrap_begin(&w, "noise:");
		any = true;
		lf_wrap_piece(&w, text);
	}
	if (any)
		lf_wrap_end(&w);
}

static void say_stack(const struct place *p, const char *stack)
{
	if (!stack[0])
		return;
	say(p, "stacks:", "when it was given up");
	for (int i = 0; *stack && i < STACK_LINES; i++) {
		size_t length = strcspn(stack, "\n");
		fprintf(p->out, "%s  | %.*s\n", p->indent, (int)length, stack);
		stack += length;
		stack += *stack == '\n';
	}
	if (*stack)
		fprintf(p->out, "%s  | ... the rest is in the record\n", p->indent);
}

/* "waiter.0 in acquire: futex" for each thread that did not come back. */
static void say_states(const struct place *p, const json_t *states)
{
	struct lf_wrap w = { .out = p->out, .indent = p->indent, .width = p->width };
	char text[96];
	size_t i;
	json_t *entry;
	json_array_foreach(states, i, entry) {
		if (i == 0)
			lf_wrap_begin(&w, "states:");
		snprintf(text, sizeof text, "%.30s%s: %.30s%s", lf_json_string(entry, "thread"),
			 lf_json_true(entry, "inside_acquire") ? " in acquire" : "",
			 lf_json_string(entry, "state"),
			 i + 1 < json_array_size(states) ? "," : "");
		lf_wrap_piece(&w, text);
	}
	if (json_array_size(states))
		lf_wrap_end(&w);
}

/* Who starved and in which order: where somebody did, or something is violated. */
static void say_order(const struct place *p, const json_t *record)
{
	const json_t *evidence = lf_json_get(record, "evidence");
	const json_t *starved = lf_json_get(evidence, "starved");
	char text[LF_WORDS_MAX];
	size_t i;
	json_t *entry;
	say_states(p, lf_json_get(evidence, "states"));
	if (json_array_size(starved) == 0 && !lf_record_violated(record)[0])
		return;
	json_array_foreach(starved, i, entry)
		say(p, "seen:", lf_starved_text(entry, text, sizeof text));
	say_grants(p, lf_json_get(evidence, "grants"));
	lf_record_lanes(p->out, record, p->indent, p->width);
}

void lf_record_evidence(FILE *out, const json_t *record, const char *indent,
			unsigned width)
{
	const struct place p = { out, indent, width };
	const json_t *evidence = lf_json_get(record, "evidence");
	const char *reason = lf_json_string(record, "reason");
	const char *note = lf_json_string(lf_json_get(record, "control"), "note");
	bool failed = is(record, "verdict", "fail");

	say_assertions(&p, record);
	/* Of a failure the assertions above say the same, and more. */
	if (!failed)
		say(&p, "because:", reason);
	say(&p, "expected:", lf_json_string(lf_json_get(record, "expected"), "reason"));
	if (strcmp(note, reason) != 0)
		say(&p, "controls:", note);
	say(&p, "ended:", lf_json_string(evidence, "ending"));
	if (!is(record, "verdict", "pass") && !is(record, "verdict", "skip"))
		say_order(&p, record);
	if (failed || is(record, "verdict", "sensitive"))
		say_models(&p, lf_json_get(evidence, "models"));
	if (is(record, "verdict", "inconclusive"))
		say_noise(&p, lf_json_get(lf_json_get(record, "volatile"), "noise"));
	say_stack(&p, lf_json_string(lf_json_get(record, "volatile"), "stack"));
	/* In one line whatever its length: it is there to be copied. */
	if (lf_json_string(record, "rerun")[0])
		fprintf(out, "%srepeat: %s\n", indent, lf_json_string(record, "rerun"));
	if (lf_json_string(evidence, "replay")[0])
		fprintf(out, "%sreplay: lockfair replay '%s'\n", indent,
			lf_json_string(evidence, "replay"));
}
