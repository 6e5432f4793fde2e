/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choosing by name. Patterns are those of a shell: a `*` stops at a slash, so
 * that `*` is every backend but the ones below faulty/, which have to be asked
 * for by name.
 */
#ifndef LF_CORE_SELECT_H
#define LF_CORE_SELECT_H

#include <stdbool.h>
#include <stddef.h>

bool lf_glob(const char *pattern, const char *name);

/*
 * Of the n names, those that somebody who typed `word` may have meant: as
 * " (did you mean ticket or tas?)", or "" when none is close. Returns `buffer`.
 */
const char *lf_did_you_mean(const char *word, const char *const name[], size_t n,
			    char *buffer, size_t size);

#endif
