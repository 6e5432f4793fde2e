/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * select() and poll(). Both look at each descriptor that they are given, sleep if
 * none is ready, and look at all of them again when they are woken, which they are as
 * soon as one of them is. There is one queue for all of these waiters; who is meant
 * is asked of each.
 */
#include "engine/sim/rename.h"

#include "engine/sim/kernel.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLERR == EPOLLERR &&
	       POLLHUP == EPOLLHUP, "as on Linux");

struct question {
	struct pollfd *fds;
	nfds_t n;
};

static char waiters; /* key of the queue */

static int look(const struct question *q)
{
	int ready = 0;
	for (nfds_t i = 0; i < q->n; i++) {
		struct pollfd *p = &q->fds[i];
		const struct lf_sim_file *f = lf_sim_file_find(p->fd);
		unsigned wanted = (unsigned short)p->events | POLLERR | POLLHUP;
		p->revents = 0;
		if (f)
			p->revents = (short)(f->type->events(f) & wanted);
		else if (p->fd >= 0)
			p->revents = POLLNVAL;
		ready += p->revents != 0;
	}
	return ready;
}

static bool is_answered(const struct lf_sim_thread *t)
{
	return look(t->request) > 0;
}

void lf_sim_poll_changed(void)
{
	lf_sim_wake_reached(&waiters, is_answered);
}

static void spend(const struct question *q, uint64_t call_ns)
{
	if (lf_sim.self)
		lf_sim_advance(lf_sim_jitter(call_ns +
					     q->n * lf_sim.machine.ipc_descriptor_ns));
}

static int poll_until(struct pollfd *fds, nfds_t n, uint64_t deadline_ns)
{
	struct question q = { fds, n };
	spend(&q, lf_sim.machine.cost_syscall_ns);
	for (;;) {
		int ready = look(&q);
		if (ready > 0 || deadline_ns <= lf_sim.now_ns)
			return ready;
		int rc = lf_sim_may_wait(true, "a descriptor");
		if (rc)
			return rc;
		lf_sim.self->request = &q;
		lf_sim_wait_on(&waiters, "poll", UINT32_MAX, deadline_ns);
		spend(&q, 0);
	}
}

int lf_sim_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	uint64_t deadline = lf_sim_deadline_in_ms(timeout_ms);
	return (int)lf_sim_result(poll_until(fds, n, deadline));
}

int lf_sim_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		 const sigset_t *mask)
{
	uint64_t deadline = lf_sim_deadline_in(timeout);
	lf_sim_refuse_mask(mask);
	if (!lf_sim_is_span(timeout))
		return lf_sim_refuse_span();
	return (int)lf_sim_result(poll_until(fds, n, deadline));
}

/* --- select --------------------------------------------------------------------------- */

/* Descriptors in any of the sets; -EBADF when one of them is not open. */
static int gather(int n, fd_set *const set[3], struct pollfd *ret_fds)
{
	static const short wanted[] = { POLLIN, POLLOUT, POLLPRI };
	int count = 0;
	for (int fd = 0; fd < n; fd++) {
		short events = 0;
		for (int k = 0; k < 3; k++)
			if (set[k] && FD_ISSET(fd, set[k]))
				events |= wanted[k];
		if (!events)
			continue;
		if (!lf_sim_file_find(fd))
			return -EBADF;
		ret_fds[count++] = (struct pollfd){ .fd = fd, .events = events };
	}
	return count;
}

static int scatter(const struct pollfd *fds, int n, fd_set *const set[3])
{
	static const short means[] = { POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR,
				       POLLPRI };
	int ready = 0;
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 3; k++) {
			if (!set[k] || !FD_ISSET(fds[i].fd, set[k]))
				continue;
			if (fds[i].revents & means[k])
				ready++;
			else
				FD_CLR(fds[i].fd, set[k]);
		}
	}
	return ready;
}

static int select_until(int n, fd_set *const set[3], uint64_t deadline_ns)
{
	struct pollfd fds[LF_SIM_FILES];
	if (n < 0 || n > FD_SETSIZE)
		return -EINVAL;
	int count = gather(n, set, fds);
	if (count < 0)
		return count;
	int rc = poll_until(fds, (nfds_t)count, deadline_ns);
	return rc < 0 ? rc : scatter(fds, count, set);
}

int lf_sim_select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
	fd_set *const set[] = { in, out, except };
	uint64_t deadline = LF_SIM_NEVER;
	if (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0))
		return lf_sim_refuse_span();
	if (timeout)
		deadline = lf_sim.now_ns + (uint64_t)timeout->tv_sec * 1000000000 +
			   (uint64_t)timeout->tv_usec * 1000;
	int rc = select_until(n, set, deadline);
	if (timeout) { /* Linux leaves what is left of it */
		uint64_t now = lf_sim.now_ns, left = deadline > now ? deadline - now : 0;
		timeout->tv_sec = (time_t)(left / 1000000000);
		timeout->tv_usec = (suseconds_t)(left % 1000000000 / 1000);
	}
	return (int)lf_sim_result(rc);
}

int lf_sim_pselect(int n, fd_set *in, fd_set *out, fd_set *except,
		   const struct timespec *timeout, const sigset_t *mask)
{
	fd_set *const set[] = { in, out, except };
	uint64_t deadline = lf_sim_deadline_in(timeout);
	lf_sim_refuse_mask(mask);
	if (!lf_sim_is_span(timeout))
		return lf_sim_refuse_span();
	return (int)lf_sim_result(select_until(n, set, deadline));
}
