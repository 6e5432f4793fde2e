/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/json.h"

#include <stdlib.h>
#include <string.h>

json_t *lf_json_text(const char *text, size_t max)
{
	size_t length = strnlen(text, max);
	char *copy = malloc(length + 1);
	if (!copy)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		copy[i] =
			(c < ' ' && c != '\n' && c != '\t') || c == 0x7f ? '?' : text[i];
	}
	copy[length] = '\0';

	json_t *string = json_stringn(copy, length);
	if (!string) {
		for (size_t i = 0; i < length; i++)
			if ((unsigned char)copy[i] >= 0x80)
				copy[i] = '?';
		string = json_stringn(copy, length);
	}
	free(copy);
	return string;
}
