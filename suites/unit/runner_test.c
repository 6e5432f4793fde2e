/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runner's own reporter: what it makes of Check's XML log. */
#include "suites/unit/suites.h"
#include "suites/unit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAD "<?xml version=\"1.0\"?>\n<testsuites xmlns=\"http://check.sourceforge.net/ns\">"
#define TAIL "</testsuites>"

static const char one_of_each[] =
	HEAD "<suite><title>log # TODO</title>"
	     "<test result=\"success\"><path>..</path><fn>a.c:7</fn><id>first</id>"
	     "<iteration>0</iteration><description>core</description>"
	     "<message>Passed</message></test>"
	     "<test result=\"failure\"><path>..</path><fn>a.c:9</fn><id>loop</id>"
	     "<iteration>2</iteration><description>core</description>"
	     "<message>x&#xA;ok 3&#xA;Bail out!</message></test>"
	     "</suite><suite><title>empty</title></suite>" TAIL;

/* The TAP for a log; the caller frees it. NULL: it was refused. */
static char *convert(const char *xml, struct lf_tap_totals *ret_totals)
{
	int fd = memfd_create("xml", MFD_CLOEXEC);
	char *tap = NULL;
	size_t size;
	FILE *out = open_memstream(&tap, &size);
	int error;

	ck_assert_int_eq(write(fd, xml, strlen(xml)), strlen(xml));
	error = lf_tap_from_check_xml(fd, out, ret_totals);
	fclose(out);
	close(fd);
	if (!error)
		return tap;
	free(tap);
	return NULL;
}

START_TEST(plan_first_then_a_point_a_test)
{
	struct lf_tap_totals totals;
	char *tap = convert(one_of_each, &totals);

	ck_assert_str_eq(tap, "TAP version 13\n1..2\n"
			      "ok 1 - log _ TODO/core/first\n"
			      "not ok 2 - log _ TODO/core/loop[2]\n"
			      "# a.c:9: x\n#   ok 3\n#   Bail out!\n");
	ck_assert_uint_eq(totals.tests, 2);
	ck_assert_uint_eq(totals.failed, 1);
	free(tap);
}
END_TEST

START_TEST(a_truncated_log_is_refused)
{
	struct lf_tap_totals totals;

	ck_assert_ptr_null(convert("", &totals));
	ck_assert_ptr_null(convert(HEAD "<suite><title>a</title>", &totals));
	ck_assert_ptr_null(convert("<other/>", &totals));
}
END_TEST

Suite *lf_test_runner(void)
{
	Suite *suite = suite_create("runner");
	TCase *tap = tcase_create("tap");

	tcase_add_test(tap, plan_first_then_a_point_a_test);
	tcase_add_test(tap, a_truncated_log_is_refused);
	suite_add_tcase(suite, tap);
	return suite;
}
