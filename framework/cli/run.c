/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair run: cells in, records out, reports of the records at the end. */
#include "cli/cells.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "fixtures/fixtures.h"
#include "judge/expectation.h"
#include "report/report.h"
#include "run/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct session {
	const struct lf_options *options;
	struct lf_cells cells;
	struct lf_expectations expectations;
	struct lf_progress progress;
	char today[11];
	int record_fd;  /* -1: none */
	FILE *tap;      /* NULL: none */
	json_t *records;
	struct lf_error error;
};

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

static void catch_signals(void)
{
	/* Without SA_RESTART: the supervisor's sleep is to end at once. */
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int read_expectations(struct session *s)
{
	const struct lf_options *o = s->options;
	time_t now = time(NULL);
	struct tm day;
	int r = 0;

	strftime(s->today, sizeof s->today, "%Y-%m-%d", localtime_r(&now, &day));
	if (!o->no_expectations)
		r = lf_expectations_parse(&s->expectations, "the built-in expectations",
					  lf_expectations_shipped, &s->error);
	if (r == 0 && o->expectations)
		r = lf_expectations_read(&s->expectations, o->expectations, &s->error);
	return r;
}

static int cannot_write(struct session *s, const char *option, const char *path)
{
	return lf_error_set(&s->error, -errno, "cannot write --%s=%s: %s; give a path "
			    "that can be written", option, path, strerror(errno));
}

/* A path that cannot be written is told now and not after a minute of work. */
static int open_outputs(struct session *s)
{
	const struct lf_options *o = s->options;
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int fd;

	if (o->record) {
		s->record_fd = open(o->record, flags | O_TRUNC | O_APPEND, 0666);
		if (s->record_fd < 0)
			return cannot_write(s, "record", o->record);
	}
	if (o->junit) {
		fd = open(o->junit, flags, 0666);
		if (fd < 0)
			return cannot_write(s, "junit", o->junit);
		close(fd);
	}
	if (o->tap)
		s->tap = strcmp(o->tap, "-") == 0 ? stdout : fopen(o->tap, "we");
	if (o->tap && !s->tap)
		return cannot_write(s, "tap", o->tap);
	return 0;
}

static void begun(void *context, const struct lf_cell *cell, size_t i, size_t total)
{
	struct session *s = context;

	lf_progress_show(&s->progress, cell, i, total);
}

static const struct lf_expectation *expect(struct session *s, const struct lf_cell *cell)
{
	const struct lf_expectation *found, *expired;
	char id[96];

	found = lf_expectations_find(&s->expectations,
				     lf_cell_scenario_id(cell, id, sizeof id),
				     cell->backend->name, cell->engine->name, s->today,
				     &expired);
	if (expired) {
		lf_progress_clear(&s->progress);
		lf_cli_error(s->options->command, "the expectation [%s %s %s] expired on "
			     "%s and does not hold for %s on %s; renew it or remove it",
			     expired->scenario, expired->backend, expired->engine,
			     expired->until, id, cell->backend->name);
	}
	return found;
}

static int ended(void *context, const struct lf_cell_outcome *outcome)
{
	struct session *s = context;
	char command[4096];
	json_t *record;

	lf_cell_command(outcome->cell, s->options, command, sizeof command);
	record = lf_record_make(outcome->cell, outcome->result, expect(s, outcome->cell),
				outcome->control, outcome->control_note, command);
	if (!record || json_array_append_new(s->records, record) < 0)
		return lf_error_set(&s->error, -ENOMEM, "out of memory");
	if (s->record_fd < 0)
		return 0;
	return lf_record_append(s->record_fd, s->options->record, record, &s->error);
}

static int run_cells(struct session *s, size_t *ret_missing)
{
	struct lf_campaign campaign = {
		.cell = s->cells.cell, .n = s->cells.n, .interrupted = &caught,
		.begun = begun, .ended = ended, .context = s,
		.without_controls = s->options->no_controls,
	};
	int r;

	catch_signals();
	lf_progress_start(&s->progress, s->options->quiet);
	r = lf_campaign_run(&campaign, ret_missing, &s->error);
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
	int r = lf_report_text(out, s->records, &style);

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
static int exit_of_failure(const struct session *s, int r, size_t missing)
{
	const char *command = s->options->command;
	const char *kept = s->options->record ?
		"; the records of the others are written" : "";

	if (r == -EINTR) {
		lf_cli_error(command, "interrupted: %zu of %zu cells have no result%s",
			     missing, missing + json_array_size(s->records), kept);
		return 128 + caught;
	}
	lf_cli_error(command, "%s", s->error.text);
	return LF_EXIT_HARNESS;
}

static int judge(struct session *s)
{
	size_t missing;
	int r = run_cells(s, &missing), code;
	struct lf_error why = s->error;
	enum lf_exit exit_code;

	code = report(s);
	if (r < 0) {
		s->error = why;
		return exit_of_failure(s, r, missing);
	}
	if (code < 0)
		return exit_of_failure(s, code, 0);
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
		r = read_expectations(s);
	if (r == 0)
		r = lf_cells_make(&s->cells, s->options, &s->error);
	if (r == 0)
		r = open_outputs(s);
	s->records = json_array();
	return r;
}

static int close_session(struct session *s, int code)
{
	lf_cells_free(&s->cells);
	lf_expectations_free(&s->expectations);
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
