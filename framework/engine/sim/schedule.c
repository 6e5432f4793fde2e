/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Virtual CPUs and their scheduler: one queue of ready threads; a quantum that
 * the tick ends; and, as the model says, order by virtual runtime with preemption
 * at wake-up (in the manner of Linux's CFS) or plain first in, first out.
 */
#include "engine/sim/sim.h"

#include <errno.h>
#include <stdio.h>

#define MODEL (&lf_sim.machine)

static unsigned number_of(const struct lf_sim_cpu *cpu)
{
	return (unsigned)(cpu - lf_sim.processor);
}

/* --- CPU time --------------------------------------------------------------- */

/* The thread loses its CPU at that time. */
static void charge(struct lf_sim_thread *t, uint64_t at_ns)
{
	if (at_ns <= t->since_ns)
		return;
	t->virtual_ns += at_ns - t->since_ns;
	t->cpu_ns += at_ns - t->since_ns;
	t->since_ns = at_ns;
}

uint64_t lf_sim_cpu_ns(const struct lf_sim_thread *t)
{
	bool counts = t->state == LF_SIM_RUNNING && lf_sim.now_ns > t->since_ns;
	return t->cpu_ns + (counts ? lf_sim.now_ns - t->since_ns : 0);
}

static uint64_t virtual_at(const struct lf_sim_thread *t, uint64_t at_ns)
{
	return t->virtual_ns + (at_ns > t->since_ns ? at_ns - t->since_ns : 0);
}

/* --- the queue of ready threads --------------------------------------------- */

static void enqueue(struct lf_sim_thread *t, uint64_t at_ns)
{
	t->state = LF_SIM_READY;
	t->ready_since_ns = at_ns;
	lf_sim.queue[lf_sim.queued++] = t;
}

static struct lf_sim_thread *dequeue(void)
{
	unsigned best = 0;
	if (lf_sim.queued == 0)
		return NULL;
	if (MODEL->scheduler_virtual_runtime)
		for (unsigned i = 1; i < lf_sim.queued; i++)
			if (lf_sim.queue[i]->virtual_ns < lf_sim.queue[best]->virtual_ns)
				best = i;
	struct lf_sim_thread *t = lf_sim.queue[best];
	lf_sim.queued--;
	for (unsigned i = best; i < lf_sim.queued; i++)
		lf_sim.queue[i] = lf_sim.queue[i + 1];
	return t;
}

/* --- CPUs -------------------------------------------------------------------- */

static uint64_t next_tick(const struct lf_sim_cpu *cpu, uint64_t after_ns)
{
	uint64_t period = MODEL->scheduler_tick_ns;
	if (after_ns < cpu->tick_phase_ns)
		return cpu->tick_phase_ns;
	return after_ns + period - (after_ns - cpu->tick_phase_ns) % period;
}

/* Sets the CPU's event; the CPU that is executing now has none. */
static void announce(struct lf_sim_cpu *cpu)
{
	uint64_t at = cpu->running->at_ns;
	if (cpu->interrupt_ns < at)
		at = cpu->interrupt_ns;
	if (cpu != lf_sim.cpu)
		lf_sim_heap_set(LF_SIM_CPU_EVENT + number_of(cpu), at);
}

/* The thread gets the CPU, and after a while goes on with what it was about to do. */
static void place(struct lf_sim_cpu *cpu, struct lf_sim_thread *t, uint64_t at_ns,
		  uint64_t after_ns)
{
	if (t->state == LF_SIM_READY && at_ns > t->ready_since_ns)
		t->run_delay_ns += at_ns - t->ready_since_ns;
	t->state = LF_SIM_RUNNING;
	t->cpu = number_of(cpu);
	t->since_ns = at_ns;
	t->at_ns = at_ns + after_ns + t->rest_ns;
	t->rest_ns = 0;
	cpu->running = t;
	cpu->preempt = false;
	cpu->slice_end_ns = at_ns + MODEL->scheduler_quantum_ns;
	cpu->interrupt_ns = next_tick(cpu, at_ns);
	if (t->virtual_ns > lf_sim.least_virtual_ns)
		lf_sim.least_virtual_ns = t->virtual_ns;
	announce(cpu);
}

/* The CPU is free: next, please. */
static void pick(struct lf_sim_cpu *cpu, uint64_t at_ns)
{
	struct lf_sim_thread *t = dequeue();
	cpu->running = NULL;
	if (t) /* who comes in pays for the switch */
		place(cpu, t, at_ns, lf_sim_jitter(MODEL->scheduler_switch_ns));
	else
		lf_sim_heap_remove(LF_SIM_CPU_EVENT + number_of(cpu));
}

void lf_sim_interrupt(struct lf_sim_cpu *cpu, uint64_t at_ns)
{
	struct lf_sim_thread *t = cpu->running;
	bool over = cpu->preempt || at_ns >= cpu->slice_end_ns;

	if (lf_sim.queued == 0 || !over) {
		cpu->preempt = false;
		t->at_ns += lf_sim_jitter(MODEL->scheduler_tick_cost_ns);
		cpu->interrupt_ns = next_tick(cpu, at_ns);
		announce(cpu);
		return;
	}
	charge(t, at_ns);
	t->rest_ns = t->at_ns - at_ns;
	t->involuntary++;
	enqueue(t, at_ns);
	pick(cpu, at_ns);
}

/* The CPU it ran on last, else any: which one, chance decides. */
static struct lf_sim_cpu *idle_cpu(const struct lf_sim_thread *t)
{
	struct lf_sim_cpu *last = &lf_sim.processor[t->cpu];
	if (!last->running && last != lf_sim.cpu)
		return last;
	unsigned first = (unsigned)lf_sim_below(lf_sim.cpus);
	for (unsigned i = 0; i < lf_sim.cpus; i++) {
		struct lf_sim_cpu *c = &lf_sim.processor[(first + i) % lf_sim.cpus];
		if (!c->running && c != lf_sim.cpu)
			return c;
	}
	return NULL;
}

/* A thread woke up and found no idle CPU: takes one from the thread that is
 * furthest ahead of it, if that is far enough. */
static void preempt_for(const struct lf_sim_thread *t, uint64_t at_ns)
{
	struct lf_sim_cpu *victim = NULL;
	uint64_t most = 0;
	for (unsigned i = 0; i < lf_sim.cpus; i++) {
		struct lf_sim_cpu *c = &lf_sim.processor[i];
		uint64_t ran = c->running ? virtual_at(c->running, at_ns) : 0;
		if (c->running && (!victim || ran > most)) {
			victim = c;
			most = ran;
		}
	}
	if (!victim || most <= t->virtual_ns + MODEL->scheduler_granularity_ns)
		return;
	/* Another CPU must be told first. */
	if (victim != lf_sim.cpu)
		at_ns += lf_sim_jitter(MODEL->wake_latency_ns) / 4;
	victim->preempt = true;
	if (at_ns >= victim->interrupt_ns)
		return;
	victim->interrupt_ns = at_ns;
	if (victim == lf_sim.cpu)
		lf_sim.next_ns = at_ns < lf_sim.next_ns ? at_ns : lf_sim.next_ns;
	else
		announce(victim);
}

void lf_sim_wake(struct lf_sim_thread *t)
{
	uint64_t at = lf_sim.now_ns, credit = MODEL->scheduler_sleeper_credit_ns;

	t->rest_ns = 0;
	t->ready = NULL;
	if (t->timed)
		lf_sim_heap_remove(LF_SIM_TIMER_EVENT + t->id);
	t->timed = false;
	if (t->virtual_ns + credit < lf_sim.least_virtual_ns)
		t->virtual_ns = lf_sim.least_virtual_ns - credit;
	struct lf_sim_cpu *idle = idle_cpu(t);
	if (idle) {
		place(idle, t, at + lf_sim_latency(MODEL->wake_latency_ns), 0);
		return;
	}
	enqueue(t, at);
	if (MODEL->scheduler_wakeup_preemption)
		preempt_for(t, at);
}

/* --- what the running thread does ---------------------------------------------- */

void lf_sim_look_up(void)
{
	struct lf_sim_thread *me = lf_sim.self;
	struct lf_sim_cpu *cpu = lf_sim.cpu;
	me->at_ns = lf_sim.now_ns;
	lf_sim.cpu = NULL;
	announce(cpu);
	if (lf_sim.effort > lf_sim.effort_limit)
		lf_sim_effort_spent();
	lf_sim_go_on(me);
}

int lf_sim_block(uint64_t deadline_ns)
{
	struct lf_sim_thread *me = lf_sim.self;
	struct lf_sim_cpu *cpu = lf_sim.cpu;

	lf_sim_set_timer(me, deadline_ns);
	me->state = LF_SIM_WAITING;
	me->voluntary++;
	charge(me, lf_sim.now_ns);
	lf_sim.cpu = NULL;
	pick(cpu, lf_sim.now_ns);
	lf_sim_go_on(me);
	return me->wait.result;
}

void lf_sim_yield(void)
{
	struct lf_sim_thread *me = lf_sim.self;

	lf_sim_advance(lf_sim_jitter(MODEL->cost_syscall_ns));
	if (lf_sim.queued == 0)
		return;
	struct lf_sim_cpu *cpu = lf_sim.cpu;
	charge(me, lf_sim.now_ns);
	if (me->virtual_ns < lf_sim.least_virtual_ns)
		me->virtual_ns = lf_sim.least_virtual_ns;
	me->voluntary++;
	lf_sim.cpu = NULL;
	pick(cpu, lf_sim.now_ns); /* before it queues up: the turn is another's */
	enqueue(me, lf_sim.now_ns);
	lf_sim_go_on(me);
}

_Noreturn void lf_sim_exit(void *value)
{
	struct lf_sim_thread *me = lf_sim.self;

	me->value = value;
	lf_sim_wake_first(me, LF_SIM_THREADS, UINT32_MAX); /* who joins it */
	struct lf_sim_cpu *cpu = lf_sim.cpu;
	me->state = LF_SIM_ENDED;
	charge(me, lf_sim.now_ns);
	lf_sim.cpu = NULL;
	pick(cpu, lf_sim.now_ns);
	if (me->actor && --lf_sim.actors_left == 0)
		lf_sim_finish(LF_SIM_ALL_ENDED);
	struct lf_sim_thread *next = lf_sim_next_thread();
	lf_sim.carrier->leave(&me->strand, next ? &next->strand : &lf_sim.host);
}

/* --- new threads --------------------------------------------------------------- */

/* Some locks keep their queue nodes on the stack. The aligned variable makes all
 * frames begin at the same place of a cache line, whatever called this one. */
static void body(void *arg)
{
	_Alignas(LF_CACHE_LINE) char line[LF_CACHE_LINE];
	__asm__ volatile("" : : "r"(line) : "memory");
	struct lf_sim_thread *t = arg;
	lf_sim.errno_address = &errno;
	lf_sim_exit(t->fn(t->arg));
}

struct lf_sim_thread *lf_sim_spawn(void *(*fn)(void *), void *arg, struct lf_actor *actor,
				   uint64_t at_ns)
{
	if (lf_sim.threads == LF_SIM_THREADS) {
		lf_error_set(&lf_sim.error, -EAGAIN, "the simulator runs at most %d "
			     "threads at a time", LF_SIM_THREADS);
		return NULL;
	}
	struct lf_sim_thread *t = &lf_sim.thread[lf_sim.threads];
	struct lf_strand strand = t->strand; /* keeps its stack */
	*t = (struct lf_sim_thread){ .id = lf_sim.threads, .fn = fn, .arg = arg,
				     .actor = actor, .state = LF_SIM_WAITING };
	t->strand = strand;
	t->strand.fn = body;
	t->strand.arg = t;
	if (actor)
		snprintf(t->strand.name, sizeof t->strand.name, "%.11s.%u",
			 actor->role->name, actor->role_index);
	else
		snprintf(t->strand.name, sizeof t->strand.name, "of the lock");
	t->cpu = t->id % lf_sim.cpus;
	t->virtual_ns = lf_sim.least_virtual_ns;
	if (lf_sim.carrier->start(&t->strand, &lf_sim.error))
		return NULL;
	lf_sim.threads++;
	lf_sim_signals_inherit(t);
	t->timed = true;
	lf_sim_heap_set(LF_SIM_TIMER_EVENT + t->id, at_ns);
	return t;
}
