/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Expectations: what a cell is known to give, with the reason. The ones that
 * ship with the suites and a user's waivers have one file format:
 *
 *	[interleaving gil-ticks threads]    scenario, backend, engine: globs
 *	expect = varies                     fail, sensitive or varies
 *	reason = depends on who wins the wake-up race
 *	until = 2027-06-30                  optional; the last day it holds
 *
 * The last section that matches a cell decides. An expired one does not match
 * and is reported.
 */
#ifndef LF_JUDGE_EXPECTATION_H
#define LF_JUDGE_EXPECTATION_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>

#define LF_EXPECT_MAP(X)                                                       \
	X(NOTHING, "nothing")                                                  \
	X(FAIL, "fail")                                                        \
	X(SENSITIVE, "sensitive")                                              \
	X(VARIES, "varies")

enum lf_expect {
#define X(id, name) LF_EXPECT_##id,
	LF_EXPECT_MAP(X)
#undef X
	LF_EXPECT_COUNT
};

const char *lf_expect_name(enum lf_expect e);
int lf_expect_find(const char *name); /* -1: none */

struct lf_expectation {
	char scenario[64], backend[64], engine[32]; /* globs, see fnmatch(3) */
	enum lf_expect expect;
	char reason[256];
	char until[11]; /* YYYY-MM-DD, or empty */
};

struct lf_expectations {
	size_t n;
	struct lf_expectation *entry;
};

/* Appends what the text says to *expectations. `name` and the line number stand
 * in errors. 0, -EINVAL (malformed) or -ENOMEM. */
int lf_expectations_parse(struct lf_expectations *expectations, const char *name,
			  const char *text, struct lf_error *error);
int lf_expectations_read(struct lf_expectations *expectations, const char *path,
			 struct lf_error *error);
void lf_expectations_free(struct lf_expectations *expectations);

/* The entry that decides for a cell on the day `today` (YYYY-MM-DD), or NULL.
 * *ret_expired (may be NULL) is the matching entry that would have, had it not
 * expired. */
const struct lf_expectation *
lf_expectations_find(const struct lf_expectations *expectations,
		     const char *scenario, const char *backend, const char *engine,
		     const char *today, const struct lf_expectation **ret_expired);

/* The expectations that ship with the suites, as text (suites/expectations.ini,
 * built in). */
extern const char lf_expectations_shipped[];

#endif
