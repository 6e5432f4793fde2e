/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Library code never prints and never exits: what went wrong travels as a
 * negative errno together with one sentence that says what, where, and what to
 * do about it.
 */
#ifndef LF_CORE_ERROR_H
#define LF_CORE_ERROR_H

struct lf_error {
	char text[512];
};

/* Fills *error (which may be NULL) and returns `code`, so that callers write
 * `return lf_error_set(error, -EINVAL, "…", …);`. */
__attribute__((format(printf, 3, 4)))
int lf_error_set(struct lf_error *error, int code, const char *format, ...);

#endif
