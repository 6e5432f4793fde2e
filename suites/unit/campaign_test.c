/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Campaigns: the order of results, controls, interruptions, parts. */
#include "suites/unit/deeds.h"
#include "suites/unit/suites.h"

#include "core/registry.h"
#include "run/campaign.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct diary {
	size_t n;
	struct {
		const char *backend;
		enum lf_verdict verdict;
		char control[8], note[128], error[256];
	} entry[16];
	volatile sig_atomic_t *interrupt; /* set after the first result */
	int answer;
};

static int write_down(void *context, const struct lf_cell_outcome *outcome)
{
	struct diary *d = context;
	size_t i = d->n++;

	d->entry[i].backend = outcome->cell->backend->name;
	d->entry[i].verdict = outcome->result->judgement.verdict;
	snprintf(d->entry[i].control, 8, "%s", outcome->control);
	snprintf(d->entry[i].note, 128, "%.127s",
		 outcome->control_note ? outcome->control_note : "");
	snprintf(d->entry[i].error, 256, "%.255s", outcome->result->error);
	if (d->interrupt)
		*d->interrupt = SIGINT;
	return d->answer;
}

static void register_all(void)
{
	if (!lf_registry_find("unit/fair"))
		ck_assert_int_eq(lf_registry_add(lf_deed_entries, 3), 0);
}

static int run_campaign(struct diary *d, const struct lf_cell cell[], size_t n,
			size_t *ret_missing)
{
	struct lf_error error;
	struct lf_campaign campaign = {
		.cell = cell, .n = n, .ended = write_down, .context = d,
		.interrupted = d->interrupt,
	};

	register_all();
	return lf_campaign_run(&campaign, ret_missing, &error);
}

static struct lf_cell controlled_cell(int64_t deed)
{
	return lf_deed_cell(&lf_deed_controlled, SUBJECT, &lf_deed_alone, deed);
}

static void expect_entry(const struct diary *d, size_t i, const char *backend,
			 const char *control, enum lf_verdict verdict)
{
	ck_assert_uint_gt(d->n, i);
	ck_assert_str_eq(d->entry[i].backend, backend);
	ck_assert_str_eq(d->entry[i].control, control);
	ck_assert_str_eq(lf_verdict_name(d->entry[i].verdict), lf_verdict_name(verdict));
}

START_TEST(results_come_in_order)
{
	const struct lf_cell cell[] = {
		lf_deed_cell(&lf_deed_scenario, SUBJECT, &lf_deed_together, DO_SLOW),
		lf_deed_cell(&lf_deed_scenario, FAIR, &lf_deed_together, DO_PASS),
		lf_deed_cell(&lf_deed_scenario, UNFAIR, &lf_deed_together, DO_SEGV),
		lf_deed_cell(&lf_deed_scenario, FAIR, &lf_deed_alone, DO_SLOW),
		lf_deed_cell(&lf_deed_scenario, SUBJECT, &lf_deed_alone, DO_PASS),
	};
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 5, &missing), 0);
	ck_assert_uint_eq(missing, 0);
	ck_assert_uint_eq(d.n, 5);
	expect_entry(&d, 0, "unit/subject", "", LF_VERDICT_PASS);
	expect_entry(&d, 1, "unit/fair", "", LF_VERDICT_PASS);
	expect_entry(&d, 2, "unit/unfair", "", LF_VERDICT_FAIL);
	expect_entry(&d, 3, "unit/fair", "", LF_VERDICT_PASS);
	expect_entry(&d, 4, "unit/subject", "", LF_VERDICT_PASS);
}
END_TEST

START_TEST(controls_come_first)
{
	struct lf_cell cell = controlled_cell(DO_PASS);
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, &cell, 1, &missing), 0);
	ck_assert_uint_eq(d.n, 3);
	expect_entry(&d, 0, "unit/fair", "fair", LF_VERDICT_PASS);
	expect_entry(&d, 1, "unit/unfair", "unfair", LF_VERDICT_FAIL);
	expect_entry(&d, 2, "unit/subject", "", LF_VERDICT_PASS);
	ck_assert_str_eq(d.entry[2].note, "");
}
END_TEST

START_TEST(a_control_that_is_asked_for_runs_once)
{
	const struct lf_cell cell[] = {
		controlled_cell(DO_PASS),
		lf_deed_cell(&lf_deed_controlled, FAIR, &lf_deed_alone, DO_PASS),
		lf_deed_cell(&lf_deed_controlled, UNFAIR, &lf_deed_alone, DO_FAIL),
	};
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 3, &missing), 0);
	ck_assert_uint_eq(d.n, 3);
	expect_entry(&d, 0, "unit/fair", "", LF_VERDICT_PASS);
	expect_entry(&d, 1, "unit/unfair", "", LF_VERDICT_FAIL);
	expect_entry(&d, 2, "unit/subject", "", LF_VERDICT_PASS);
}
END_TEST

/* Two backends whose deeds, as controls, are the wrong ones. */
BEHAVES(fails, "fails", DO_FAIL);
BEHAVES(passes, "passes", DO_PASS);
BEHAVES(crashes, "crashes", DO_SEGV);
static const struct lf_entry wrong[] = {
	{ .backend = &fails }, { .backend = &passes }, { .backend = &crashes },
};

static struct lf_scenario with_controls(const char *fair_name, const char *unfair_name)
{
	struct lf_scenario s = lf_deed_controlled;

	register_all();
	ck_assert_int_eq(lf_registry_add(wrong, 3), 0);
	s.fair_control = fair_name;
	s.unfair_control = unfair_name;
	return s;
}

START_TEST(a_fair_control_that_fails_voids)
{
	struct lf_scenario s = with_controls("unit/fails", "unit/unfair");
	struct lf_cell cell = lf_deed_cell(&s, SUBJECT, &lf_deed_alone, DO_PASS);
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, &cell, 1, &missing), 0);
	expect_entry(&d, 0, "unit/fails", "fair", LF_VERDICT_FAIL);
	expect_entry(&d, 2, "unit/subject", "", LF_VERDICT_ERROR);
	ck_assert_ptr_nonnull(strstr(d.entry[2].error, "unit/fails failed controlled"));
	ck_assert_ptr_nonnull(strstr(d.entry[2].note, "void"));
}
END_TEST

START_TEST(a_failing_fair_control_that_is_asked_for_voids_too)
{
	struct lf_scenario s = with_controls("unit/fails", "unit/unfair");
	struct lf_cell cell = lf_deed_cell(&s, &wrong[0], &lf_deed_alone, DO_FAIL);
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, &cell, 1, &missing), 0);
	expect_entry(&d, 0, "unit/fails", "fair", LF_VERDICT_FAIL);
}
END_TEST

static const char *const not_convicted[] = { "unit/passes", "unit/crashes" };

START_TEST(an_unconvicted_control_takes_the_pass)
{
	struct lf_scenario s = with_controls("unit/fair", not_convicted[_i]);
	const struct lf_cell cell[] = {
		lf_deed_cell(&s, SUBJECT, &lf_deed_alone, DO_PASS),
		lf_deed_cell(&s, SUBJECT, &lf_deed_alone, DO_FAIL),
	};
	struct diary d = { 0 };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 2, &missing), 0);
	expect_entry(&d, 2, "unit/subject", "", LF_VERDICT_INCONCLUSIVE);
	ck_assert_ptr_nonnull(strstr(d.entry[2].note, not_convicted[_i]));
	expect_entry(&d, 3, "unit/subject", "", LF_VERDICT_FAIL);
}
END_TEST

START_TEST(what_cannot_run_is_skipped_with_the_reason)
{
	struct lf_cell cell = controlled_cell(DO_PASS);
	struct diary d = { 0 };
	size_t missing;

	cell.seed = 99;
	ck_assert_int_eq(run_campaign(&d, &cell, 1, &missing), 0);
	ck_assert_uint_eq(d.n, 1);
	expect_entry(&d, 0, "unit/subject", "", LF_VERDICT_SKIP);
}
END_TEST

START_TEST(an_interruption_keeps_what_was_there)
{
	const struct lf_cell cell[] = {
		lf_deed_cell(&lf_deed_scenario, FAIR, &lf_deed_alone, DO_PASS),
		lf_deed_cell(&lf_deed_scenario, UNFAIR, &lf_deed_alone, DO_HANG),
		lf_deed_cell(&lf_deed_scenario, SUBJECT, &lf_deed_alone, DO_PASS),
	};
	volatile sig_atomic_t interrupt = 0;
	struct diary d = { .interrupt = &interrupt };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 3, &missing), -EINTR);
	ck_assert_uint_eq(d.n, 1);
	ck_assert_uint_eq(missing, 2);
	ck_assert_uint_eq(lf_deed_left_behind(), 0);
}
END_TEST

START_TEST(a_receiver_that_fails_ends_it)
{
	const struct lf_cell cell[] = {
		lf_deed_cell(&lf_deed_scenario, FAIR, &lf_deed_alone, DO_PASS),
		lf_deed_cell(&lf_deed_scenario, SUBJECT, &lf_deed_alone, DO_PASS),
	};
	struct diary d = { .answer = -ENOSPC };
	size_t missing;

	ck_assert_int_eq(run_campaign(&d, cell, 2, &missing), -ENOSPC);
	/* What it was given is not safe with it. */
	ck_assert_uint_eq(missing, 2);
}
END_TEST

/* --- Parts of campaigns ------------------------------------------------------ */

struct parts {
	unsigned times[16]; /* results for each place */
	size_t of;
	size_t planned, known, missed;
	const char *from_before; /* a backend whose results are known … */
	enum lf_verdict verdict; /* … to be this */
	enum lf_verdict last;
};

static int count_place(void *context, const struct lf_cell_outcome *outcome)
{
	struct parts *p = context;

	p->of = outcome->of;
	p->times[outcome->at]++;
	p->last = outcome->result->judgement.verdict;
	return 0;
}

static bool from_before(void *context, const struct lf_cell *cell, struct lf_result *r)
{
	const struct parts *p = context;

	r->judgement.verdict = p->verdict;
	return strcmp(cell->backend->name, p->from_before) == 0;
}

static int count_planned(void *context, const struct lf_cell *const cell[], size_t n,
			 size_t known)
{
	struct parts *p = context;

	p->planned = n;
	p->known = known;
	ck_assert(n == 0 || cell[0]);
	return 0;
}

static void run_part(struct parts *p, const struct lf_cell cell[], size_t n,
		     unsigned shard, unsigned shards)
{
	struct lf_campaign campaign = {
		.cell = cell, .n = n, .shard = shard, .shards = shards,
		.planned = count_planned, .ended = count_place, .context = p,
		.known = p->from_before ? from_before : NULL,
	};
	struct lf_error error;
	size_t missing;

	register_all();
	ck_assert_int_eq(lf_campaign_run(&campaign, &missing, &error), 0);
	ck_assert_uint_eq(missing, 0);
}

START_TEST(shards_are_the_whole_with_the_controls_in_each)
{
	struct lf_scenario other = lf_deed_controlled;
	struct lf_cell cell[6];

	other.name = "other";
	for (int i = 0; i < 6; i++)
		cell[i] = lf_deed_cell(i < 3 ? &lf_deed_controlled : &other, SUBJECT,
				       &lf_deed_alone, i % 3 ? DO_FAIL : DO_PASS);
	cell[2].seed = cell[5].seed = 2;
	cell[1].polls = cell[4].polls = 7;
	/* fair, unfair and three cells of each scenario; in the middle one, both. */
	static const unsigned in_shard[3][10] = {
		{ 1, 1, 1, 1, 0, 0, 0, 0, 0, 0 },
		{ 1, 1, 0, 0, 1, 1, 1, 1, 0, 0 },
		{ 0, 0, 0, 0, 0, 1, 1, 0, 1, 1 },
	};
	for (unsigned shard = 1; shard <= 3; shard++) {
		struct parts p = { .of = 0 };
		run_part(&p, cell, 6, shard, 3);
		ck_assert_uint_eq(p.of, 10);
		for (int i = 0; i < 10; i++)
			ck_assert_msg(p.times[i] == in_shard[shard - 1][i],
				      "shard %u, place %d: %u", shard, i, p.times[i]);
	}
}
END_TEST

START_TEST(more_shards_than_cells)
{
	struct lf_cell cell = controlled_cell(DO_PASS);
	unsigned results = 0;

	for (unsigned shard = 1; shard <= 3; shard++) {
		struct parts p = { .of = 0 };
		run_part(&p, &cell, 1, shard, 3);
		results += p.times[0] + p.times[1] + p.times[2];
	}
	ck_assert_uint_eq(results, 3);
}
END_TEST

START_TEST(what_is_known_is_not_run_again)
{
	struct lf_cell cell = controlled_cell(DO_HANG);
	struct parts p = { .from_before = "unit/subject" };

	run_part(&p, &cell, 1, 0, 0);
	ck_assert_uint_eq(p.planned, 2);
	ck_assert_uint_eq(p.known, 1);
	ck_assert_uint_eq(p.times[0] + p.times[1], 2);
	ck_assert_uint_eq(p.times[2], 0);
}
END_TEST

START_TEST(a_known_control_counts)
{
	struct lf_cell cell = controlled_cell(DO_PASS);
	struct parts p = { .from_before = "unit/unfair", .verdict = LF_VERDICT_PASS };

	run_part(&p, &cell, 1, 0, 0);
	ck_assert_uint_eq(p.times[1], 0);
	ck_assert_int_eq(p.last, LF_VERDICT_INCONCLUSIVE);
}
END_TEST

Suite *lf_test_campaign(void)
{
	Suite *suite = suite_create("campaign");
	TCase *whole = tcase_create("whole");

	tcase_add_test(whole, results_come_in_order);
	tcase_add_test(whole, controls_come_first);
	tcase_add_test(whole, a_control_that_is_asked_for_runs_once);
	tcase_add_test(whole, a_fair_control_that_fails_voids);
	tcase_add_test(whole, a_failing_fair_control_that_is_asked_for_voids_too);
	tcase_add_loop_test(whole, an_unconvicted_control_takes_the_pass, 0, 2);
	tcase_add_test(whole, what_cannot_run_is_skipped_with_the_reason);
	tcase_add_test(whole, an_interruption_keeps_what_was_there);
	tcase_add_test(whole, a_receiver_that_fails_ends_it);
	tcase_add_test(whole, shards_are_the_whole_with_the_controls_in_each);
	tcase_add_test(whole, more_shards_than_cells);
	tcase_add_test(whole, what_is_known_is_not_run_again);
	tcase_add_test(whole, a_known_control_counts);
	suite_add_tcase(suite, whole);
	return suite;
}
