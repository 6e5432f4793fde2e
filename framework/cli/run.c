/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair run: cells in, records out, reports of the records at the end. */
#include "cli/cells.h"
#include "cli/choose.h"
#include "cli/cli.h"
#include "cli/expected.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/resume.h"
#include "cli/writable.h"
#include "core/buffer.h"
#include "fixtures/fixtures.h"
#include "report/report.h"
#include "run/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session {
	const struct lf_options *options;
	struct lf_cells cells;
	struct lf_expected expected;
	struct lf_progress progress;
	const volatile sig_atomic_t *interrupted;
	int record_fd;  /* -1: none */
	FILE *tap;      /* NULL: none */
	json_t *records;
	size_t resumed;   /* so many of them are from before */
	size_t delivered; /* so many cells have a result that will not be lost */
	size_t missed;    /* so many have none */
	char missed_names[384];
	bool refused;     /* nothing was run */
	struct lf_error error;
};

/* So many of the cells without a result are told by name. */
#define MISSED_NAMES 4

/* A path that cannot be written is told now and not after a minute of work. */
static int open_outputs(struct session *s)
{
	const struct lf_options *o = s->options;
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	const char *const output[] = { o->record, o->tap, o->junit };
	int r;

	for (size_t i = 0; i < sizeof output / sizeof output[0]; i++)
		if (lf_selectors_spare(&o->selector, output[i], &s->error) < 0)
			return -EEXIST;
	if (o->record) {
		s->record_fd = open(o->record,
				    flags | O_APPEND | (o->resume ? 0 : O_TRUNC), 0666);
		if (s->record_fd < 0)
			return lf_cannot_write(o->resume ? "resume" : "record", o->record,
					       &s->error);
	}
	r = lf_check_writable("junit", o->junit, &s->error);
	if (r < 0)
		return r;
	if (o->tap)
		s->tap = strcmp(o->tap, "-") == 0 ? stdout : fopen(o->tap, "we");
	if (o->tap && !s->tap)
		return lf_cannot_write("tap", o->tap, &s->error);
	return 0;
}

static bool known(void *context, const struct lf_cell *cell, struct lf_result *r)
{
	const struct session *s = context;
	char command[4096];

	return lf_resume_find(s->records, s->resumed, cell,
			      lf_cell_command(cell, s->options, command, sizeof command),
			      r);
}

/* Records of cells that this command does not have are a mistake of the user's,
 * who would not find out otherwise. */
static int planned(void *context, const struct lf_cell *const cell[], size_t n,
		   size_t known_n)
{
	struct session *s = context;

	lf_progress_plan(&s->progress, cell, n);
	if (known_n == s->resumed)
		return 0;
	s->refused = true;
	return lf_error_set(&s->error, -EINVAL, "--resume=%s: %zu of its %zu records are "
			    "of no cell of this command, or of another build of its "
			    "plug-in; give the options that it was written with, or "
			    "another file", s->options->resume,
			    s->resumed - known_n, s->resumed);
}

static void begun(void *context, const struct lf_cell *cell, size_t i)
{
	struct session *s = context;

	lf_progress_begin(&s->progress, cell, i);
}

static void waiting(void *context)
{
	struct session *s = context;

	lf_progress_show(&s->progress);
}

static void missed(void *context, const struct lf_cell *cell)
{
	struct session *s = context;
	size_t length = strlen(s->missed_names);
	struct lf_buffer names = { s->missed_names, sizeof s->missed_names, length };
	char id[96];

	if (s->missed++ < MISSED_NAMES)
		lf_put(&names, "%s%s on %s (%s)", length ? ", " : "",
		       lf_cell_scenario_id(cell, id, sizeof id), cell->backend->name,
		       cell->engine->name);
	else if (s->missed == MISSED_NAMES + 1)
		lf_put(&names, ", …");
}

static int ended(void *context, const struct lf_cell_outcome *outcome)
{
	struct session *s = context;
	char command[4096];
	json_t *record;
	int r = 0;

	lf_cell_command(outcome->cell, s->options, command, sizeof command);
	lf_progress_clear(&s->progress);
	record = lf_record_make(outcome->cell, outcome->result,
				lf_expected_of(&s->expected, outcome->cell,
					       s->options->command),
				outcome->control, outcome->control_note, command);
	if (!record)
		return lf_error_set(&s->error, -ENOMEM, "out of memory");
	lf_record_set_place(record, outcome->at, outcome->of);
	if (json_array_append_new(s->records, record) < 0)
		return lf_error_set(&s->error, -ENOMEM, "out of memory");
	lf_progress_end(&s->progress, outcome->cell);
	if (s->record_fd >= 0)
		r = lf_record_append(s->record_fd, s->options->record, record, &s->error);
	s->delivered += r == 0;
	return r;
}

static int run_cells(struct session *s)
{
	struct lf_campaign campaign = {
		.cell = s->cells.cell, .n = s->cells.n,
		.known = s->resumed ? known : NULL, .planned = planned, .begun = begun,
		.waiting = waiting, .ended = ended, .missed = missed, .context = s,
		.without_controls = s->options->no_controls,
		.shard = s->options->shard, .shards = s->options->shards,
	};
	size_t missing;
	int r;

	s->interrupted = lf_catch_interrupts();
	campaign.interrupted = s->interrupted;
	lf_progress_start(&s->progress, s->options->quiet);
	r = lf_campaign_run(&campaign, &missing, &s->error);
	lf_progress_clear(&s->progress);
	return r;
}

static int report(struct session *s)
{
	/* Standard output belongs to whoever reads the TAP from there. */
	FILE *out = s->tap == stdout ? stderr : stdout;
	struct lf_text_style style = {
		.colour = lf_may_colour(out), .quiet = s->options->quiet,
		.width = lf_terminal_width(out),
	};
	int r = s->options->as_seed ? lf_report_seed(out, s->records) :
					  lf_report_text(out, s->records, &style);

	if (fflush(out) != 0 || r < 0)
		return lf_error_set(&s->error, -EIO, "cannot write the report");
	if (s->tap) {
		r = lf_report_tap(s->tap, s->records);
		if (fflush(s->tap) != 0 || r < 0)
			return lf_error_set(&s->error, -EIO, "cannot write --tap=%s",
					    s->options->tap);
	}
	return s->options->junit ?
		lf_report_junit(s->options->junit, s->records, &s->error) : 0;
}

/* How a campaign that did not come to its end is told. */
static int exit_of_failure(const struct session *s, int r)
{
	const char *command = s->options->command;
	const char *record = s->options->record;
	char again[16384];

	if (r != -EINTR)
		lf_cli_error(command, "%s", s->error.text);
	if (s->refused)
		return LF_EXIT_USAGE;
	if (s->missed)
		lf_cli_error(command, "%s%zu of %zu cells have no result: %s",
			     r == -EINTR ? "interrupted: " : "", s->missed,
			     s->missed + s->delivered, s->missed_names);
	if (s->missed && record)
		lf_cli_error(command, "the records of the others are in %s; to go on: %s",
			     record, lf_options_resume(s->options, record, again,
						       sizeof again));
	else if (s->missed)
		lf_cli_error(command, "no record was written; a run with --record FILE "
			     "can be resumed");
	return r == -EINTR ? 128 + *s->interrupted : LF_EXIT_HARNESS;
}

static int judge(struct session *s)
{
	int r = run_cells(s), code;
	struct lf_error why = s->error;
	enum lf_exit exit_code;

	if (s->refused)
		return exit_of_failure(s, r);
	code = report(s);
	if (r < 0) {
		s->error = why;
		return exit_of_failure(s, r);
	}
	if (code < 0)
		return exit_of_failure(s, code);
	exit_code = lf_records_exit(s->records);
	/* What could not be loaded was asked for and not judged. */
	if (s->cells.plugins_failed)
		exit_code = lf_exit_worse(exit_code, LF_EXIT_USAGE);
	return (int)exit_code;
}

static int prepare(struct session *s)
{
	int r = lf_fixtures_register(&s->error);

	if (r == 0)
		r = lf_expected_read(&s->expected, s->options->expectations,
				     !s->options->no_expectations, &s->error);
	if (r == 0)
		r = lf_cells_make(&s->cells, s->options, &s->error);
	s->records = json_array();
	if (r == 0 && s->options->resume)
		r = lf_resume_read(s->options->resume, s->options->command, s->records,
				   &s->error);
	s->resumed = s->delivered = json_array_size(s->records);
	return r == 0 ? open_outputs(s) : r;
}

static int close_session(struct session *s, int code)
{
	lf_cells_free(&s->cells);
	lf_expected_free(&s->expected);
	json_decref(s->records);
	if (s->record_fd >= 0)
		close(s->record_fd);
	if (s->tap && s->tap != stdout && fclose(s->tap) != 0) {
		lf_cli_error(s->options->command, "cannot write --tap=%s",
			     s->options->tap);
		return LF_EXIT_HARNESS;
	}
	return code;
}

int lf_cli_run(int argc, char **argv)
{
	struct lf_options options;
	struct session s = { .options = &options, .record_fd = -1 };
	int code = lf_options_parse(&options, argc, argv);

	if (code == 0 && prepare(&s) < 0) {
		/* Of plug-ins that were all there was, everything is said already. */
		if (s.error.text[0])
			lf_cli_error(options.command, "%s", s.error.text);
		code = LF_EXIT_USAGE;
	} else if (code == 0) {
		code = judge(&s);
	}
	code = close_session(&s, code);
	lf_options_free(&options);
	return code;
}
