/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/wrap.h"

#include <string.h>

void lf_wrap_begin(struct lf_wrap *w, const char *head)
{
	w->column = (unsigned)(strlen(w->indent) + strlen(head));
	fprintf(w->out, "%s%s", w->indent, head);
}

static void piece(struct lf_wrap *w, const char *text, size_t length)
{
	if (w->column > strlen(w->indent) && w->column + 1 + length > w->width) {
		/* Two more, so that a continued line is seen to be one. */
		fprintf(w->out, "\n%s  ", w->indent);
		w->column = (unsigned)strlen(w->indent) + 2;
	} else if (w->column > strlen(w->indent)) {
		fputc(' ', w->out);
		w->column++;
	}
	fprintf(w->out, "%.*s", (int)length, text);
	w->column += (unsigned)length;
}

void lf_wrap_piece(struct lf_wrap *w, const char *text)
{
	piece(w, text, strlen(text));
}

void lf_wrap_text(struct lf_wrap *w, const char *text)
{
	static const char blanks[] = " \t\r\n";
	text += strspn(text, blanks);
	while (*text) {
		size_t length = strcspn(text, blanks);
		piece(w, text, length);
		text += length;
		text += strspn(text, blanks);
	}
}

void lf_wrap_end(struct lf_wrap *w)
{
	fputc('\n', w->out);
	w->column = 0;
}

void lf_wrap_line(FILE *out, const char *indent, unsigned width, const char *head,
		  const char *text)
{
	struct lf_wrap w = { .out = out, .indent = indent, .width = width };
	lf_wrap_begin(&w, head);
	lf_wrap_text(&w, text);
	lf_wrap_end(&w);
}
