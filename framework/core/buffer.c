/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lf_put(struct lf_buffer *b, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(b->at + b->length, b->size - b->length, format, arguments);
	va_end(arguments);
	if (n > 0)
		b->length += (size_t)n;
	if (b->length >= b->size)
		b->length = b->size - 1;
}

void lf_put_word(struct lf_buffer *b, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+./:=,@%";

	if (word[0] && word[strspn(word, plain)] == '\0') {
		lf_put(b, "%s", word);
		return;
	}
	lf_put(b, "'");
	for (; *word; word++)
		lf_put(b, *word == '\'' ? "'\\''" : "%c", *word);
	lf_put(b, "'");
}
