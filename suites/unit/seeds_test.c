/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The results that Nir Aides posted in 2010 for four interpreter locks under ccbench
 * (Python issue 7946), against the simulator with its model of that machine: one
 * model for all cells, and ccbench's own times. Compared are classes, because what a
 * race of microseconds decides comes out in kind and not in its mean. The values, and
 * the reasons for cells of another class, are those of doc/seeds.md:
 * suites/data/ccbench-2010.json.
 */
#include "suites/unit/suites.h"

#ifdef LF_HAVE_SIM

#include "core/buffer.h"
#include "core/sort.h"
#include "report/json.h"
#include "suites/ccbench.h"
#include "suites/unit/trial.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char lf_ccbench_2010[];

#define COLUMNS 5 /* 0 to 4 CPU threads */
/* Clang makes other accesses to memory of the same source, and the race that decides
 * the old GIL's row beside pi ends otherwise: at 30 ms and not at 50. */
#ifdef __clang__
#define EXCEPTIONS_MOST (4 + 4)
#else
#define EXCEPTIONS_MOST 4
#endif

/* A sanitizer cannot follow fibers, and the other carrier takes half an hour for
 * all of it: one row shows what it is there to show. */
#ifdef LF_SANITIZED
#define ROWS_HERE 1
#define IS_HERE(backend) (strcmp(backend, "gil-bfs") == 0) /* few switches */
#else
#define ROWS_HERE SIZE_MAX
#define IS_HERE(backend) true
#endif

static json_t *results;

static void read_results(void)
{
	json_error_t error;
	results = json_loads(lf_ccbench_2010, 0, &error);
	ck_assert_msg(results, "suites/data/ccbench-2010.json:%d: %s", error.line, error.text);
}

static void drop_results(void)
{
	json_decref(results);
}

/* One lock in one of the tables: latency in ms, or packets a second. */
struct row {
	const char *scenario, *measure, *backend;
	double value[COLUMNS];
};

static struct row row_of(const json_t *table, const char *backend, const json_t *values)
{
	struct row row = {
		.scenario = lf_json_string(table, "scenario"),
		.measure = lf_json_string(table, "measure"), .backend = backend,
	};
	ck_assert_uint_eq(json_array_size(values), COLUMNS);
	for (unsigned i = 0; i < COLUMNS; i++) {
		const json_t *v = json_array_get(values, i);
		row.value[i] = json_number_value(json_is_array(v) ? json_array_get(v, 0) : v);
	}
	return row;
}

static bool has_reason(const struct row *row, unsigned threads)
{
	char name[96];
	size_t i, k;
	json_t *reason, *cell;

	snprintf(name, sizeof name, "%s/%u %s sim", row->scenario, threads, row->backend);
	json_array_foreach(lf_json_get(results, "reasons"), i, reason)
		json_array_foreach(lf_json_get(reason, "cells"), k, cell)
			if (fnmatch(json_string_value(cell), name, 0) == 0)
				return true;
	return false;
}

static int latency_class(double ms)
{
	return ms < 3 ? 0 : ms < 50 ? 1 : ms <= 400 ? 2 : 3;
}

static int bandwidth_class(double share)
{
	return share < 0.01 ? 0 : share <= 0.15 ? 1 : 2;
}

static bool is_latency(const struct row *row)
{
	return strncmp(row->measure, "latency", 7) == 0;
}

static double measure(const struct row *row, unsigned threads, uint64_t seed)
{
	char id[64];

	snprintf(id, sizeof id, "%s/%u", row->scenario, threads);
	struct lf_cell cell = lf_trial_cell_at(id, row->backend, NULL);
	cell.budget = LF_BUDGET_LONG;
	const struct trial *t = lf_trial_of(&cell, cell.machine, seed);
	ck_assert_msg(t->rc == 0, "%s: %s", id, t->error.text);
	const struct lf_thread_observation *server = lf_cc_of(&t->observation, "server");
	return is_latency(row) ? lf_samples_mean(&server->samples) / 1e6 :
		lf_cc_per_second(&server->beside) / lf_cc_per_second(&server->alone);
}

/* What the old GIL does rests on a race: the median of five runs. */
#define RACES 5

static double value_of(const struct row *row, unsigned threads)
{
	double value[RACES];
	bool race = strcmp(row->backend, "gil-ticks") == 0 && threads > 0;
	unsigned n = race ? RACES : 1;

	for (unsigned i = 0; i < n; i++)
		value[i] = measure(row, threads, i + 1);
	lf_sort(value, n);
	return lf_median_of_sorted(value, n);
}

static bool same_class(const struct row *row, double here, double then)
{
	if (strcmp(row->measure, "latency-outside") == 0)
		return here < 50 && then < 50;
	return is_latency(row) ? latency_class(here) == latency_class(then) :
		bandwidth_class(here) == bandwidth_class(then);
}

/* Compares a row; names the cells that differ, each of which must have its reason. */
static unsigned differing(const struct row *row, struct lf_buffer *text)
{
	unsigned n = 0;
	for (unsigned threads = 0; threads < COLUMNS; threads++) {
		double here = value_of(row, threads);
		double then = row->value[threads] / (is_latency(row) ? 1 : row->value[0]);
		if (same_class(row, here, then))
			continue;
		lf_put(text, "%s/%u on %s: %.4g, then %.4g\n", row->scenario, threads,
		       row->backend, here, then);
		ck_assert_msg(has_reason(row, threads), "no reason is given: %s", text->at);
		n++;
	}
	return n;
}

START_TEST(cells_are_in_their_class_of_2010)
{
	char text[4096] = "";
	struct lf_buffer differences = { text, sizeof text, 0 };
	const char *backend;
	json_t *table, *values;
	unsigned n = 0;
	size_t i, done = 0;

	json_array_foreach(lf_json_get(results, "tables"), i, table)
		json_object_foreach(json_object_get(table, "rows"), backend, values) {
			if (!IS_HERE(backend) || done++ >= ROWS_HERE)
				continue;
			const struct row row = row_of(table, backend, values);
			n += differing(&row, &differences);
		}
	ck_assert_msg(n <= EXCEPTIONS_MOST, "%u cells are in another class:\n%s", n, text);
}
END_TEST

/* What the test before does not look at when it has nothing to compare. */
START_TEST(four_locks_are_in_five_tables)
{
	json_t *table;
	size_t i;

	ck_assert_uint_eq(json_array_size(lf_json_get(results, "tables")), 5);
	json_array_foreach(lf_json_get(results, "tables"), i, table)
		ck_assert_uint_eq(json_object_size(json_object_get(table, "rows")), 4);
}
END_TEST

#endif

Suite *lf_test_seeds(void)
{
	Suite *s = suite_create("seeds");
	TCase *tc = tcase_create("2010");

#ifdef LF_HAVE_SIM
	tcase_set_timeout(tc, 600);
	tcase_add_checked_fixture(tc, read_results, drop_results);
	tcase_add_test(tc, cells_are_in_their_class_of_2010);
	tcase_add_test(tc, four_locks_are_in_five_tables);
#endif
	suite_add_tcase(s, tc);
	return s;
}
