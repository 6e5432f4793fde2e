/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Virtual CPUs and their scheduler: one queue of ready threads; a quantum that
 * the tick ends; and, as the model says, order by virtual runtime with preemption
 * at wake-up (in the manner of Linux's CFS) or plain first in, first out.
 */
#include "engine/sim/sim.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

struct lf_sim lf_sim;

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

/* A tick, or a preemption. The thread has not reached its next operation. */
static void interrupt(struct lf_sim_cpu *cpu, uint64_t at_ns)
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

/* --- events ------------------------------------------------------------------ */

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

static void limit_reached(void)
{
	lf_sim_heap_remove(LF_SIM_LIMIT_EVENT);
	lf_sim.run->observation->limit_reached = true;
	atomic_store_explicit(&lf_sim.run->stop, true, memory_order_relaxed);
	lf_sim_stop();
}

/* How often a run is looked at for threads that spin for nothing: so rarely that
 * everybody has had a turn meanwhile. */
static uint64_t watch_ns(void)
{
	uint64_t least = UINT64_C(100000000);
	uint64_t turns = 4 * lf_sim.threads * MODEL->scheduler_quantum_ns;
	return least > turns ? least : turns;
}

/* Grants and steps so far; and is anybody inside acquire? */
static uint64_t movements(bool *ret_inside)
{
	struct lf_run *run = lf_sim.run;
	uint64_t seen = 0;
	*ret_inside = false;
	for (unsigned i = 0; i < run->observation->threads; i++) {
		seen += run->observation->thread[i].grants;
		seen += run->observation->thread[i].steps;
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
 * end; and it begins anew as long as something moves. */
static void grace(uint64_t at_ns)
{
	bool inside;
	uint64_t seen = movements(&inside);
	if (seen == lf_sim.awaited)
		lf_sim_finish(LF_SIM_GRACE_OVER);
	lf_sim.awaited = seen;
	lf_sim_heap_set(LF_SIM_GRACE_EVENT, at_ns + 20000000 +
			4 * lf_sim.threads * MODEL->scheduler_quantum_ns);
}

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

/* Goes from event to event up to the next operation of a thread, which is the
 * running one from then on. NULL: the run has ended. */
static struct lf_sim_thread *next_thread(void)
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
			interrupt(cpu, e.at_ns);
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

/* The calling thread has no operation to do now; comes back when it has. */
static void go_on(struct lf_sim_thread *me)
{
	struct lf_sim_thread *next = next_thread();
	if (next == me)
		return;
	lf_sim.effort += lf_sim.carrier->effort;
	lf_sim.carrier->swap(&me->strand, next ? &next->strand : &lf_sim.host);
}

static void effort_spent(void)
{
	if (lf_sim.effort > lf_sim.effort_limit + lf_sim.effort_limit / 4)
		lf_sim_finish(LF_SIM_CUT_OFF);
	else if (!lf_sim.run->observation->limit_reached)
		limit_reached();
}

void lf_sim_look_up(void)
{
	struct lf_sim_thread *me = lf_sim.self;
	struct lf_sim_cpu *cpu = lf_sim.cpu;
	me->at_ns = lf_sim.now_ns;
	lf_sim.cpu = NULL;
	announce(cpu);
	if (lf_sim.effort > lf_sim.effort_limit)
		effort_spent();
	go_on(me);
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
	go_on(me);
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
	go_on(me);
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
	struct lf_sim_thread *next = next_thread();
	lf_sim.carrier->leave(&me->strand, next ? &next->strand : &lf_sim.host);
}

/* --- threads and runs --------------------------------------------------------- */

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
	t->cpu = t->id % lf_sim.cpus;
	t->virtual_ns = lf_sim.least_virtual_ns;
	if (lf_sim.carrier->start(&t->strand, &lf_sim.error))
		return NULL;
	lf_sim.threads++;
	t->timed = true;
	lf_sim_heap_set(LF_SIM_TIMER_EVENT + t->id, at_ns);
	return t;
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

#define SECOND_NS UINT64_C(1000000000)

static uint64_t host_cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/*
 * For the watchdog: has the thread that runs gone too long without letting the
 * simulator look up? Asked once a second. On a busy machine a second may pass in
 * which it got no CPU at all, so what counts is its CPU time, except when it
 * sleeps in a call that the simulator does not know.
 */
static bool stuck(void)
{
	struct lf_sim_watchdog *w = &lf_sim.watchdog;
	uint64_t points = atomic_load_explicit(&lf_sim.points, memory_order_relaxed);
	uint64_t cpu = host_cpu_ns();
	if (points != w->points || w->seconds == 0)
		*w = (struct lf_sim_watchdog){ points, cpu, 0 };
	w->seconds++;
	return w->seconds > 2 && (cpu - w->cpu_ns >= 2 * SECOND_NS || w->seconds > 30);
}

int lf_sim_go(void)
{
	struct lf_sim_thread *first = next_thread();
	if (!first)
		return 0;
	return lf_sim.carrier->enter(&lf_sim.host, &first->strand, stuck);
}
