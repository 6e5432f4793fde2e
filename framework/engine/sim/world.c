/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What scenarios ask of the simulated machine. Nothing takes no time: a loop of
 * these calls would stop the clock for ever. */
#include "engine/sim/sim.h"

#include <errno.h>

#define CALL_NS 100

static bool stopped(void)
{
	return atomic_load_explicit(&lf_sim.run->stop, memory_order_relaxed);
}

int lf_sim_wait_in_world(const void *key, const char *what, uint64_t deadline_ns)
{
	struct lf_sim_thread *me = lf_sim.self;
	if (stopped())
		return 0;
	me->in_world = true;
	int rc = lf_sim_wait_on(key, what, UINT32_MAX, deadline_ns);
	me->in_world = false;
	return rc;
}

void lf_sim_stop(void)
{
	if (lf_sim.heap.position[LF_SIM_GRACE_EVENT] >= 0)
		return;
	lf_sim_heap_remove(LF_SIM_LIMIT_EVENT);
	/* At once, for the first of its looks. */
	lf_sim.awaited = UINT64_MAX;
	lf_sim_heap_set(LF_SIM_GRACE_EVENT, lf_sim.now_ns);
	for (unsigned i = 0; i < lf_sim.threads; i++) {
		struct lf_sim_thread *t = &lf_sim.thread[i];
		if (!t->in_world || t->state != LF_SIM_WAITING)
			continue;
		if (t->wait.key)
			lf_sim_wait_cancel(t);
		t->wait.result = 0;
		lf_sim_wake(t);
	}
}

static uint64_t world_now(struct lf_actor *a)
{
	(void)a;
	lf_sim_advance(lf_sim.machine.cost_clock_ns);
	return lf_sim.now_ns;
}

static uint64_t world_stamp(struct lf_actor *a)
{
	(void)a;
	return lf_sim.now_ns;
}

static uint64_t world_cpu(struct lf_actor *a)
{
	return lf_sim_cpu_ns(lf_sim_thread_of(a));
}

static void world_compute(struct lf_actor *a, uint64_t ns)
{
	(void)a;
	lf_sim_advance(lf_sim_jitter(ns));
}

static uint64_t world_work(struct lf_actor *a, uint64_t reference_ns)
{
	(void)a;
	return reference_ns * 100 / lf_sim.machine.cost_speed_percent;
}

static void world_sleep(struct lf_actor *a, uint64_t ns)
{
	lf_sim_advance(lf_sim_jitter(lf_sim.machine.cost_syscall_ns));
	lf_sim_wait_in_world(a, "sleep", lf_sim.now_ns + ns);
}

static bool phase_reached(const struct lf_sim_thread *t)
{
	return lf_sim.phase >= t->awaited;
}

static void world_advance(struct lf_actor *a)
{
	(void)a;
	lf_sim_advance(lf_sim_jitter(CALL_NS));
	lf_sim.phase++;
	lf_sim_wake_reached(&lf_sim.phase, phase_reached);
}

static bool world_await(struct lf_actor *a, uint64_t phase)
{
	lf_sim_advance(lf_sim_jitter(CALL_NS));
	lf_sim_thread_of(a)->awaited = phase;
	while (lf_sim.phase < phase && !stopped())
		lf_sim_wait_in_world(&lf_sim.phase, "phase", LF_SIM_NEVER);
	return !stopped();
}

static void world_stop(struct lf_actor *a)
{
	(void)a;
	lf_sim_advance(lf_sim_jitter(CALL_NS));
	lf_sim_stop();
}

/* Quanta end with a tick. With several CPUs nobody has to wait for one. */
static uint64_t world_slice(struct lf_actor *a)
{
	uint64_t quantum = lf_sim.machine.scheduler_quantum_ns;
	uint64_t tick = lf_sim.machine.scheduler_tick_ns;

	(void)a;
	return lf_sim.cpus == 1 ? (quantum + tick - 1) / tick * tick : 0;
}

const struct lf_world lf_sim_world = {
	.now_ns = world_now,
	.stamp_ns = world_stamp,
	.cpu_ns = world_cpu,
	.compute_ns = world_compute,
	.work_ns = world_work,
	.sleep_ns = world_sleep,
	.advance = world_advance,
	.await = world_await,
	.await_queued = lf_sim_await_queued,
	.look_queued = lf_sim_look_queued,
	.send = lf_sim_port_send,
	.receive = lf_sim_port_receive,
	.stop = world_stop,
	.descriptor = lf_sim_descriptor,
	.slice_ns = world_slice,
};
