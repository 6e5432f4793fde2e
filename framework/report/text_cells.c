/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells one by one: those that need attention, and those of which it is known
 * why they do not pass. */
#include "report/json.h"
#include "report/text_parts.h"
#include "report/words.h"
#include "report/wrap.h"

#include <string.h>

static void say_cell(const struct lf_text *t, const json_t *record)
{
	const struct lf_shown *shown = lf_record_shown(record);
	char title[LF_WORDS_MAX];
	fprintf(t->out, "%s%s%s  %s\n", lf_text_colour(t, shown), shown->word,
		lf_text_plain(t), lf_record_title(record, title, sizeof title));
	lf_record_evidence(t->out, record, "    ", t->width);
}

/* Two cells of one sweep that fail in the same way. */
static bool is_same_failure(const json_t *a, const json_t *b)
{
	const char *x = lf_json_string(a, "scenario"), *y = lf_json_string(b, "scenario");
	size_t length = lf_scenario_base(x);

	return x[length] && length == lf_scenario_base(y) && strncmp(x, y, length) == 0 &&
	       strcmp(lf_json_string(a, "backend"), lf_json_string(b, "backend")) == 0 &&
	       strcmp(lf_record_violated(a), lf_record_violated(b)) == 0;
}

/* Two cells for the same reason, with nothing of their own to show: when a
 * control decides, it decides over many. */
static bool is_same_reason(const json_t *a, const json_t *b)
{
	return lf_json_string(a, "reason")[0] && !lf_record_violated(a)[0] &&
	       !lf_record_violated(b)[0] &&
	       strcmp(lf_json_string(a, "reason"), lf_json_string(b, "reason")) == 0;
}

bool lf_text_is_alike(const json_t *a, const json_t *b)
{
	return lf_record_shown(a) == lf_record_shown(b) &&
	       lf_text_is_of(a, lf_json_string(b, "engine")) &&
	       (is_same_failure(a, b) || is_same_reason(a, b));
}

static bool has_alike_before(const struct lf_text *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (lf_text_is_alike(json_array_get(t->records, k),
			     json_array_get(t->records, i)))
			return true;
	return false;
}

static void say_alike_after(const struct lf_text *t, size_t i)
{
	struct lf_wrap w = { .out = t->out, .indent = "    ", .width = t->width };
	const json_t *first = json_array_get(t->records, i);
	char text[LF_WORDS_MAX];
	bool any = false;
	for (size_t k = i + 1; k < json_array_size(t->records); k++) {
		const json_t *record = json_array_get(t->records, k);
		if (!lf_text_is_alike(first, record))
			continue;
		if (any)
			fputc(',', t->out), w.column++;
		else
			lf_wrap_begin(&w, "likewise:");
		any = true;
		snprintf(text, sizeof text, "%s on %s",
			 lf_json_string(record, "scenario"),
			 lf_json_string(record, "backend"));
		lf_wrap_piece(&w, text);
	}
	if (any)
		lf_wrap_end(&w);
}

void lf_text_attention(const struct lf_text *t)
{
	size_t i;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		if (!lf_text_needs_attention(record) || has_alike_before(t, i))
			continue;
		say_cell(t, record);
		say_alike_after(t, i);
		fputc('\n', t->out);
	}
}

/* What is known and why: one line a cell; cells that could not run, by reason. */
static void say_expected(const struct lf_text *t)
{
	char title[LF_WORDS_MAX], word[LF_WORDS_MAX], line[3 * LF_WORDS_MAX];
	bool any = false;
	size_t i;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		if (!lf_record_shown(record)->with_reason)
			continue;
		snprintf(line, sizeof line, "%s: %s",
			 lf_record_title(record, title, sizeof title),
			 lf_record_word(record, word, sizeof word));
		lf_wrap_line(t->out, "", t->width, "known:", line);
		any = true;
	}
	if (any)
		fputc('\n', t->out);
}

static bool is_skip(const json_t *record)
{
	return strcmp(lf_json_string(record, "verdict"), "skip") == 0;
}

static void say_skips(const struct lf_text *t)
{
	char line[2 * LF_WORDS_MAX];
	bool any = false;
	size_t i, k;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		const char *reason = lf_json_string(record, "reason");
		size_t cells = 0, first = json_array_size(t->records);
		for (k = 0; is_skip(record) && k < json_array_size(t->records); k++) {
			const json_t *other = json_array_get(t->records, k);
			if (!is_skip(other) ||
			    strcmp(lf_json_string(other, "reason"), reason) != 0)
				continue;
			first = k < first ? k : first;
			cells++;
		}
		if (cells == 0 || first != i)
			continue;
		snprintf(line, sizeof line, "%zu cell%s: %s", cells,
			 cells == 1 ? "" : "s", reason);
		lf_wrap_line(t->out, "", t->width, "skipped:", line);
		any = true;
	}
	if (any)
		fputc('\n', t->out);
}

void lf_text_known(const struct lf_text *t)
{
	say_expected(t);
	say_skips(t);
}
