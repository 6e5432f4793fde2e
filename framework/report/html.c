/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as one HTML file: everything it needs is in it, and it loads nothing. */
#include "report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Text between tags. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fputc(*text, out);
	}
}

/* JSON inside of a script element, which ends at the first "</script" whatever
 * language it is in. */
static int put_data(FILE *out, const json_t *data)
{
	char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(9));

	if (!text)
		return -ENOMEM;
	for (const char *c = text; *c;) {
		size_t n = strcspn(c, "<");
		fwrite(c, 1, n, out);
		c += n;
		if (*c == '<') {
			fputs("\\u003c", out);
			c++;
		}
	}
	free(text);
	return 0;
}

/* For a reader without scripts, and one of the future: the text report. */
static int put_text(FILE *out, const json_t *records)
{
	const struct lf_text_style style = { .width = 100 };
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	int r = memory ? lf_report_text(memory, records, &style) : -ENOMEM;

	if (memory && fclose(memory) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		put_escaped(out, text);
	free(text);
	return r;
}

static void put_head(FILE *out, const json_t *records)
{
	struct lf_headline head;

	lf_records_headline(records, &head);
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
		"<title>lockfair: %s, %s</title>\n<style>\n%s%s</style>\n</head>\n",
		head.word, head.sentence, lf_page_uplot_css, lf_page_css);
}

int lf_report_html(FILE *out, const json_t *records)
{
	json_t *data = lf_page_data(records);
	int r;

	put_head(out, records);
	fputs("<body>\n<noscript><pre>\n", out);
	r = put_text(out, records);
	fputs("</pre></noscript>\n<script type=\"application/json\" id=\"data\">", out);
	if (r == 0)
		r = put_data(out, data);
	fputs("</script>\n", out);
	if (lf_page_uplot_js[0])
		fprintf(out, "<script>\n/*\n%s*/\n%s</script>\n", lf_page_uplot_licence,
			lf_page_uplot_js);
	fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", lf_page_js);
	json_decref(data);
	return r < 0 ? r : fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
