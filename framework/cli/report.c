/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair report: what is made of records, from the records alone. */
#include "report/report.h"

#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/writable.h"
#include "core/select.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

#define OUTPUTS_MAX 16

static int write_text(FILE *out, const json_t *records)
{
	const struct lf_text_style style = {
		.colour = lf_may_colour(out), .width = lf_terminal_width(out),
	};

	return lf_report_text(out, records, &style);
}

/* Name, ending of a file's name, writer, what it is. JUnit has a writer of its own. */
#define FORMAT_MAP(X)                                                          \
	X(text, "txt", write_text, "for people")                               \
	X(html, "html", lf_report_html, "one file that opens without a network") \
	X(markdown, "md", lf_report_markdown, "the summary of a CI job")       \
	X(github, "", lf_report_github, "annotations of GitHub Actions")       \
	X(tap, "tap", lf_report_tap, "TAP 13")                                 \
	X(junit, "xml", NULL, "JUnit XML")

static const struct format {
	const char *name, *ending, *text;
	int (*write)(FILE *out, const json_t *records);
} formats[] = {
#define X(name, ending, write, text) { #name, ending, text, write },
	FORMAT_MAP(X)
#undef X
};

#define FORMATS (sizeof formats / sizeof formats[0])

struct output {
	const struct format *format;
	const char *path;
};

struct reporting {
	const char *command;
	struct output output[OUTPUTS_MAX];
	size_t outputs;
	const struct format *format; /* of what follows; NULL: by the ending */
	struct lf_inputs inputs;
};

static const struct argp_option option[] = {
	{ "output", 'o', "FILE", 0, "Write here; may be given several times. The ending "
	  "says what: .html .md .txt .tap .xml (default: text to standard output)", 0 },
	{ "format", 'f', "NAME", 0, "What the outputs are that follow, whatever their "
	  "ending: text, html, markdown, github, tap or junit", 0 },
	{ 0 },
};

static const struct format *format_by_name(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

static const struct format *format_by_ending(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && dot[1] && i < FORMATS; i++)
		if (strcmp(formats[i].ending, dot + 1) == 0)
			return &formats[i];
	return NULL;
}

static error_t set_format(struct reporting *r, const char *name)
{
	const char *known[FORMATS];
	char meant[96];

	r->format = format_by_name(name);
	if (r->format)
		return 0;
	for (size_t i = 0; i < FORMATS; i++)
		known[i] = formats[i].name;
	lf_cli_error(r->command, "--format=%s: there is no such format%s; use text, html, "
		     "markdown, github, tap or junit", name,
		     lf_did_you_mean(name, known, FORMATS, meant, sizeof meant));
	return EINVAL;
}

static error_t add_output(struct reporting *r, const char *path)
{
	const struct format *format = r->format ? r->format : format_by_ending(path);

	if (r->outputs == OUTPUTS_MAX) {
		lf_cli_error(r->command, "more than %d outputs; call it again for the rest",
			     OUTPUTS_MAX);
		return EINVAL;
	}
	if (!format) {
		lf_cli_error(r->command, "--output=%s: its ending names no format; give "
			     "--format before it", path);
		return EINVAL;
	}
	r->output[r->outputs++] = (struct output){ format, path };
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reporting *r = state->input;

	switch (key) {
	case 'o':
		return add_output(r, arg);
	case 'f':
		return set_format(r, arg);
	case ARGP_KEY_END:
		/* -f alone: to standard output. */
		if (r->outputs == 0)
			r->output[r->outputs++] = (struct output){
				r->format ? r->format : &formats[0], "-",
			};
		return 0;
	}
	return lf_inputs_parse(&r->inputs, key, state);
}

static int write_output(const struct output *o, const json_t *records,
			struct lf_error *error)
{
	bool to_stdout = strcmp(o->path, "-") == 0;

	if (o->format->write)
		return lf_output_write(o->path, o->format->write, records, error);
	return lf_report_junit(to_stdout ? "/dev/stdout" : o->path, records, error);
}

static int write_outputs(const struct reporting *r, const json_t *records)
{
	struct lf_error error;
	int code = 0;

	for (size_t i = 0; code == 0 && i < r->outputs; i++)
		code = lf_check_writable("output", r->output[i].path, &error);
	if (code < 0)
		return lf_cli_error(r->command, "%s", error.text);
	for (size_t i = 0; code == 0 && i < r->outputs; i++)
		code = write_output(&r->output[i], records, &error);
	if (code == 0)
		return LF_EXIT_OK;
	lf_cli_error(r->command, "%s", error.text);
	return LF_EXIT_HARNESS;
}

int lf_cli_report(int argc, char **argv)
{
	static const struct argp argp = {
		option, parse, "RECORDS...",
		"Makes reports of the files that `lockfair run --record' and `lockfair "
		"gate --record' have written, on any machine."
		"\vExit status: 0 when they are written, whatever they say; 2 when records "
		"cannot be read or an output cannot be opened; 99 when writing fails, as on "
		"a full disk. `lockfair merge' has the exit status of the run.",
		NULL, NULL, NULL,
	};
	struct reporting r = { .command = argv[0] };
	struct lf_error error;
	json_t *records;
	int code;

	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &r) != 0)
		return LF_EXIT_USAGE;
	for (size_t i = 0; i < r.outputs; i++)
		if (lf_inputs_spare(&r.inputs, r.output[i].path, &error) < 0)
			return lf_cli_error(r.command, "%s", error.text);
	records = lf_inputs_read(&r.inputs, &error);
	if (!records)
		return lf_cli_error(r.command, "%s", error.text);
	code = write_outputs(&r, records);
	json_decref(records);
	return code;
}
