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
 *
 * Shards: the cells that were asked for, cut into `shards` runs of neighbours, so
 * that each shard has few scenarios and therefore few controls. What is where
 * depends on the list of cells alone. A shard also judges the controls of its
 * scenarios, which are those of the whole campaign: a control may come out of
 * several shards, with the same place.
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
	size_t at, of;            /* its place in the whole campaign, all shards of it */
};

struct lf_campaign {
	const struct lf_cell *cell; /* those that were asked for */
	size_t n;
	bool without_controls;
	unsigned shard, shards; /* only the shard-th (from 1) of so many; 0: all */
	/* Ends the campaign once it is not 0; may be NULL. */
	const volatile sig_atomic_t *interrupted;
	/*
	 * Whether there is a result of this cell from before; then the verdict, the
	 * reason and, if it did not survive, that assertion go into *r. The cell is
	 * not run, and ended() does not hear of it. NULL: there are none.
	 */
	bool (*known)(void *context, const struct lf_cell *cell, struct lf_result *r);
	/* Nothing runs yet: `cell` are the n that will, `known` there are before. A
	 * negative errno ends the campaign. May be NULL. */
	int (*planned)(void *context, const struct lf_cell *const cell[], size_t n,
		       size_t known);
	/* A cell is about to run: the i-th of those that were planned. */
	void (*begun)(void *context, const struct lf_cell *cell, size_t i);
	/* Called several times a second; may be NULL. */
	void (*waiting)(void *context);
	/* Its result. A negative errno ends the campaign. */
	int (*ended)(void *context, const struct lf_cell_outcome *outcome);
	/* The campaign is over, and the cell has no result. May be NULL. */
	void (*missed)(void *context, const struct lf_cell *cell);
	void *context;
};

/*
 * Runs it. *ret_missing is how many cells have no result, controls included.
 * 0 · -EINTR it was interrupted · what planned() or ended() returned · -ENOMEM.
 */
int lf_campaign_run(const struct lf_campaign *campaign, size_t *ret_missing,
		    struct lf_error *error);

#endif
