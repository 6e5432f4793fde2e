/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kqueue, as FreeBSD's kqueue(2) describes it: one call both changes what is watched
 * and waits. */
#include "engine/sim/rename.h"

#include "engine/sim/event.h"
#include "engine/sim/watch.h"

#include <errno.h>
#include <sys/epoll.h>

#define AT_ONCE 64 /* events that one wait returns at most */

static const struct lf_sim_file_type kqueue_type = {
	.name = "kqueue", .events = lf_sim_watch_set_events,
};

int lf_sim_kqueue(void)
{
	lf_sim_system_call();
	return (int)lf_sim_result(lf_sim_watch_set_new(&kqueue_type, "kqueue"));
}

static enum lf_sim_watch_mode mode_of(unsigned flags)
{
	if (flags & EV_ONESHOT)
		return LF_SIM_DELETE;
	if (flags & EV_DISPATCH)
		return LF_SIM_DISARM;
	return flags & EV_CLEAR ? LF_SIM_EDGE : LF_SIM_LEVEL;
}

static int apply(struct lf_sim_watch_set *s, const struct kevent *c)
{
	struct lf_sim_file *f = lf_sim_file_find((int)c->ident);
	if (c->filter != EVFILT_READ && c->filter != EVFILT_WRITE)
		lf_sim_abort("kevent() with filter %d is not simulated: EVFILT_READ and "
			     "EVFILT_WRITE are", c->filter);
	if (c->flags & ~(EV_ADD | EV_DELETE | EV_ONESHOT | EV_CLEAR | EV_DISPATCH))
		lf_sim_abort("kevent() with flags %#x is not simulated; event.h has those "
			     "that are", c->flags);
	if (!f)
		return -EBADF;
	struct lf_sim_watch *w = lf_sim_watch_find(s, f, c->filter);
	if (c->flags & EV_DELETE) {
		if (w)
			lf_sim_watch_delete(w);
		return w ? 0 : -ENOENT;
	}
	if (!w && !(c->flags & EV_ADD))
		return -ENOENT;
	if (!w)
		w = lf_sim_watch_new(s, f, c->filter);
	if (w)
		lf_sim_watch_arm(w, c->filter == EVFILT_READ ? EPOLLIN : EPOLLOUT,
				 mode_of(c->flags), (uintptr_t)c->udata);
	return w ? 0 : -ENOMEM;
}

static int apply_all(struct lf_sim_watch_set *s, const struct kevent *change, int changes)
{
	for (int i = 0; i < changes; i++) {
		int rc = apply(s, &change[i]);
		if (rc)
			return rc;
	}
	return 0;
}

static struct kevent event_of(const struct lf_sim_happening *h)
{
	return (struct kevent){
		.ident = (uintptr_t)h->watch->file->number,
		.filter = (int16_t)h->watch->filter,
		.flags = h->events & EPOLLHUP ? EV_EOF : 0,
		.udata = (void *)(uintptr_t)h->watch->data,
	};
}

int lf_sim_kevent(int kq, const struct kevent *change, int changes,
		  struct kevent *ret_event, int most, const struct timespec *timeout)
{
	struct lf_sim_happening found[AT_ONCE];
	struct lf_sim_watch_set *s =
		(struct lf_sim_watch_set *)lf_sim_file_of(kq, &kqueue_type);
	uint64_t deadline = lf_sim_deadline_in(timeout);
	if (!s || !lf_sim_is_span(timeout)) {
		lf_sim_system_call();
		return (int)lf_sim_result(s ? -EINVAL : -EBADF);
	}
	lf_sim_enter(&s->file.object,
		     (unsigned)changes * lf_sim.machine.ipc_descriptor_ns, 0);
	int rc = apply_all(s, change, changes);
	if (rc || most <= 0)
		return (int)lf_sim_result(rc);
	rc = lf_sim_watch_wait(s, found, most < AT_ONCE ? most : AT_ONCE, deadline);
	for (int i = 0; i < rc; i++)
		ret_event[i] = event_of(&found[i]);
	return (int)lf_sim_result(rc);
}
