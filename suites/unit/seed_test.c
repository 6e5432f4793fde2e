/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layouts of other benchmarks' tables. For suite `select` the records below hold the
 * numbers of io-event's design document of 2021, so that its table must come out again,
 * but for the errors of the ratios, which that tool did not compute.
 */
#include "report/report.h"
#include "suites/unit/records.h"
#include "suites/unit/suites.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two batches with that mean and that standard deviation in per cent of it. */
static json_t *batches(double mean, double percent)
{
	double half = mean * percent / 100 / sqrt(2);
	return json_pack("[f, f]", mean - half, mean + half);
}

static void add(json_t *records, const char *backend, const char *scenario,
		double per_batch, double mean, double percent, json_int_t iterations,
		double seconds)
{
	json_t *record = lf_stand_record(records, scenario, backend, NULL);
	lf_stand_assert(record, "rate", "1/s", "information", mean, 0);
	lf_stand_assert(record, "wait-p90", "ns", "information", 5.02e6, 0);
	json_object_set_new(json_object_get(record, "metrics"), "polling",
			    json_pack("{s:f, s:I, s:f, s:o}", "per_batch", per_batch,
				      "iterations", iterations, "batches_ns", seconds * 1e9,
				      "per_s", batches(mean, percent)));
}

static const char golden[] =
	"threads:\n"
	"\n"
	"Release around every wait, select(1):\n"
	"\n"
	"Warming up --------------------------------------\n"
	"              KQueue    55.896k i/100ms\n"
	"              Select    17.023k i/100ms\n"
	"Calculating -------------------------------------\n"
	"              KQueue    532.515k (± 8.0%) i/s -      2.683M in   5.071193s\n"
	"              Select    177.956k (± 3.4%) i/s -    902.219k in   5.075817s\n"
	"\n"
	"Comparison:\n"
	"              KQueue:   532515.3 i/s\n"
	"              Select:   177956.1 i/s - 2.99x  (± 0.58) slower\n"
	"\n"
	"Release only if a look finds nothing ready, select(1):\n"
	"\n"
	"Warming up --------------------------------------\n"
	"              KQueue    53.401k i/100ms\n"
	"              Select    16.691k i/100ms\n"
	"Calculating -------------------------------------\n"
	"              KQueue    524.564k (± 6.1%) i/s -      2.617M in   5.006997s\n"
	"              Select    179.329k (± 2.4%) i/s -    901.314k in   5.029136s\n"
	"\n"
	"Comparison:\n"
	"              KQueue:   524564.0 i/s\n"
	"              Select:   179329.1 i/s - 2.93x  (± 0.43) slower\n"
	"\n";

START_TEST(select_looks_as_in_2021)
{
	json_t *records = json_array();
	add(records, "KQueue", "select/always/ready/1/0", 55896, 532515.3, 8.0, 2683000, 5.071193);
	add(records, "Select", "select/always/ready/1/0", 17023, 177956.1, 3.4, 902219, 5.075817);
	add(records, "KQueue", "select/probe/ready/1/0", 53401, 524564.0, 6.1, 2617000, 5.006997);
	add(records, "Select", "select/probe/ready/1/0", 16691, 179329.1, 2.4, 901314, 5.029136);
	char *text = lf_stand_output(lf_report_seed, records);
	lf_stand_same(text, golden);
	free(text);
	json_decref(records);
}
END_TEST

/* Two that cannot be told apart are not called so because they are noisy. */
START_TEST(select_says_when_it_cannot_tell)
{
	json_t *records = json_array();
	add(records, "a", "select/always/ready/1/0", 100, 1000, 5, 1000, 1);
	add(records, "b", "select/always/ready/1/0", 100, 990, 5, 1000, 1);
	char *text = lf_stand_output(lf_report_seed, records);
	ck_assert_ptr_nonnull(strstr(text, "1.01x  (± 0.16) slower, or not: cannot tell"));
	free(text);
	json_decref(records);
}
END_TEST

START_TEST(suites_without_a_seed_are_named)
{
	json_t *records = json_array();
	add(records, "ticket", "order", 1, 1, 1, 1, 1);
	char *text = lf_stand_output(lf_report_seed, records);
	ck_assert_ptr_nonnull(strstr(text, "suite core comes from no benchmark"));
	free(text);
	json_decref(records);
}
END_TEST

static int plain_text(FILE *out, const json_t *records)
{
	const struct lf_text_style style = { .width = 100 };
	return lf_report_text(out, records, &style);
}

START_TEST(people_get_one_table_of_the_loop_and_the_others)
{
	json_t *records = json_array();
	add(records, "epoll", "select/always/ready/1/0", 1, 540123, 1, 1, 1);
	add(records, "epoll", "select/always/ready/1/1", 1, 199.8, 1, 1, 1);
	add(records, "epoll", "select/probe/ready/1/3", 1, 140000, 1, 1, 1);
	char *text = lf_stand_output(plain_text, records);
	const char *always = strstr(text, "    epoll        always ");
	const char *probe = strstr(text, "    epoll        probe ");
	ck_assert_ptr_nonnull(always);
	ck_assert_ptr_nonnull(probe);
	ck_assert(strstr(always, "540123/s") && strstr(always, "200/s   5.02 ms"));
	ck_assert_ptr_nonnull(strstr(probe, "140000/s   5.02 ms"));
	ck_assert_ptr_null(strstr(text, "epoll        nonzero"));
	free(text);
	json_decref(records);
}
END_TEST

Suite *lf_test_seed(void)
{
	Suite *s = suite_create("seed");
	TCase *t = tcase_create("select");
	tcase_add_test(t, select_looks_as_in_2021);
	tcase_add_test(t, select_says_when_it_cannot_tell);
	tcase_add_test(t, suites_without_a_seed_are_named);
	tcase_add_test(t, people_get_one_table_of_the_loop_and_the_others);
	suite_add_tcase(s, t);
	return s;
}
