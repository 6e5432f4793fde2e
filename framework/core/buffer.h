/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that grows in a buffer of fixed size; what does not fit is cut off. */
#ifndef LF_CORE_BUFFER_H
#define LF_CORE_BUFFER_H

#include <stddef.h>

struct lf_buffer {
	char *at;
	size_t size, length; /* length < size, without the final null */
};

__attribute__((format(printf, 2, 3)))
void lf_put(struct lf_buffer *b, const char *format, ...);

/* A word as a shell reads it: in single quotes where it would take a character
 * for its own. */
void lf_put_word(struct lf_buffer *b, const char *word);

#endif
