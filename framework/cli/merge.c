/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair merge: the records of shards, as of one run. */
#include "report/merge.h"

#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/writable.h"
#include "report/record.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merging {
	const char *command, *output;
	struct lf_inputs inputs;
};

static const struct argp_option option[] = {
	{ "output", 'o', "FILE", 0, "Where to write (default: standard output)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct merging *m = state->input;

	if (key != 'o')
		return lf_inputs_parse(&m->inputs, key, state);
	m->output = strcmp(arg, "-") == 0 ? NULL : arg;
	return 0;
}

static int write_records(const struct merging *m, const json_t *records,
			 struct lf_error *error)
{
	const char *name = m->output ? m->output : "standard output";
	int fd = STDOUT_FILENO, r = 0;
	size_t i;
	json_t *record;

	signal(SIGXFSZ, SIG_IGN);
	if (m->output)
		fd = open(m->output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
			  0666);
	if (fd < 0)
		return lf_error_set(error, -errno, "cannot write %s: %s; give a path that "
				    "can be written", name, strerror(errno));
	json_array_foreach(records, i, record)
		if (r == 0)
			r = lf_record_append(fd, name, record, error);
	if (m->output)
		close(fd);
	return r;
}

static int merge(const struct merging *m, json_t *records)
{
	struct lf_merged merged;
	struct lf_error error;

	if (lf_records_merge(records, &merged, &error) < 0 ||
	    lf_check_writable("output", m->output, &error) < 0)
		return lf_cli_error(m->command, "%s", error.text);
	if (write_records(m, records, &error) < 0) {
		lf_cli_error(m->command, "%s", error.text);
		return LF_EXIT_HARNESS;
	}
	if (merged.missing == 0)
		return (int)lf_records_exit(records);
	lf_cli_error(m->command, "%zu of %zu cells have no record (%s); run the shard that "
		     "is not here, or one that stopped again with --resume",
		     merged.missing, merged.of, merged.where);
	return LF_EXIT_HARNESS;
}

int lf_cli_merge(int argc, char **argv)
{
	static const struct argp argp = {
		option, parse, "RECORDS...",
		"Puts the records of the shards of one run together: in their order, one "
		"for each cell."
		"\vExit status: what the run would have had if it had run whole; 99 when "
		"cells are missing or the disk is full, 2 when a file cannot be read, is of "
		"another run, or cannot be written to.",
		NULL, NULL, NULL,
	};
	struct merging m = { .command = argv[0] };
	struct lf_error error;
	json_t *records;
	int code;

	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &m) != 0)
		return LF_EXIT_USAGE;
	records = lf_inputs_read(&m.inputs, &error);
	if (!records)
		return lf_cli_error(m.command, "%s", error.text);
	code = merge(&m, records);
	json_decref(records);
	return code;
}
