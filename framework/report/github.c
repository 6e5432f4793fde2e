/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as workflow commands of GitHub Actions, which shows them beside a change. */
#include "report/json.h"
#include "report/report.h"
#include "report/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of one step GitHub shows ten of a kind. */
#define ANNOTATIONS_MAX 10

/* Text of a command; a property ends at more characters than a message. */
static void put(FILE *out, const char *text, bool property)
{
	for (; *text; text++) {
		if (*text == '%' || *text == '\r' || *text == '\n' ||
		    (property && (*text == ':' || *text == ',')))
			fprintf(out, "%%%02X", (unsigned)*text);
		else
			fputc(*text, out);
	}
}

static int put_evidence(FILE *out, const json_t *record)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return -ENOMEM;
	lf_record_evidence(memory, record, "", 100);
	if (fclose(memory) == 0 && size > 0)
		text[size - 1] = '\0'; /* the last newline */
	put(out, text ? text : "", false);
	free(text);
	return 0;
}

static int annotate(FILE *out, const char *kind, const json_t *record)
{
	char title[LF_WORDS_MAX], text[LF_WORDS_MAX + 64];
	int r;

	snprintf(text, sizeof text, "%s: %s", lf_record_shown(record)->word,
		 lf_record_title(record, title, sizeof title));
	fprintf(out, "::%s title=", kind);
	put(out, text, true);
	fputs("::", out);
	r = put_evidence(out, record);
	fputc('\n', out);
	return r;
}

static int annotate_all(FILE *out, const char *kind, const json_t *records,
			bool (*of_kind)(enum lf_exit))
{
	size_t i, n = 0;
	json_t *record;
	int r = 0;

	json_array_foreach(records, i, record)
		if (r == 0 && of_kind(lf_record_shown(record)->exit) &&
		    n++ < ANNOTATIONS_MAX)
			r = annotate(out, kind, record);
	if (n > ANNOTATIONS_MAX)
		fprintf(out, "lockfair: %zu more of kind %s are in the report\n",
			n - ANNOTATIONS_MAX, kind);
	return r;
}

static bool is_error(enum lf_exit code)
{
	return code != LF_EXIT_OK && code != LF_EXIT_INCONCLUSIVE;
}

static bool is_warning(enum lf_exit code)
{
	return code == LF_EXIT_INCONCLUSIVE;
}

int lf_report_github(FILE *out, const json_t *records)
{
	int r = annotate_all(out, "error", records, is_error);

	if (r == 0)
		r = annotate_all(out, "warning", records, is_warning);
	return r < 0 ? r : fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
