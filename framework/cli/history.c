/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair history: many files of records, cell by cell; and the baseline of them. */
#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/writable.h"
#include "report/baseline.h"
#include "report/report.h"

#include <argp.h>
#include <stdio.h>

enum { KEY_BASELINE = 256 };

struct options {
	struct lf_inputs inputs;
	const char *baseline;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (key != KEY_BASELINE)
		return lf_inputs_parse(&o->inputs, key, state);
	o->baseline = arg;
	return 0;
}

int lf_cli_history(int argc, char **argv)
{
	static const struct argp_option option[] = {
		{ "baseline", KEY_BASELINE, "FILE", 0, "Write a baseline for `lockfair gate "
		  "--baseline': the count bounds that held, this machine, its noise", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		option, parse, "RECORDS...",
		"Shows how cells went over many runs, from the files that --record wrote, "
		"the oldest first. What another machine did is another series.",
		NULL, NULL, NULL,
	};
	struct options o = { .baseline = NULL };
	struct lf_error error = { "" };
	json_t *records;
	int r;

	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o) != 0)
		return LF_EXIT_USAGE;
	records = lf_inputs_spare(&o.inputs, o.baseline, &error) < 0 ? NULL :
		lf_inputs_read(&o.inputs, &error);
	if (!records)
		return lf_cli_error(argv[0], "%s", error.text);
	if (lf_check_writable("baseline", o.baseline, &error) < 0) {
		json_decref(records);
		return lf_cli_error(argv[0], "%s", error.text);
	}
	r = lf_report_history(stdout, records);
	if (r == 0 && o.baseline)
		r = lf_baseline_write(o.baseline, records, &error);
	if (r < 0)
		lf_cli_error(argv[0], "%s", error.text[0] ? error.text :
			     "the history cannot be written");
	json_decref(records);
	return r < 0 || fflush(stdout) != 0 ? LF_EXIT_HARNESS : LF_EXIT_OK;
}
