/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data of the HTML report: all sentences are made here and not in its script, so
 * that a value reads the same in every report. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "report/page.h"

#include "report/json.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

/* --- Words of one record --- */

const char *lf_record_tone(const json_t *record)
{
	const struct lf_shown *shown = lf_record_shown(record);
	char cell[LF_CELL_MAX];

	switch (shown->exit) {
	case LF_EXIT_HARNESS:
		return "error";
	case LF_EXIT_INCONCLUSIVE:
		return "open";
	case LF_EXIT_OK:
		break;
	default:
		return "fail";
	}
	if (strcmp(lf_json_string(record, "verdict"), "skip") == 0)
		return "skip";
	if (shown->tap != LF_TAP_OK)
		return "known";
	return lf_record_cell(record, cell, sizeof cell)[0] == '~' ? "shown" : "pass";
}

static json_t *texts(const json_t *list,
		     const char *(*text)(const json_t *, char *, size_t))
{
	json_t *all = json_array();
	char buffer[LF_WORDS_MAX];
	size_t i;
	json_t *x;

	json_array_foreach(list, i, x)
		lf_json_add(&all, json_string(text(x, buffer, sizeof buffer)));
	return all;
}

/* Of those before, the first that says the same; -1: none. */
static json_int_t alike(const json_t *records, size_t i)
{
	const json_t *record = json_array_get(records, i);

	for (size_t k = 0; k < i; k++)
		if (lf_text_is_alike(json_array_get(records, k), record))
			return (json_int_t)k;
	return -1;
}

static json_t *said(const json_t *records, size_t i)
{
	const json_t *r = json_array_get(records, i);
	const struct lf_shown *shown = lf_record_shown(r);
	bool attention = lf_text_needs_attention(r);
	char text[LF_WORDS_MAX];
	json_t *o = json_object();

	lf_json_put(&o, "word", json_string(shown->word));
	lf_json_put(&o, "brief", json_string(shown->brief));
	lf_json_put(&o, "cell", json_string(lf_record_cell(r, text, sizeof text)));
	lf_json_put(&o, "tone", json_string(lf_record_tone(r)));
	lf_json_put(&o, "rank", lf_json_count(lf_shown_rank(shown)));
	lf_json_put(&o, "attention", json_boolean(attention));
	lf_json_put(&o, "alike", json_integer(attention ? alike(records, i) : -1));
	lf_json_put(&o, "title", json_string(lf_record_title(r, text, sizeof text)));
	lf_json_put(&o, "claims", json_string(lf_record_claims(r, text, sizeof text)));
	lf_json_put(&o, "assertions",
		    texts(lf_json_get(r, "assertions"), lf_assertion_text));
	lf_json_put(&o, "starved", texts(lf_json_get(lf_json_get(r, "evidence"),
						     "starved"), lf_starved_text));
	return o;
}

/* --- Records, without what is not drawn --- */

/* Of the counts of a thread those that are shown; what was 0 is left out. */
static json_t *counts_of(const json_t *thread)
{
	static const char *const shown[] = {
		"requests", "grants", "steps", "confirmed", "overtakes", "overtakes_max",
		"acquire_ns", "cpu_ns", "inside_acquire",
	};
	json_t *counts = json_object();

	lf_json_put(&counts, "thread", json_string(lf_json_string(thread, "thread")));
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		json_t *value = json_object_get(thread, shown[i]);
		if (json_is_true(value) || json_integer_value(value) != 0)
			lf_json_put(&counts, shown[i], json_incref(value));
	}
	return counts;
}

static json_t *threads_of(const json_t *record)
{
	json_t *all = json_array();
	size_t i;
	json_t *thread;

	json_array_foreach(lf_json_get(lf_json_get(record, "metrics"), "threads"), i, thread)
		lf_json_add(&all, counts_of(thread));
	return all;
}

/* The verdict, metric, value and bound of a run, which are items 1 to 4 of it and 0 to
 * 3 of an outcome. */
static bool came_to(const json_t *outcome, const json_t *run)
{
	for (size_t i = 0; i < 4; i++)
		if (!json_equal(json_array_get(outcome, i), json_array_get(run, i + 1)))
			return false;
	return true;
}

static void count_run(json_t **outcomes, const json_t *run)
{
	size_t i;
	json_t *outcome;

	json_array_foreach(*outcomes, i, outcome) {
		if (came_to(outcome, run)) {
			json_array_append(json_array_get(outcome, 4), json_array_get(run, 0));
			return;
		}
	}
	lf_json_add(outcomes, json_pack("[OOOO[O]]", json_array_get(run, 1),
					json_array_get(run, 2), json_array_get(run, 3),
					json_array_get(run, 4), json_array_get(run, 0)));
}

/* Seeds that came to the same are told together, as [verdict, metric, value, bound,
 * [seed, …]]; the hash of a trace is for those who replay it. */
static json_t *outcomes_of(const json_t *models)
{
	json_t *all = json_array();
	size_t i, k;
	json_t *model, *run;

	json_array_foreach(models, i, model) {
		json_t *copy = json_copy(model), *outcomes = json_array();
		json_array_foreach(json_object_get(model, "runs"), k, run)
			count_run(&outcomes, run);
		lf_json_put(&copy, "outcomes", outcomes);
		if (copy)
			json_object_del(copy, "runs");
		lf_json_add(&all, copy);
	}
	return all;
}

/* The machine of the first record stands for those that name the same. */
static json_t *noise_of(const json_t *record, const json_t *first)
{
	json_t *copy = json_copy((json_t *)lf_json_get(record, "volatile"));
	json_t *noise = json_copy(json_object_get(copy, "noise"));
	const json_t *host = lf_json_get(copy, "host");

	if (noise)
		json_object_del(noise, "threads");
	lf_json_put(&copy, "noise", noise ? noise : json_object());
	if (record != first && json_equal(host, lf_json_get(lf_json_get(first, "volatile"),
							    "host")))
		json_object_del(copy, "host");
	return copy;
}

/* What head differs by, without the single pairs. */
static json_t *gate_of(const json_t *record)
{
	json_t *gate = json_deep_copy(lf_json_get(record, "gate"));
	size_t i;
	json_t *metric;

	json_array_foreach(json_object_get(json_object_get(gate, "change"), "metrics"), i,
			   metric) {
		json_object_del(metric, "ratios");
		json_object_del(metric, "control_ratios");
	}
	return gate;
}

static json_t *lean(const json_t *record, const json_t *first)
{
	static const char *const unseen[] = { "seeds", "schema", "metrics" };
	json_t *copy = json_copy((json_t *)record);
	json_t *part = json_copy((json_t *)lf_json_get(record, "evidence"));

	if (lf_json_get(part, "models"))
		lf_json_put(&part, "models", outcomes_of(lf_json_get(part, "models")));
	lf_json_put(&copy, "evidence", part);
	lf_json_put(&copy, "volatile", noise_of(record, first));
	lf_json_put(&copy, "threads", threads_of(record));
	if (lf_json_get(record, "gate"))
		lf_json_put(&copy, "gate", gate_of(record));
	for (size_t i = 0; copy && i < sizeof unseen / sizeof unseen[0]; i++)
		json_object_del(copy, unseen[i]);
	return copy;
}

/* --- Answers --- */

/* The lines of lf_text_answers(): a question, and with a deeper indent what is said
 * to it. */
static json_t *lists_of(char *text)
{
	json_t *all = json_array(), *list = NULL;
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		size_t indent = strspn(line, " ");
		if (indent == 2) {
			list = json_pack("{ss s[]}", "question", line + indent, "lines");
			lf_json_add(&all, list);
		} else if (list) {
			json_array_append_new(json_object_get(list, "lines"),
					      json_string(line + indent));
		}
	}
	return all;
}

static json_t *answers_of(const json_t *records, const json_t *first)
{
	const char *engine = lf_json_string(first, "engine");
	struct lf_text t = { .records = records, .width = 100000 };
	char *text = NULL;
	size_t size = 0;
	json_t *o = json_object();

	t.out = open_memstream(&text, &size);
	if (t.out) {
		lf_text_answers(&t, engine);
		fclose(t.out);
	}
	lf_json_put(&o, "engine", json_string(engine));
	lf_json_put(&o, "where", json_string(strcmp(engine, "sim") == 0 ?
					     "in the simulator" : "on this machine"));
	lf_json_put(&o, "lists", lists_of(text ? text : (char[]){ "" }));
	free(text);
	return o;
}

static json_t *answers(const json_t *records)
{
	json_t *all = json_array();
	size_t i, k;
	json_t *record;

	json_array_foreach(records, i, record) {
		for (k = 0; k < i; k++)
			if (lf_text_is_of(json_array_get(records, k),
					  lf_json_string(record, "engine")))
				break;
		if (k == i)
			lf_json_add(&all, answers_of(records, record));
	}
	return all;
}

/* --- The page --- */

/* How many records give this exit code (NULL: any), of those that were asked for or of
 * all. */
static size_t count(const json_t *records, const enum lf_exit *code, bool asked)
{
	size_t i, n = 0;
	json_t *record;

	json_array_foreach(records, i, record)
		n += (!code || lf_record_shown(record)->exit == *code) &&
		     (!asked || lf_text_is_asked(record));
	return n;
}

/* Controls speak only where no cell that was asked for does. */
void lf_records_headline(const json_t *records, struct lf_headline *ret_headline)
{
	static const struct {
		enum lf_exit exit;
		const char *word, *tone, *one, *many;
	} known[] = {
		{ LF_EXIT_HARNESS, "ERROR", "error", "is void", "are void" },
		{ LF_EXIT_FAIL, "FAIL", "fail", "is not as claimed", "are not as claimed" },
		{ LF_EXIT_INCONCLUSIVE, "OPEN", "open", "is undecided", "are undecided" },
	};
	enum lf_exit code = lf_records_exit(records);
	bool asked = count(records, &code, true) > 0;
	size_t i, n = count(records, &code, asked), all = count(records, NULL, asked);

	*ret_headline = (struct lf_headline){ .word = "PASS", .tone = "pass" };
	snprintf(ret_headline->sentence, sizeof ret_headline->sentence,
		 "%zu cell%s as claimed or as expected", n, n == 1 ? "" : "s");
	for (i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (known[i].exit != code)
			continue;
		ret_headline->word = known[i].word;
		ret_headline->tone = known[i].tone;
		snprintf(ret_headline->sentence, sizeof ret_headline->sentence,
			 "%zu of %zu cells %s", n, all,
			 n == 1 ? known[i].one : known[i].many);
	}
}

static json_t *legend(void)
{
	json_t *all = json_array();

	for (size_t i = 0; lf_legend[i].brief; i++)
		lf_json_add(&all, json_pack("[ss]", lf_legend[i].brief,
					    lf_legend[i].meaning));
	return all;
}

json_t *lf_page_data(const json_t *records)
{
	struct lf_headline head;
	json_t *page = json_object(), *list = json_array();
	size_t i;
	json_t *record;

	lf_records_headline(records, &head);
	json_array_foreach(records, i, record) {
		json_t *copy = lean(record, json_array_get(records, 0));
		lf_json_put(&copy, "said", said(records, i));
		lf_json_add(&list, copy);
	}
	lf_json_put(&page, "version", json_string(PACKAGE_VERSION));
	lf_json_put(&page, "word", json_string(head.word));
	lf_json_put(&page, "tone", json_string(head.tone));
	lf_json_put(&page, "sentence", json_string(head.sentence));
	lf_json_put(&page, "answers", answers(records));
	lf_json_put(&page, "legend", legend());
	lf_json_put(&page, "words", json_string(lf_words_of_report));
	lf_json_put(&page, "records", list);
	return page;
}
