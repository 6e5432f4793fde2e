/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/plan.h"

#include "core/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lf_group *group_of(struct lf_plan *plan, const struct lf_cell *cell)
{
	for (size_t i = 0; i < plan->groups; i++)
		if (plan->group[i].scenario == cell->scenario &&
		    plan->group[i].engine == cell->engine)
			return &plan->group[i];
	plan->group[plan->groups] = (struct lf_group){
		.scenario = cell->scenario, .engine = cell->engine,
	};
	return &plan->group[plan->groups++];
}

static bool is_member(const struct lf_group *g, const struct lf_cell *cell)
{
	return cell->scenario == g->scenario && cell->engine == g->engine;
}

/* A control is run with its default parameters, but for as long, on the same
 * machine and under the same requirement as what it controls; of an axis it takes
 * the first value, of a sweep the largest. Where that cannot be run here it is at a
 * place of what it controls that can. */
static bool make_control(const struct lf_campaign *c, const struct lf_group *g,
			 const char *name, struct lf_cell *ret_cell)
{
	const struct lf_entry *entry = name ? lf_registry_find(name) : NULL;
	struct lf_point point = { .sweep = 0 };

	if (!entry || !(g->scenario->kinds & 1u << entry->backend->kind))
		return false;
	lf_cell_init(ret_cell, entry, g->scenario, g->engine);
	for (const struct lf_cell *like = c->cell; like < c->cell + c->n; like++) {
		if (!is_member(g, like))
			continue;
		ret_cell->budget = like->budget;
		ret_cell->seed = like->seed;
		ret_cell->seeds = like->seeds;
		ret_cell->machine = like->machine;
		ret_cell->required |= like->required;
		if (like->point.sweep > point.sweep)
			point.sweep = like->point.sweep;
	}
	ret_cell->point = point;
	for (size_t i = 0; i < c->n && lf_cell_unavailable(ret_cell); i++)
		if (is_member(g, &c->cell[i]) && !lf_cell_unavailable(&c->cell[i]))
			memcpy(ret_cell->point.axis, c->cell[i].point.axis,
			       sizeof point.axis);
	return !lf_cell_unavailable(ret_cell);
}

static bool same_cell(const struct lf_cell *a, const struct lf_cell *b)
{
	return a->backend == b->backend && a->scenario == b->scenario &&
	       a->engine == b->engine && a->polls == b->polls &&
	       memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
	       a->required == b->required &&
	       memcmp(a->param, b->param, sizeof a->param) == 0;
}

static struct lf_item *find_item(struct lf_plan *plan, const struct lf_cell *cell)
{
	for (size_t i = 0; i < plan->n; i++)
		if (same_cell(&plan->item[i].cell, cell))
			return &plan->item[i];
	return NULL;
}

static struct lf_item *add_item(struct lf_plan *plan, struct lf_group *g,
				const struct lf_cell *cell)
{
	struct lf_item *item = &plan->item[plan->n++];

	*item = (struct lf_item){ .cell = *cell, .group = g };
	return item;
}

static void add_control(struct lf_plan *plan, const struct lf_campaign *c,
			struct lf_group *g, const char *name, enum lf_control control)
{
	struct lf_cell cell;

	if (make_control(c, g, name, &cell))
		add_item(plan, g, &cell)->control = control;
	else if (name && control == LF_CONTROL_UNFAIR)
		snprintf(g->unconvicted, sizeof g->unconvicted,
			 "the unfair control %s cannot run on %s, so nothing shows here "
			 "that %s can tell", name, g->engine->name, g->scenario->name);
}

/* Nothing is controlled where nothing can run. */
static bool anything_runs(const struct lf_campaign *c, const struct lf_group *g)
{
	for (size_t i = 0; i < c->n; i++)
		if (is_member(g, &c->cell[i]) && !lf_cell_unavailable(&c->cell[i]))
			return true;
	return false;
}

static void add_group(struct lf_plan *plan, const struct lf_campaign *c,
		      struct lf_group *g)
{
	if (!c->without_controls && anything_runs(c, g)) {
		add_control(plan, c, g, g->scenario->fair_control, LF_CONTROL_FAIR);
		add_control(plan, c, g, g->scenario->unfair_control, LF_CONTROL_UNFAIR);
	}
	for (size_t i = 0; i < c->n; i++) {
		struct lf_item *item;
		if (!is_member(g, &c->cell[i]))
			continue;
		item = find_item(plan, &c->cell[i]);
		if (!item)
			item = add_item(plan, g, &c->cell[i]);
		item->asked = true;
	}
}

static bool keeps_group(const struct lf_plan *plan, const struct lf_group *g,
			const bool keep[])
{
	for (size_t i = 0; i < plan->n; i++)
		if (keep[i] && plan->item[i].group == g)
			return true;
	return false;
}

/* Leaves what this shard runs: its cells, and the controls of their groups, which
 * are no more than that where another shard was asked for them. */
static int keep_shard(struct lf_plan *plan, unsigned shard, unsigned shards)
{
	bool *mine = calloc(plan->n + 1, sizeof *mine);
	size_t asked = 0, k = 0, kept = 0;

	if (!mine)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n; i++)
		asked += plan->item[i].asked;
	for (size_t i = 0; i < plan->n; i++)
		if (plan->item[i].asked)
			mine[i] = k++ * shards / asked == shard - 1;
	for (size_t i = 0; i < plan->n; i++) {
		struct lf_item *item = &plan->item[i];
		item->asked = mine[i];
		if (item->control != LF_CONTROL_NONE)
			mine[i] = mine[i] || keeps_group(plan, item->group, mine);
	}
	for (size_t i = 0; i < plan->n; i++)
		if (mine[i])
			plan->item[kept++] = plan->item[i];
	plan->n = kept;
	free(mine);
	return 0;
}

int lf_plan_make(struct lf_plan *plan, const struct lf_campaign *campaign)
{
	size_t n = campaign->n;

	*plan = (struct lf_plan){ 0 };
	plan->group = calloc(n + 1, sizeof *plan->group);
	plan->item = calloc(3 * n + 1, sizeof *plan->item);
	if (!plan->group || !plan->item)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		group_of(plan, &campaign->cell[i]);
	for (size_t i = 0; i < plan->groups; i++)
		add_group(plan, campaign, &plan->group[i]);
	for (size_t i = 0; i < plan->n; i++)
		plan->item[i].at = i;
	plan->of = plan->n;
	return campaign->shards ? keep_shard(plan, campaign->shard, campaign->shards) : 0;
}

void lf_plan_free(struct lf_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		lf_job_free(&plan->item[i].job);
		free(plan->item[i].unrun);
	}
	free(plan->item);
	free(plan->group);
	*plan = (struct lf_plan){ 0 };
}

/* A crash shows nothing of what the scenario can tell. */
static bool convicted(const struct lf_result *r)
{
	const struct lf_judgement *j = &r->judgement;

	for (const struct lf_assertion *a = j->assertion; a < j->assertion + j->n; a++)
		if (a->metric == LF_METRIC_SURVIVES && !a->holds)
			return false;
	return j->verdict == LF_VERDICT_FAIL || j->verdict == LF_VERDICT_SENSITIVE;
}

static void note_control(struct lf_item *item, const struct lf_result *r)
{
	struct lf_group *g = item->group;
	const struct lf_judgement *j = &r->judgement;
	const char *name = item->cell.backend->name;

	if (item->control == LF_CONTROL_FAIR && j->verdict == LF_VERDICT_FAIL)
		snprintf(g->voided, sizeof g->voided,
			 "void: the fair control %s failed %s on %s: %.120s", name,
			 g->scenario->name, g->engine->name, j->reason);
	if (item->control == LF_CONTROL_UNFAIR && !convicted(r))
		snprintf(g->unconvicted, sizeof g->unconvicted,
			 "the unfair control %s was not convicted by %s on %s (%s), so a "
			 "pass shows nothing", name, g->scenario->name, g->engine->name,
			 lf_verdict_name(j->verdict));
}

const char *lf_plan_settle(struct lf_item *item, struct lf_result *r)
{
	const struct lf_group *g = item->group;
	struct lf_judgement *j = &r->judgement;

	if (item->control != LF_CONTROL_NONE)
		note_control(item, r);
	/* What a control shows stands, whatever the other one does. */
	if ((item->control != LF_CONTROL_NONE && !item->asked) ||
	    item->control == LF_CONTROL_FAIR || j->verdict == LF_VERDICT_SKIP)
		return NULL;
	if (g->voided[0]) {
		snprintf(r->error, sizeof r->error, "%s", g->voided);
		j->verdict = LF_VERDICT_ERROR;
		snprintf(j->reason, sizeof j->reason, "%s", g->voided);
		return g->voided;
	}
	if (g->unconvicted[0] && j->verdict == LF_VERDICT_PASS) {
		j->verdict = LF_VERDICT_INCONCLUSIVE;
		snprintf(j->reason, sizeof j->reason, "%s", g->unconvicted);
		return g->unconvicted;
	}
	return NULL;
}
