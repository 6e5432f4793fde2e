/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair cc: compiles a lock of one's own for both engines. Compilers are
 * run by a script, plugin.sh; this finds it and what it needs. */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LF_PKGDATADIR
#define LF_PKGDATADIR "/usr/share/lockfair"
#endif
#ifndef LF_INCLUDEDIR
#define LF_INCLUDEDIR "/usr/include"
#endif

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

/* A folder that can be told from the program's own place: in the tree in which it
 * was built, or in a copy of an installation. */
static bool beside_program(const char *below, char *folder, size_t size)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	if (length <= 0)
		return false;
	program[length] = '\0';
	char *slash = strrchr(program, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return (size_t)snprintf(folder, size, "%s/%s", program, below) < size;
}

static bool holds(const char *folder, const char *file)
{
	char path[PATH_MAX];
	return (size_t)snprintf(path, sizeof path, "%s/%s", folder, file) < sizeof path &&
		access(path, R_OK) == 0;
}

/* The first of: what the environment says, two places beside the program, the
 * place of the installation. */
static bool find(const char *variable, const char *in_tree, const char *relocated,
		 const char *installed, const char *file, char *folder, size_t size)
{
	const char *given = getenv(variable);
	if (given) {
		snprintf(folder, size, "%s", given);
		return holds(folder, file);
	}
	if (beside_program(in_tree, folder, size) && holds(folder, file))
		return true;
	if (beside_program(relocated, folder, size) && holds(folder, file))
		return true;
	snprintf(folder, size, "%s", installed);
	return holds(folder, file);
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
		if (strcmp(argv[i], "--help") == 0)
			return help();
	if (!find("LOCKFAIR_DATADIR", "framework/engine/sim", "../share/lockfair",
		  LF_PKGDATADIR, "plugin.sh", data, sizeof data))
		return lf_cli_error(argv[0], "no plugin.sh in %s; install lockfair, or set "
				    "LOCKFAIR_DATADIR to framework/engine/sim of its sources",
				    data);
	if (!find("LOCKFAIR_INCLUDEDIR", "framework", "../include", LF_INCLUDEDIR,
		  "lockfair/backend.h", include, sizeof include))
		return lf_cli_error(argv[0], "no lockfair/backend.h in %s; install lockfair, "
				    "or set LOCKFAIR_INCLUDEDIR to framework of its sources",
				    include);
	snprintf(script, sizeof script, "%s/plugin.sh", data);
	return run_script(argc, argv, script, include);
}
