/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registry, cells made of its entries, names, and choosing by name. */
#include "suites/unit/suites.h"

#include "core/cell.h"
#include "core/point.h"
#include "core/registry.h"
#include "core/select.h"

#include <errno.h>
#include <string.h>

static const struct lf_param params[] = {
	{ "patience", 4, 1, 100, "grants", "overtakes before the hand-off" },
	{ "spin", 10, 0, 1000, "spins", "spins before it sleeps" },
	{ 0 },
};

static void refine(const int64_t param[], struct lf_claim *claim)
{
	claim->overtakes = (unsigned)param[0];
}

static const struct lf_backend tuned = {
	.abi = LF_ABI, .kind = LF_MUTEX, .name = "unit/tuned", .summary = "for the tests",
	.claim = { .set = LF_CLAIM_EVENTUAL }, .refine_claim = refine, .params = params,
};
static const struct lf_backend bare = {
	.abi = LF_ABI, .kind = LF_GIL, .name = "unit/bare", .summary = "for the tests",
};
static const struct lf_entry entries[] = { { .backend = &tuned }, { .backend = &bare } };

static const struct lf_scenario plain = { .name = "plain", .required_of = 1 << LF_GIL };
static const struct lf_scenario swept = { .name = "swept", .sweep = LF_SWEEP(1, 2, 3, 4, 5) };

START_TEST(finds_what_was_added)
{
	size_t before, after;

	lf_registry(&before);
	ck_assert_int_eq(lf_registry_add(entries, 2), 0);
	ck_assert_ptr_eq(lf_registry(&after)[before].backend, &tuned);
	ck_assert_uint_eq(after, before + 2);
	ck_assert_ptr_eq(lf_registry_find("unit/bare")->backend, &bare);
	ck_assert_ptr_null(lf_registry_find("unit/"));
}
END_TEST

START_TEST(cell_starts_from_defaults)
{
	struct lf_cell cell;

	lf_cell_init(&cell, &entries[0], &swept, NULL);
	ck_assert_int_eq(cell.param[0], 4);
	ck_assert_int_eq(cell.param[1], 10);
	ck_assert_int_eq(cell.polls, LF_MUTEX_POLLS);
	ck_assert_uint_eq(cell.point.sweep, 5);
	ck_assert_uint_eq(cell.claim.overtakes, 4);
	ck_assert(!cell.required);
	lf_cell_init(&cell, &entries[1], &plain, NULL);
	ck_assert(cell.required);
}
END_TEST

START_TEST(cell_is_named_with_its_sweep)
{
	struct lf_cell cell = { .scenario = &swept, .point.sweep = 3 };
	char id[32];

	ck_assert_str_eq(lf_cell_scenario_id(&cell, id, sizeof id), "swept/3");
	cell.scenario = &plain;
	ck_assert_str_eq(lf_cell_scenario_id(&cell, id, sizeof id), "plain");
}
END_TEST

static const char *const colours[] = { "red", "blue", NULL };
static const char *const sizes[] = { "s", "m", "l", NULL };
static const struct lf_axis axes[] = { { "colour", colours }, { "size", sizes }, { NULL, NULL } };
static const struct lf_scenario spread = {
	.name = "spread", .axes = axes, .sweep = LF_SWEEP(0, 3),
};

START_TEST(points_cover_every_combination_once)
{
	struct lf_cell cell = { .scenario = &spread, .point = lf_point_first(&spread) };
	static const char *const expected[] = {
		"spread/red/s/0", "spread/red/s/3", "spread/red/m/0", "spread/red/m/3",
		"spread/red/l/0", "spread/red/l/3", "spread/blue/s/0", "spread/blue/s/3",
		"spread/blue/m/0", "spread/blue/m/3", "spread/blue/l/0", "spread/blue/l/3",
	};
	char id[32];
	size_t n = 0;

	do {
		ck_assert_uint_lt(n, sizeof expected / sizeof expected[0]);
		lf_cell_scenario_id(&cell, id, sizeof id);
		ck_assert_str_eq(id, expected[n++]);
	} while (lf_point_next(&spread, &cell.point));
	ck_assert_uint_eq(n, sizeof expected / sizeof expected[0]);
	ck_assert_str_eq(lf_cell_axes_id(&cell, id, sizeof id), "spread/red/s");
}
END_TEST

START_TEST(points_are_read_back)
{
	static const char *const wrong[] = {
		"", "/red", "/red/m", "/red/m/", "/red/m/x", "/red/m/17", "/red/m/3/1",
		"/green/m/3", "/r/m/3", "/m/red/3",
	};
	struct lf_point p;
	char form[32];

	ck_assert(lf_point_parse(&spread, "/blue/l/3", &p));
	ck_assert_uint_eq(p.axis[0], 1);
	ck_assert_uint_eq(p.axis[1], 2);
	ck_assert_uint_eq(p.sweep, 3);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		ck_assert_msg(!lf_point_parse(&spread, wrong[i], &p), "\"%s\"", wrong[i]);
	ck_assert(lf_point_parse(&plain, "", &p));
	ck_assert(!lf_point_parse(&plain, "/3", &p));
	ck_assert_str_eq(lf_point_form(&spread, form, sizeof form), "spread/COLOUR/SIZE/N");
}
END_TEST

START_TEST(cell_takes_parameters)
{
	struct lf_cell cell;
	struct lf_error error;

	lf_cell_init(&cell, &entries[0], &plain, NULL);
	ck_assert_int_eq(lf_cell_set_param(&cell, "patience", 7, &error), 0);
	ck_assert_uint_eq(cell.claim.overtakes, 7);
	ck_assert_int_eq(lf_cell_set_param(&cell, "polls", 3, &error), 0);
	ck_assert_int_eq(cell.polls, 3);
	ck_assert_int_eq(lf_cell_set_param(&cell, "patience", 101, &error), -ERANGE);
	ck_assert_ptr_nonnull(strstr(error.text, "1 to 100 grants"));
	ck_assert_int_eq(lf_cell_set_param(&cell, "slice", 1, &error), -ENOENT);
	ck_assert_int_eq(cell.param[0], 7);
	lf_cell_init(&cell, &entries[1], &plain, NULL);
	ck_assert_int_eq(lf_cell_set_param(&cell, "polls", 3, &error), -ENOENT);
}
END_TEST

static const struct {
	struct lf_claim claim;
	const char *text;
} claims[] = {
	{ { 0 }, "none (barging)" },
	{ { .set = LF_CLAIM_SLEEPS }, "none (barging), sleeps" },
	{ { .set = LF_CLAIM_FIFO | LF_CLAIM_SLEEPS }, "fifo, sleeps" },
	{ { .set = LF_CLAIM_BYPASS, .overtakes = 2 }, "bypass (at most 2 overtakes)" },
	{ { .set = LF_CLAIM_EVENTUAL, .handoff_ns = 1500000 },
	  "eventual (hand-off after 1500 us)" },
	{ { .set = LF_CLAIM_EVENTUAL, .overtakes = 4, .handoff_ns = 1000000000 },
	  "eventual (hand-off after 4 overtakes or 1 s)" },
	{ { .set = LF_CLAIM_QUANTUM | LF_CLAIM_IO_FIRST, .quantum_ns = 5000000 },
	  "quantum (5 ms), io-first" },
};

START_TEST(claims_have_words)
{
	char text[160];

	ck_assert_str_eq(lf_claim_text(&claims[_i].claim, text, sizeof text),
			 claims[_i].text);
	/* Cut, and still ended. */
	lf_claim_text(&claims[_i].claim, text, 5);
	ck_assert_uint_eq(strlen(text), 4);
}
END_TEST

START_TEST(patterns_stop_at_a_slash)
{
	ck_assert(lf_glob("*", "ticket"));
	ck_assert(!lf_glob("*", "faulty/lifo"));
	ck_assert(lf_glob("faulty/*", "faulty/lifo"));
	ck_assert(lf_glob("gil-?fs", "gil-bfs"));
}
END_TEST

START_TEST(close_names_are_suggested)
{
	static const char *const name[] = { "ticket", "mcs", "gil-bfs", "faulty/lifo" };
	char text[128];

	ck_assert_str_eq(lf_did_you_mean("tiket", name, 4, text, sizeof text),
			 " (did you mean ticket?)");
	ck_assert_str_eq(lf_did_you_mean("lifo", name, 4, text, sizeof text),
			 " (did you mean faulty/lifo?)");
	ck_assert_str_eq(lf_did_you_mean("mutex", name, 4, text, sizeof text), "");
	/* No room: cut, and still ended. */
	lf_did_you_mean("tiket", name, 4, text, 8);
	ck_assert_uint_lt(strlen(text), 8);
}
END_TEST

Suite *lf_test_registry(void)
{
	Suite *suite = suite_create("registry");
	TCase *tcase = tcase_create("registry");

	tcase_add_test(tcase, finds_what_was_added);
	tcase_add_test(tcase, cell_starts_from_defaults);
	tcase_add_test(tcase, cell_is_named_with_its_sweep);
	tcase_add_test(tcase, points_cover_every_combination_once);
	tcase_add_test(tcase, points_are_read_back);
	tcase_add_test(tcase, cell_takes_parameters);
	tcase_add_loop_test(tcase, claims_have_words, 0,
			    (int)(sizeof claims / sizeof claims[0]));
	tcase_add_test(tcase, patterns_stop_at_a_slash);
	tcase_add_test(tcase, close_names_are_suggested);
	suite_add_tcase(suite, tcase);
	return suite;
}
