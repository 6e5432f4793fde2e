/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/evidence.h"

#include "judge/judge.h"
#include "report/json.h"
#include "report/record.h"
#include "run/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs of equal entries that an excerpt shows. */
#define GRANT_RUNS_BEFORE 40
#define GRANT_RUNS_AFTER 12
#define ROUNDS_SHOWN 400

unsigned lf_observed_threads(const struct lf_observation *o)
{
	return o->threads < LF_MAX_THREADS ? o->threads : LF_MAX_THREADS;
}

const char *lf_thread_name(const struct lf_observation *o, unsigned thread,
			   char buffer[static LF_THREAD_NAME_MAX])
{
	const char *role = thread < LF_MAX_THREADS ? o->thread[thread].role : "?";
	unsigned same = 0;
	for (unsigned i = 0; i < lf_observed_threads(o); i++)
		same += strncmp(o->thread[i].role, role, sizeof o->thread[i].role) == 0;
	if (same > 1)
		snprintf(buffer, LF_THREAD_NAME_MAX, "%.15s.%u", role,
			 o->thread[thread].role_index % 1000);
	else
		snprintf(buffer, LF_THREAD_NAME_MAX, "%.15s", role);
	return buffer;
}

static json_t *thread_name(const struct lf_observation *o, unsigned thread)
{
	char name[LF_THREAD_NAME_MAX];
	return lf_json_text(lf_thread_name(o, thread, name), sizeof name);
}

/* --- Excerpts of a log --- */

static uint64_t log_length(const struct lf_log *log)
{
	return atomic_load_explicit(&log->length, memory_order_relaxed);
}

/* Entries [*from, return value) of the log, [[name, how many in a row], …]. */
static uint64_t runs_from(const struct lf_observation *o, const struct lf_log *log,
			  uint64_t from, unsigned runs, json_t **ret_order)
{
	json_t *order = json_array();
	uint64_t i = from;
	while (runs-- > 0 && lf_log_at(log, i) >= 0) {
		int who = lf_log_at(log, i);
		uint64_t start = i;
		while (lf_log_at(log, i) == who)
			i++;
		json_t *run = json_array();
		lf_json_add(&run, thread_name(o, (unsigned)who));
		lf_json_add(&run, lf_json_count(i - start));
		lf_json_add(&order, run);
	}
	*ret_order = order;
	return i;
}

/* Where the `runs` runs begin that end before entry `end`. */
static uint64_t runs_back(const struct lf_log *log, uint64_t end, unsigned runs)
{
	uint64_t i = end;
	while (runs-- > 0 && i > 0 && lf_log_at(log, i - 1) >= 0) {
		int who = lf_log_at(log, i - 1);
		while (i > 0 && lf_log_at(log, i - 1) == who)
			i--;
	}
	return i;
}

/* The grants around the decisive one; around the last one where none decided,
 * because what hangs is seen at the end. */
static json_t *grants_excerpt(const struct lf_observation *o)
{
	uint64_t length = log_length(&o->grants);
	bool decisive = o->decisive_grant > 0 && o->decisive_grant <= length;
	uint64_t middle = decisive ? o->decisive_grant : length;
	uint64_t from = runs_back(&o->grants, middle, GRANT_RUNS_BEFORE);
	json_t *order;
	runs_from(o, &o->grants, from, GRANT_RUNS_BEFORE + GRANT_RUNS_AFTER, &order);

	json_t *excerpt = json_object();
	lf_json_put(&excerpt, "total", lf_json_count(length));
	lf_json_put(&excerpt, "from", lf_json_count(from));
	if (decisive) {
		lf_json_put(&excerpt, "decisive", lf_json_count(middle));
		lf_json_put(&excerpt, "waiting", thread_name(o, o->decisive_thread));
	}
	lf_json_put(&excerpt, "order", order);
	return excerpt;
}

/*
 * In which order the threads ended their rounds, from the start on. Without the
 * first steps, which the log no longer has, a thread's own rounds are not known
 * and every `per_round`-th step that is left counts as one.
 */
static json_t *rounds_excerpt(const struct lf_observation *o, unsigned per_round)
{
	uint64_t length = log_length(&o->steps), steps[LF_MAX_THREADS] = { 0 };
	uint64_t total = 0;
	uint64_t from = length > LF_LOG_SIZE ? length - LF_LOG_SIZE : 0;
	json_t *order = json_array();

	for (unsigned i = 0; i < lf_observed_threads(o); i++)
		total += o->thread[i].steps / per_round;
	for (uint64_t i = from; json_array_size(order) < ROUNDS_SHOWN; i++) {
		int who = lf_log_at(&o->steps, i);
		if (who < 0)
			break;
		if (who < LF_MAX_THREADS && ++steps[who] % per_round == 0)
			lf_json_add(&order, thread_name(o, (unsigned)who));
	}
	json_t *excerpt = json_object();
	lf_json_put(&excerpt, "steps_per_round", lf_json_count(per_round));
	lf_json_put(&excerpt, "total", lf_json_count(total));
	lf_json_put(&excerpt, "whole", json_boolean(from == 0));
	lf_json_put(&excerpt, "order", order);
	return excerpt;
}

/* --- Who starved, by whom, how often --- */

/* The thread with the most of the `window` grants before entry `end`, `except`
 * aside; *ret_times of them. -1: nobody. */
static int most_granted(const struct lf_observation *o, uint64_t end, uint64_t window,
			unsigned except, uint64_t *ret_times)
{
	uint64_t times[LF_MAX_THREADS] = { 0 };
	for (uint64_t i = end; i > 0 && end - i < window; i--) {
		int who = lf_log_at(&o->grants, i - 1);
		if (who < 0)
			break;
		if (who < LF_MAX_THREADS)
			times[who]++;
	}
	int best = -1;
	for (int i = 0; i < LF_MAX_THREADS; i++)
		if ((unsigned)i != except && times[i] > 0 &&
		    (best < 0 || times[i] > times[best]))
			best = i;
	*ret_times = best < 0 ? 0 : times[best];
	return best;
}

static json_t *starved(const struct lf_observation *o, unsigned thread, const char *what,
		       uint64_t times)
{
	json_t *entry = json_object();
	lf_json_put(&entry, "thread", thread_name(o, thread));
	lf_json_put(&entry, "what", json_string(what));
	lf_json_put(&entry, "times", lf_json_count(times));
	return entry;
}

static void starved_by(json_t **entry, const struct lf_observation *o, int by,
		       uint64_t times)
{
	if (by < 0)
		return;
	lf_json_put(entry, "by", thread_name(o, (unsigned)by));
	lf_json_put(entry, "by_times", lf_json_count(times));
}

/* The decisive waiter: overtaken most often. */
static void add_overtaken(json_t **list, const struct lf_observation *o)
{
	uint64_t times = 0;
	if (o->overtakes_max == 0 || o->decisive_thread >= lf_observed_threads(o))
		return;
	int by = most_granted(o, o->decisive_grant, o->overtakes_max, o->decisive_thread,
			      &times);
	json_t *entry = starved(o, o->decisive_thread, "overtaken", o->overtakes_max);
	starved_by(&entry, o, by, times);
	lf_json_add(list, entry);
}

/* Threads that asked and were not given the lock again. */
static void add_waiting(json_t **list, const struct lf_observation *o)
{
	for (unsigned i = 0; i < lf_observed_threads(o); i++) {
		const struct lf_thread_observation *t = &o->thread[i];
		bool open = t->censored && t->inside_acquire;
		if (!open && !(t->requests > 0 && t->grants == 0))
			continue;
		uint64_t times = 0;
		int by = most_granted(o, log_length(&o->grants), LF_LOG_SIZE, i, &times);
		json_t *entry = starved(o, i, "waiting", t->grants);
		starved_by(&entry, o, by, times);
		if (t->open_wait_ns)
			lf_json_put(&entry, "wait_ns", lf_json_count(t->open_wait_ns));
		lf_json_add(list, entry);
	}
}

/* The thread that did the fewest rounds. */
static void add_behind(json_t **list, const struct lf_observation *o, unsigned per_round)
{
	unsigned least = 0, most = 0;
	for (unsigned i = 1; i < lf_observed_threads(o); i++) {
		if (o->thread[i].steps < o->thread[least].steps)
			least = i;
		if (o->thread[i].steps > o->thread[most].steps)
			most = i;
	}
	if (o->thread[least].steps / per_round >= o->thread[most].steps / per_round)
		return;
	json_t *entry = starved(o, least, "behind", o->thread[least].steps / per_round);
	starved_by(&entry, o, (int)most, o->thread[most].steps / per_round);
	lf_json_add(list, entry);
}

static json_t *starved_list(const struct lf_observation *o, unsigned per_round)
{
	json_t *list = json_array();
	add_overtaken(&list, o);
	add_waiting(&list, o);
	if (per_round > 0)
		add_behind(&list, o, per_round);
	return list;
}

/* --- What threads were doing that did not come back --- */

static bool is_left(const struct lf_thread_observation *t)
{
	return t->censored && t->state[0];
}

static json_t *states_of(const struct lf_observation *o)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < lf_observed_threads(o); i++) {
		const struct lf_thread_observation *t = &o->thread[i];
		if (!is_left(t))
			continue;
		json_t *entry = json_object();
		lf_json_put(&entry, "thread", thread_name(o, i));
		lf_json_put(&entry, "state", lf_json_text(t->state, sizeof t->state));
		lf_json_put(&entry, "inside_acquire", json_boolean(t->inside_acquire));
		lf_json_add(&list, entry);
	}
	return list;
}

/* --- The table of machine models --- */

static json_t *hexadecimal(uint64_t hash)
{
	return json_sprintf("%016" PRIx64, hash);
}

/* One execution: [seed, verdict, metric, value, bound, hash of the trace]. */
static json_t *model_run(const struct lf_variant_result *v)
{
	json_t *run = json_array();
	bool known = (unsigned)v->metric < LF_METRIC_COUNT;
	lf_json_add(&run, json_sprintf("%" PRIu64, v->variant.seed));
	lf_json_add(&run, json_string(lf_verdict_name(v->verdict)));
	lf_json_add(&run, json_string(known ? lf_metric_name(v->metric) : ""));
	lf_json_add(&run, lf_json_number(v->value));
	lf_json_add(&run, lf_json_number(v->bound));
	lf_json_add(&run, hexadecimal(v->variant.trace_hash));
	return run;
}

static bool same_model(const struct lf_variant *a, const struct lf_variant *b)
{
	return a->version == b->version &&
	       strncmp(a->machine, b->machine, sizeof a->machine) == 0;
}

/* All executions on the machine model of variant `first`. */
static json_t *model(const struct lf_variant_result *variant, unsigned first, unsigned n)
{
	uint64_t verdicts[LF_VERDICT_COUNT] = { 0 }, near = 0, cut_off = 0;
	json_t *runs = json_array();
	for (unsigned i = first; i < n; i++) {
		if (!same_model(&variant[i].variant, &variant[first].variant))
			continue;
		if ((unsigned)variant[i].verdict < LF_VERDICT_COUNT)
			verdicts[variant[i].verdict]++;
		near += variant[i].near;
		cut_off += variant[i].cut_off;
		lf_json_add(&runs, model_run(&variant[i]));
	}
	json_t *m = json_object();
	lf_json_put(&m, "machine",
		    lf_json_text(variant[first].variant.machine,
				 sizeof variant[first].variant.machine));
	lf_json_put(&m, "version", lf_json_count(variant[first].variant.version));
	json_t *counts = json_object();
	for (int v = 0; v < LF_VERDICT_COUNT; v++)
		if (verdicts[v])
			lf_json_put(&counts, lf_verdict_name((enum lf_verdict)v),
				    lf_json_count(verdicts[v]));
	lf_json_put(&m, "verdicts", counts);
	if (near)
		lf_json_put(&m, "near", lf_json_count(near));
	if (cut_off)
		lf_json_put(&m, "cut_off", lf_json_count(cut_off));
	lf_json_put(&m, "runs", runs);
	return m;
}

static json_t *models(const struct lf_result *result, unsigned n)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < n; i++) {
		unsigned first = 0;
		while (!same_model(&result->variant[first].variant,
				   &result->variant[i].variant))
			first++;
		if (first == i)
			lf_json_add(&list, model(result->variant, i, n));
	}
	return list;
}

/* --- All of it --- */

/* Makes it fit: what can be had again by the rerun command goes first. */
static void fit(json_t **evidence)
{
	static const char *const dispensable[] = {
		"timeline", "rounds", "grants", "models",
	};
	json_t *cut = json_array();
	for (unsigned i = 0; i < sizeof dispensable / sizeof dispensable[0]; i++) {
		if (!*evidence ||
		    json_dumpb(*evidence, NULL, 0, JSON_COMPACT) <= LF_EVIDENCE_MAX - 64)
			break;
		if (json_object_del(*evidence, dispensable[i]) == 0)
			lf_json_add(&cut, json_string(dispensable[i]));
	}
	if (json_array_size(cut))
		lf_json_put(evidence, "cut", cut);
	else
		json_decref(cut);
}

static void put_text(json_t **evidence, const char *key, const char *text, size_t size)
{
	if (text[0])
		lf_json_put(evidence, key, lf_json_text(text, size));
}

/* The steps that make a round; 0 where steps are no rounds. */
static unsigned steps_per_round(const struct lf_cell *cell, const struct lf_judgement *j)
{
	for (unsigned i = 0; i < j->n && i < LF_MAX_ASSERTIONS; i++)
		if (j->assertion[i].metric == LF_METRIC_LEAD &&
		    cell->scenario->steps_per_round == 0)
			return 1;
	return cell->scenario->steps_per_round;
}

json_t *lf_evidence_make(const struct lf_cell *cell, const struct lf_result *result)
{
	const struct lf_observation *o = &result->observation;
	unsigned variants =
		result->variants < LF_MAX_VARIANTS ? result->variants : LF_MAX_VARIANTS;
	unsigned per_round = steps_per_round(cell, &result->judgement);
	char line[LF_REPLAY_LINE];
	json_t *evidence = json_object();

	put_text(&evidence, "precondition", o->precondition, sizeof o->precondition);
	put_text(&evidence, "ending", result->ending, sizeof result->ending);
	lf_json_put(&evidence, "starved", starved_list(o, per_round));
	json_t *states = states_of(o);
	if (json_array_size(states))
		lf_json_put(&evidence, "states", states);
	else
		json_decref(states);
	if (log_length(&o->grants))
		lf_json_put(&evidence, "grants", grants_excerpt(o));
	json_t *timeline = lf_evidence_timeline(o);
	if (timeline)
		lf_json_put(&evidence, "timeline", timeline);
	if (per_round > 0 && log_length(&o->steps))
		lf_json_put(&evidence, "rounds", rounds_excerpt(o, per_round));
	if (variants > 1 || (variants == 1 && result->variant[0].variant.trace_hash))
		lf_json_put(&evidence, "models", models(result, variants));
	put_text(&evidence, "replay", lf_replay_line(cell, result, line, sizeof line),
		 sizeof line);
	fit(&evidence);
	return evidence;
}
