/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replay lines: what stands in one, taking one apart, and what a comparison says. */
#include "suites/unit/suites.h"

#include "core/build.h"
#include "core/registry.h"
#include "run/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lf_param params[] = {
	{ "spin", 10, 0, 1000, "spins", "spins before it sleeps" },
	{ 0 },
};
static const struct lf_backend lock = {
	.abi = LF_ABI, .kind = LF_MUTEX, .name = "unit/replayed", .summary = "a test's",
	.params = params,
};
static const struct lf_entry entry = { .backend = &lock };

static struct lf_cell cell;
static struct lf_result *result;
static struct lf_replay replay;
static struct lf_error error;
static char line[LF_REPLAY_LINE];

static void setup(void)
{
	ck_assert_int_eq(lf_registry_add(&entry, 1), 0);
	lf_cell_init(&cell, &entry, lf_scenario_find("drain"), &lf_engine_sim);
	cell.point.sweep = 3;
	cell.param[0] = 42;
	result = calloc(1, sizeof *result);
	ck_assert_ptr_nonnull(result);
	result->variants = 2;
	result->decisive = 1;
	result->variant[1].variant = (struct lf_variant){
		"smp4", 7, UINT64_MAX, UINT64_C(0x123456789abcdef),
	};
}

static void teardown(void)
{
	free(result);
}

static const char *made(void)
{
	return lf_replay_line(&cell, result, line, sizeof line);
}

static void parse(const char *text)
{
	ck_assert_msg(lf_replay_parse(&replay, text, &error) == 0, "%s", error.text);
}

/* --- Lines -------------------------------------------------------------------- */

START_TEST(a_line_names_the_decisive_run)
{
	char expected[512];

	snprintf(expected, sizeof expected,
		 "scenario=drain/3 backend=unit/replayed engine=sim machine=smp4 "
		 "version=7 seed=18446744073709551615 budget=quick params=spin=42 "
		 "trace=0123456789abcdef build=%s", lf_build_id());
	ck_assert_str_eq(made(), expected);
}
END_TEST

START_TEST(a_run_that_died_has_no_trace)
{
	result->variants = 1;
	ck_assert_ptr_nonnull(strstr(made(), "machine=smp4 "));
	ck_assert_ptr_null(strstr(line, "trace="));
}
END_TEST

START_TEST(there_is_none_on_threads_nor_before_the_first_run)
{
	cell.engine = &lf_engine_threads;
	ck_assert_str_eq(made(), "");
	cell.engine = &lf_engine_sim;
	memset(result->variant, 0, sizeof result->variant);
	ck_assert_str_eq(made(), "");
}
END_TEST

START_TEST(a_line_that_does_not_fit_is_none)
{
	size_t length = strlen(made());

	ck_assert_str_ne(lf_replay_line(&cell, result, line, length + 2), "");
	ck_assert_str_eq(lf_replay_line(&cell, result, line, length), "");
}
END_TEST

START_TEST(a_line_makes_the_same_cell)
{
	struct lf_cell again;

	cell.required = !cell.required;
	cell.budget = LF_BUDGET_LONG;
	parse(made());
	ck_assert_int_eq(lf_replay_cell(&replay, &again, &error), 0);
	ck_assert_ptr_eq(again.backend, &lock);
	ck_assert_ptr_eq(again.scenario, cell.scenario);
	ck_assert_ptr_eq(again.engine, &lf_engine_sim);
	ck_assert_uint_eq(again.point.sweep, 3);
	ck_assert_int_eq(again.param[0], 42);
	ck_assert_int_eq(again.budget, LF_BUDGET_LONG);
	ck_assert(again.required == cell.required);
	ck_assert_uint_eq(again.seed, UINT64_MAX);
	ck_assert_uint_eq(again.seeds, 1);
	ck_assert_str_eq(again.machine, "smp4");
	ck_assert_ptr_null(again.model);
	ck_assert_uint_eq(replay.version_number, 7);
	ck_assert_uint_eq(replay.trace_hash, UINT64_C(0x123456789abcdef));
}
END_TEST

START_TEST(polls_are_a_parameter_of_scenarios_that_poll)
{
	struct lf_cell again;

	ck_assert_ptr_null(strstr(made(), "polls="));
	cell.scenario = lf_scenario_find("interleaving");
	cell.point.sweep = 0;
	cell.polls = 7;
	parse(made());
	ck_assert_str_eq(replay.params, "spin=42,polls=7");
	ck_assert_int_eq(lf_replay_cell(&replay, &again, &error), 0);
	ck_assert_int_eq(again.polls, 7);
}
END_TEST

START_TEST(paths_may_have_any_character)
{
	struct lf_cell again;
	const char *const path = "./a 'b' %41\xc3\xa9\t.ini";

	cell.machine = path;
	ck_assert_ptr_null(strpbrk(made(), "'\t\xc3"));
	ck_assert_ptr_nonnull(strstr(line, " models=./a%20%27b%27%20%2541%C3%A9%09.ini"
					   " "));
	parse(line);
	ck_assert_int_eq(lf_replay_cell(&replay, &again, &error), 0);
	ck_assert_str_eq(again.machine, path);
	ck_assert_str_eq(again.model, "smp4");
}
END_TEST

/* --- One model, one seed --------------------------------------------------------- */

START_TEST(a_cell_can_be_one_run)
{
	struct lf_variant v;

	cell.seed = 5;
	if (cell.engine->variants(&cell, 0, &v) == 0)
		return; /* built without the simulator */
	cell.machine = "smp4";
	ck_assert_uint_gt(cell.engine->variants(&cell, 0, &v), 1);
	cell.seeds = 1;
	ck_assert_uint_eq(cell.engine->variants(&cell, 0, &v), 1);
	ck_assert_str_eq(v.machine, "smp4");
	ck_assert_uint_eq(v.seed, 5);
}
END_TEST

/* --- Lines of others --------------------------------------------------------------- */

#define GOOD "scenario=drain/3 backend=unit/replayed engine=sim machine=smp4 version=7 " \
	     "seed=1 budget=quick"

static const struct malformed {
	const char *line, *says;
} malformed[] = {
	{ "", "no scenario=" },
	{ "pthread", "\"pthread\" is no KEY=VALUE" },
	{ "=x", "is no KEY=VALUE" },
	{ "scenario=drain/3 backend=", "\"backend=\" is no KEY=VALUE" },
	{ "scenario=drain/3", "no backend=" },
	{ GOOD " seed=2", "seed twice" },
	{ GOOD " sed=2", "did you mean seed" },
	{ GOOD " trace=12g", "no hexadecimal number" },
	{ GOOD " trace=-12", "no hexadecimal number" },
	{ GOOD " plugin=a%2", "two hexadecimal digits" },
	{ GOOD " plugin=a%00", "two hexadecimal digits" },
	{ "scenario=a backend=b engine=sim machine=d version=x seed=1 budget=quick",
	  "version=x" },
	{ "scenario=a backend=b engine=sim machine=d version=1 seed=1e budget=quick",
	  "seed=1e" },
	{ "scenario=a backend=b engine=sim machine=d version=1 "
	  "seed=18446744073709551616 budget=quick", "seed=18446744073709551616" },
};

START_TEST(a_malformed_line_is_one_error)
{
	ck_assert_int_eq(lf_replay_parse(&replay, malformed[_i].line, &error), -EINVAL);
	ck_assert_msg(strstr(error.text, malformed[_i].says), "%s", error.text);
	ck_assert_ptr_null(strchr(error.text, '\n'));
}
END_TEST

#define CELL(scenario, backend, engine, budget, rest)                          \
	"scenario=" scenario " backend=" backend " engine=" engine             \
	" machine=smp4 version=1 seed=1 budget=" budget rest

static const struct impossible {
	const char *line;
	int code;
	const char *says;
} impossible[] = {
	{ CELL("dr", "unit/replayed", "sim", "quick", ""), -ENOENT, "scenario=dr:" },
	{ CELL("drain", "unit/replayed", "sim", "quick", ""), -EINVAL, "write drain/N" },
	{ CELL("drain/99", "unit/replayed", "sim", "quick", ""), -EINVAL, "write drain/N, at most" },
	{ CELL("order/2", "unit/replayed", "sim", "quick", ""), -EINVAL, "write order" },
	{ CELL("io-latency", "unit/replayed", "sim", "quick", ""), -EINVAL, "is not for" },
	{ CELL("order", "unit/none", "sim", "quick", ""), -ENOENT, "backend=unit/none" },
	{ CELL("order", "x", "sim", "quick", " plugin=./none.so"), -ENOENT, "none.so" },
	{ CELL("order", "unit/replayed", "threads", "quick", ""), -EINVAL, "only runs" },
	{ CELL("order", "unit/replayed", "sim", "fast", ""), -EINVAL, "budget=fast" },
	{ CELL("order", "unit/replayed", "sim", "quick", " require=1"), -EINVAL,
	  "require=1" },
	{ CELL("order", "unit/replayed", "sim", "quick", " params=spin"), -EINVAL,
	  "NAME=NUMBER" },
	{ CELL("order", "unit/replayed", "sim", "quick", " params=spin=1;"), -EINVAL,
	  "comma" },
	{ CELL("order", "unit/replayed", "sim", "quick", " params=spin=1001"), -ERANGE,
	  "out of range" },
	{ CELL("order", "unit/replayed", "sim", "quick", " params=nips=1"), -ENOENT,
	  "no parameter" },
};

START_TEST(what_does_not_exist_is_named)
{
	struct lf_cell again;

	parse(impossible[_i].line);
	ck_assert_int_eq(lf_replay_cell(&replay, &again, &error), impossible[_i].code);
	ck_assert_msg(strstr(error.text, impossible[_i].says), "%s", error.text);
}
END_TEST

/* --- Comparing --------------------------------------------------------------------- */

/* Compares the line, after an edit, with a run of version 7 that has that hash. */
static bool compare(uint64_t hash, const char *from, const char *to)
{
	char edited[LF_REPLAY_LINE + 64];
	const char *at = strstr(made(), from);
	bool same;

	ck_assert_ptr_nonnull(at);
	snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - line), line, to,
		 at + strlen(from));
	parse(edited);
	result->variant[0].variant = result->variant[1].variant;
	result->variant[0].variant.trace_hash = hash;
	lf_replay_compare(&replay, &cell, result, &same, line, sizeof line);
	return same;
}

#define HASH UINT64_C(0x123456789abcdef)

START_TEST(the_same_trace_is_the_same)
{
	ck_assert(compare(HASH, "seed=", "seed="));
	ck_assert_str_eq(line, "same trace: 0123456789abcdef");
	/* Whatever has changed, it did not matter. */
	ck_assert(compare(HASH, "version=7", "version=8"));
	ck_assert_str_eq(line, "same trace: 0123456789abcdef");
}
END_TEST

START_TEST(another_trace_is_noticed)
{
	ck_assert(!compare(HASH - 1, "seed=", "seed="));
	ck_assert_ptr_nonnull(strstr(line, "another trace: 0123456789abcdee, in the line "
					   "0123456789abcdef"));
	ck_assert_ptr_nonnull(strstr(line, "neither model nor compiler"));
}
END_TEST

START_TEST(what_has_changed_is_named)
{
	ck_assert(!compare(1, "version=7", "version=8"));
	ck_assert_ptr_nonnull(strstr(line, "the model smp4 changed: it has version 7, in "
					   "the line 8"));
	ck_assert(!compare(1, "build=", "build=old-"));
	ck_assert_ptr_nonnull(strstr(line, "the build differs: this is "));
	ck_assert_ptr_nonnull(strstr(line, "the line is of old-"));
	ck_assert_ptr_null(strstr(line, "neither"));
	cell.plugin = "./none.so";
	ck_assert(!compare(1, "object=", "object=1"));
	ck_assert_ptr_nonnull(strstr(line, "the plug-in ./none.so was compiled anew"));
}
END_TEST

START_TEST(without_a_trace_nothing_differs)
{
	ck_assert(compare(1, " trace=0123456789abcdef", ""));
	ck_assert_ptr_nonnull(strstr(line, "the line has none"));
	result->variants = 0;
	lf_replay_compare(&replay, &cell, result, &(bool){ false }, line, sizeof line);
	ck_assert_ptr_nonnull(strstr(line, "no trace"));
}
END_TEST

Suite *lf_test_replay(void)
{
	Suite *suite = suite_create("replay");
	TCase *lines = tcase_create("lines"), *errors = tcase_create("errors");
	TCase *comparing = tcase_create("comparing");

	tcase_add_checked_fixture(lines, setup, teardown);
	tcase_add_test(lines, a_line_names_the_decisive_run);
	tcase_add_test(lines, a_run_that_died_has_no_trace);
	tcase_add_test(lines, there_is_none_on_threads_nor_before_the_first_run);
	tcase_add_test(lines, a_line_that_does_not_fit_is_none);
	tcase_add_test(lines, a_line_makes_the_same_cell);
	tcase_add_test(lines, polls_are_a_parameter_of_scenarios_that_poll);
	tcase_add_test(lines, paths_may_have_any_character);
	tcase_add_test(lines, a_cell_can_be_one_run);
	suite_add_tcase(suite, lines);
	tcase_add_checked_fixture(errors, setup, teardown);
	tcase_add_loop_test(errors, a_malformed_line_is_one_error, 0,
			    sizeof malformed / sizeof malformed[0]);
	tcase_add_loop_test(errors, what_does_not_exist_is_named, 0,
			    sizeof impossible / sizeof impossible[0]);
	suite_add_tcase(suite, errors);
	tcase_add_checked_fixture(comparing, setup, teardown);
	tcase_add_test(comparing, the_same_trace_is_the_same);
	tcase_add_test(comparing, another_trace_is_noticed);
	tcase_add_test(comparing, what_has_changed_is_named);
	tcase_add_test(comparing, without_a_trace_nothing_differs);
	suite_add_tcase(suite, comparing);
	return suite;
}
