/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/json.h"
#include "report/text_parts.h"
#include "report/words.h"
#include "report/wrap.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define WIDTH 100

/* --- Shared by the parts --- */

bool lf_text_is_of(const json_t *record, const char *engine)
{
	return !engine || strcmp(lf_json_string(record, "engine"), engine) == 0;
}

bool lf_text_is_asked(const json_t *record)
{
	return !lf_json_string(lf_json_get(record, "control"), "as")[0];
}

bool lf_text_requires(const json_t *record)
{
	size_t i;
	json_t *a;
	json_array_foreach(lf_json_get(record, "assertions"), i, a)
		if (strcmp(lf_json_string(a, "origin"), "requirement") == 0)
			return true;
	return false;
}

const char *lf_text_colour(const struct lf_text *t, const struct lf_shown *shown)
{
	if (!t->colour)
		return "";
	switch (shown->exit) {
	case LF_EXIT_OK:
		return shown->tap == LF_TAP_OK ? "\033[32m" : "\033[36m";
	case LF_EXIT_INCONCLUSIVE:
		return "\033[33m";
	default:
		return "\033[1;31m";
	}
}

const char *lf_text_plain(const struct lf_text *t)
{
	return t->colour ? "\033[0m" : "";
}

bool lf_text_needs_attention(const json_t *record)
{
	return lf_record_shown(record)->exit != LF_EXIT_OK;
}

/* --- One engine --- */

static void say_engine(const struct lf_text *t, const char *engine, const json_t *record)
{
	const json_t *host = lf_json_get(lf_json_get(record, "volatile"), "host");
	const char *machine = lf_json_string(record, "machine");
	uint64_t cpus = lf_json_uint(host, "cpus");

	if (strcmp(machine, "here") == 0)
		fprintf(t->out, "%s: this machine (%" PRIu64 " CPU%s, %s, %s)\n\n",
			engine, cpus, cpus == 1 ? "" : "s",
			lf_json_string(host, "kernel"), lf_json_string(host, "arch"));
	else
		fprintf(t->out, "%s: virtual time, sequentially consistent; under the models\n"
			"  %s\n\n", engine, machine);
}

/* "gil-bfs pass, lead: 1 round, at most 2 required (n = 30)" */
static void say_requirement(const struct lf_text *t, const json_t *record)
{
	const struct lf_shown *shown = lf_record_shown(record);
	char text[LF_WORDS_MAX];
	size_t i;
	json_t *a;
	fprintf(t->out, "    %s %s%s%s", lf_json_string(record, "backend"),
		lf_text_colour(t, shown), shown->brief, lf_text_plain(t));
	json_array_foreach(lf_json_get(record, "assertions"), i, a)
		if (strcmp(lf_json_string(a, "origin"), "requirement") == 0)
			fprintf(t->out, ", %s", lf_assertion_text(a, text, sizeof text));
	fputc('\n', t->out);
}

/* The order of rounds of the locks that are asked to let threads take turns;
 * those that need attention have it with their evidence. */
static void say_rounds(const struct lf_text *t, const char *engine)
{
	bool any = false;
	size_t i;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		if (!lf_text_is_of(record, engine) || !lf_text_is_asked(record) ||
		    !lf_text_requires(record) || lf_text_needs_attention(record) ||
		    !lf_json_get(lf_json_get(record, "evidence"), "rounds"))
			continue;
		if (!any)
			fprintf(t->out,
				"  Who ended a round when, from the left; before it "
				"how many in all\n");
		any = true;
		say_requirement(t, record);
		lf_record_lanes(t->out, record, "      ", t->width);
	}
	if (any)
		fputc('\n', t->out);
}

static uint64_t cut_off_runs(const json_t *record)
{
	const json_t *models = lf_json_get(lf_json_get(record, "evidence"), "models");
	uint64_t n = 0;
	size_t i;
	json_t *model;
	json_array_foreach(models, i, model)
		n += lf_json_uint(model, "cut_off");
	return n;
}

/* Cells with runs that were not simulated to their end, whatever their verdict. */
static void say_cut_off(const struct lf_text *t, const char *engine)
{
	struct lf_wrap w = { .out = t->out, .indent = "  ", .width = t->width };
	char text[160];
	bool any = false;
	size_t i;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		uint64_t n = cut_off_runs(record);
		if (n == 0 || !lf_text_is_of(record, engine))
			continue;
		if (any)
			fputc(',', t->out), w.column++;
		else
			lf_wrap_begin(&w, "cut off, because they cost too much, and "
				      "counted for nothing: runs of");
		any = true;
		snprintf(text, sizeof text, "%.60s on %.60s (%" PRIu64 ")",
			 lf_json_string(record, "scenario"),
			 lf_json_string(record, "backend"), n);
		lf_wrap_piece(&w, text);
	}
	if (any) {
		lf_wrap_end(&w);
		fputc('\n', t->out);
	}
}

static int say_engine_part(const struct lf_text *t, const char *engine,
			   const json_t *first)
{
	say_engine(t, engine, first);
	lf_text_answers(t, engine);
	lf_text_select(t, engine);
	lf_text_rates(t, engine);
	fputc('\n', t->out);
	int r = lf_text_table(t, engine);
	if (r != 0)
		return r;
	fputs("\n", t->out);
	say_cut_off(t, engine);
	say_rounds(t, engine);
	return 0;
}

/* The engines in the order in which the records name them. */
static int say_engines(const struct lf_text *t)
{
	size_t i, k;
	json_t *record;
	int r = 0;
	json_array_foreach(t->records, i, record) {
		const char *engine = lf_json_string(record, "engine");
		if (!lf_text_is_asked(record))
			continue;
		for (k = 0; k < i; k++)
			if (lf_text_is_asked(json_array_get(t->records, k)) &&
			    lf_text_is_of(json_array_get(t->records, k), engine))
				break;
		if (k == i)
			r = say_engine_part(t, engine, record);
		if (r != 0)
			break;
	}
	return r;
}

/* --- The end --- */

/* Records of this word, asked for or controls. */
static size_t count(const struct lf_text *t, const struct lf_shown *shown, bool asked,
		    size_t *ret_first)
{
	size_t i, n = 0;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		if (lf_text_is_asked(record) != asked ||
		    strcmp(lf_record_shown(record)->word, shown->word) != 0)
			continue;
		if (n++ == 0)
			*ret_first = i;
	}
	return n;
}

/* "3 PASS, 1 fail (expected)". False: there are none. */
static bool say_counts(const struct lf_text *t, bool asked, struct lf_wrap *w)
{
	char text[64];
	size_t i, first = 0;
	bool any = false;
	json_t *record;

	json_array_foreach(t->records, i, record) {
		const struct lf_shown *shown = lf_record_shown(record);
		size_t n = lf_text_is_asked(record) == asked ?
			count(t, shown, asked, &first) : 0;
		if (n == 0 || first != i)
			continue;
		if (any)
			fputc(',', t->out), w->column++;
		any = true;
		snprintf(text, sizeof text, "%zu %s%s", n, shown->word,
			 shown->with_reason ? " (expected)" : "");
		lf_wrap_piece(w, text);
	}
	return any;
}

static bool has_controls(const struct lf_text *t)
{
	size_t i;
	json_t *record;
	json_array_foreach(t->records, i, record)
		if (!lf_text_is_asked(record))
			return true;
	return false;
}

static void say_controls(const struct lf_text *t)
{
	struct lf_wrap w = { .out = t->out, .indent = "", .width = t->width };
	if (!has_controls(t))
		return;
	lf_wrap_begin(&w, "controls:");
	say_counts(t, false, &w);
	fputs("\n\n", t->out);
}

static bool is_used(const struct lf_text *t, const char *brief)
{
	/* Whatever passes may do so because nothing is claimed. */
	const char *sought = strcmp(brief, "~ N") == 0 ? "pass" : brief;
	size_t i;
	json_t *record;
	json_array_foreach(t->records, i, record)
		if (lf_text_is_asked(record) &&
		    strcmp(lf_record_shown(record)->brief, sought) == 0)
			return true;
	return false;
}

static void say_legend(const struct lf_text *t)
{
	struct lf_wrap w = { .out = t->out, .indent = "", .width = t->width };
	char text[160];
	lf_wrap_begin(&w, "words:");
	for (const struct lf_legend *l = lf_legend; l->brief; l++) {
		if (!is_used(t, l->brief))
			continue;
		snprintf(text, sizeof text, "%s: %s.", l->brief, l->meaning);
		lf_wrap_text(&w, text);
	}
	lf_wrap_text(&w, lf_words_of_report);
	lf_wrap_end(&w);
	fputc('\n', t->out);
}

/* "14 cells, 8 controls, 7.5 s of runs:" */
static void say_extent(const struct lf_text *t, struct lf_wrap *w)
{
	char text[128], took[48];
	double ns = 0;
	size_t i, asked = 0, controls = 0;
	json_t *record;
	json_array_foreach(t->records, i, record) {
		ns += lf_json_double(lf_json_get(record, "volatile"), "duration_ns");
		if (lf_text_is_asked(record))
			asked++;
		else
			controls++;
	}
	snprintf(text, sizeof text, "%zu cell%s, %zu control%s, %s of runs:", asked,
		 asked == 1 ? "" : "s", controls, controls == 1 ? "" : "s",
		 lf_value_text(ns, "ns", took, sizeof took));
	lf_wrap_begin(w, text);
}

static void say_sum(const struct lf_text *t)
{
	struct lf_wrap w = { .out = t->out, .indent = "", .width = t->width };
	say_extent(t, &w);
	say_counts(t, true, &w);
	lf_wrap_end(&w);
}

int lf_report_text(FILE *out, const json_t *records, const struct lf_text_style *style)
{
	const struct lf_text t = {
		.out = out,
		.records = records,
		.colour = style->colour,
		.quiet = style->quiet,
		.width = style->width ? style->width : WIDTH,
	};
	int r = t.quiet ? 0 : say_engines(&t);
	if (r != 0)
		return r;
	lf_text_attention(&t);
	if (!t.quiet) {
		lf_text_known(&t);
		say_controls(&t);
		say_legend(&t);
	}
	say_sum(&t);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
