/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects of the simulated kernel, and what calls on them cost. */
#include "engine/sim/kernel.h"

#include <errno.h>
#include <stdlib.h>

static struct lf_sim_object *objects;

void lf_sim_kernel_reset(void)
{
	while (objects) {
		struct lf_sim_object *next = objects->next;
		free(objects);
		objects = next;
	}
	lf_sim_files_reset();
	lf_sim_messages_reset();
	lf_sim_semaphores_reset();
	lf_sim_signals_reset();
}

void *lf_sim_object_new(size_t size)
{
	struct lf_sim_object *o = calloc(1, size);
	void *line = lf_sim_arena(LF_CACHE_LINE);
	if (!o || !line) {
		free(o);
		lf_sim_abort("no memory for another object of the simulated kernel: a run "
			     "makes too many descriptors or queues");
		return NULL;
	}
	o->line = line;
	o->next = objects;
	objects = o;
	return o;
}

void lf_sim_copy(size_t bytes)
{
	if (lf_sim.self)
		lf_sim_advance(bytes * lf_sim.machine.ipc_copy_ns / 1024);
}

void lf_sim_enter(const struct lf_sim_object *o, uint64_t work_ns, size_t bytes)
{
	if (!lf_sim.self)
		return;
	lf_sim_advance(lf_sim_jitter(lf_sim.machine.cost_syscall_ns + work_ns));
	lf_sim_copy(bytes);
	lf_sim_touch(o->line, LF_SIM_RMW);
}

int lf_sim_may_wait(bool wait, const char *what)
{
	if (!wait)
		return -EAGAIN;
	return lf_sim_can_wait(what) ? 0 : -EDEADLK;
}

void lf_sim_refuse_mask(const void *mask)
{
	if (mask)
		lf_sim_abort("a wait for events with a mask of signals is not simulated; "
			     "declare the backend for engine threads only");
}
