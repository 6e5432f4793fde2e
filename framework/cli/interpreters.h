/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interpreters whose own locks can be judged. Each is a plug-in that is found by
 * name among those that were built or installed with the program, and loaded only
 * when it is asked for: linked in, they would slow down every start.
 */
#ifndef LF_CLI_INTERPRETERS_H
#define LF_CLI_INTERPRETERS_H

#include "core/error.h"

/* The backend's name, what it is, and the Debian package that building it needs. */
#define LF_INTERPRETER_MAP(X)                                                  \
	X("cpython", "the GIL of CPython itself", "python3-dev")               \
	X("ruby", "the GVL of Ruby itself", "ruby-dev")

/*
 * Adds those that match the glob and are not there yet to the registry. One that
 * was not built is added as absent: its cells are skipped, with the reason.
 * 0, or a negative errno with the reason in *error.
 */
int lf_interpreters_load(const char *glob, struct lf_error *error);

#endif
