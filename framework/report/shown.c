/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/shown.h"

#include <string.h>

#define V(id) (1u << LF_VERDICT_##id)
#define E(id) (1u << LF_EXPECT_##id)
#define C(id) (1u << LF_CONTROL_##id)
#define ANY ((1u << LF_EXPECT_COUNT) - 1)

#define ASKED C(NONE)
#define CALM false
#define REASON true

/* Does a row speak of a violated safety assertion, or of a control that died? */
enum safety { NO, YES, EITHER };

/*
 * The table. The first row that matches decides; the rows stand in the order
 * of the attention they ask for, which is how the worst of several cells is
 * found. The last row matches everything, so that nothing unforeseen passes.
 */
static const struct row {
	unsigned control, verdict, expected;
	enum safety safety;
	struct lf_shown shown;
} table[] = {
	/* the machine cannot run it, or it says what it should */
	{ ASKED | C(FAIR) | C(UNFAIR) | C(BASE), V(SKIP), ANY, EITHER,
	  { "skip", "skip", CALM, LF_TAP_SKIP, LF_JUNIT_SKIPPED, LF_EXIT_OK } },
	{ C(FAIR), V(PASS), ANY, EITHER,
	  { "held", "held", CALM, LF_TAP_OK, LF_JUNIT_PASSED, LF_EXIT_OK } },
	{ C(UNFAIR), V(FAIL) | V(SENSITIVE), ANY, NO,
	  { "convicted", "convict.", CALM, LF_TAP_OK, LF_JUNIT_PASSED, LF_EXIT_OK } },
	{ C(BASE), V(PASS), ANY, EITHER,
	  { "passed", "passed", CALM, LF_TAP_OK, LF_JUNIT_PASSED, LF_EXIT_OK } },
	{ C(BASE), V(FAIL) | V(SENSITIVE) | V(INCONCLUSIVE), ANY, EITHER,
	  { "did not pass", "not pass", CALM, LF_TAP_SKIP, LF_JUNIT_SKIPPED, LF_EXIT_OK } },
	/* What it means for the cells that it controls is in their verdicts. */
	{ C(FAIR), V(SENSITIVE) | V(INCONCLUSIVE), ANY, EITHER,
	  { "open", "open", CALM, LF_TAP_SKIP, LF_JUNIT_SKIPPED, LF_EXIT_OK } },
	{ C(UNFAIR), V(INCONCLUSIVE), ANY, EITHER,
	  { "open", "open", CALM, LF_TAP_SKIP, LF_JUNIT_SKIPPED, LF_EXIT_OK } },
	{ ASKED, V(PASS), E(NOTHING) | E(VARIES), EITHER,
	  { "PASS", "pass", CALM, LF_TAP_OK, LF_JUNIT_PASSED, LF_EXIT_OK } },
	{ ASKED, V(SENSITIVE), E(SENSITIVE) | E(VARIES), EITHER,
	  { "sensitive", "sens", REASON, LF_TAP_SKIP, LF_JUNIT_SKIPPED, LF_EXIT_OK } },
	{ ASKED, V(FAIL), E(FAIL) | E(VARIES), NO,
	  { "fail", "fail", REASON, LF_TAP_TODO, LF_JUNIT_SKIPPED, LF_EXIT_OK } },

	/* no verdict that counts */
	{ C(UNFAIR), V(PASS), ANY, EITHER,
	  { "NOT CONVICTED", "NOT CONV", CALM, LF_TAP_SKIP, LF_JUNIT_SKIPPED,
	    LF_EXIT_INCONCLUSIVE } },
	{ C(UNFAIR), V(FAIL), ANY, YES,
	  { "NOT CONVICTED", "NOT CONV", CALM, LF_TAP_SKIP, LF_JUNIT_SKIPPED,
	    LF_EXIT_INCONCLUSIVE } },
	{ ASKED, V(SENSITIVE), ANY, EITHER,
	  { "SENSITIVE", "SENS", CALM, LF_TAP_SKIP, LF_JUNIT_SKIPPED,
	    LF_EXIT_INCONCLUSIVE } },
	{ ASKED, V(INCONCLUSIVE), ANY, EITHER,
	  { "INCONCLUSIVE", "UNCLEAR", CALM, LF_TAP_SKIP, LF_JUNIT_SKIPPED,
	    LF_EXIT_INCONCLUSIVE } },

	/* the lock is not what it was said to be */
	{ ASKED, V(PASS), E(FAIL) | E(SENSITIVE), EITHER,
	  { "UNEXPECTED PASS", "PASS!", CALM, LF_TAP_NOT_OK, LF_JUNIT_FAILURE,
	    LF_EXIT_FAIL } },
	{ ASKED, V(FAIL), E(SENSITIVE), NO,
	  { "FAIL (was sensitive)", "FAIL", CALM, LF_TAP_NOT_OK, LF_JUNIT_FAILURE,
	    LF_EXIT_FAIL } },
	{ ASKED, V(FAIL), E(NOTHING), NO,
	  { "FAIL", "FAIL", CALM, LF_TAP_NOT_OK, LF_JUNIT_FAILURE, LF_EXIT_FAIL } },
	{ ASKED, V(FAIL), ANY, YES,
	  { "FAIL", "FAIL", CALM, LF_TAP_NOT_OK, LF_JUNIT_FAILURE, LF_EXIT_FAIL } },

	/* the harness failed: nothing that it says counts */
	{ C(FAIR), V(FAIL), ANY, EITHER,
	  { "CONTROL FAILED", "VOID", CALM, LF_TAP_NOT_OK, LF_JUNIT_ERROR,
	    LF_EXIT_HARNESS } },
	{ ~0u, ~0u, ~0u, EITHER,
	  { "ERROR", "ERROR", CALM, LF_TAP_NOT_OK, LF_JUNIT_ERROR, LF_EXIT_HARNESS } },
};

#define ROWS (sizeof table / sizeof table[0])

static bool matches(const struct row *row, enum lf_control control,
		    enum lf_verdict verdict, enum lf_expect expected, bool safety)
{
	return row->control & 1u << control && row->verdict & 1u << verdict &&
	       row->expected & 1u << expected &&
	       (row->safety == EITHER || (row->safety == YES) == safety);
}

static const struct lf_shown *find(enum lf_control control, enum lf_verdict verdict,
				   enum lf_expect expected, bool safety)
{
	const struct row *row = table;
	while (row < table + ROWS - 1 &&
	       !matches(row, control, verdict, expected, safety))
		row++;
	return &row->shown;
}

const struct lf_shown *lf_shown(enum lf_verdict verdict, enum lf_expect expected,
				bool safety)
{
	return find(LF_CONTROL_NONE, verdict, expected, safety);
}

const struct lf_shown *lf_shown_control(enum lf_verdict verdict, enum lf_control control,
					bool died)
{
	return find(control, verdict, LF_EXPECT_NOTHING, died);
}

unsigned lf_shown_rank(const struct lf_shown *shown)
{
	unsigned i = 0;
	while (i < ROWS - 1 && &table[i].shown != shown)
		i++;
	return i;
}

const struct lf_shown *lf_shown_worse(const struct lf_shown *a, const struct lf_shown *b)
{
	return lf_shown_rank(b) > lf_shown_rank(a) ? b : a;
}

static int weight(enum lf_exit code)
{
	switch (code) {
	case LF_EXIT_OK:
		return 0;
	case LF_EXIT_INCONCLUSIVE:
		return 1;
	case LF_EXIT_USAGE:
		return 2;
	case LF_EXIT_FAIL:
		return 3;
	case LF_EXIT_HARNESS:
		break;
	}
	return 4;
}

enum lf_exit lf_exit_worse(enum lf_exit a, enum lf_exit b)
{
	return weight(b) > weight(a) ? b : a;
}

static const char *const control_names[] = {
#define X(id, name) name,
	LF_CONTROL_MAP(X)
#undef X
};

const char *lf_control_name(enum lf_control c)
{
	return (unsigned)c < LF_CONTROL_COUNT ? control_names[c] : "?";
}

int lf_control_find(const char *name)
{
	for (int c = 0; c < LF_CONTROL_COUNT; c++)
		if (strcmp(name, control_names[c]) == 0)
			return c;
	return -1;
}
