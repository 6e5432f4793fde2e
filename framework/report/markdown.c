/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as Markdown, the way GitHub and GitLab show it: what a job of theirs says of
 * itself. */
#include "report/json.h"
#include "report/page.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <errno.h>
#include <string.h>

/* GitHub shows a summary of at most 1 MiB, and none at all of a longer one. */
#define EVIDENCE_MAX 200

/* Text in a cell of a table. */
static void put_cell(FILE *out, const char *text)
{
	fputs(" ", out);
	for (; *text; text++) {
		if (strchr("|\\`*_<[~#", *text))
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
	fputs(" |", out);
}

/* --- The table --- */

/* The first record of this backend, or scenario, that was asked for. */
static bool is_first(const json_t *records, size_t i, const char *key, bool base)
{
	const char *name = lf_json_string(json_array_get(records, i), key);
	size_t length = base ? lf_scenario_base(name) : strlen(name);

	if (!lf_text_is_asked(json_array_get(records, i)))
		return false;
	for (size_t k = 0; k < i; k++) {
		const json_t *other = json_array_get(records, k);
		const char *its = lf_json_string(other, key);
		if (lf_text_is_asked(other) && strncmp(its, name, length) == 0 &&
		    (base ? lf_scenario_base(its) : strlen(its)) == length)
			return false;
	}
	return true;
}

/* The worst of the cells in one place of the table; NULL: none. */
static const json_t *worst(const json_t *records, const json_t *row, const json_t *column,
			   const char *engine)
{
	const char *scenario = lf_json_string(column, "scenario");
	size_t length = lf_scenario_base(scenario), i;
	const json_t *found = NULL;
	json_t *r;

	json_array_foreach(records, i, r) {
		const char *its = lf_json_string(r, "scenario");
		if (!lf_text_is_asked(r) || !lf_text_is_of(r, engine) ||
		    strcmp(lf_json_string(r, "backend"),
			   lf_json_string(row, "backend")) != 0 ||
		    lf_scenario_base(its) != length || strncmp(its, scenario, length) != 0)
			continue;
		if (!found || lf_shown_rank(lf_record_shown(r)) >
			      lf_shown_rank(lf_record_shown(found)))
			found = r;
	}
	return found;
}

static void put_row(FILE *out, const json_t *records, const json_t *row,
		    const char *engine)
{
	char text[LF_CELL_MAX];
	size_t i;
	json_t *column;

	fputs("|", out);
	put_cell(out, lf_json_string(row, "backend"));
	json_array_foreach(records, i, column) {
		const json_t *cell;
		if (!is_first(records, i, "scenario", true))
			continue;
		cell = worst(records, row, column, engine);
		if (cell && lf_text_needs_attention(cell))
			fprintf(out, " **%s** |", lf_record_shown(cell)->brief);
		else
			put_cell(out, cell ? lf_record_cell(cell, text, sizeof text) : "");
	}
	fputc('\n', out);
}

static void put_table(FILE *out, const json_t *records, const char *engine)
{
	size_t i;
	json_t *r;
	char name[96];

	fprintf(out, "\n| %s |", engine);
	json_array_foreach(records, i, r) {
		if (!is_first(records, i, "scenario", true))
			continue;
		snprintf(name, sizeof name, "%.*s",
			 (int)lf_scenario_base(lf_json_string(r, "scenario")),
			 lf_json_string(r, "scenario"));
		put_cell(out, name);
	}
	fputs("\n|---|", out);
	json_array_foreach(records, i, r)
		if (is_first(records, i, "scenario", true))
			fputs("---|", out);
	fputc('\n', out);
	json_array_foreach(records, i, r)
		if (is_first(records, i, "backend", false))
			put_row(out, records, r, engine);
}

/* --- What needs attention --- */

static void put_evidence(FILE *out, const json_t *record)
{
	const struct lf_shown *shown = lf_record_shown(record);
	char title[LF_WORDS_MAX];

	fprintf(out, "\n<details%s><summary><b>%s</b> %s</summary>\n\n~~~~text\n",
		shown->exit == LF_EXIT_FAIL ? " open" : "", shown->word,
		lf_record_title(record, title, sizeof title));
	lf_record_evidence(out, record, "", 100);
	fputs("~~~~\n\n</details>\n", out);
}

/* The failures before what is open, at most EVIDENCE_MAX of both. */
static void put_attention(FILE *out, const json_t *records)
{
	static const enum lf_exit order[] = {
		LF_EXIT_HARNESS, LF_EXIT_FAIL, LF_EXIT_INCONCLUSIVE,
	};
	size_t i, shown = 0, left = 0;
	json_t *r;

	for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
		json_array_foreach(records, i, r) {
			if (lf_record_shown(r)->exit != order[k])
				continue;
			if (shown++ < EVIDENCE_MAX)
				put_evidence(out, r);
			else
				left++;
		}
	if (left)
		fprintf(out, "\n… and %zu more: see the whole report.\n", left);
}

int lf_report_markdown(FILE *out, const json_t *records)
{
	struct lf_headline head;
	size_t i;
	json_t *r;

	lf_records_headline(records, &head);
	fprintf(out, "## lockfair: %s, %s\n", head.word, head.sentence);
	json_array_foreach(records, i, r)
		if (is_first(records, i, "engine", false))
			put_table(out, records, lf_json_string(r, "engine"));
	put_attention(out, records);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
