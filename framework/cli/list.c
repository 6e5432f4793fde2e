/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair list: what there is to judge, and what to judge it with. */
#include "cli/cli.h"
#include "cli/interpreters.h"
#include "cli/progress.h"
#include "core/buffer.h"
#include "core/registry.h"
#include "core/select.h"
#include "engine/engine.h"
#include "fixtures/fixtures.h"
#include "judge/judge.h"

#include <argp.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const topics[] = { "backends", "scenarios", "suites", "metrics" };

#define TOPICS (sizeof topics / sizeof topics[0])

struct list_options {
	const char *command, *topic; /* NULL: all */
	struct { const char *at[16]; size_t n; } plugin;
};

static void append_engines(struct lf_buffer *t, const struct lf_backend *b)
{
	for (size_t i = 0; lf_engines[i]; i++)
		if (b->engines & lf_engines[i]->bit)
			lf_put(t, "%s%s", t->length ? "," : "", lf_engines[i]->name);
}

static void append_params(struct lf_buffer *t, const struct lf_backend *b)
{
	for (const struct lf_param *p = b->params; p && p->name; p++)
		lf_put(t, "%s%s=%lld %s", t->length ? ", " : "", p->name,
		       (long long)p->value, p->unit);
	if (t->length == 0)
		lf_put(t, "-");
}

static void append_kinds(struct lf_buffer *t, unsigned kinds)
{
	for (int k = 0; k < LF_KIND_COUNT; k++)
		if (kinds & 1u << k)
			lf_put(t, "%s%s", t->length ? "," : "",
			       lf_kind_name((enum lf_kind)k));
}

static struct libscols_table *new_table(const char *const column[])
{
	struct libscols_table *table = scols_new_table();

	for (; table && *column; column++)
		if (!scols_table_new_column(table, *column, 0,
					    column[1] ? 0 : SCOLS_FL_WRAP))
			abort();
	return table;
}

/* A row of cells, ended by NULL. */
static void add_row(struct libscols_table *table, const char *const cell[])
{
	struct libscols_line *line = scols_table_new_line(table, NULL);

	for (size_t i = 0; line && cell[i]; i++)
		scols_line_set_data(line, i, cell[i]);
}

static void print_table(struct libscols_table *table)
{
	scols_print_table(table);
	scols_unref_table(table);
}

static void add_backend(struct libscols_table *table, const struct lf_entry *e)
{
	const struct lf_backend *b = e->backend;
	char engines_text[64] = "", params_text[512] = "";
	struct lf_buffer engines = { engines_text, sizeof engines_text, 0 };
	struct lf_buffer params = { params_text, sizeof params_text, 0 };
	char claim[160], summary[512];

	append_engines(&engines, b);
	append_params(&params, b);
	snprintf(summary, sizeof summary, "%s%s%s%s%s", b->summary,
		 b->caught_by ? "; caught by " : "", b->caught_by ? b->caught_by : "",
		 e->absent ? "; " : "", e->absent ? e->absent : "");
	add_row(table, (const char *const[]){
		b->name, lf_kind_name(b->kind), engines.at,
		lf_claim_text(&b->claim, claim, sizeof claim), params.at, summary, NULL,
	});
}

static int list_backends(void)
{
	static const char *const column[] = {
		"BACKEND", "KIND", "ENGINES", "CLAIM", "PARAMETERS", "WHAT IT IS", NULL,
	};
	struct libscols_table *table = new_table(column);
	size_t n;
	const struct lf_entry *entry = lf_registry(&n);

	if (!table)
		return LF_EXIT_HARNESS;
	for (size_t i = 0; i < n; i++)
		add_backend(table, &entry[i]);
	print_table(table);
	return LF_EXIT_OK;
}

/* "pi,regex × 0,1,2": what its cells are named after the scenario. */
static void append_cells(struct lf_buffer *t, const struct lf_scenario *s)
{
	const char *before = "";

	for (const struct lf_axis *a = s->axes; a && a->name; a++, before = " × ")
		for (unsigned i = 0; a->values[i]; i++, before = ",")
			lf_put(t, "%s%s", before, a->values[i]);
	for (unsigned i = 0; i < s->sweep.n; i++, before = ",")
		lf_put(t, "%s%u", before, s->sweep.value[i]);
}

static void add_scenario(struct libscols_table *table, const struct lf_scenario *s)
{
	char kinds_text[64] = "", required_text[64] = "", sweep_text[160] = "";
	struct lf_buffer kinds = { kinds_text, sizeof kinds_text, 0 };
	struct lf_buffer required = { required_text, sizeof required_text, 0 };
	struct lf_buffer sweep = { sweep_text, sizeof sweep_text, 0 };

	append_kinds(&kinds, s->kinds);
	append_kinds(&required, s->required_of);
	append_cells(&sweep, s);
	add_row(table, (const char *const[]){
		s->name, s->suite, kinds.at, s->required_of ? required.at : "-",
		s->axes || s->sweep.n ? sweep.at : "-", s->summary, NULL,
	});
}

static int list_scenarios(void)
{
	static const char *const column[] = {
		"SCENARIO", "SUITE", "JUDGES", "REQUIRED OF", "CELLS", "WHAT IT SHOWS", NULL,
	};
	struct libscols_table *table = new_table(column);

	if (!table)
		return LF_EXIT_HARNESS;
	for (size_t i = 0; lf_scenarios[i]; i++)
		add_scenario(table, lf_scenarios[i]);
	print_table(table);
	return LF_EXIT_OK;
}

static int list_suites(void)
{
	static const char *const column[] = {
		"SUITE", "WHAT IS IN IT", "BACKENDS UNLESS TOLD OTHERWISE", NULL,
	};
	struct libscols_table *table = new_table(column);

	if (!table)
		return LF_EXIT_HARNESS;
	for (const struct lf_suite *s = lf_suites; s->name; s++)
		add_row(table, (const char *const[]){
			s->name, s->summary, s->backends, NULL,
		});
	print_table(table);
	return LF_EXIT_OK;
}

static int list_metrics(void)
{
	static const char *const column[] = { "METRIC", "UNIT", "WHAT IT IS", NULL };
	struct libscols_table *table = new_table(column);

	if (!table)
		return LF_EXIT_HARNESS;
	for (enum lf_metric m = 0; m < LF_METRIC_COUNT; m++)
		add_row(table, (const char *const[]){
			lf_metric_name(m), lf_metric_unit(m), lf_metric_text(m), NULL,
		});
	print_table(table);
	return LF_EXIT_OK;
}

/* In the order of topics. */
static int (*const list_topic[TOPICS])(void) = {
	list_backends, list_scenarios, list_suites, list_metrics,
};

static error_t take_word(struct list_options *o, const char *word)
{
	char meant[64];

	for (size_t i = 0; i < TOPICS; i++) {
		if (strcmp(word, topics[i]) == 0 && !o->topic) {
			o->topic = topics[i];
			return 0;
		}
	}
	if (strchr(word, '/') && o->plugin.n < 16) {
		o->plugin.at[o->plugin.n++] = word;
		return 0;
	}
	lf_cli_error(o->command, "\"%s\" cannot be listed%s; use backends, scenarios, "
		     "suites or metrics", word, lf_did_you_mean(word, topics, TOPICS, meant, sizeof meant));
	return EINVAL;
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	return key == ARGP_KEY_ARG ? take_word(state->input, arg) : ARGP_ERR_UNKNOWN;
}

int lf_cli_list(int argc, char **argv)
{
	static const struct argp argp = {
		NULL, parse_one, "[backends|scenarios|suites|metrics] [./PLUGIN.so]...",
		"Shows the backends, scenarios, suites and metrics there are; plug-ins' "
		"backends too.",
		NULL, NULL, NULL,
	};
	struct list_options o = { .command = argv[0] };
	struct lf_error error;
	int code = LF_EXIT_OK;

	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o) != 0)
		return LF_EXIT_USAGE;
	if (lf_fixtures_register(&error) < 0) {
		lf_cli_error(o.command, "%s", error.text);
		return LF_EXIT_HARNESS;
	}
	if ((!o.topic || o.topic == topics[0]) &&
	    lf_interpreters_load("*", &error) < 0)
		code = lf_cli_error(o.command, "%s", error.text);
	for (size_t i = 0; i < o.plugin.n; i++)
		if (lf_registry_load(o.plugin.at[i], &error) < 0)
			code = lf_cli_error(o.command, "%s", error.text);
	for (size_t i = 0; i < TOPICS && code == LF_EXIT_OK; i++) {
		if (o.topic && o.topic != topics[i])
			continue;
		if (i && !o.topic)
			putchar('\n');
		code = list_topic[i]();
	}
	return code;
}
