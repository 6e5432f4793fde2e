/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Assertions about the fairness of a lock, for tests written with Check.
 *
 *	START_TEST(queued_threads_are_not_overtaken)
 *	{
 *		struct lf_outcome *o = lf_observe(&lf_backend_mine, "barging", NULL);
 *		lf_assert_overtakes(o, NULL, 0);
 *		lf_outcome_free(o);
 *	}
 *	END_TEST
 *
 * lf_assert_*() stops the test at the first violated bound. lf_expect_*() keeps
 * it and goes on; lf_assert_expected() at the end fails once, with all of them.
 * Both belong into the test function, never into a thread of the scenario.
 * outcome.h says what each one bounds.
 */
#ifndef LOCKFAIR_ASSERT_H
#define LOCKFAIR_ASSERT_H

#include <check.h>
#include <lockfair/outcome.h>

#define LF_ASSERT(check)                                                       \
	do {                                                                   \
		const char *lf_violation = (check);                            \
		if (lf_violation)                                              \
			ck_abort_msg("%s", lf_violation);                      \
		mark_point();                                                  \
	} while (0)

#define lf_assert_claims(o) LF_ASSERT(lf_check_claims(o))
#define lf_assert_exclusion(o) LF_ASSERT(lf_check_exclusion(o))
#define lf_assert_progress(o) LF_ASSERT(lf_check_progress(o))
#define lf_assert_overtakes(o, role, most) LF_ASSERT(lf_check_overtakes(o, role, most))
#define lf_assert_order(o) LF_ASSERT(lf_check_order(o))
#define lf_assert_grants(o, role, least) LF_ASSERT(lf_check_grants(o, role, least))
#define lf_assert_lead(o, steps, most) LF_ASSERT(lf_check_lead(o, steps, most))
#define lf_assert_wait(o, role, part, ns) LF_ASSERT(lf_check_wait(o, role, part, ns))
#define lf_assert_share(o, least) LF_ASSERT(lf_check_share(o, least))

#define LF_EXPECT(o, check) lf_outcome_expect((o), __FILE__, __LINE__, (check))

#define lf_expect_claims(o) LF_EXPECT(o, lf_check_claims(o))
#define lf_expect_exclusion(o) LF_EXPECT(o, lf_check_exclusion(o))
#define lf_expect_progress(o) LF_EXPECT(o, lf_check_progress(o))
#define lf_expect_overtakes(o, role, most) LF_EXPECT(o, lf_check_overtakes(o, role, most))
#define lf_expect_order(o) LF_EXPECT(o, lf_check_order(o))
#define lf_expect_grants(o, role, least) LF_EXPECT(o, lf_check_grants(o, role, least))
#define lf_expect_lead(o, steps, most) LF_EXPECT(o, lf_check_lead(o, steps, most))
#define lf_expect_wait(o, role, part, ns) LF_EXPECT(o, lf_check_wait(o, role, part, ns))
#define lf_expect_share(o, least) LF_EXPECT(o, lf_check_share(o, least))

#define lf_assert_expected(o) LF_ASSERT(lf_outcome_violations(o))

#endif
