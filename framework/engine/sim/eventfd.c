/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Event counters, after Linux's fs/eventfd.c: a reader takes the whole counter, or
 * one of a semaphore; any reader may find it, woken or not. */
#include "engine/sim/rename.h"

#include "engine/sim/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MOST (UINT64_MAX - 1)

struct counter {
	struct lf_sim_file file;
	uint64_t value;
	bool semaphore;
	char can_read, can_write; /* keys of queues */
};

static struct counter *counter_of(const struct lf_sim_file *f)
{
	return (struct counter *)(uintptr_t)f; /* its first member */
}

static unsigned counter_events(const struct lf_sim_file *f)
{
	const struct counter *c = counter_of(f);
	return (c->value > 0 ? EPOLLIN : 0) | (c->value < MOST ? EPOLLOUT : 0);
}

static long counter_get(struct lf_sim_file *f, void *data, size_t size, bool wait)
{
	struct counter *c = counter_of(f);
	if (size < sizeof c->value)
		return -EINVAL;
	lf_sim_enter(&f->object, lf_sim.machine.ipc_pipe_ns, 0);
	while (c->value == 0) {
		int rc = lf_sim_may_wait(wait, "an event counter");
		if (rc)
			return rc;
		lf_sim_wait_on(&c->can_read, "eventfd", UINT32_MAX, LF_SIM_NEVER);
		lf_sim_touch(f->object.line, LF_SIM_RMW);
	}
	uint64_t taken = c->semaphore ? 1 : c->value;
	c->value -= taken;
	memcpy(data, &taken, sizeof taken);
	lf_sim_wake_first(&c->can_write, LF_SIM_THREADS, UINT32_MAX);
	lf_sim_file_changed(f);
	return sizeof taken;
}

static long counter_put(struct lf_sim_file *f, const void *data, size_t size, bool wait)
{
	struct counter *c = counter_of(f);
	uint64_t more;
	if (size < sizeof more)
		return -EINVAL;
	memcpy(&more, data, sizeof more);
	if (more == UINT64_MAX)
		return -EINVAL;
	lf_sim_enter(&f->object, lf_sim.machine.ipc_pipe_ns, 0);
	while (c->value > MOST - more) {
		int rc = lf_sim_may_wait(wait, "an event counter");
		if (rc)
			return rc;
		lf_sim_wait_on(&c->can_write, "eventfd", UINT32_MAX, LF_SIM_NEVER);
		lf_sim_touch(f->object.line, LF_SIM_RMW);
	}
	c->value += more;
	if (c->value > 0)
		lf_sim_wake_first(&c->can_read, c->semaphore ? (unsigned)more : 1,
				  UINT32_MAX);
	lf_sim_file_changed(f);
	return sizeof more;
}

static const struct lf_sim_file_type counter_type = {
	.name = "eventfd", .events = counter_events, .get = counter_get,
	.put = counter_put,
};

int lf_sim_eventfd(unsigned value, int flags)
{
	lf_sim_system_call();
	if (flags & ~(EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC))
		return (int)lf_sim_result(-EINVAL);
	struct counter *c = lf_sim_object_new(sizeof *c);
	if (!c)
		return (int)lf_sim_result(-ENOMEM);
	c->value = value;
	c->semaphore = flags & EFD_SEMAPHORE;
	return (int)lf_sim_result(lf_sim_file_open(&c->file, &counter_type,
						   O_RDWR | (flags & EFD_NONBLOCK)));
}

int lf_sim_eventfd_read(int fd, eventfd_t *ret_value)
{
	return lf_sim_read(fd, ret_value, sizeof *ret_value) == sizeof *ret_value ? 0 : -1;
}

int lf_sim_eventfd_write(int fd, eventfd_t value)
{
	return lf_sim_write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
