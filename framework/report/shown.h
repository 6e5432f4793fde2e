/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From verdicts to what is shown: the one table that says, for a verdict and
 * what was expected, which word a person reads, what TAP and JUnit print, and
 * what the process exits with.
 */
#ifndef LF_REPORT_SHOWN_H
#define LF_REPORT_SHOWN_H

#include "judge/expectation.h"
#include "judge/judge.h"

enum lf_tap { LF_TAP_OK, LF_TAP_NOT_OK, LF_TAP_TODO, LF_TAP_SKIP };
enum lf_junit { LF_JUNIT_PASSED, LF_JUNIT_FAILURE, LF_JUNIT_SKIPPED, LF_JUNIT_ERROR };

enum lf_exit {
	LF_EXIT_OK = 0,
	LF_EXIT_FAIL = 1,
	LF_EXIT_USAGE = 2,
	LF_EXIT_INCONCLUSIVE = 77,
	LF_EXIT_HARNESS = 99,
};

/* How a cell was run: because it was asked for, to show that its scenario can tell
 * a fair lock from an unfair one, or as the base with which a gate compares. The
 * name stands in records. */
#define LF_CONTROL_MAP(X)                                                      \
	X(NONE, "") X(FAIR, "fair") X(UNFAIR, "unfair") X(BASE, "base")

enum lf_control {
#define X(id, name) LF_CONTROL_##id,
	LF_CONTROL_MAP(X)
#undef X
	LF_CONTROL_COUNT
};

const char *lf_control_name(enum lf_control c);
int lf_control_find(const char *name); /* -1: none */

struct lf_shown {
	const char *word;   /* "PASS", "FAIL (was sensitive)", … */
	const char *brief;  /* the same in at most 8 characters, for tables */
	bool with_reason;   /* " (expected: reason of the expectation)" follows */
	enum lf_tap tap;
	enum lf_junit junit;
	enum lf_exit exit;
};

/* Never NULL. `safety`: a failing assertion is one of safety, which no
 * expectation excuses. */
const struct lf_shown *lf_shown(enum lf_verdict verdict, enum lf_expect expected,
				bool safety);

/* The same for a cell that was run as a control. `died`: it did not survive,
 * which shows nothing of what the scenario can tell. */
const struct lf_shown *lf_shown_control(enum lf_verdict verdict, enum lf_control control,
					bool died);

/* How much attention it asks for, more being more. */
unsigned lf_shown_rank(const struct lf_shown *shown);

/* The one of the two that asks for more attention. */
const struct lf_shown *lf_shown_worse(const struct lf_shown *a, const struct lf_shown *b);

/* The exit code of a whole run, folded in the order 99, 1, 2, 77, 0: that
 * something could not be judged hides no failure. */
enum lf_exit lf_exit_worse(enum lf_exit a, enum lf_exit b);

#endif
