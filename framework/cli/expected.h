/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cells are known to give today: the expectations that ship and the user's. */
#ifndef LF_CLI_EXPECTED_H
#define LF_CLI_EXPECTED_H

#include "core/cell.h"
#include "judge/expectation.h"

struct lf_expected {
	struct lf_expectations expectations;
	char today[11];
};

/* `path` may be NULL. 0, or a negative errno with the reason in *error. */
int lf_expected_read(struct lf_expected *e, const char *path, bool shipped,
		     struct lf_error *error);
void lf_expected_free(struct lf_expected *e);

/* The one that decides for a cell, or NULL. One that expired is told on standard
 * error, for `command`. */
const struct lf_expectation *lf_expected_of(const struct lf_expected *e,
					    const struct lf_cell *cell,
					    const char *command);

#endif
