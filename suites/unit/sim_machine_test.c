/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/sim/machine.h"
#include "suites/unit/suites.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct lf_machines machines;
static struct lf_error error;

static int parse(const char *text)
{
	return lf_machines_parse(&machines, "test.ini", text, &error);
}

static void tidy(void)
{
	lf_machines_free(&machines);
}

START_TEST(keys_left_out_have_their_defaults)
{
	ck_assert_int_eq(parse("[machine]\nname = a\ncpus = 3\n[wake]\nlatency_ns = 7\n"), 0);
	ck_assert_uint_eq(machines.n, 1);
	ck_assert_str_eq(machines.machine[0].name, "a");
	ck_assert_uint_eq(machines.machine[0].machine_cpus, 3);
	ck_assert_uint_eq(machines.machine[0].wake_latency_ns, 7);
	ck_assert_uint_eq(machines.machine[0].wake_waker_ns, 800);
}
END_TEST

START_TEST(a_name_begins_the_next_machine)
{
	ck_assert_int_eq(parse("[machine]\nname = a\ncpus = 3\n"
			       "[machine]\nname = b\nstandard = yes\n"), 0);
	ck_assert_uint_eq(machines.n, 2);
	ck_assert_uint_eq(machines.machine[1].machine_cpus, 1);
	ck_assert_uint_eq(machines.machine[1].machine_standard, 1);
	ck_assert_ptr_eq(lf_machine_find(&machines, "b"), &machines.machine[1]);
	ck_assert_ptr_null(lf_machine_find(&machines, "c"));
}
END_TEST

static const struct {
	const char *text, *says;
} wrong[] = {
	{ "", "no machine model" },
	{ "[machine]\ncpus = 1\n", "begins with" },
	{ "[machine]\nname = a\n[wake]\nlatency = 1\n", "latency in section [wake]" },
	{ "[machine]\nname = a\ncpus = 65\n", "cpus is a number from 1 to 64, not \"65\"" },
	{ "[machine]\nname = a\ncpus = two\n", "\"two\"" },
	{ "[machine]\nname = a\ncpus = -1\n", "\"-1\"" },
	{ "[machine]\nname = a\nstandard = 1\n", "standard is yes or no" },
	{ "[machine]\nname = a\nname = a\n", "second machine" },
	{ "[machine]\nname = a\nnonsense\n", "line 3" },
	{ "[noise]\njitter_percent = 0\n", "begins with" },
	{ "[machine]\nname = a\n[noise]\njitter_percent = 0\n", "from 1 to 90" },
};

START_TEST(errors_say_what_and_where)
{
	ck_assert_int_eq(parse(wrong[_i].text), -EINVAL);
	ck_assert_msg(strstr(error.text, "test.ini") && strstr(error.text, wrong[_i].says),
		      "\"%s\" does not say \"%s\"", error.text, wrong[_i].says);
}
END_TEST

START_TEST(a_missing_file_is_named)
{
	ck_assert_int_eq(lf_machines_read(&machines, "/nowhere/x.ini", &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/x.ini"));
}
END_TEST

START_TEST(shipped_models_are_all_there)
{
	static const char *const names[] = {
		"1cpu", "1cpu-nopreempt", "2cpu-fastwake", "2cpu", "2cpu-slowwake", "over2x",
		"smp4", "q9400-2009", "core2duo-2010", "celeron-uni", "celeron-nosmp",
		"celeron-smp", "coarse-timer",
	};
	const struct lf_machines *all = lf_machines_builtin(&error);
	ck_assert_msg(all != NULL, "%s", error.text);
	ck_assert_uint_eq(all->n, sizeof names / sizeof names[0]);
	for (size_t i = 0; i < all->n; i++) {
		ck_assert_str_eq(all->machine[i].name, names[i]);
		ck_assert_uint_eq(all->machine[i].machine_standard, i < 7);
		ck_assert_msg(all->machine[i].summary[0], "%s has no summary", names[i]);
	}
}
END_TEST

Suite *lf_test_sim_machine(void)
{
	Suite *s = suite_create("sim_machine");
	TCase *t = tcase_create("models");
	tcase_add_checked_fixture(t, NULL, tidy);
	tcase_add_test(t, keys_left_out_have_their_defaults);
	tcase_add_test(t, a_name_begins_the_next_machine);
	tcase_add_loop_test(t, errors_say_what_and_where, 0,
			    (int)(sizeof wrong / sizeof wrong[0]));
	tcase_add_test(t, a_missing_file_is_named);
	tcase_add_test(t, shipped_models_are_all_there);
	suite_add_tcase(s, t);
	return s;
}
