/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair trace: what the threads of a cell did, for Perfetto. */
#include "report/report.h"

#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/outputs.h"
#include "cli/writable.h"
#include "core/buffer.h"
#include "core/select.h"
#include "report/json.h"
#include "report/words.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tracing {
	const char *command, *output;
	const char *backend, *scenario, *engine; /* NULL: any */
	struct lf_inputs inputs;
};

static const struct argp_option option[] = {
	{ "output", 'o', "FILE", 0, "Where to write (default: standard output)", 0 },
	{ "backend", 'b', "GLOB", 0, "Only cells of these backends", 0 },
	{ "scenario", 's', "GLOB", 0, "Only cells of these scenarios", 0 },
	{ "engine", 'e', "NAME", 0, "Only cells of this engine", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tracing *t = state->input;

	switch (key) {
	case 'o':
		t->output = arg;
		return 0;
	case 'b':
		t->backend = arg;
		return 0;
	case 's':
		t->scenario = arg;
		return 0;
	case 'e':
		t->engine = arg;
		return 0;
	}
	return lf_inputs_parse(&t->inputs, key, state);
}

static bool is_wanted(const struct tracing *t, const json_t *record)
{
	const char *scenario = lf_json_string(record, "scenario");
	char name[96];

	snprintf(name, sizeof name, "%.*s", (int)lf_scenario_base(scenario), scenario);
	return (!t->backend || lf_glob(t->backend, lf_json_string(record, "backend"))) &&
	       (!t->scenario || lf_glob(t->scenario, scenario) ||
		lf_glob(t->scenario, name)) &&
	       (!t->engine || strcmp(t->engine, lf_json_string(record, "engine")) == 0);
}

/* Records of any version may be given: the engines that count are those in them. */
static int check_engine(const struct tracing *t, const json_t *records)
{
	const char *name[8];
	char there[64] = "", meant[64];
	struct lf_buffer list = { there, sizeof there, 0 };
	size_t n = 0, i;
	json_t *record;

	if (!t->engine)
		return 0;
	json_array_foreach(records, i, record) {
		const char *its = lf_json_string(record, "engine");
		size_t k = 0;
		while (k < n && strcmp(name[k], its) != 0)
			k++;
		if (k < n || n == sizeof name / sizeof name[0])
			continue;
		lf_put(&list, "%s%s", n ? ", " : "", its);
		name[n++] = its;
	}
	for (i = 0; i < n; i++)
		if (strcmp(name[i], t->engine) == 0)
			return 0;
	return lf_cli_error(t->command, "--engine=%s: the records have no such engine%s; "
			    "they are of %s", t->engine,
			    lf_did_you_mean(t->engine, name, n, meant, sizeof meant), there);
}

static int trace(const struct tracing *t, const json_t *records)
{
	json_t *wanted = json_array();
	struct lf_error error;
	size_t i;
	json_t *record;
	int r;

	json_array_foreach(records, i, record)
		if (is_wanted(t, record))
			json_array_append(wanted, record);
	if (json_array_size(wanted) == 0) {
		json_decref(wanted);
		return lf_cli_error(t->command, "none of the %zu records is of such a cell; "
				    "see \"lockfair report\" for what there is",
				    json_array_size(records));
	}
	if (lf_check_writable("output", t->output, &error) < 0) {
		json_decref(wanted);
		return lf_cli_error(t->command, "%s", error.text);
	}
	r = lf_output_write(t->output ? t->output : "-", lf_report_trace, wanted, &error);
	json_decref(wanted);
	if (r == 0)
		return LF_EXIT_OK;
	lf_cli_error(t->command, "%s", error.text);
	return LF_EXIT_HARNESS;
}

int lf_cli_trace(int argc, char **argv)
{
	static const struct argp argp = {
		option, parse, "RECORDS...",
		"Writes what the threads of cells did around the decisive moment as trace "
		"events of Chrome, which Perfetto (ui.perfetto.dev) opens."
		"\vTimes are the engine's. Where a scenario asks for no clock, only the "
		"order of grants is known, and each takes a microsecond in the trace.",
		NULL, NULL, NULL,
	};
	struct tracing t = { .command = argv[0] };
	struct lf_error error;
	json_t *records;
	int code;

	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &t) != 0)
		return LF_EXIT_USAGE;
	records = lf_inputs_spare(&t.inputs, t.output, &error) < 0 ? NULL :
		lf_inputs_read(&t.inputs, &error);
	if (!records)
		return lf_cli_error(t.command, "%s", error.text);
	code = check_engine(&t, records);
	if (code == 0)
		code = trace(&t, records);
	json_decref(records);
	return code;
}
