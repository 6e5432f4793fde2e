/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair history: many files of records, cell by cell; and the baseline of them. */
#include "cli/cli.h"
#include "report/baseline.h"
#include "report/report.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { KEY_BASELINE = 256 };

struct options {
	const char *command, *baseline;
	json_t *records;
	struct lf_error error;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_BASELINE:
		o->baseline = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (lf_records_read(arg, o->records, &o->error) == 0)
			return 0;
		lf_cli_error(o->command, "%s", o->error.text);
		return EINVAL;
	case ARGP_KEY_NO_ARGS:
		lf_cli_error(o->command, "which files? Give those that --record wrote, the "
			     "oldest first");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
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
	struct options o = { .command = argv[0], .records = json_array() };
	int code = LF_EXIT_OK, r = 0;

	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o) != 0) {
		code = LF_EXIT_USAGE;
	} else {
		r = lf_report_history(stdout, o.records);
		if (r == 0 && o.baseline)
			r = lf_baseline_write(o.baseline, o.records, &o.error);
		if (r < 0)
			lf_cli_error(o.command, "%s", o.error.text[0] ? o.error.text :
				     "the history cannot be written");
		code = r < 0 || fflush(stdout) != 0 ? LF_EXIT_HARNESS : LF_EXIT_OK;
	}
	json_decref(o.records);
	return code;
}
