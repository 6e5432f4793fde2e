/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair compare: stored rates side by side. It describes and never decides, because
 * what was measured at another time cannot convict; that is the gate's work. */
#include "cli/cli.h"
#include "report/report.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX 16

struct comparing {
	const char *command;
	const char *path[FILES_MAX];
	char label[FILES_MAX][64];
	struct lf_compared file[FILES_MAX];
	json_t *records[FILES_MAX];
	size_t n;
	bool seed_layout;
};

static const struct argp_option option[] = {
	{ "format", 'f', "NAME", 0,
	  "text (default), or seed: one below the other, in the layout of the benchmark "
	  "that the suite comes from, and nothing is compared", 0 },
	{ 0 },
};

static error_t set_format(struct comparing *c, const char *name)
{
	c->seed_layout = strcmp(name, "seed") == 0;
	if (c->seed_layout || strcmp(name, "text") == 0)
		return 0;
	lf_cli_error(c->command, "--format=%s: use text or seed", name);
	return EINVAL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct comparing *c = state->input;

	switch (key) {
	case 'f':
		return set_format(c, arg);
	case ARGP_KEY_ARG:
		if (c->n == FILES_MAX)
			argp_failure(state, LF_EXIT_USAGE, 0, "more than %d files; give "
				     "fewer", FILES_MAX);
		c->path[c->n++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (c->n < 2)
			argp_failure(state, LF_EXIT_USAGE, 0, "two files of records are "
				     "needed: lockfair run --record FILE writes them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The file's name without its folder and its ending. */
static void set_label(struct comparing *c, size_t i)
{
	const char *slash = strrchr(c->path[i], '/');
	const char *name = slash ? slash + 1 : c->path[i];
	size_t length = strlen(name);

	if (length > 6 && strcmp(name + length - 6, ".jsonl") == 0)
		length -= 6;
	snprintf(c->label[i], sizeof c->label[i], "%.*s", (int)length, name);
}

static int read_all(struct comparing *c, struct lf_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < c->n && rc == 0; i++) {
		set_label(c, i);
		c->records[i] = json_array();
		rc = lf_records_read(c->path[i], c->records[i], error);
		c->file[i] = (struct lf_compared){ c->label[i], c->records[i] };
	}
	return rc;
}

/* As one run of all of them. */
static int say_layout(struct comparing *c)
{
	for (size_t i = 1; i < c->n; i++)
		json_array_extend(c->records[0], c->records[i]);
	if (lf_report_seed(stdout, c->records[0]) < 0 || fflush(stdout) != 0) {
		lf_cli_error(c->command, "cannot write the comparison");
		return LF_EXIT_HARNESS;
	}
	return LF_EXIT_OK;
}

static int say(struct comparing *c)
{
	size_t rows, open;

	if (lf_report_compare(stdout, c->file, c->n, &rows, &open) < 0 ||
	    fflush(stdout) != 0) {
		lf_cli_error(c->command, "cannot write the comparison");
		return LF_EXIT_HARNESS;
	}
	if (rows == 0)
		return lf_cli_error(c->command, "nothing to compare: no cell with a rate "
				    "is in %s and in another file; \"lockfair run --suite "
				    "handoff --record FILE\" makes such records",
				    c->path[0]);
	return open ? LF_EXIT_INCONCLUSIVE : LF_EXIT_OK;
}

int lf_cli_compare(int argc, char **argv)
{
	static const struct argp argp = {
		option, parse, "FILE.jsonl FILE.jsonl...",
		"Says how the rates of the first file's runs differ in the others: ratio, "
		"its 95 % interval where the records hold samples, and a word."
		"\vdrop, rise: the ranges have nothing in common, and neither noise nor "
		"what varies from run to run explains it. same: spreads and change are "
		"below 1 %. A file may hold several runs of a cell; from four on each side "
		"smaller changes can be told. Nothing fails here: the exit status is 0, or "
		"77 if some row cannot be told; 2 a file cannot be used.",
		NULL, NULL, NULL,
	};
	static struct comparing c;
	struct lf_error error;
	int code;

	c.command = argv[0];
	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &c) != 0)
		return LF_EXIT_USAGE;
	if (read_all(&c, &error) < 0)
		code = lf_cli_error(c.command, "%s", error.text);
	else
		code = c.seed_layout ? say_layout(&c) : say(&c);
	for (size_t i = 0; i < c.n; i++)
		json_decref(c.records[i]);
	return code;
}
