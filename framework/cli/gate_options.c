/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/gate.h"

#include "cli/cli.h"
#include "core/cell.h"

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

enum key {
	KEY_BASE = 256, KEY_HEAD, KEY_LAYERS, KEY_ENGINE, KEY_BUDGET, KEY_SEED, KEY_TOLERATE,
	KEY_DETECT, KEY_THREADS, KEY_WAIT_LIMIT, KEY_ATTEMPTS, KEY_PAUSE, KEY_TIME_LIMIT,
	KEY_INCONCLUSIVE, KEY_EXPECTATIONS, KEY_NO_EXPECTATIONS, KEY_NO_CONTROLS,
	KEY_KEEP_GOING, KEY_BASELINE, KEY_RECORD, KEY_NO_REALTIME,
};

#define GROUP(number, text) { NULL, 0, NULL, 0, text, number }
#define OPTION(name, key, argument, text) { name, key, argument, 0, text, 0 }

static const struct argp_option option[] = {
	GROUP(1, "What is compared:"),
	OPTION("base", KEY_BASE, "LOCK", "The lock before the change: a plug-in, "
	       "\"./old.so\" or \"./old.so:NAME\", or the name of a built-in backend"),
	OPTION("head", KEY_HEAD, "LOCK", "The lock after the change"),
	OPTION("param", 'p', "NAME=VALUE",
	       "Set a parameter of both, where they have it"),
	OPTION("layers", KEY_LAYERS, "LETTERS",
	       "a: claims, b: latency bounds, c: speed against base (default abc)"),
	GROUP(2, "Layer a:"),
	OPTION("scenario", 's', "GLOB", "Only these scenarios. May be given several times"),
	OPTION("engine", KEY_ENGINE, "NAME", "threads, sim or all (default)"),
	OPTION("budget", KEY_BUDGET, "NAME", "quick (default), normal or long"),
	OPTION("baseline", KEY_BASELINE, "FILE",
	       "Counts that head is to keep as well, from `lockfair history --baseline'"),
	OPTION("no-controls", KEY_NO_CONTROLS, NULL,
	       "Judge no controls: faster, but nothing shows that a scenario can tell"),
	OPTION("keep-going", KEY_KEEP_GOING, NULL,
	       "Go on after the first failure, and with b and c"),
	GROUP(3, "Layers b and c:"),
	OPTION("wait-limit", KEY_WAIT_LIMIT, "[QUANTILE:]TIME",
	       "b: waits are to be at most that long, \"p99:2ms\"; the default is what the "
	       "lock claims"),
	OPTION("tolerate", KEY_TOLERATE, "PERCENT",
	       "c: surely worse than that fails (default 5)"),
	OPTION("detect", KEY_DETECT, "PERCENT",
	       "c: surely less than that worse passes (default 25)"),
	OPTION("threads", KEY_THREADS, "N", "Threads, each on a CPU of its own (default 2)"),
	OPTION("no-realtime", KEY_NO_REALTIME, NULL,
	       "c: do not go before everything else on this machine, where that is permitted"),
	GROUP(4, "How it is judged:"),
	OPTION("seed", KEY_SEED, "N", "Seed of every run (default 1)"),
	OPTION("attempts", KEY_ATTEMPTS, "N",
	       "How often what is inconclusive is tried, 1 to 3 (default 3)"),
	OPTION("pause", KEY_PAUSE, "SECONDS", "… and how long between (default 2)"),
	OPTION("time-limit", KEY_TIME_LIMIT, "SECONDS",
	       "No new attempt after that (default 40)"),
	OPTION("inconclusive", KEY_INCONCLUSIVE, "block|warn",
	       "block (default): exit with 77; warn: say so, and exit as if it were not"),
	OPTION("expectations", KEY_EXPECTATIONS, "FILE",
	       "Waivers, each with a reason and the last day on which it holds"),
	OPTION("no-expectations", KEY_NO_EXPECTATIONS, NULL, "Expect nothing"),
	GROUP(5, "What comes out:"),
	OPTION("record", KEY_RECORD, "FILE", "Write one line of JSON per verdict"),
	OPTION("quiet", 'q', NULL, "Show only what needs attention"),
	{ 0 },
};

static error_t number(struct lf_gate_options *o, const char *name, const char *text,
		      double least, double most, double *ret_value)
{
	char *end;

	*ret_value = strtod(text, &end);
	if (end != text && (*end == '\0' || strcmp(end, "%") == 0) &&
	    *ret_value >= least && *ret_value <= most)
		return 0;
	lf_cli_error(o->run.command, "--%s=%s: give a number from %g to %g", name, text,
		     least, most);
	return EINVAL;
}

static error_t layers(struct lf_gate_options *o, const char *text)
{
	o->layers = 0;
	if (!*text) {
		lf_cli_error(o->run.command, "--layers is empty: use the letters a, b and c");
		return EINVAL;
	}
	for (const char *c = text; *c; c++) {
		if (!strchr("abcABC", *c)) {
			lf_cli_error(o->run.command, "--layers=%s: use the letters a, b and "
				     "c", text);
			return EINVAL;
		}
		o->layers |= 1u << ((*c | 0x20) - 'a');
	}
	return 0;
}

/* "p99:2ms", "2ms". */
static error_t wait_limit(struct lf_gate_options *o, const char *text)
{
	static const struct { const char *name; double ns; } unit[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};
	const char *colon = strchr(text, ':');
	double percent = 99, value;
	char *end;

	if (colon && (sscanf(text, "p%lf:", &percent) != 1 || percent <= 0 ||
		      percent >= 100))
		goto wrong;
	value = strtod(colon ? colon + 1 : text, &end);
	for (size_t i = 0; value > 0 && isfinite(value) && i < sizeof unit / sizeof unit[0]; i++) {
		if (strcmp(end, unit[i].name) != 0)
			continue;
		o->wait_part = percent / 100;
		o->wait_limit_ns = (uint64_t)(value * unit[i].ns);
		return 0;
	}
wrong:
	lf_cli_error(o->run.command, "--wait-limit=%s: write a quantile and a time with its "
		     "unit, \"p99:2ms\"", text);
	return EINVAL;
}

static error_t inconclusive(struct lf_gate_options *o, const char *text)
{
	o->warn = strcmp(text, "warn") == 0;
	if (o->warn || strcmp(text, "block") == 0)
		return 0;
	lf_cli_error(o->run.command, "--inconclusive=%s: use block or warn", text);
	return EINVAL;
}

static error_t parse_number(int key, char *arg, struct lf_gate_options *o)
{
	double x = 0;
	error_t e = ARGP_ERR_UNKNOWN;

	if (key == KEY_TOLERATE) {
		e = number(o, "tolerate", arg, 1, 1000, &x);
		o->rule.tolerate = x / 100;
	} else if (key == KEY_DETECT) {
		e = number(o, "detect", arg, 1, 1000, &x);
		o->rule.detect = x / 100;
	} else if (key == KEY_THREADS) {
		e = number(o, "threads", arg, 2, LF_MAX_THREADS, &x);
		o->threads = (unsigned)x;
	} else if (key == KEY_ATTEMPTS) {
		e = number(o, "attempts", arg, 1, 3, &x);
		o->attempts = (unsigned)x;
	} else if (key == KEY_PAUSE) {
		e = number(o, "pause", arg, 0, 3600, &x);
		o->pause_ns = (uint64_t)(x * SECOND);
	} else if (key == KEY_TIME_LIMIT) {
		e = number(o, "time-limit", arg, 0, 86400, &x);
		o->limit_ns = (uint64_t)(x * SECOND);
	} else if (key == KEY_SEED) {
		e = number(o, "seed", arg, 0, 9007199254740992.0, &x);
		o->run.seed = (uint64_t)x;
	}
	return e;
}

static error_t parse_switch(int key, char *arg, struct lf_gate_options *o)
{
	switch (key) {
	case KEY_EXPECTATIONS:
		o->run.expectations = arg;
		return 0;
	case KEY_NO_EXPECTATIONS:
		o->run.no_expectations = true;
		return 0;
	case KEY_NO_CONTROLS:
		o->run.no_controls = true;
		return 0;
	case KEY_KEEP_GOING:
		o->keep_going = true;
		return 0;
	case KEY_NO_REALTIME:
		o->no_realtime = true;
		return 0;
	case KEY_BASELINE:
		o->baseline = arg;
		return 0;
	case KEY_RECORD:
		o->run.record = arg;
		return 0;
	case 'q':
		o->run.quiet = true;
		return 0;
	}
	return parse_number(key, arg, o);
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct lf_gate_options *o = state->input;

	switch (key) {
	case KEY_BASE:
		o->base = arg;
		return 0;
	case KEY_HEAD:
		o->head = arg;
		return 0;
	case KEY_LAYERS:
		return layers(o, arg);
	case KEY_WAIT_LIMIT:
		return wait_limit(o, arg);
	case KEY_INCONCLUSIVE:
		return inconclusive(o, arg);
	case 's':
		return lf_strings_add(&o->run.scenario, arg);
	case 'p':
		return lf_strings_add(&o->run.param, arg);
	case KEY_ENGINE:
		o->run.engine = arg;
		return 0;
	case KEY_BUDGET:
		return lf_options_budget(&o->run, arg);
	case ARGP_KEY_ARG:
		lf_cli_error(o->run.command, "\"%s\": which side is it? Write --base=%s or "
			     "--head=%s", arg, arg, arg);
		return EINVAL;
	}
	return parse_switch(key, arg, o);
}

static int check(const struct lf_gate_options *o)
{
	if (!o->base || !o->head)
		return lf_cli_error(o->run.command, "--%s is missing: give --base and "
				    "--head, the lock before and after the change",
				    o->base ? "head" : "base");
	if (o->run.no_expectations && o->run.expectations)
		return lf_cli_error(o->run.command, "--expectations and --no-expectations "
				    "exclude each other; give one of them");
	if (o->rule.tolerate >= o->rule.detect)
		return lf_cli_error(o->run.command, "--tolerate must be less than --detect: "
				    "what lies between may end either way");
	return 0;
}

int lf_gate_options_parse(struct lf_gate_options *options, int argc, char **argv)
{
	static const struct argp argp = {
		option, parse_one, "--base=LOCK --head=LOCK",
		"Judges a change of a lock: does the new one still keep what it claims, do "
		"waits stay below their bounds, and is it as fast as the old one?"
		"\vExit status: 0 nothing became worse, 1 something did, 2 wrong use, 77 "
		"something is inconclusive, 99 lockfair itself failed or nothing at all "
		"could be decided.",
		NULL, NULL, NULL,
	};

	*options = (struct lf_gate_options){
		.run = { .command = argv[0], .engine = "all", .seed = LF_SEED,
			 .suite = "core", .threads = -1 },
		.layers = LF_GATE_ALL, .rule = { 0.05, 0.25 }, .threads = LF_GATE_THREADS,
		.wait_part = 0.99, .attempts = 3, .pause_ns = 2 * SECOND,
		.limit_ns = 40 * SECOND,
	};
	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, options) != 0)
		return LF_EXIT_USAGE;
	return check(options);
}

void lf_gate_options_free(struct lf_gate_options *options)
{
	lf_options_free(&options->run);
}
