/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a gate came to, for people: layer by layer, the worst first, words before
 * numbers, and no number without how sure it is.
 */
#include "report/json.h"
#include "report/report.h"
#include "report/text_parts.h"
#include "report/words.h"
#include "report/wrap.h"

#include <math.h>
#include <string.h>

#define WORD_WIDTH 13

static const json_t *gate_of(const json_t *record)
{
	return lf_json_get(record, "gate");
}

static bool is_of_layer(const json_t *record, const char *layer)
{
	return strcmp(lf_json_string(gate_of(record), "layer"), layer) == 0 &&
	       lf_text_is_asked(record);
}

/* --- Layer C -------------------------------------------------------------------- */

/* How much worse, of a logarithm: "+27 %", "-0.4 %". */
static const char *percent(const json_t *interval, const char *key, char *buffer,
			   size_t size)
{
	const json_t *value = lf_json_get(interval, key);
	double x = (exp(json_number_value(value)) - 1) * 100;

	if (!json_is_number(value))
		snprintf(buffer, size, "?");
	else if (fabs(x) < 9.95)
		snprintf(buffer, size, "%+.1f %%", x);
	else
		snprintf(buffer, size, "%+.0f %%", x);
	return buffer;
}

/* "+27 % [+22 % .. +33 %]" */
static const char *interval_text(const json_t *i, char *buffer, size_t size)
{
	char median[24], low[24], high[24];

	snprintf(buffer, size, "%s [%s .. %s]", percent(i, "median", median, sizeof median),
		 percent(i, "low", low, sizeof low), percent(i, "high", high, sizeof high));
	return buffer;
}

/*
 * A ratio axis from -20 % to +50 %, with the median and its interval on it; the
 * marks are what is tolerated and what must be detected.
 */
#define AXIS_LOW (-0.223)
#define AXIS_HIGH 0.405
#define AXIS_WIDTH 36

static int place(double x)
{
	double at = (x - AXIS_LOW) / (AXIS_HIGH - AXIS_LOW) * (AXIS_WIDTH - 1);

	return at < 0 ? 0 : at > AXIS_WIDTH - 1 ? AXIS_WIDTH - 1 : (int)(at + 0.5);
}

static void draw(char axis[AXIS_WIDTH + 1], const json_t *change, const json_t *i)
{
	double low = lf_json_double(i, "low"), high = lf_json_double(i, "high");

	memset(axis, ' ', AXIS_WIDTH);
	axis[AXIS_WIDTH] = '\0';
	axis[place(0)] = '|';
	axis[place(log(1 + lf_json_double(change, "tolerate")))] = ':';
	axis[place(log(1 + lf_json_double(change, "detect")))] = '!';
	if (!json_is_number(lf_json_get(i, "low")) ||
	    !json_is_number(lf_json_get(i, "high")) || lf_json_uint(i, "pairs") == 0)
		return;
	for (int x = place(low); x <= place(high); x++)
		axis[x] = '=';
	axis[place(lf_json_double(i, "median"))] = 'O';
	if (low < AXIS_LOW)
		axis[0] = '<';
	if (high > AXIS_HIGH)
		axis[AXIS_WIDTH - 1] = '>';
}

static void say_metric(const struct lf_text *t, const json_t *change, const json_t *m)
{
	const json_t *head = lf_json_get(m, "head");
	char base[48], ratio[96], axis[AXIS_WIDTH + 1];
	const char *unit = lf_json_string(m, "unit");

	if (!lf_json_true(m, "told")) {
		fprintf(t->out, "    %-20s cannot be told on this lock\n",
			lf_json_string(m, "name"));
		return;
	}
	lf_value_text(lf_json_double(m, "base"), unit, base, sizeof base);
	interval_text(head, ratio, sizeof ratio);
	if (lf_json_uint(head, "pairs") == 0)
		snprintf(ratio, sizeof ratio, "? (not one pair)");
	draw(axis, change, head);
	fprintf(t->out, "    %-20s %-11s %-28s %s %s\n", lf_json_string(m, "name"), base,
		ratio, axis, lf_json_string(m, "change"));
}

/* What the machine did meanwhile, where it touched the verdict. */
static void say_witness(const struct lf_text *t, const json_t *change)
{
	const json_t *delay = lf_json_get(change, "delay");
	uint64_t late = 0, idle = 0;
	size_t i;
	json_t *n;

	json_array_foreach(lf_json_get(change, "late"), i, n)
		late += (uint64_t)json_integer_value(n);
	json_array_foreach(lf_json_get(change, "uncontended"), i, n)
		idle += (uint64_t)json_integer_value(n);
	fprintf(t->out, "    %llu cycles of 3 rounds in %.1f s%s",
		(unsigned long long)lf_json_uint(change, "cycles"),
		(double)lf_json_uint(change, "took_ns") / 1e9,
		lf_json_true(change, "realtime") ? ", before everything else on this machine" :
		"");
	if (json_is_number(delay))
		fprintf(t->out, "; the threads waited %.0f %% of the time for a CPU",
			json_number_value(delay) * 100);
	if (late || idle)
		fprintf(t->out, "; left out: %llu rounds that began late, %llu in which "
			"nobody waited", (unsigned long long)late, (unsigned long long)idle);
	fputc('\n', t->out);
}

static void say_control(const struct lf_text *t, const json_t *metrics)
{
	char ratio[96];
	size_t i;
	json_t *m;

	json_array_foreach(metrics, i, m)
		if (lf_json_true(m, "may_fail") && lf_json_true(m, "told"))
			fprintf(t->out, "    old against itself: %s %s%s%s\n",
				lf_json_string(m, "name"),
				interval_text(lf_json_get(m, "control"), ratio,
					      sizeof ratio),
				lf_json_string(m, "veto")[0] ? ": " : "",
				lf_json_string(m, "veto"));
}

static void say_change(const struct lf_text *t, const json_t *record)
{
	const json_t *change = lf_json_get(gate_of(record), "change");
	const json_t *metrics = lf_json_get(change, "metrics");
	size_t i;
	json_t *m;

	json_array_foreach(metrics, i, m)
		if (lf_json_true(m, "may_fail"))
			say_metric(t, change, m);
	if (!lf_text_needs_attention(record))
		return;
	say_control(t, metrics);
	say_witness(t, change);
}

/* --- All layers ------------------------------------------------------------------ */

static void say_word(const struct lf_text *t, const json_t *record)
{
	const struct lf_shown *shown = lf_record_shown(record);

	fprintf(t->out, "%s%s%s%*s ", lf_text_colour(t, shown), shown->word,
		lf_text_plain(t), WORD_WIDTH - (int)strlen(shown->word) > 0 ?
		WORD_WIDTH - (int)strlen(shown->word) : 0, "");
}

static void say_earlier(const struct lf_text *t, const json_t *record)
{
	size_t i;
	json_t *e;
	char line[LF_WORDS_MAX];

	json_array_foreach(lf_json_get(gate_of(record), "earlier"), i, e) {
		snprintf(line, sizeof line, "%zu: %s: %s", i + 1,
			 lf_json_string(e, "verdict"), lf_json_string(e, "reason"));
		lf_wrap_line(t->out, "    ", t->width, "attempt", line);
	}
}

/* "newly broken: base passes it" */
static const char *against_base(const json_t *record)
{
	const json_t *base = lf_json_get(gate_of(record), "base");
	const char *was = json_string_value(base);
	bool failed = strcmp(lf_json_string(record, "verdict"), "fail") == 0;

	if (!failed || !base)
		return "";
	if (!was)
		return "; base has no such lock";
	if (strcmp(was, "pass") == 0)
		return "; newly broken: base passes it";
	return strcmp(was, "fail") == 0 ? "; broken before" : "; base could not tell";
}

/* "barging on sim", "ticket, 2 threads". */
static void say_title(const struct lf_text *t, const json_t *record)
{
	const json_t *gate = gate_of(record);
	const json_t *change = lf_json_get(gate, "change");
	const char *lock = lf_json_string(gate, "lock");

	if (change)
		fprintf(t->out, "%s, %llu threads: ", lock,
			(unsigned long long)lf_json_uint(change, "threads"));
	else
		fprintf(t->out, "%s, %s on %s%s: ", lock, lf_json_string(record, "scenario"),
			lf_json_string(record, "engine"), against_base(record));
}

static void say_record(const struct lf_text *t, const json_t *record)
{
	const char *repeat = lf_json_string(record, "rerun");
	bool needs = lf_text_needs_attention(record);

	say_word(t, record);
	say_title(t, record);
	fprintf(t->out, "%s\n", lf_json_string(record, "reason"));
	if (lf_record_shown(record)->with_reason)
		lf_wrap_line(t->out, "    ", t->width, "known:",
			     lf_json_string(lf_json_get(record, "expected"), "reason"));
	say_earlier(t, record);
	if (lf_json_get(gate_of(record), "change")) {
		say_change(t, record);
		if (needs && repeat[0])
			fprintf(t->out, "    repeat: %s\n", repeat);
	} else if (needs) {
		lf_record_evidence(t->out, record, "    ", t->width);
	}
}

/* In a layer: what needs attention, or is a speed, one by one; of the rest, how
 * many. */
static bool is_told(const struct lf_text *t, const json_t *record)
{
	const struct lf_shown *shown = lf_record_shown(record);

	return lf_text_needs_attention(record) || shown->with_reason ||
	       (lf_json_get(gate_of(record), "change") && !t->quiet);
}

static unsigned weight(const json_t *record)
{
	enum lf_exit code = lf_record_shown(record)->exit;

	return code == LF_EXIT_OK ? 0 : code == LF_EXIT_INCONCLUSIVE ? 1 : 2;
}

static void say_layer(const struct lf_text *t, const char *layer, const char *what)
{
	size_t i, passed = 0, n = 0;
	json_t *r;

	json_array_foreach(t->records, i, r)
		n += is_of_layer(r, layer);
	if (n == 0)
		return;
	fprintf(t->out, "%s  %s\n", layer, what);
	for (unsigned w = 3; w-- > 0;)
		json_array_foreach(t->records, i, r)
			if (is_of_layer(r, layer) && weight(r) == w && is_told(t, r))
				say_record(t, r);
	json_array_foreach(t->records, i, r) {
		bool skip = strcmp(lf_json_string(r, "verdict"), "skip") == 0;
		if (!is_of_layer(r, layer) || is_told(t, r))
			continue;
		passed += !skip;
		if (skip && !t->quiet)
			say_record(t, r);
	}
	if (passed)
		fprintf(t->out, "%-*s %zu of %zu\n", WORD_WIDTH, "PASS", passed, n);
	fputc('\n', t->out);
}

/* A control that failed voids what it was to control. */
static void say_controls(const struct lf_text *t)
{
	size_t i;
	json_t *r;

	json_array_foreach(t->records, i, r) {
		char title[LF_WORDS_MAX];
		if (!lf_text_is_asked(r) && lf_text_needs_attention(r))
			fprintf(t->out, "%s  %s\n", lf_record_shown(r)->word,
				lf_record_title(r, title, sizeof title));
	}
}

struct sum {
	size_t passed, open, failed, not_run, skipped;
};

static struct sum sum_up(const json_t *records)
{
	struct sum s = { 0 };
	size_t i;
	json_t *r;

	json_array_foreach(records, i, r) {
		if (!lf_text_is_asked(r))
			continue;
		if (strcmp(lf_json_string(r, "verdict"), "skip") == 0)
			s.skipped++;
		else if (lf_record_shown(r)->exit == LF_EXIT_HARNESS)
			s.not_run++;
		else if (weight(r) == 0)
			s.passed++;
		else if (weight(r) == 1)
			s.open++;
		else
			s.failed++;
	}
	return s;
}

static const char *word_of(const struct sum *s, bool cut_short)
{
	if (s->not_run)
		return "ERROR";
	if (s->failed)
		return "FAIL";
	if (cut_short)
		return "CUT SHORT";
	return s->open ? "INCONCLUSIVE" : s->passed ? "PASS" : "NOTHING DECIDED";
}

int lf_report_gate(FILE *out, const json_t *records, const struct lf_text_style *style)
{
	struct lf_text t = {
		.out = out, .records = records, .quiet = style->quiet,
		.colour = style->colour, .width = style->width ? style->width : 100,
	};
	struct sum s = sum_up(records);

	say_layer(&t, "A", "what head claims, by counts");
	say_layer(&t, "B", "how long waits may be");
	say_layer(&t, "C", "head against base: how much worse [at least .. at most]");
	say_controls(&t);
	fprintf(out, "gate: %s; %zu passed, %zu inconclusive, %zu failed",
		word_of(&s, style->cut_short), s.passed, s.open, s.failed);
	if (s.not_run)
		fprintf(out, ", %zu could not be run", s.not_run);
	if (s.skipped)
		fprintf(out, ", %zu not judged", s.skipped);
	fputc('\n', out);
	return ferror(out) ? -1 : 0;
}
