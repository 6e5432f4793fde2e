/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loop that goes from event to event: timers, questions of waiting threads, and
 * what ends a run, all between two operations of simulated threads.
 */
#include "engine/sim/sim.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

struct lf_sim lf_sim;

#define MODEL (&lf_sim.machine)

/* --- timers and questions ---------------------------------------------------- */

void lf_sim_set_timer(struct lf_sim_thread *t, uint64_t deadline_ns)
{
	uint64_t grain = MODEL->timer_granularity_ns;
	if (deadline_ns == LF_SIM_NEVER)
		return;
	if (grain)
		deadline_ns = (deadline_ns + grain - 1) / grain * grain;
	/* Some time must pass even without slack, and never a fixed one. */
	deadline_ns += lf_sim_below(MODEL->timer_slack_ns + 1) + lf_sim_jitter(1000);
	t->timed = true;
	lf_sim_heap_set(LF_SIM_TIMER_EVENT + t->id, deadline_ns);
}

static void timer_ended(struct lf_sim_thread *t)
{
	lf_sim_heap_remove(LF_SIM_TIMER_EVENT + t->id);
	t->timed = false;
	if (t->wait.key)
		lf_sim_wait_cancel(t);
	t->wait.result = ETIMEDOUT;
	lf_sim_wake(t);
}

/* Questions of waiting threads are asked that often. */
#define POLL_NS 1000

void lf_sim_ask(struct lf_sim_thread *t, bool (*ready)(struct lf_sim_thread *))
{
	t->ready = ready;
	if (lf_sim.heap.position[LF_SIM_POLL_EVENT] < 0)
		lf_sim_heap_set(LF_SIM_POLL_EVENT, lf_sim.now_ns + lf_sim_jitter(POLL_NS));
}

static void poll_questions(uint64_t at_ns)
{
	bool more = false;
	lf_sim_heap_remove(LF_SIM_POLL_EVENT);
	for (unsigned i = 0; i < lf_sim.threads; i++) {
		struct lf_sim_thread *t = &lf_sim.thread[i];
		if (t->state != LF_SIM_WAITING || !t->ready)
			continue;
		if (!t->ready(t)) {
			more = true;
			continue;
		}
		lf_sim_wait_cancel(t);
		lf_sim_wake(t);
	}
	if (more)
		lf_sim_heap_set(LF_SIM_POLL_EVENT, at_ns + lf_sim_jitter(POLL_NS));
}

/* --- how a run is stopped, and how it ends ------------------------------------- */

static void limit_reached(void)
{
	lf_sim_heap_remove(LF_SIM_LIMIT_EVENT);
	lf_sim.run->observation->limit_reached = true;
	atomic_store_explicit(&lf_sim.run->stop, true, memory_order_relaxed);
	lf_sim_stop();
}

#define HOLDER_GRACE_NS UINT64_C(1000000000)

/* How often a run is looked at for threads that spin for nothing: so rarely that
 * everybody has had a turn meanwhile. */
static uint64_t watch_ns(void)
{
	uint64_t least = UINT64_C(100000000);
	uint64_t turns = 4 * lf_sim.threads * MODEL->scheduler_quantum_ns;
	return least > turns ? least : turns;
}

/* Grants, steps and polls so far; and is anybody inside acquire? */
static uint64_t movements(bool *ret_inside)
{
	struct lf_run *run = lf_sim.run;
	uint64_t seen = 0;
	*ret_inside = false;
	for (unsigned i = 0; i < run->observation->threads; i++) {
		seen += run->observation->thread[i].grants;
		seen += run->observation->thread[i].steps;
		seen += run->actor[i].rec.polls;
		*ret_inside |= run->actor[i].rec.inside;
	}
	return seen;
}

/* Nobody holds the lock, somebody wants it, and nothing has happened. */
static void watch(uint64_t at_ns)
{
	bool inside;
	uint64_t seen = movements(&inside);
	if (inside && seen == lf_sim.watched && lf_sim.run->recorder.owner == LF_NOBODY)
		lf_sim_finish(LF_SIM_STARVING);
	lf_sim.watched = seen;
	lf_sim_heap_set(LF_SIM_WATCH_EVENT, at_ns + watch_ns());
}

/* The grace period is long enough for everybody to get the lock once more and
 * end; and it begins anew as long as something moves. Who computes while it holds
 * the lock has longer: those behind it are not forgotten by anybody. */
static void grace(uint64_t at_ns)
{
	bool inside, held = lf_sim.run->recorder.owner != LF_NOBODY;
	uint64_t seen = movements(&inside);
	if (seen != lf_sim.awaited)
		lf_sim.awaited_ns = at_ns;
	else if (!held || at_ns - lf_sim.awaited_ns >= HOLDER_GRACE_NS)
		lf_sim_finish(LF_SIM_GRACE_OVER);
	lf_sim.awaited = seen;
	lf_sim_heap_set(LF_SIM_GRACE_EVENT, at_ns + 20000000 +
			4 * lf_sim.threads * MODEL->scheduler_quantum_ns);
}

void lf_sim_effort_spent(void)
{
	lf_sim.run->observation->cut_off = true;
	if (lf_sim.effort > lf_sim.effort_limit + lf_sim.effort_limit / 4)
		lf_sim_finish(LF_SIM_CUT_OFF);
	else if (!lf_sim.run->observation->limit_reached)
		limit_reached();
}

void lf_sim_finish(enum lf_sim_end end)
{
	if (lf_sim.end == LF_SIM_GOES_ON)
		lf_sim.end = end;
	lf_sim.next_ns = 0;
}

void lf_sim_abort(const char *format, ...)
{
	struct lf_sim_thread *me = lf_sim.self;
	va_list arguments;
	if (lf_sim.end != LF_SIM_ABORTED) {
		va_start(arguments, format);
		vsnprintf(lf_sim.error.text, sizeof lf_sim.error.text, format, arguments);
		va_end(arguments);
	}
	lf_sim.end = LF_SIM_ABORTED;
	if (!me)
		return;
	lf_sim.self = NULL;
	lf_sim.carrier->swap(&me->strand, &lf_sim.host);
}

/* --- from event to event ----------------------------------------------------------- */

/* An event that is not a CPU's. */
static void handle(unsigned event, uint64_t at_ns)
{
	lf_sim.now_ns = at_ns;
	if (event == LF_SIM_LIMIT_EVENT)
		limit_reached();
	else if (event == LF_SIM_GRACE_EVENT)
		grace(at_ns);
	else if (event == LF_SIM_WATCH_EVENT)
		watch(at_ns);
	else if (event == LF_SIM_POLL_EVENT)
		poll_questions(at_ns);
	else
		timer_ended(&lf_sim.thread[event - LF_SIM_TIMER_EVENT]);
}

/* Can anything but time itself still happen? */
static bool alive(void)
{
	for (unsigned i = 0; i < lf_sim.threads; i++) {
		const struct lf_sim_thread *t = &lf_sim.thread[i];
		if (t->state == LF_SIM_RUNNING || t->state == LF_SIM_READY || t->timed)
			return true;
	}
	return false;
}

/* FNV-1a over times and threads: two runs with the same hash took the same way. */
static void fold(uint64_t value)
{
	lf_sim.hash = (lf_sim.hash ^ value) * UINT64_C(1099511628211);
}

struct lf_sim_thread *lf_sim_next_thread(void)
{
	lf_sim.cpu = NULL;
	lf_sim.self = NULL;
	atomic_fetch_add_explicit(&lf_sim.points, 1, memory_order_relaxed);
	while (lf_sim.end == LF_SIM_GOES_ON) {
		struct lf_sim_entry e = lf_sim.heap.entry[0];
		if (lf_sim.heap.n == 0 || (e.event >= LF_SIM_TIMER_EVENT && !alive())) {
			lf_sim.end = LF_SIM_DEADLOCK;
			break;
		}
		if (e.event >= LF_SIM_TIMER_EVENT) {
			handle(e.event, e.at_ns);
			continue;
		}
		struct lf_sim_cpu *cpu = &lf_sim.processor[e.event];
		struct lf_sim_thread *t = cpu->running;
		lf_sim.now_ns = e.at_ns;
		if (t->at_ns > e.at_ns) {
			lf_sim_interrupt(cpu, e.at_ns);
			continue;
		}
		lf_sim.cpu = cpu;
		lf_sim.cpu_bit = UINT64_C(1) << e.event;
		lf_sim_heap_remove(e.event);
		lf_sim.self = t;
		fold(e.at_ns * 31 + t->id);
		return t;
	}
	return NULL;
}

void lf_sim_go_on(struct lf_sim_thread *me)
{
	struct lf_sim_thread *next = lf_sim_next_thread();
	if (next == me)
		return;
	lf_sim.effort += lf_sim.carrier->effort;
	lf_sim.carrier->swap(&me->strand, next ? &next->strand : &lf_sim.host);
}

/* --- the host -------------------------------------------------------------------------- */

int lf_sim_go(void)
{
	struct lf_sim_thread *first = lf_sim_next_thread();
	if (!first)
		return 0;
	return lf_sim.carrier->enter(&lf_sim.host, &first->strand, lf_sim_stuck);
}
