/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cli/cli.h"

#include "core/select.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

static const struct command {
	const char *name, *text;
	int (*main)(int argc, char **argv);
} commands[] = {
#define X(name, text) { #name, text, lf_cli_##name },
	LF_COMMAND_MAP(X)
#undef X
};

#define COMMANDS (sizeof commands / sizeof commands[0])

int lf_cli_error(const char *command, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", command);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return LF_EXIT_USAGE;
}

static int help(void)
{
	printf("Usage: lockfair COMMAND [OPTION]...\n"
	       "Judges locks by who gets them next, and how long the others wait.\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].text);
	printf("\nBare \"lockfair run\" judges all built-in locks in under a minute.\n"
	       "\"lockfair COMMAND --help\" tells more.\n\n"
	       "Exit status: 0 all is as claimed or expected, 1 a lock failed, 2 wrong "
	       "use,\n77 some verdict is inconclusive, 99 lockfair itself failed.\n");
	return LF_EXIT_OK;
}

static int unknown(const char *word)
{
	const char *name[COMMANDS];
	char meant[128];

	for (size_t i = 0; i < COMMANDS; i++)
		name[i] = commands[i].name;
	lf_did_you_mean(word, name, COMMANDS, meant, sizeof meant);
	return lf_cli_error("lockfair", "\"%s\" is no command%s; see \"lockfair --help\"",
			    word, meant);
}

int main(int argc, char **argv)
{
	char name[64];

	if (argc < 2)
		return lf_cli_error("lockfair", "which command? See \"lockfair --help\"");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)
		return help();
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return printf("lockfair " PACKAGE_VERSION "\n") < 0;
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		snprintf(name, sizeof name, "lockfair %s", commands[i].name);
		argv[1] = name;
		return commands[i].main(argc - 1, argv + 1);
	}
	return unknown(argv[1]);
}
