/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair replay: one simulated run again, by the line that a report gives. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "fixtures/fixtures.h"
#include "report/report.h"
#include "run/campaign.h"
#include "run/replay.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct replaying {
	const char *command;
	char line[LF_REPLAY_LINE];
	struct lf_replay replay;
	struct lf_cell cell;
	json_t *records;
	char comparison[1024];
	bool same;
	struct lf_error error;
};

/* Without quotes a shell makes many arguments of a line. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct replaying *r = state->input;
	size_t used = strlen(r->line);

	switch (key) {
	case ARGP_KEY_ARG:
		if (used + strlen(arg) + 2 > sizeof r->line)
			argp_failure(state, LF_EXIT_USAGE, 0, "the line is too long");
		snprintf(r->line + used, sizeof r->line - used, " %s", arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_failure(state, LF_EXIT_USAGE, 0, "which run? Give the line that the "
			     "report has after \"replay:\"");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int prepare(struct replaying *r)
{
	const char *why_not;
	int rc = lf_replay_parse(&r->replay, r->line, &r->error);

	if (rc == 0)
		rc = lf_fixtures_register(&r->error);
	if (rc == 0)
		rc = lf_replay_cell(&r->replay, &r->cell, &r->error);
	if (rc < 0)
		return rc;
	why_not = lf_cell_unavailable(&r->cell);
	if (why_not)
		return lf_error_set(&r->error, -ENOTSUP, "%s: %s", r->cell.backend->name,
				    why_not);
	r->records = json_array();
	return 0;
}

static int ended(void *context, const struct lf_cell_outcome *outcome)
{
	struct replaying *r = context;
	json_t *record = lf_record_make(outcome->cell, outcome->result, NULL, "", NULL,
					"");

	if (!record || json_array_append_new(r->records, record) < 0)
		return lf_error_set(&r->error, -ENOMEM, "out of memory");
	lf_replay_compare(&r->replay, outcome->cell, outcome->result, &r->same,
			  r->comparison, sizeof r->comparison);
	return 0;
}

static int report(struct replaying *r)
{
	struct lf_text_style style = {
		.colour = lf_may_colour(stdout), .width = lf_terminal_width(stdout),
	};
	enum lf_exit code = lf_records_exit(r->records);

	if (lf_report_text(stdout, r->records, &style) < 0) {
		lf_cli_error(r->command, "cannot write the report");
		return LF_EXIT_HARNESS;
	}
	printf("replay: %s\n", r->comparison);
	/* Another run than the line's says nothing about that one. */
	return (int)(r->same ? code : lf_exit_worse(code, LF_EXIT_INCONCLUSIVE));
}

int lf_cli_replay(int argc, char **argv)
{
	static const struct argp argp = {
		NULL, parse, "LINE",
		"Runs one simulated run again: one lock, scenario, machine model and "
		"seed. LINE is what the report of a failing cell has after \"replay:\"."
		"\vSays whether it was the same run, event for event, and if not, what "
		"has changed since. Exit status: as of `lockfair run', and 77 if nothing "
		"failed but the run was another one.",
		NULL, NULL, NULL,
	};
	static struct replaying r;
	struct lf_campaign campaign = {
		.cell = &r.cell, .n = 1, .without_controls = true, .ended = ended,
		.context = &r,
	};
	size_t missing;
	int code;

	r.command = argv[0];
	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &r) != 0)
		return LF_EXIT_USAGE;
	if (prepare(&r) < 0)
		return lf_cli_error(r.command, "%s", r.error.text);
	if (lf_campaign_run(&campaign, &missing, &r.error) < 0) {
		lf_cli_error(r.command, "%s", r.error.text);
		code = LF_EXIT_HARNESS;
	} else {
		code = report(&r);
	}
	json_decref(r.records);
	return code;
}
