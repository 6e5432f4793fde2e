/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records: what stands in one. */
#include "report/json.h"
#include "report/record.h"
#include "suites/unit/suites.h"

#include <stdlib.h>
#include <string.h>

/* --- A cell and its result, by hand --- */

static const struct lf_param toy_params[] = {
	{ .name = "spin", .value = 100, .min = 0, .max = 1000, .unit = "spins" },
	{ .name = NULL },
};
static const struct lf_backend toy = {
	.abi = LF_ABI,
	.kind = LF_MUTEX,
	.name = "toy",
	.params = toy_params,
};
static const struct lf_scenario barging = { .name = "barging" };
static const struct lf_scenario taking_turns = {
	.name = "interleaving",
	.polls = true,
	.steps_per_round = 2,
};
static const struct lf_engine threads = { .name = "threads", .bit = LF_ON_THREADS };
static const struct lf_engine sim = { .name = "sim", .bit = LF_ON_SIM };

static struct lf_cell cell;
static struct lf_result *result;

static void setup(void)
{
	cell = (struct lf_cell){
		.backend = &toy,
		.scenario = &barging,
		.engine = &threads,
		.claim = { .set = LF_CLAIM_FIFO | LF_CLAIM_SLEEPS },
		.param = { 42 },
		.polls = 7,
		.seed = 11,
	};
	result = calloc(1, sizeof *result);
	ck_assert_ptr_nonnull(result);
	result->state = LF_RESULT_JUDGED;
	result->wall_ns = 1234;
	struct lf_observation *o = &result->observation;
	o->threads = 2;
	strcpy(o->thread[0].role, "holder");
	strcpy(o->thread[1].role, "waiter");
}

static void teardown(void)
{
	free(result);
}

static void assert_that(enum lf_metric metric, enum lf_origin origin, double value,
			double bound)
{
	struct lf_judgement *j = &result->judgement;
	j->assertion[j->n++] = (struct lf_assertion){
		.metric = metric,
		.origin = origin,
		.value = value,
		.bound = bound,
		.holds = value <= bound,
		.n = 50,
	};
}

/* Digits are thread indices. */
static void log_of(struct lf_log *log, const char *order)
{
	for (; *order; order++)
		log->entry[log->length++ % LF_LOG_SIZE] = (uint8_t)(*order - '0');
}

static json_t *record(void)
{
	json_t *r = lf_record_make(&cell, result, NULL, "", NULL, "lockfair run toy");
	ck_assert_ptr_nonnull(r);
	return r;
}

/* Compares a value with JSON text in which single quotes stand for double ones. */
static void expect_json(const json_t *value, const char *expected)
{
	char *actual = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	ck_assert_ptr_nonnull(actual);
	for (char *c = actual; *c; c++)
		if (*c == '"')
			*c = '\'';
	ck_assert_str_eq(actual, expected);
	free(actual);
}

static const json_t *evidence(const json_t *r, const char *key)
{
	return lf_json_get(lf_json_get(r, "evidence"), key);
}

/* --- Making one --- */

START_TEST(the_keys_come_in_their_order)
{
	static const char *const keys[] = {
		"schema", "scenario", "axes", "sweep", "backend", "object", "lock", "claim",
		"params", "engine", "machine", "seeds", "verdict", "expected", "reason",
		"control", "assertions", "metrics", "histograms", "evidence", "rerun", "volatile",
	};
	json_t *r = record(), *value;
	const char *key;
	size_t i = 0;
	json_object_foreach(r, key, value) {
		ck_assert_uint_lt(i, sizeof keys / sizeof keys[0]);
		ck_assert_str_eq(key, keys[i++]);
	}
	ck_assert_uint_eq(i, sizeof keys / sizeof keys[0]);
	json_decref(r);
}
END_TEST

START_TEST(it_says_what_was_run)
{
	cell.scenario = &taking_turns;
	json_t *r = record();
	expect_json(lf_json_get(r, "scenario"), "'interleaving'");
	expect_json(lf_json_get(r, "verdict"), "'pass'");
	expect_json(lf_json_get(r, "params"), "{'spin':42,'polls':7}");
	expect_json(lf_json_get(r, "machine"), "'here'");
	expect_json(lf_json_get(r, "seeds"), "['11']");
	expect_json(lf_json_get(lf_json_get(r, "claim"), "set"), "['fifo','sleeps']");
	expect_json(lf_json_get(r, "rerun"), "'lockfair run toy'");
	expect_json(lf_json_get(lf_json_get(r, "volatile"), "duration_ns"), "1234");
	json_decref(r);
}
END_TEST

START_TEST(the_expectation_and_the_control_are_kept)
{
	const struct lf_expectation e = {
		.expect = LF_EXPECT_VARIES,
		.reason = "a race",
		.until = "2030-01-31",
	};
	json_t *r = lf_record_make(&cell, result, &e, "fair", "as it should", "");
	expect_json(lf_json_get(r, "expected"),
		    "{'verdict':'varies','reason':'a race','until':'2030-01-31'}");
	expect_json(lf_json_get(r, "control"),
		    "{'as':'fair','note':'as it should','fair':'','unfair':''}");
	json_decref(r);
	r = record();
	expect_json(lf_json_get(r, "expected"),
		    "{'verdict':'nothing','reason':'','until':''}");
	json_decref(r);
}
END_TEST

START_TEST(assertions_keep_value_bound_unit_and_samples)
{
	assert_that(LF_METRIC_OVERTAKES, LF_ORIGIN_CLAIM, 312, 0);
	assert_that(LF_METRIC_JAIN, LF_ORIGIN_INFORMATION, 0.1, NAN);
	assert_that(LF_METRIC_LEAD, LF_ORIGIN_REQUIREMENT, INFINITY, 2);
	json_t *r = record(), *a = json_object_get(r, "assertions");
	expect_json(
		json_array_get(a, 0),
		"{'metric':'overtakes','role':'','origin':'claim','value':312,'bound':0,"
		"'at_least':false,'unit':'grants','n':50,'holds':false}");
	ck_assert(json_is_null(json_object_get(json_array_get(a, 1), "bound")));
	ck_assert(json_is_null(json_object_get(json_array_get(a, 2), "value")));
	char *text = lf_record_text(r);
	ck_assert_ptr_nonnull(strstr(text, "\"value\":0.1,"));
	free(text);
	json_decref(r);
}
END_TEST

START_TEST(a_cell_without_its_verdict_never_passes)
{
	result->state = LF_RESULT_RUNNING;
	result->judgement.verdict = LF_VERDICT_PASS;
	strcpy(result->ending, "exit(0) before the verdict");
	json_t *r = record();
	expect_json(lf_json_get(r, "verdict"), "'error'");
	expect_json(lf_json_get(r, "reason"), "'exit(0) before the verdict'");
	expect_json(evidence(r, "ending"), "'exit(0) before the verdict'");
	json_decref(r);
}
END_TEST

START_TEST(the_harness_s_own_failure_is_an_error)
{
	strcpy(result->error, "cannot create a thread");
	json_t *r = record();
	expect_json(lf_json_get(r, "verdict"), "'error'");
	expect_json(lf_json_get(r, "reason"), "'cannot create a thread'");
	json_decref(r);
}
END_TEST

START_TEST(histograms_are_per_role_and_sparse)
{
	strcpy(result->observation.thread[1].role, "holder");
	lf_histogram_add(&result->observation.thread[0].wait, 5);
	lf_histogram_add(&result->observation.thread[1].wait, 5);
	lf_histogram_add(&result->observation.thread[1].wait, 1000);
	json_t *r = record();
	expect_json(lf_json_get(r, "histograms"),
		    "{'holder':{'wait':{'unit':'ns','count':3,'sum':1010,'min':5,'p50':5,"
		    "'p90':1000,'p99':1000,'p99.9':1000,'max':1000,"
		    "'buckets':[[5,2],[1000,1]]}}}");
	json_decref(r);
}
END_TEST

START_TEST(a_value_beyond_the_last_bucket_keeps_its_size)
{
	lf_histogram_add(&result->observation.thread[0].wait, UINT64_C(1) << 50);
	json_t *r = record();
	const json_t *h =
		lf_json_get(lf_json_get(lf_json_get(r, "histograms"), "holder"), "wait");
	expect_json(lf_json_get(h, "buckets"), "[[1125899906842624,1]]");
	json_decref(r);
}
END_TEST

START_TEST(unknown_witnesses_are_null)
{
	result->observation.noise.steal_ns = LF_UNKNOWN;
	result->observation.noise.run_delay_ns = 7;
	json_t *r = record();
	const json_t *noise = lf_json_get(lf_json_get(r, "volatile"), "noise");
	ck_assert(json_is_null(lf_json_get(noise, "steal_ns")));
	ck_assert_uint_eq(lf_json_uint(noise, "run_delay_ns"), 7);
	json_decref(r);
}
END_TEST

/* --- Evidence --- */

START_TEST(evidence_names_who_starved_by_whom_how_often)
{
	struct lf_observation *o = &result->observation;
	log_of(&o->grants, "1010000010");
	o->overtakes_max = 4;
	o->decisive_grant = 8;
	o->decisive_thread = 1;
	json_t *r = record();
	expect_json(evidence(r, "starved"),
		    "[{'thread':'waiter','what':'overtaken','times':4,'by':'holder',"
		    "'by_times':4}]");
	expect_json(evidence(r, "grants"),
		    "{'total':10,'from':0,'decisive':8,'waiting':'waiter','order':"
		    "[['waiter',1],['holder',1],['waiter',1],['holder',5],['waiter',1],"
		    "['holder',1]]}");
	json_decref(r);
}
END_TEST

START_TEST(a_thread_that_never_came_back_is_named)
{
	struct lf_observation *o = &result->observation;
	log_of(&o->grants, "000");
	o->thread[1].requests = 1;
	o->thread[1].censored = o->thread[1].inside_acquire = true;
	o->thread[1].open_wait_ns = 5000;
	json_t *r = record();
	expect_json(evidence(r, "starved"),
		    "[{'thread':'waiter','what':'waiting','times':0,'by':'holder',"
		    "'by_times':3,'wait_ns':5000}]");
	json_decref(r);
}
END_TEST

START_TEST(the_order_of_rounds_counts_whole_rounds)
{
	struct lf_observation *o = &result->observation;
	cell.scenario = &taking_turns;
	log_of(&o->steps, "001101000");
	o->thread[0].steps = 6;
	o->thread[1].steps = 3;
	json_t *r = record();
	expect_json(evidence(r, "rounds"),
		    "{'steps_per_round':2,'total':4,'whole':true,"
		    "'order':['holder','waiter','holder','holder']}");
	expect_json(evidence(r, "starved"),
		    "[{'thread':'waiter','what':'behind','times':1,'by':'holder',"
		    "'by_times':3}]");
	json_decref(r);
}
END_TEST

START_TEST(steps_that_are_no_rounds_are_no_evidence)
{
	log_of(&result->observation.steps, "0000");
	result->observation.thread[0].steps = 4;
	json_t *r = record();
	ck_assert_ptr_null(evidence(r, "rounds"));
	expect_json(evidence(r, "starved"), "[]");
	json_decref(r);
}
END_TEST

static void add_variant(const char *machine, uint64_t seed, enum lf_verdict verdict)
{
	struct lf_variant_result *v = &result->variant[result->variants++];
	snprintf(v->variant.machine, sizeof v->variant.machine, "%s", machine);
	v->variant.version = 1;
	v->variant.seed = seed;
	v->variant.trace_hash = 255;
	v->verdict = verdict;
	v->metric = LF_METRIC_OVERTAKES;
	v->value = verdict == LF_VERDICT_FAIL ? 9 : 0;
}

START_TEST(the_models_are_a_table)
{
	cell.engine = &sim;
	add_variant("desktop", 1, LF_VERDICT_PASS);
	add_variant("server", 1, LF_VERDICT_FAIL);
	add_variant("server", 2, LF_VERDICT_PASS);
	json_t *r = record();
	expect_json(lf_json_get(r, "machine"), "'desktop, server'");
	expect_json(lf_json_get(r, "seeds"), "['1','2']");
	expect_json(
		evidence(r, "models"),
		"[{'machine':'desktop','version':1,'verdicts':{'pass':1},'runs':"
		"[['1','pass','overtakes',0,0,'00000000000000ff']]},"
		"{'machine':'server','version':1,'verdicts':{'pass':1,'fail':1},'runs':"
		"[['1','fail','overtakes',9,0,'00000000000000ff'],"
		"['2','pass','overtakes',0,0,'00000000000000ff']]}]");
	json_decref(r);
}
END_TEST

START_TEST(the_table_counts_what_is_near_or_cut_off)
{
	cell.engine = &sim;
	add_variant("desktop", 1, LF_VERDICT_PASS);
	add_variant("desktop", 2, LF_VERDICT_INCONCLUSIVE);
	result->variant[0].near = true;
	result->variant[1].cut_off = true;
	json_t *r = record();
	const json_t *m = json_array_get(evidence(r, "models"), 0);
	expect_json(lf_json_get(m, "near"), "1");
	expect_json(lf_json_get(m, "cut_off"), "1");
	json_decref(r);
}
END_TEST

START_TEST(states_of_threads_that_did_not_come_back)
{
	struct lf_thread_observation *t = result->observation.thread;
	strcpy(t[0].state, "phase");
	t[0].censored = true;
	strcpy(t[1].state, "futex");
	json_t *r = record();
	expect_json(evidence(r, "states"),
		    "[{'thread':'holder','state':'phase','inside_acquire':false}]");
	json_decref(r);
	t[0].censored = false;
	t[1].censored = t[1].inside_acquire = true;
	r = record();
	expect_json(evidence(r, "states"),
		    "[{'thread':'waiter','state':'futex','inside_acquire':true}]");
	json_decref(r);
	t[1].censored = false;
	r = record();
	ck_assert_ptr_null(evidence(r, "states"));
	json_decref(r);
}
END_TEST

START_TEST(only_the_volatile_part_differs_between_identical_runs)
{
	cell.engine = &sim;
	add_variant("desktop", 1, LF_VERDICT_PASS);
	json_t *a = record();
	result->wall_ns += 1000;
	result->observation.noise.steal_ns = 5;
	result->observation.thread[0].involuntary_switches = 3;
	json_t *b = record();
	ck_assert(!json_equal(a, b));
	json_object_del(a, "volatile");
	json_object_del(b, "volatile");
	ck_assert(json_equal(a, b));
	json_decref(a);
	json_decref(b);
}
END_TEST

START_TEST(evidence_is_bounded)
{
	cell.engine = &sim;
	cell.scenario = &taking_turns;
	for (unsigned i = 0; i < LF_MAX_VARIANTS; i++) {
		add_variant(i % 2 ? "a-machine-with-a-name-of-31-bytes" : "b",
			    UINT64_MAX - i, LF_VERDICT_INCONCLUSIVE);
		result->variant[i].metric = LF_METRIC_OVERTAKEN_ROUNDS;
		result->variant[i].value = -1.2345678901234567e-300;
		result->variant[i].bound = -1.2345678901234567e-300;
	}
	for (unsigned i = 0; i < 70000; i++)
		log_of(&result->observation.grants, i % 3 ? "0" : "1");
	json_t *r = record();
	char *text = json_dumps(json_object_get(r, "evidence"), JSON_COMPACT);
	ck_assert_uint_le(strlen(text), LF_EVIDENCE_MAX);
	expect_json(json_array_get(evidence(r, "cut"), 0), "'grants'");
	free(text);
	json_decref(r);
}
END_TEST

START_TEST(bytes_of_others_become_text)
{
	strcpy(result->stack, "\x01 caf\xc3\xa9\n");
	strcpy(result->ending, "\xff\xfe");
	json_t *r = record();
	expect_json(lf_json_get(lf_json_get(r, "volatile"), "stack"),
		    "'? caf\xc3\xa9\\n'");
	expect_json(evidence(r, "ending"), "'?"
					   "?'");
	json_decref(r);
}
END_TEST

static TCase *making(void)
{
	TCase *c = tcase_create("making");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, the_keys_come_in_their_order);
	tcase_add_test(c, it_says_what_was_run);
	tcase_add_test(c, the_expectation_and_the_control_are_kept);
	tcase_add_test(c, assertions_keep_value_bound_unit_and_samples);
	tcase_add_test(c, a_cell_without_its_verdict_never_passes);
	tcase_add_test(c, the_harness_s_own_failure_is_an_error);
	tcase_add_test(c, histograms_are_per_role_and_sparse);
	tcase_add_test(c, a_value_beyond_the_last_bucket_keeps_its_size);
	tcase_add_test(c, unknown_witnesses_are_null);
	return c;
}

static TCase *evidences(void)
{
	TCase *c = tcase_create("evidence");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, evidence_names_who_starved_by_whom_how_often);
	tcase_add_test(c, a_thread_that_never_came_back_is_named);
	tcase_add_test(c, the_order_of_rounds_counts_whole_rounds);
	tcase_add_test(c, steps_that_are_no_rounds_are_no_evidence);
	tcase_add_test(c, the_models_are_a_table);
	tcase_add_test(c, the_table_counts_what_is_near_or_cut_off);
	tcase_add_test(c, states_of_threads_that_did_not_come_back);
	tcase_add_test(c, only_the_volatile_part_differs_between_identical_runs);
	tcase_add_test(c, evidence_is_bounded);
	tcase_add_test(c, bytes_of_others_become_text);
	return c;
}

Suite *lf_test_record(void)
{
	Suite *suite = suite_create("record");
	suite_add_tcase(suite, making());
	suite_add_tcase(suite, evidences());
	return suite;
}
