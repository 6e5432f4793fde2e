/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair cc: compiles a lock of one's own for both engines. Compilers are
 * run by a script, plugin.sh; this finds it and what it needs. */
#include "cli/cli.h"
#include "cli/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int help(void)
{
	printf("Usage: lockfair cc -o PLUGIN.so SOURCE.c... [COMPILER ARGUMENT...]\n"
	       "Compiles a lock twice, for the machine and for the simulator, into one\n"
	       "shared object that `lockfair run ./PLUGIN.so' judges on both.\n\n"
	       "CC, CFLAGS and LDFLAGS have their usual meaning. LOCKFAIR_DATADIR and\n"
	       "LOCKFAIR_INCLUDEDIR name the folders of rename.h and of lockfair/backend.h\n"
	       "where lockfair is not installed.\n");
	return LF_EXIT_OK;
}

/* The script becomes this process. */
static int run_script(int argc, char **argv, char *script, char *include)
{
	static char shell[] = "/bin/sh";
	char **args = calloc((size_t)argc + 3, sizeof *args);
	if (!args)
		return lf_cli_error(argv[0], "out of memory");
	args[0] = shell;
	args[1] = script;
	args[2] = include;
	for (int i = 1; i < argc; i++)
		args[i + 2] = argv[i];
	execv(shell, args);
	int code = errno;
	free(args);
	return lf_cli_error(argv[0], "cannot run %s: %s", shell, strerror(code));
}

int lf_cli_cc(int argc, char **argv)
{
	char data[PATH_MAX], include[PATH_MAX], script[PATH_MAX + 16];

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return help();
	if (!lf_find_place(LF_PLACE_SCRIPTS, "plugin.sh", data, sizeof data))
		return lf_cli_error(argv[0], "no plugin.sh in %s; install lockfair, or set "
				    "LOCKFAIR_DATADIR to framework/engine/sim of its sources",
				    data);
	if (!lf_find_place(LF_PLACE_HEADERS, "lockfair/backend.h", include, sizeof include))
		return lf_cli_error(argv[0], "no lockfair/backend.h in %s; install lockfair, "
				    "or set LOCKFAIR_INCLUDEDIR to framework of its sources",
				    include);
	snprintf(script, sizeof script, "%s/plugin.sh", data);
	return run_script(argc, argv, script, include);
}
