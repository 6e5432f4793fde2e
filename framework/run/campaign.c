/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/campaign.h"

#include "run/plan.h"
#include "run/tree.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SIDE_BY_SIDE_MAX 64

/* How often the supervisor looks at its workers when none of them ends. */
#define LOOK_MS 50

struct state {
	const struct lf_campaign *campaign;
	struct lf_plan plan;
	struct lf_item *active[SIDE_BY_SIDE_MAX];
	size_t active_n, width;
	size_t next, started, delivered;
};

static size_t cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < SIDE_BY_SIDE_MAX ? (size_t)n : SIDE_BY_SIDE_MAX;
}

static bool runs_alone(const struct lf_item *item)
{
	return item->cell.engine->bit == LF_ON_THREADS;
}

static bool has_room(const struct state *s, const struct lf_item *item)
{
	if (s->active_n == 0)
		return true;
	return s->active_n < s->width && !runs_alone(item) && !runs_alone(s->active[0]);
}

/* The result of a cell that is not run. */
static int leave_out(struct lf_item *item, enum lf_verdict verdict, const char *reason)
{
	struct lf_result *r = calloc(1, sizeof *r);

	if (!r)
		return -ENOMEM;
	r->judgement.verdict = verdict;
	snprintf(r->judgement.reason, sizeof r->judgement.reason, "%s", reason);
	if (verdict == LF_VERDICT_ERROR)
		snprintf(r->error, sizeof r->error, "%s", reason);
	atomic_store(&r->state, LF_RESULT_JUDGED);
	item->unrun = r;
	item->done = true;
	return 0;
}

/* A result from before, if there is one. */
static int recall(const struct lf_campaign *c, struct lf_item *item)
{
	struct lf_result *r = calloc(1, sizeof *r);

	if (!r)
		return -ENOMEM;
	item->known = c->known(c->context, &item->cell, r);
	item->done = item->known;
	item->unrun = item->known ? r : NULL;
	if (!item->known)
		free(r);
	return 0;
}

static int start(struct state *s, struct lf_item *item)
{
	const struct lf_campaign *c = s->campaign;
	const char *why_not = lf_cell_unavailable(&item->cell);
	struct lf_error error;

	s->started++;
	if (why_not)
		return leave_out(item, LF_VERDICT_SKIP, why_not);
	if (item->group->voided[0])
		return leave_out(item, LF_VERDICT_ERROR, item->group->voided);
	if (c->begun)
		c->begun(c->context, &item->cell, s->started - 1);
	if (lf_job_start(&item->job, &item->cell, &error) < 0)
		return leave_out(item, LF_VERDICT_ERROR, error.text);
	s->active[s->active_n++] = item;
	return 0;
}

static int start_due(struct state *s)
{
	int r = 0;

	while (r == 0 && s->next < s->plan.n && has_room(s, &s->plan.item[s->next])) {
		if (!s->plan.item[s->next].known)
			r = start(s, &s->plan.item[s->next]);
		s->next++;
	}
	return r;
}

/* A worker that was lost left its orphans to us. */
static void bury(struct state *s, const struct lf_item *item)
{
	if (atomic_load(&item->job.memory->end) == LF_END_UNKNOWN && s->active_n == 0)
		lf_tree_kill_below(getpid(), 0);
}

static void look_at_active(struct state *s)
{
	for (size_t i = 0; i < s->active_n;) {
		struct lf_item *item = s->active[i];
		if (!lf_job_look(&item->job)) {
			i++;
			continue;
		}
		item->done = true;
		s->active[i] = s->active[--s->active_n];
		bury(s, item);
	}
}

/* A control that was asked for as well is judged for its own sake, unless it is
 * a fair one that failed: that voids what was asked for. */
static const char *control_word(const struct lf_item *item)
{
	bool voids = item->control == LF_CONTROL_FAIR && item->group->voided[0];

	return lf_control_name(item->asked && !voids ? LF_CONTROL_NONE : item->control);
}

static int deliver(struct state *s, struct lf_item *item)
{
	const struct lf_campaign *c = s->campaign;
	struct lf_result *r = item->unrun ? item->unrun : &item->job.memory->result;
	struct lf_cell_outcome outcome = {
		.cell = &item->cell, .result = r, .at = item->at, .of = s->plan.of,
	};
	int code = 0;

	outcome.control_note = lf_plan_settle(item, r);
	outcome.control = control_word(item);
	if (c->ended && !item->known)
		code = c->ended(c->context, &outcome);
	lf_job_free(&item->job);
	free(item->unrun);
	item->unrun = NULL;
	if (code == 0)
		s->delivered++;
	return code;
}

static int deliver_due(struct state *s)
{
	int r = 0;

	while (r == 0 && s->delivered < s->plan.n && s->plan.item[s->delivered].done)
		r = deliver(s, &s->plan.item[s->delivered]);
	return r;
}

static bool interrupted(const struct state *s)
{
	return s->campaign->interrupted && *s->campaign->interrupted;
}

static void sleep_a_little(struct state *s)
{
	struct lf_job *job[SIDE_BY_SIDE_MAX];

	for (size_t i = 0; i < s->active_n; i++)
		job[i] = &s->active[i]->job;
	if (s->active_n)
		lf_jobs_wait(job, s->active_n, LOOK_MS);
}

/* Asks for the results that there are from before, and tells what is left. */
static int plan(struct state *s)
{
	const struct lf_campaign *c = s->campaign;
	const struct lf_cell **left = calloc(s->plan.n + 1, sizeof *left);
	size_t n = 0;
	int r = left ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < s->plan.n; i++) {
		struct lf_item *item = &s->plan.item[i];
		if (c->known)
			r = recall(c, item);
		if (!item->known)
			left[n++] = &item->cell;
	}
	if (r == 0 && c->planned)
		r = c->planned(c->context, left, n, s->plan.n - n);
	free(left);
	return r;
}

static int run(struct state *s)
{
	const struct lf_campaign *c = s->campaign;

	while (s->delivered < s->plan.n) {
		int r = interrupted(s) ? -EINTR : start_due(s);
		if (r == 0)
			r = deliver_due(s);
		if (r < 0)
			return r;
		if (c->waiting)
			c->waiting(c->context);
		sleep_a_little(s);
		look_at_active(s);
	}
	return 0;
}

/* Returns how many cells have no result. */
static size_t tell_missed(const struct state *s)
{
	const struct lf_campaign *c = s->campaign;
	size_t n = 0;

	for (size_t i = s->delivered; i < s->plan.n; i++) {
		if (s->plan.item[i].known)
			continue;
		n++;
		if (c->missed)
			c->missed(c->context, &s->plan.item[i].cell);
	}
	return n;
}

int lf_campaign_run(const struct lf_campaign *campaign, size_t *ret_missing,
		    struct lf_error *error)
{
	struct state s = { .campaign = campaign, .width = cpus() };
	int was_subreaper = 0, r;

	prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r = lf_plan_make(&s.plan, campaign);
	if (r == 0)
		r = plan(&s);
	if (r == 0)
		r = run(&s);
	for (size_t i = 0; i < s.active_n; i++)
		lf_job_abandon(&s.active[i]->job);
	*ret_missing = tell_missed(&s);
	lf_plan_free(&s.plan);
	prctl(PR_SET_CHILD_SUBREAPER, was_subreaper);
	if (r == -ENOMEM)
		lf_error_set(error, r, "out of memory");
	if (r == -EINTR)
		lf_error_set(error, r, "interrupted; %zu cells have no result",
			     *ret_missing);
	return r;
}
