/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/options.h"

#include "cli/cli.h"
#include "core/buffer.h"
#include "core/cell.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key {
	KEY_SUITE = 256, KEY_ENGINE, KEY_REQUIRE, KEY_THREADS, KEY_BUDGET, KEY_SEED,
	KEY_MACHINE, KEY_EXPECTATIONS, KEY_NO_EXPECTATIONS, KEY_NO_CONTROLS, KEY_RECORD,
	KEY_TAP, KEY_JUNIT, KEY_SHARD, KEY_RESUME, KEY_SEEDS, KEY_FORMAT, KEY_LOCK,
};

#define GROUP(number, text) { NULL, 0, NULL, 0, text, number }
#define OPTION(name, key, argument, text) { name, key, argument, 0, text, 0 }

static const struct argp_option option[] = {
	GROUP(1, "What is judged:"),
	OPTION("suite", KEY_SUITE, "NAME",
	       "Scenarios of this suite (default core), or all"),
	OPTION("scenario", 's', "GLOB",
	       "Only these scenarios; \"drain/3\" is one cell of a sweep. May be given "
	       "several times"),
	OPTION("engine", KEY_ENGINE, "NAME", "threads, sim or all (default)"),
	OPTION("param", 'p', "NAME=VALUE",
	       "Set a parameter of the backends that have it; \"polls\" is that of a "
	       "mutex used as a GIL"),
	OPTION("lock", KEY_LOCK, "NAME",
	       "The GIL that is held around pollers (default " LF_POLLER_LOCK ")"),
	OPTION("threads", KEY_THREADS, "N", "One value instead of the scenario's sweep"),
	OPTION("machine", KEY_MACHINE, "NAME|FILE",
	       "sim: one machine model instead of all"),
	OPTION("shard", KEY_SHARD, "I/N",
	       "Only the I-th of N parts, which lockfair merge puts together again"),
	GROUP(2, "How it is judged:"),
	OPTION("require", KEY_REQUIRE, "GLOB",
	       "The requirement of these scenarios counts, whatever the lock claims"),
	OPTION("budget", KEY_BUDGET, "NAME", "quick (default), normal or long"),
	OPTION("seed", KEY_SEED, "N", "Seed of every run (default 1)"),
	OPTION("seeds", KEY_SEEDS, "N", "sim: so many seeds from there on"),
	OPTION("expectations", KEY_EXPECTATIONS, "FILE",
	       "Expectations beside those that are built in; the last one that matches "
	       "decides"),
	OPTION("no-expectations", KEY_NO_EXPECTATIONS, NULL,
	       "Expect nothing: every fail counts"),
	OPTION("no-controls", KEY_NO_CONTROLS, NULL,
	       "Judge no controls: faster, but nothing shows that a scenario can tell"),
	GROUP(3, "What comes out:"),
	OPTION("format", KEY_FORMAT, "NAME",
	       "text (default), or seed: the tables of the benchmarks that a suite comes "
	       "from, in their layout"),
	OPTION("record", KEY_RECORD, "FILE",
	       "Write one line of JSON per cell, as it ends"),
	OPTION("resume", KEY_RESUME, "FILE",
	       "Run only what has no record in the file, and append to it"),
	OPTION("tap", KEY_TAP, "FILE",
	       "Write TAP; \"-\" is standard output, and the report goes to standard "
	       "error"),
	OPTION("junit", KEY_JUNIT, "FILE", "Write JUnit XML"),
	OPTION("quiet", 'q', NULL, "Show only what needs attention"),
	{ 0 },
};

int lf_strings_add(struct lf_strings *to, const char *text)
{
	const char **grown = realloc(to->at, (to->n + 1) * sizeof *grown);

	if (!grown)
		return ENOMEM;
	to->at = grown;
	to->at[to->n++] = text;
	return 0;
}

static error_t set_number(const struct lf_options *o, const char *name, const char *text,
			  uint64_t least, uint64_t most, uint64_t *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoull(text, &end, 0);
	if (errno == 0 && end != text && *end == '\0' && text[0] != '-' &&
	    *ret_value >= least && *ret_value <= most)
		return 0;
	if (most == UINT64_MAX)
		lf_cli_error(o->command, "--%s=%s: give a whole number", name, text);
	else
		lf_cli_error(o->command, "--%s=%s: give a number from %llu to %llu", name,
			     text, (unsigned long long)least, (unsigned long long)most);
	return EINVAL;
}

static error_t set_threads(struct lf_options *o, const char *text)
{
	uint64_t n;
	/* What is too many each scenario says of itself. */
	error_t e = set_number(o, "threads", text, 0, UINT64_MAX, &n);

	o->threads = n < INT_MAX ? (int)n : INT_MAX;
	return e;
}

int lf_options_budget(struct lf_options *o, const char *text)
{
	static const char *const name[] = {
#define X(id, text_) text_,
		LF_BUDGET_MAP(X)
#undef X
	};

	for (int i = 0; i < LF_BUDGET_COUNT; i++) {
		if (strcmp(name[i], text) == 0) {
			o->budget = (enum lf_budget)i;
			return 0;
		}
	}
	lf_cli_error(o->command, "--budget=%s: use quick, normal or long", text);
	return EINVAL;
}

/* Machine models are files and have names; a file is told by its slash. */
static error_t set_machine(struct lf_options *o, const char *text)
{
	size_t n = strlen(text);
	bool bare = n > 4 && strcmp(text + n - 4, ".ini") == 0 && !strchr(text, '/');

	snprintf(o->machine_file, sizeof o->machine_file, "./%s", text);
	o->machine = bare ? o->machine_file : text;
	return 0;
}

static error_t set_shard(struct lf_options *o, const char *text)
{
	int end = 0;

	if (sscanf(text, "%5u/%5u%n", &o->shard, &o->shards, &end) == 2 &&
	    text[end] == '\0' && o->shard >= 1 && o->shard <= o->shards)
		return 0;
	lf_cli_error(o->command, "--shard=%s: write I/N, as in 1/4 for the first of four "
		     "parts", text);
	return EINVAL;
}

/* More than that have no place in a record. */
#define SEEDS_MAX 64

static error_t set_seeds(struct lf_options *o, const char *text)
{
	uint64_t n;
	error_t e = set_number(o, "seeds", text, 1, SEEDS_MAX, &n);

	o->seeds = (unsigned)n;
	return e;
}

static error_t set_format(struct lf_options *o, const char *text)
{
	o->as_seed = strcmp(text, "seed") == 0;
	if (o->as_seed || strcmp(text, "text") == 0)
		return 0;
	lf_cli_error(o->command, "--format=%s: use text or seed", text);
	return EINVAL;
}

static error_t parse_output(int key, char *arg, struct lf_options *o)
{
	switch (key) {
	case KEY_FORMAT:
		return set_format(o, arg);
	case KEY_RECORD:
		o->record = arg;
		return 0;
	case KEY_RESUME:
		o->resume = arg;
		return 0;
	case KEY_TAP:
		o->tap = arg;
		return 0;
	case KEY_JUNIT:
		o->junit = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_judging(int key, char *arg, struct lf_options *o)
{
	switch (key) {
	case KEY_REQUIRE:
		return lf_strings_add(&o->require, arg);
	case KEY_BUDGET:
		return lf_options_budget(o, arg);
	case KEY_SEED:
		return set_number(o, "seed", arg, 0, UINT64_MAX, &o->seed);
	case KEY_SEEDS:
		return set_seeds(o, arg);
	case KEY_EXPECTATIONS:
		o->expectations = arg;
		return 0;
	case KEY_NO_CONTROLS:
		o->no_controls = true;
		return 0;
	case KEY_NO_EXPECTATIONS:
		o->no_expectations = true;
		return 0;
	}
	return parse_output(key, arg, o);
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct lf_options *o = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		return lf_strings_add(&o->selector, arg);
	case KEY_SUITE:
		o->suite = arg;
		return 0;
	case 's':
		return lf_strings_add(&o->scenario, arg);
	case KEY_ENGINE:
		o->engine = arg;
		return 0;
	case 'p':
		return lf_strings_add(&o->param, arg);
	case KEY_LOCK:
		o->lock = arg;
		return 0;
	case KEY_THREADS:
		return set_threads(o, arg);
	case KEY_MACHINE:
		return set_machine(o, arg);
	case KEY_SHARD:
		return set_shard(o, arg);
	}
	return parse_judging(key, arg, o);
}

static int check(struct lf_options *o)
{
	if (o->resume && o->record)
		return lf_cli_error(o->command, "--resume=%s goes on with that file, and "
				    "--record=%s names another; give one of them",
				    o->resume, o->record);
	if (o->resume)
		o->record = o->resume;
	if (o->no_expectations && o->expectations)
		return lf_cli_error(o->command, "--expectations and --no-expectations "
				    "exclude each other; give one of them");
	if (o->machine && strcmp(o->engine, "threads") == 0)
		return lf_cli_error(o->command, "--machine=%s: threads runs on this "
				    "machine only; use --engine sim", o->machine);
	return 0;
}

int lf_options_parse(struct lf_options *options, int argc, char **argv)
{
	static const struct argp argp = {
		option, parse_one, "[BACKEND-GLOB | ./PLUGIN.so[:BACKEND-GLOB]]...",
		"Judges locks: those that the suite names, or those that match, or those in "
		"a shared object of your own."
		"\vThe deliberately faulty backends run only when asked for "
		"(\"faulty/*\"). Exit status: 0 all is as claimed or expected, 1 a lock "
		"failed, 2 wrong use or nothing selected, 77 some verdict is "
		"inconclusive, 99 lockfair itself failed.",
		NULL, NULL, NULL,
	};

	*options = (struct lf_options){
		.command = argv[0], .argv = argv, .argc = argc, .engine = "all",
		.seed = LF_SEED, .threads = -1,
	};
	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, options) != 0)
		return LF_EXIT_USAGE;
	return check(options);
}

void lf_options_free(struct lf_options *options)
{
	free(options->selector.at);
	free(options->scenario.at);
	free(options->require.at);
	free(options->param.at);
}

/* Is `value` this word, or the end of it? */
static bool is_of(const char *value, const char *word)
{
	return value && value >= word && value <= word + strlen(word);
}

const char *lf_options_resume(const struct lf_options *options, const char *record,
			      char *buffer, size_t size)
{
	struct lf_buffer text = { buffer, size, 0 };

	lf_put(&text, "%s", options->command);
	for (int i = 1; i < options->argc; i++) {
		const char *word = options->argv[i];
		const char *next = i + 1 < options->argc ? options->argv[i + 1] : "";
		/* The value in a word of its own, after that with the option's name. */
		if (options->record == next || options->record == word ||
		    is_of(options->record, word))
			continue;
		lf_put(&text, " ");
		lf_put_word(&text, word);
	}
	lf_put(&text, " --resume ");
	lf_put_word(&text, record);
	return buffer;
}
