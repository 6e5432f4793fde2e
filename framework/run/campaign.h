/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A campaign runs a list of cells and hands over each result as it comes, in
 * the order of the list, so that whatever stops the campaign loses at most what
 * is running. Cells on `threads` run alone, one after another, because they
 * would measure each other; cells on `sim` run side by side, one a CPU.
 *
 * Controls: once per scenario and engine the two backends that the scenario
 * names are judged first. A fair control that fails voids what the campaign
 * says of that scenario; as long as the unfair one is not convicted, a PASS of
 * that scenario is INCONCLUSIVE.
 */
#ifndef LF_RUN_CAMPAIGN_H
#define LF_RUN_CAMPAIGN_H

#include "core/error.h"
#include "run/result.h"

#include <signal.h>

struct lf_cell_outcome {
	const struct lf_cell *cell;
	const struct lf_result *result; /* until the callback returns */
	const char *control;      /* "fair", "unfair"; "": asked for */
	const char *control_note; /* what the controls said about it, or NULL */
};

struct lf_campaign {
	const struct lf_cell *cell; /* those that were asked for */
	size_t n;
	bool without_controls;
	/* Ends the campaign once it is not 0; may be NULL. */
	const volatile sig_atomic_t *interrupted;
	/* A cell is about to run: the i-th of `total`, controls included. */
	void (*begun)(void *context, const struct lf_cell *cell, size_t i, size_t total);
	/* Its result. A negative errno ends the campaign. */
	int (*ended)(void *context, const struct lf_cell_outcome *outcome);
	void *context;
};

/*
 * Runs it. *ret_missing is how many cells have no result, controls included.
 * 0 · -EINTR it was interrupted · what ended() returned · -ENOMEM.
 */
int lf_campaign_run(const struct lf_campaign *campaign, size_t *ret_missing,
		    struct lf_error *error);

#endif
