/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the files are that the program needs beside itself. Looked for in the first
 * of: the folder that the environment names; the tree in which the program was
 * built; a copy of an installation; the place of the installation.
 */
#ifndef LF_CLI_PLACE_H
#define LF_CLI_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Place, variable of the environment, folder in the tree, folder beside bin/, as
 * configured. */
#define LF_PLACE_MAP(X)                                                        \
	X(SCRIPTS, "LOCKFAIR_DATADIR", "framework/engine/sim",                 \
	  "../share/lockfair", LF_PKGDATADIR)                                  \
	X(HEADERS, "LOCKFAIR_INCLUDEDIR", "framework", "../include", LF_INCLUDEDIR) \
	X(MODULES, "LOCKFAIR_LIBDIR", "fixtures", "../lib/lockfair", LF_PKGLIBDIR)

enum lf_place {
#define X(id, variable, in_tree, relocated, installed) LF_PLACE_##id,
	LF_PLACE_MAP(X)
#undef X
};

/* Does the place hold this file? Fills in the folder, the last one that was looked
 * at if it does not. */
bool lf_find_place(enum lf_place place, const char *file, char *folder, size_t size);

#endif
