/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 63
#define SUGGESTIONS 3

bool lf_glob(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, FNM_PATHNAME) == 0;
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;
	return m < c ? m : c;
}

/* Levenshtein's distance, row by row, of the first WORD_MAX characters. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[WORD_MAX + 1];
	size_t n = strnlen(a, WORD_MAX), m = strnlen(b, WORD_MAX);

	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (unsigned i = 1; i <= n; i++) {
		unsigned diagonal = row[0];
		row[0] = i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned above = row[j];
			row[j] = least(above + 1, row[j - 1] + 1,
				       diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[m];
}

/* How far a name is from the word: 0 when one contains the other. */
static unsigned farness(const char *word, const char *name)
{
	const char *last = strrchr(name, '/');
	unsigned whole = distance(word, name);
	unsigned tail = last ? distance(word, last + 1) : whole;

	if (strlen(word) >= 3 && (strstr(name, word) || strstr(word, name)))
		return 0;
	return tail < whole ? tail : whole;
}

const char *lf_did_you_mean(const char *word, const char *const name[], size_t n,
			    char *buffer, size_t size)
{
	unsigned limit = strlen(word) < 6 ? 2 : 3, found = 0;
	size_t length = 0;

	buffer[0] = '\0';
	for (unsigned far = 0; far <= limit; far++) {
		for (size_t i = 0; i < n && found < SUGGESTIONS; i++) {
			if (farness(word, name[i]) != far || length >= size)
				continue;
			length += (size_t)snprintf(buffer + length, size - length, "%s%s",
						   found ? " or " : " (did you mean ",
						   name[i]);
			found++;
		}
	}
	if (found && length < size)
		snprintf(buffer + length, size - length, "?)");
	return buffer;
}
