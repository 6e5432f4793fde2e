/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of `lockfair run`, taken apart but not yet looked up. */
#ifndef LF_CLI_OPTIONS_H
#define LF_CLI_OPTIONS_H

#include <lockfair/scenario.h>
#include <stddef.h>

struct lf_strings {
	const char **at;
	size_t n;
};

struct lf_options {
	const char *command;         /* for messages: "lockfair run" */
	char **argv;                 /* as it was typed */
	int argc;
	struct lf_strings selector;  /* backend globs and plug-in paths */
	const char *suite;           /* NULL: not given */
	struct lf_strings scenario;  /* globs */
	const char *engine;          /* a name, or "all" */
	struct lf_strings require;   /* scenario globs */
	struct lf_strings param;     /* "name=value" */
	const char *lock;            /* around pollers; NULL: the usual one */
	int threads;                 /* -1: not given */
	enum lf_budget budget;
	uint64_t seed;
	unsigned seeds;              /* 0: as the engine has it */
	const char *machine;         /* NULL: all; a file has a slash in it */
	char machine_file[4096];     /* what it points to, if it had none */
	const char *expectations;    /* NULL: only the shipped ones */
	bool no_expectations, no_controls;
	unsigned shard, shards;      /* 0: all of it */
	const char *record, *tap, *junit;
	const char *resume;          /* then also `record` */
	bool quiet;
	bool as_seed;                /* --format=seed */
};

/* For commands that share options with `run`: 0, or an errno. A name that is no
 * budget is told on standard error. */
int lf_strings_add(struct lf_strings *to, const char *text);
int lf_options_budget(struct lf_options *o, const char *text);

/* 0, or what to exit with after the reason was printed. --help ends the
 * process. lf_options_free() gives the lists back. */
int lf_options_parse(struct lf_options *options, int argc, char **argv);
void lf_options_free(struct lf_options *options);

/* The command that was typed, but with --resume=`record`. Returns `buffer`. */
const char *lf_options_resume(const struct lf_options *options, const char *record,
			      char *buffer, size_t size);

#endif
