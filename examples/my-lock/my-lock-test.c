/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lock's own test: a program of Check's, linked with the lock's source. */
#include <lockfair/assert.h>

#include <stdlib.h>

extern const struct lf_backend lf_backend_my_lock;

/* What must hold of any lock; without it the rest would mean nothing. */
static struct lf_outcome *observe(const char *scenario)
{
	struct lf_outcome *o = lf_observe(&lf_backend_my_lock, scenario, NULL);

	lf_assert_exclusion(o);
	lf_assert_progress(o);
	return o;
}

START_TEST(serves_in_order_of_arrival)
{
	struct lf_outcome *o = observe("order");

	lf_assert_order(o);
	lf_outcome_free(o);
}
END_TEST

START_TEST(never_lets_a_releaser_back_in_first)
{
	struct lf_outcome *o = observe("barging");

	lf_assert_overtakes(o, NULL, 0);
	lf_outcome_free(o);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("my-lock");
	TCase *claims = tcase_create("claims");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(claims, 60);
	tcase_add_test(claims, serves_in_order_of_arrival);
	tcase_add_test(claims, never_lets_a_releaser_back_in_first);
	suite_add_tcase(suite, claims);
	srunner_run_all(runner, CK_ENV);
	return srunner_ntests_failed(runner) ? EXIT_FAILURE : EXIT_SUCCESS;
}
