/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * io-latency: two threads compute and poll; a third sleeps outside the lock, as in
 * a blocking read, comes back, and wants the lock for a moment. How long does
 * it wait? The bounds are in units of the lock's own quantum, because no other
 * number holds on every machine: a lock that claims a quantum gives a waiter
 * its turn within a few quanta per thread; one that claims "I/O first" lets the
 * returning thread in before the running quantum is over.
 *
 * The wait is measured twice: in work that the others did meanwhile, which a
 * busy machine cannot stretch and which convicts; and on the clock, which shows
 * a lock that leaves everybody waiting, and which noise may excuse.
 */
#include "suites/common.h"

#include <math.h>
#include <stdatomic.h>

#define CPU_THREADS 2
#define POLL_NS (20 * LF_US)
#define UNIT_NS (1 * LF_MS)
#define SLEEP_NS (2 * LF_MS)
#define BURST_NS (50 * LF_US)

/* Turns within so many quanta per thread. */
#define QUANTA_PER_THREAD 3

static void cpu(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t)) {
		lf_compute_polling_ns(t, UNIT_NS, POLL_NS);
		lf_step(t);
	}
	lf_unlock(t);
}

static uint64_t steps_of_all(struct lf_thread *t)
{
	return atomic_load_explicit(&lf_observed(t)->steps.length, memory_order_relaxed);
}

/* Where the wait begins: the sleep is over, the lock not yet asked for. */
struct excursion {
	struct lf_thread *thread;
	uint64_t steps;
};

static void pause_outside(void *arg)
{
	struct excursion *e = arg;
	lf_sleep_ns(e->thread, lf_think_ns(e->thread, SLEEP_NS));
	e->steps = steps_of_all(e->thread);
}

static void interactive(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	struct excursion e = { .thread = t, .steps = steps_of_all(t) };

	lf_lock(t);
	lf_histogram_add(&mine->passed, steps_of_all(t) - e.steps);
	while (lf_round(t)) {
		lf_outside(t, pause_outside, &e);
		lf_histogram_add(&mine->passed, steps_of_all(t) - e.steps);
		lf_compute_ns(t, BURST_NS);
		lf_step(t);
	}
	lf_unlock(t);
}

/* A part of all waits ended within so many quanta, by work and by the clock. */
static void judge_quanta(struct lf_judgement *j, const struct lf_thread_observation *who,
			 const struct lf_histogram *waits, double part, double bound_ns)
{
	bool median = part == 0.5;
	lf_judge_at_most(j, median ? LF_METRIC_PASSED_P50 : LF_METRIC_PASSED_P90,
			 LF_ORIGIN_CLAIM, (double)lf_histogram_quantile(&who->passed, part),
			 ceil(bound_ns / UNIT_NS), who->passed.count, who->role);
	lf_judge_at_most(j, median ? LF_METRIC_WAIT_P50 : LF_METRIC_WAIT_P90,
			 LF_ORIGIN_CLAIM, (double)lf_histogram_quantile(waits, part),
			 bound_ns, waits->count, who->role);
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_thread_observation *who = &o->thread[CPU_THREADS];
	double quantum_ns = (double)c->quantum_ns;
	struct lf_histogram waits;

	lf_metric_waits(o, "interactive", &waits);
	if (c->set & LF_CLAIM_IO_FIRST)
		judge_quanta(j, who, &waits, 0.5, quantum_ns / 2);
	if (c->set & LF_CLAIM_QUANTUM)
		judge_quanta(j, who, &waits, 0.9,
			     quantum_ns * QUANTA_PER_THREAD * (CPU_THREADS + 1));
	lf_judge_inform(j, LF_METRIC_WAIT_MAX, (double)waits.max, waits.count, "interactive");
	if (waits.count == 0)
		lf_judge_void(j, "the interactive thread never asked for the lock");
}

static const struct lf_role roles[] = {
	{ .name = "cpu", .count = CPU_THREADS, .run = cpu },
	{ .name = "interactive", .count = 1, .run = interactive },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_io_latency = {
	.name = "io-latency",
	.summary = "a thread back from I/O beside CPU threads: how long does it wait?",
	.suite = "core",
	.kinds = 1 << LF_GIL,
	.polls = true,
	.clocks = LF_CLOCK_WAIT,
	.roles = roles,
	.rounds = { 40, 100, 500 },
	.limit_ns = { 1500 * LF_MS, 6000 * LF_MS, 30000 * LF_MS },
	.window = true,
	.fair_control = "gil-bfs",
	.unfair_control = "faulty/gil_no_preempt",
	.judge = judge,
};
