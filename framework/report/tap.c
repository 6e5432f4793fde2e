/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Test Anything Protocol, version 13: the plan first, one point a record,
 * the details in a YAML block. Values stand there as JSON, which YAML includes.
 */
#include "report/json.h"
#include "report/report.h"
#include "report/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What would end a line or begin a directive has no place in a description. */
static const char *sanitise(char *text)
{
	for (char *c = text; *c; c++) {
		if (*c == '#')
			*c = '_';
		else if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	}
	return text;
}

static void directive_text(const json_t *record, const struct lf_shown *shown,
			   char *buffer, size_t size)
{
	const json_t *expected = lf_json_get(record, "expected");
	if (shown->tap == LF_TAP_TODO)
		snprintf(buffer, size, "%s", lf_json_string(expected, "reason"));
	else if (strcmp(lf_json_string(record, "verdict"), "skip") == 0)
		snprintf(buffer, size, "%s", lf_json_string(record, "reason"));
	else
		lf_record_word(record, buffer, size);
}

static void point(FILE *out, const json_t *record, size_t number)
{
	static const struct {
		const char *status, *directive;
	} words[] = {
		[LF_TAP_OK] = { "ok", NULL },
		[LF_TAP_NOT_OK] = { "not ok", NULL },
		[LF_TAP_TODO] = { "not ok", "TODO" },
		[LF_TAP_SKIP] = { "ok", "SKIP" },
	};
	const struct lf_shown *shown = lf_record_shown(record);
	char text[LF_WORDS_MAX];

	lf_record_title(record, text, sizeof text);
	fprintf(out, "%s %zu - %s", words[shown->tap].status, number, sanitise(text));
	if (words[shown->tap].directive) {
		directive_text(record, shown, text, sizeof text);
		fprintf(out, " # %s %s", words[shown->tap].directive, sanitise(text));
	}
	fputc('\n', out);
}

/* --- YAML: of its ways to say something only those that every reader knows --- */

static int yaml(FILE *out, const json_t *value, int indent);

static int yaml_scalar(FILE *out, const json_t *value)
{
	if (json_is_null(value))
		return fputs(" ~\n", out) < 0 ? -EIO : 0;
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
	if (!text)
		return -ENOMEM;
	/* A string of JSON is a quoted one of YAML. */
	fprintf(out, " %s\n", text);
	free(text);
	return 0;
}

/* `first`: the line has been begun, with the dash of a list. */
static int yaml_object(FILE *out, const json_t *object, int indent, bool first)
{
	const char *key;
	json_t *value;
	int r = 0;
	json_object_foreach((json_t *)object, key, value) {
		fprintf(out, "%*s%s:", first ? 1 : indent, "", key);
		first = false;
		r = yaml(out, value, indent + 2);
		if (r != 0)
			break;
	}
	return r;
}

static int yaml_array(FILE *out, const json_t *array, int indent)
{
	size_t i;
	json_t *value;
	int r = 0;
	json_array_foreach(array, i, value) {
		fprintf(out, "%*s-", indent, "");
		if (json_object_size(value))
			r = yaml_object(out, value, indent + 2, true);
		else
			r = yaml_scalar(out, value);
		if (r != 0)
			break;
	}
	return r;
}

/* The value of a key whose line has been begun. */
static int yaml(FILE *out, const json_t *value, int indent)
{
	if (json_object_size(value)) {
		fputc('\n', out);
		return yaml_object(out, value, indent, false);
	}
	if (json_array_size(value)) {
		fputc('\n', out);
		return yaml_array(out, value, indent);
	}
	return yaml_scalar(out, value);
}

static int field(FILE *out, const json_t *object, const char *key)
{
	const json_t *value = lf_json_get(object, key);
	if (!value)
		return 0;
	fprintf(out, "  %s:", key);
	return yaml(out, value, 4);
}

static int block(FILE *out, const json_t *record)
{
	static const char *const keys[] = {
		"verdict", "reason", "expected",   "claim", "params",
		"machine", "seeds",  "assertions", "rerun",
	};
	int r = 0;
	fprintf(out, "  ---\n  shown: \"%s\"\n", lf_record_shown(record)->word);
	for (size_t i = 0; r == 0 && i < sizeof keys / sizeof keys[0]; i++)
		r = field(out, record, keys[i]);
	if (r == 0)
		r = field(out, lf_json_get(record, "evidence"), "starved");
	fprintf(out, "  ...\n");
	return r;
}

/* Without a fair control that holds, no point above means anything. */
static void bail_out(FILE *out, const json_t *records)
{
	size_t i;
	json_t *record;
	char text[LF_WORDS_MAX];
	json_array_foreach(records, i, record) {
		const char *as = lf_json_string(lf_json_get(record, "control"), "as");
		if (strcmp(as, lf_control_name(LF_CONTROL_FAIR)) != 0 ||
		    lf_record_shown(record)->exit != LF_EXIT_HARNESS)
			continue;
		lf_record_title(record, text, sizeof text);
		fprintf(out, "Bail out! what is known to be fair was not found so: %s\n",
			sanitise(text));
		return;
	}
}

int lf_report_tap(FILE *out, const json_t *records)
{
	size_t i;
	json_t *record;
	int r = 0;

	fprintf(out, "TAP version 13\n1..%zu\n", json_array_size(records));
	json_array_foreach(records, i, record) {
		point(out, record, i + 1);
		r = block(out, record);
		if (r != 0)
			return r;
	}
	bail_out(out, records);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
