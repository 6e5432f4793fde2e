/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who is queued for the lock. Here that is known and not guessed. A thread inside
 * acquire has settled when it sleeps, or when it has spun for SPUN_NS of its CPU
 * time. It is queued when everybody who is inside has settled: as long as one of
 * them is still on its way, the others may be waiting for a lock within the lock
 * that this one holds, and their places in the queue are open. Where the lock
 * counts its waiters, no more are confirmed than it counts.
 */
#include "engine/sim/sim.h"

#include <errno.h>

/* Many times what an uncontended acquire takes. */
#define SPUN_NS 2000

static bool is_inside(const struct lf_actor *a)
{
	return atomic_load_explicit(&a->rec.inside, memory_order_acquire);
}

static bool is_confirmed(const struct lf_actor *a)
{
	return atomic_load_explicit(&a->rec.confirm_epoch, memory_order_relaxed) != 0;
}

/* The CPU time inside acquire counts from the first look at this request. */
static bool has_settled(const struct lf_actor *a)
{
	struct lf_sim_thread *t = lf_sim_thread_of(a);
	uint64_t request = a->rec.mine->requests;
	if (t->state == LF_SIM_WAITING)
		return true;
	if (t->seen_request != request) {
		t->seen_request = request;
		t->seen_cpu_ns = lf_sim_cpu_ns(t);
	}
	return lf_sim_cpu_ns(t) - t->seen_cpu_ns >= SPUN_NS;
}

static bool can_queue(const struct lf_actor *a, const struct lf_actor *holder)
{
	return a != holder && !a->role->foreign && is_inside(a);
}

/* How many are queued. Those that were confirmed to be stay so, whoever comes. */
static unsigned count_queued(const struct lf_actor *holder)
{
	struct lf_run *run = lf_sim.run;
	unsigned inside = 0, settled = 0, confirmed = 0;
	for (unsigned i = 0; i < run->observation->threads; i++) {
		const struct lf_actor *a = &run->actor[i];
		if (!can_queue(a, holder))
			continue;
		inside++;
		settled += has_settled(a);
		confirmed += is_confirmed(a);
	}
	return settled == inside ? inside : confirmed;
}

unsigned lf_sim_look_queued(struct lf_actor *holder)
{
	struct lf_run *run = lf_sim.run;
	unsigned most = UINT32_MAX, confirmed = 0;
	enum lf_confirm how = LF_CONFIRM_EXACT;

	lf_sim_advance(lf_sim_jitter(SPUN_NS) / 10);
	if (holder->ops.waiters) {
		most = holder->ops.waiters(holder->lock);
		how = LF_CONFIRM_WAITERS;
	}
	for (unsigned i = 0; i < run->observation->threads; i++)
		confirmed += is_confirmed(&run->actor[i]);
	if (count_queued(holder) < most)
		most = count_queued(holder);
	for (unsigned i = 0; i < run->observation->threads && confirmed < most; i++) {
		struct lf_actor *a = &run->actor[i];
		if (!can_queue(a, holder) || is_confirmed(a))
			continue;
		lf_record_confirm(a, how);
		confirmed++;
	}
	return confirmed;
}

static bool enough_queued(struct lf_sim_thread *t)
{
	return count_queued(t->actor) >= t->awaited;
}

/* Every waiter may need a quantum of its own to get into the queue. */
static uint64_t patience_ns(void)
{
	return 50000000 + 4 * lf_sim.threads * lf_sim.machine.scheduler_quantum_ns;
}

bool lf_sim_await_queued(struct lf_actor *holder, unsigned n)
{
	struct lf_sim_thread *me = lf_sim_thread_of(holder);
	uint64_t deadline = lf_sim.now_ns + patience_ns();
	me->awaited = n;
	while (lf_sim_look_queued(holder) < n) {
		if (lf_stopped(&holder->thread) || lf_sim.now_ns >= deadline)
			return false;
		lf_sim_ask(me, enough_queued);
		lf_sim_wait_in_world(me, "queued threads", deadline);
	}
	return !lf_stopped(&holder->thread);
}
