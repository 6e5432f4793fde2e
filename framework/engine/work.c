/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One unit of a workload: for real where computing is real, and otherwise as its
 * model says.
 */
#include "engine/engine.h"

#include <lockfair/workload.h>

struct unit {
	struct lf_actor *actor;
	const struct lf_workload *workload;
};

static void poll_lock(void *context)
{
	lf_poll(context);
}

static void poll_nothing(void *context)
{
	(void)context;
}

/* Each thread has a state of its own, made when it works for the first time. */
static bool provide_state(struct lf_actor *a, const struct lf_workload *w)
{
	if (a->workload == w)
		return true;
	lf_work_end(a);
	a->work = w->missing ? NULL : w->create();
	if (a->work) {
		a->workload = w;
		return true;
	}
	lf_precondition_failed(&a->thread, w->missing ? w->missing :
			       "no memory for the workload's state");
	lf_stop(&a->thread);
	return false;
}

void lf_work_end(struct lf_actor *a)
{
	if (a->workload)
		a->workload->destroy(a->work);
	a->workload = NULL;
}

static void work_real(struct lf_actor *a, const struct lf_workload *w)
{
	if (!provide_state(a, w))
		return;
	/* The result is only for those who test the workload. */
	(void)w->run(a->work, w->lets_go ? poll_nothing : poll_lock, &a->thread);
}

static void work_modelled(struct lf_actor *a, const struct lf_workload *w)
{
	uint64_t ns = a->world->work_ns(a, w->model.unit_ns);
	if (w->model.polls)
		lf_compute_polling_ns(&a->thread, ns, ns / w->model.polls);
	else
		lf_compute_ns(&a->thread, ns);
}

static void work_unit(void *arg)
{
	struct unit *u = arg;
	if (u->actor->world->work_ns)
		work_modelled(u->actor, u->workload);
	else
		work_real(u->actor, u->workload);
}

void lf_work(struct lf_thread *t, const struct lf_workload *w)
{
	struct unit u = { (struct lf_actor *)(uintptr_t)t, w };
	if (w->lets_go)
		lf_outside(t, work_unit, &u);
	else
		work_unit(&u);
	for (unsigned i = 0; i < LF_LOOP_POLLS; i++)
		lf_poll(t);
}
