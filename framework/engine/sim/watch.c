/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/sim/watch.h"

#include <errno.h>
#include <sys/epoll.h>

/* --- the list of watches that may be ready ------------------------------------------ */

static bool is_ready(const struct lf_sim_watch *w)
{
	unsigned always = w->events ? EPOLLERR | EPOLLHUP : 0;
	return w->file->type->events(w->file) & (w->events | always);
}

static void append(struct lf_sim_watch *w)
{
	struct lf_sim_watch_set *s = w->set;
	if (w->queued)
		return;
	w->queued = true;
	w->next_ready = NULL;
	*(s->last ? &s->last->next_ready : &s->first) = w;
	s->last = w;
}

static void take_out(struct lf_sim_watch *w)
{
	struct lf_sim_watch_set *s = w->set;
	struct lf_sim_watch *before = NULL;
	if (!w->queued)
		return;
	for (struct lf_sim_watch *p = s->first; p != w; p = p->next_ready)
		before = p;
	*(before ? &before->next_ready : &s->first) = w->next_ready;
	if (s->last == w)
		s->last = before;
	w->queued = false;
}

/* --- watches ---------------------------------------------------------------------------- */

int lf_sim_watch_set_new(const struct lf_sim_file_type *type, const char *name)
{
	struct lf_sim_watch_set *s = lf_sim_object_new(sizeof *s);
	if (!s)
		return -ENOMEM;
	s->name = name;
	return lf_sim_file_open(&s->file, type, 0);
}

unsigned lf_sim_watch_set_events(const struct lf_sim_file *set)
{
	const struct lf_sim_watch_set *s = (const struct lf_sim_watch_set *)set;
	for (const struct lf_sim_watch *w = s->first; w; w = w->next_ready)
		if (is_ready(w))
			return EPOLLIN;
	return 0;
}

struct lf_sim_watch *lf_sim_watch_find(const struct lf_sim_watch_set *s,
				       const struct lf_sim_file *f, int filter)
{
	struct lf_sim_watch *w = f->watches;
	while (w && (w->set != s || w->filter != filter))
		w = w->next_of_file;
	return w;
}

struct lf_sim_watch *lf_sim_watch_new(struct lf_sim_watch_set *s, struct lf_sim_file *f,
				      int filter)
{
	struct lf_sim_watch *w = s->unused;
	if (w)
		s->unused = w->next_ready;
	else
		w = lf_sim_object_new(sizeof *w);
	if (!w)
		return NULL;
	w->set = s;
	w->file = f;
	w->filter = filter;
	w->events = 0;
	w->next_of_file = f->watches;
	f->watches = w;
	return w;
}

static void tell_waiter(struct lf_sim_watch_set *s)
{
	if (lf_sim_watch_set_events(&s->file))
		lf_sim_wake_first(&s->waiters, 1, UINT32_MAX);
}

void lf_sim_watch_arm(struct lf_sim_watch *w, unsigned events, enum lf_sim_watch_mode mode,
		      uint64_t data)
{
	w->events = events;
	w->mode = mode;
	w->data = data;
	if (!is_ready(w))
		return;
	append(w);
	tell_waiter(w->set);
	lf_sim_poll_changed();
}

void lf_sim_watch_delete(struct lf_sim_watch *w)
{
	struct lf_sim_watch **place = &w->file->watches;
	while (*place != w)
		place = &(*place)->next_of_file;
	*place = w->next_of_file;
	take_out(w);
	w->next_ready = w->set->unused;
	w->set->unused = w;
}

void lf_sim_watch_forget(struct lf_sim_file *f)
{
	while (f->watches)
		lf_sim_watch_delete(f->watches);
}

/* Waking takes time, in which watches may come and go: all are listed first, and
 * then each set is looked for anew. */
void lf_sim_watch_changed(struct lf_sim_file *f)
{
	for (struct lf_sim_watch *w = f->watches; w; w = w->next_of_file) {
		if (is_ready(w))
			append(w);
		w->set->poked |= w->queued;
	}
	for (struct lf_sim_watch *w = f->watches; w;) {
		if (!w->set->poked) {
			w = w->next_of_file;
			continue;
		}
		w->set->poked = false;
		tell_waiter(w->set);
		w = f->watches;
	}
}

/* --- waiting --------------------------------------------------------------------------- */

static void report(struct lf_sim_watch *w)
{
	if (w->mode == LF_SIM_LEVEL)
		append(w);
	else if (w->mode == LF_SIM_DISARM)
		w->events = 0;
	else if (w->mode == LF_SIM_DELETE)
		lf_sim_watch_delete(w);
}

/* Each watch of the list is looked at once. */
static int harvest(struct lf_sim_watch_set *s, struct lf_sim_happening ret[], int most)
{
	const struct lf_sim_watch *last = s->last;
	bool more = s->first;
	int n = 0;
	while (more && n < most) {
		struct lf_sim_watch *w = s->first;
		take_out(w);
		more = w != last;
		if (!is_ready(w))
			continue;
		unsigned wanted = w->events | EPOLLERR | EPOLLHUP;
		ret[n++] = (struct lf_sim_happening){
			w, w->file->type->events(w->file) & wanted };
		report(w);
	}
	return n;
}

static void look_at(int n)
{
	if (lf_sim.self)
		lf_sim_advance((unsigned)n * lf_sim.machine.ipc_descriptor_ns);
}

static int list_length(const struct lf_sim_watch_set *s, int most)
{
	int n = 0;
	for (const struct lf_sim_watch *w = s->first; w && n < most; w = w->next_ready)
		n++;
	return n;
}

int lf_sim_watch_wait(struct lf_sim_watch_set *s, struct lf_sim_happening ret[], int most,
		      uint64_t deadline_ns)
{
	for (;;) {
		look_at(list_length(s, most));
		int n = harvest(s, ret, most);
		if (n > 0 || deadline_ns <= lf_sim.now_ns)
			return n;
		int rc = lf_sim_may_wait(true, s->name);
		if (rc)
			return rc;
		lf_sim_wait_on(&s->waiters, s->name, UINT32_MAX, deadline_ns);
		lf_sim_touch(s->file.object.line, LF_SIM_RMW);
	}
}
