/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's commands. Each gets its own arguments, with argv[0] being
 * "lockfair COMMAND" for its messages, and returns what to exit with (see
 * report/shown.h). Only here does lockfair print and exit.
 */
#ifndef LF_CLI_CLI_H
#define LF_CLI_CLI_H

#include "report/shown.h"

#define LF_COMMAND_MAP(X)                                                      \
	X(run, "judge locks, and report why they pass or fail")                \
	X(gate, "judge a change of a lock: the new one against the old one")   \
	X(doctor, "say what this machine can judge, and what it cannot")       \
	X(history, "show how cells went over many runs")                       \
	X(list, "show the backends and scenarios there are")                   \
	X(compare, "say how the rates of runs differ, from their records")     \
	X(replay, "run one simulated run again, by the line in a report")     \
	X(report, "make reports of records: HTML, Markdown, TAP, JUnit")       \
	X(trace, "write what the threads did, for Perfetto")                   \
	X(merge, "put the records of several shards together")                  \
	X(cc, "compile a plug-in, for `threads` and for `sim`")                \
	X(machines, "show the machine models of `sim`")

#define X(name, text) int lf_cli_##name(int argc, char **argv);
LF_COMMAND_MAP(X)
#undef X

/* One line on standard error: "lockfair run: …". Returns LF_EXIT_USAGE. */
__attribute__((format(printf, 2, 3)))
int lf_cli_error(const char *command, const char *format, ...);

#endif
