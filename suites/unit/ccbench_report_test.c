/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of suite ccbench in their layout of 2010. */
#include "suites/unit/suites.h"

#include "report/report.h"
#include "suites/unit/records.h"

#include <stdlib.h>
#include <string.h>

static json_t *records;

static json_t *cell(const char *scenario, const char *backend, int threads)
{
	json_t *r = lf_stand_record(records, scenario, backend, NULL);
	const char *first = strchr(scenario, '/'), *last = strrchr(scenario, '/');

	json_object_set_new(r, "sweep", threads < 0 ? json_null() : json_integer(threads));
	json_object_set_new(r, "axes", json_object());
	if (first && last != first)
		json_object_set_new(json_object_get(r, "axes"), "workload",
				    json_stringn(first + 1, (size_t)(last - first) - 1));
	return r;
}

static void inform(json_t *r, const char *metric, double value)
{
	lf_stand_assert(r, metric, "ns", "information", value, 0);
}

static void latency(const char *scenario, const char *backend, int threads, double ms,
		    double sd_ms)
{
	json_t *r = cell(scenario, backend, threads);
	inform(r, "latency-mean", ms * 1e6);
	inform(r, "latency-sd", sd_ms * 1e6);
}

static void starved(const char *scenario, const char *backend, int threads)
{
	json_t *r = cell(scenario, backend, threads);
	lf_stand_assert(r, "starved", "threads", "requirement", 1, 0);
	json_t *a = json_array_get(json_object_get(r, "assertions"), 0);
	json_object_set_new(a, "role", json_string("server"));
	lf_stand_verdict(r, "fail", "starved");
}

static void bandwidth(const char *backend, int threads, double rate, double share)
{
	char id[32];
	snprintf(id, sizeof id, "bandwidth/%d", threads);
	json_t *r = cell(id, backend, threads);
	inform(r, "bandwidth", rate);
	inform(r, "bandwidth-share", share);
}

static void others(void)
{
	json_t *r = cell("throughput/bz2/4", "old", 4);
	inform(r, "speed", 123.4);
	inform(r, "speed-share", 1.96);
	inform(r, "share-min", 0.9);
	inform(r, "voluntary-switches", 77);
	r = cell("transfer/bulk/2", "old", 2);
	inform(r, "transfer-alone", 1e6);
	inform(r, "transfer-best", 20e6);
	inform(r, "transfer-min", 15e6);
	inform(r, "transfer-max", 90e6);
	r = cell("cpued", "old", -1);
	inform(r, "lead", 4);
	r = cell("single", "old", -1);
	inform(r, "slowdown", 1.01);
	inform(r, "poll-cost", 5.14);
	inform(r, "pair-cost", 40);
	r = cell("latency/pi/2", "old", 2);
	lf_stand_verdict(r, "skip", "not here");
	cell("barging", "old", -1);
}

static const char expected[] =
	"== threads: here ==\n\n"
	"--- Latency ---\n\n"
	"                old                                bfs\n\n"
	"Background CPU task: Pi calculation\n\n"
	"CPU threads=1:  90 ms. (std dev: 101 ms.) pass     0 ms. (std dev: 0 ms.) pass\n"
	"CPU threads=2:  skip\n\n"
	"Background CPU task: regular expression\n\n"
	"CPU threads=1:  starved for the whole window FAIL\n\n"
	"--- I/O bandwidth ---\n\n"
	"                old                      bfs\n"
	"CPU threads=0:  12347.4 packets/s. pass\n"
	"CPU threads=1:  6.9 ( 0 %) pass          7419.9 ( 59 %) pass\n\n";

static char *written(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(lf_report_seed(out, records), 0);
	fclose(out);
	json_decref(records);
	return text;
}

START_TEST(one_column_a_backend)
{
	records = json_array();
	latency("latency/pi/1", "old", 1, 90.9, 101.2);
	cell("latency/pi/2", "old", 2);
	lf_stand_verdict(json_array_get(records, 1), "skip", "not here");
	starved("latency/regex/1", "old", 1);
	latency("latency/pi/1", "bfs", 1, 0.4, 0.1);
	bandwidth("old", 0, 12347.4, 1);
	bandwidth("old", 1, 6.9, 0.0006);
	bandwidth("bfs", 1, 7419.9, 0.597);
	char *text = written();
	ck_assert_str_eq(text, expected);
	free(text);
}
END_TEST

static const char *const lines[] = {
	"123 ( 196 %), balance 0.90, 77 switches/s. pass",
	"best of 3: 20 ms (15 to 90; alone 1) pass",
	"lead: 4 rounds pass",
	"poll 5.1 ns, pair 40.0 ns, slowdown 1.01 pass",
};

START_TEST(each_table_has_its_form)
{
	records = json_array();
	others();
	char *text = written();
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		ck_assert_msg(strstr(text, lines[i]), "%s is not in\n%s", lines[i], text);
	ck_assert_ptr_null(strstr(text, "barging"));
	free(text);
}
END_TEST

START_TEST(of_other_suites_there_is_no_page)
{
	records = json_array();
	cell("barging", "old", -1);
	char *text = written();
	ck_assert_str_eq(text, "suite core comes from no benchmark whose layout is known; "
			 "see --format text\n");
	free(text);
}
END_TEST

Suite *lf_test_ccbench_report(void)
{
	Suite *s = suite_create("ccbench_report");
	TCase *tc = tcase_create("report");

	tcase_add_test(tc, one_column_a_backend);
	tcase_add_test(tc, each_table_has_its_form);
	tcase_add_test(tc, of_other_suites_there_is_no_page);
	suite_add_tcase(s, tc);
	return s;
}
