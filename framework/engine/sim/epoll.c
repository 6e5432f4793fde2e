/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* epoll: level- and edge-triggered, one-shot. One waiter is woken for an event. */
#include "engine/sim/rename.h"

#include "engine/sim/watch.h"

#include <errno.h>
#include <sys/epoll.h>

#define AT_ONCE 64 /* events that one wait returns at most */

static const struct lf_sim_file_type epoll_type = {
	.name = "epoll", .events = lf_sim_watch_set_events,
};

static struct lf_sim_watch_set *set_of(int fd)
{
	return (struct lf_sim_watch_set *)lf_sim_file_of(fd, &epoll_type);
}

int lf_sim_epoll_create1(int flags)
{
	lf_sim_system_call();
	if (flags & ~EPOLL_CLOEXEC)
		return (int)lf_sim_result(-EINVAL);
	return (int)lf_sim_result(lf_sim_watch_set_new(&epoll_type, "epoll"));
}

int lf_sim_epoll_create(int size)
{
	return size > 0 ? lf_sim_epoll_create1(0) : (int)lf_sim_result(-EINVAL);
}

static void arm(struct lf_sim_watch *w, const struct epoll_event *e)
{
	enum lf_sim_watch_mode mode = LF_SIM_LEVEL;
	if (e->events & EPOLLONESHOT)
		mode = LF_SIM_DISARM;
	else if (e->events & EPOLLET)
		mode = LF_SIM_EDGE;
	if (e->events & (EPOLLEXCLUSIVE | EPOLLWAKEUP))
		lf_sim_abort("EPOLLEXCLUSIVE and EPOLLWAKEUP are not simulated");
	lf_sim_watch_arm(w, e->events & ~(EPOLLONESHOT | EPOLLET), mode, e->data.u64);
}

static int control(struct lf_sim_watch_set *s, int op, int fd, const struct epoll_event *e)
{
	struct lf_sim_file *f = lf_sim_file_find(fd);
	if (!s || !f)
		return -EBADF;
	if (&s->file == f)
		return -EINVAL;
	lf_sim_enter(&s->file.object, lf_sim.machine.ipc_descriptor_ns, 0);
	struct lf_sim_watch *w = lf_sim_watch_find(s, f, 0);
	switch (op) {
	case EPOLL_CTL_ADD:
		if (w)
			return -EEXIST;
		if (f->type == &epoll_type)
			lf_sim_abort("epoll within epoll is not simulated");
		w = lf_sim_watch_new(s, f, 0);
		break;
	case EPOLL_CTL_MOD:
		break;
	case EPOLL_CTL_DEL:
		if (w)
			lf_sim_watch_delete(w);
		return w ? 0 : -ENOENT;
	default:
		return -EINVAL;
	}
	if (w)
		arm(w, e);
	return w ? 0 : -ENOENT;
}

int lf_sim_epoll_ctl(int epfd, int op, int fd, struct epoll_event *e)
{
	return (int)lf_sim_result(control(set_of(epfd), op, fd, e));
}

static int wait_until(int epfd, struct epoll_event *e, int most, uint64_t deadline_ns)
{
	struct lf_sim_happening found[AT_ONCE];
	struct lf_sim_watch_set *s = set_of(epfd);
	if (!s || most <= 0)
		return (int)lf_sim_result(s ? -EINVAL : -EBADF);
	lf_sim_enter(&s->file.object, 0, 0);
	int n = lf_sim_watch_wait(s, found, most < AT_ONCE ? most : AT_ONCE, deadline_ns);
	for (int i = 0; i < n; i++) {
		e[i].events = found[i].events;
		e[i].data.u64 = found[i].watch->data;
	}
	if (n > 0 && lf_sim_watch_set_events(&s->file)) /* left, or level-triggered */
		lf_sim_wake_first(&s->waiters, 1, UINT32_MAX);
	return (int)lf_sim_result(n);
}

int lf_sim_epoll_wait(int epfd, struct epoll_event *e, int most, int timeout_ms)
{
	return wait_until(epfd, e, most, lf_sim_deadline_in_ms(timeout_ms));
}

int lf_sim_epoll_pwait(int epfd, struct epoll_event *e, int most, int timeout_ms,
		       const sigset_t *mask)
{
	lf_sim_refuse_mask(mask);
	return wait_until(epfd, e, most, lf_sim_deadline_in_ms(timeout_ms));
}

int lf_sim_epoll_pwait2(int epfd, struct epoll_event *e, int most,
			const struct timespec *timeout, const sigset_t *mask)
{
	lf_sim_refuse_mask(mask);
	if (!lf_sim_is_span(timeout))
		return lf_sim_refuse_span();
	return wait_until(epfd, e, most, lf_sim_deadline_in(timeout));
}
