/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/place.h"

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
#ifndef LF_PKGLIBDIR
#define LF_PKGLIBDIR "/usr/lib/lockfair"
#endif

static const struct {
	const char *variable, *in_tree, *relocated, *installed;
} places[] = {
#define X(id, variable, in_tree, relocated, installed)                         \
	{ variable, in_tree, relocated, installed },
	LF_PLACE_MAP(X)
#undef X
};

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

bool lf_find_place(enum lf_place place, const char *file, char *folder, size_t size)
{
	const char *given = getenv(places[place].variable);

	if (given) {
		snprintf(folder, size, "%s", given);
		return holds(folder, file);
	}
	if (beside_program(places[place].in_tree, folder, size) && holds(folder, file))
		return true;
	if (beside_program(places[place].relocated, folder, size) && holds(folder, file))
		return true;
	snprintf(folder, size, "%s", places[place].installed);
	return holds(folder, file);
}
