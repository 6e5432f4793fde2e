/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan of a campaign: the cells in the order in which they run, with the
 * controls of a scenario in front of what they control.
 */
#ifndef LF_RUN_PLAN_H
#define LF_RUN_PLAN_H

#include "report/shown.h"
#include "run/campaign.h"
#include "run/supervisor.h"

/* What the controls of one scenario on one engine have shown so far. */
struct lf_group {
	const struct lf_scenario *scenario;
	const struct lf_engine *engine;
	char voided[256];      /* why nothing it says counts; empty: it does */
	char unconvicted[256]; /* why no PASS counts; empty: it does */
};

struct lf_item {
	struct lf_cell cell;
	struct lf_group *group;
	enum lf_control control; /* what it is to its group … */
	bool asked;              /* … and whether it was asked for as well */
	size_t at;               /* its place in the whole campaign */
	bool known;              /* its result is from before */
	bool done;
	struct lf_job job;       /* job.memory NULL: it was never run */
	struct lf_result *unrun; /* its result then */
};

struct lf_plan {
	struct lf_item *item;
	size_t n;
	size_t of; /* items of the whole campaign, all shards of it */
	struct lf_group *group;
	size_t groups;
};

/* 0 or -ENOMEM. lf_plan_free() gives all of it back, in any case. */
int lf_plan_make(struct lf_plan *plan, const struct lf_campaign *campaign);
void lf_plan_free(struct lf_plan *plan);

/* Applies to a result what the controls before it have shown, and lets a
 * control's own result count for those after it. Returns the note for its
 * record, or NULL. */
const char *lf_plan_settle(struct lf_item *item, struct lf_result *r);

#endif
