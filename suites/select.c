/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * select: a thread waits for descriptors again and again, as an event loop does,
 * holding an interpreter lock that others want, too. What does its poller do with the
 * lock? Around what it does by design there are three rules (enum lf_release); beside
 * them two things are measured: how often the loop goes round, and how long the others
 * are kept waiting, which a benchmark with one thread cannot see.
 *
 * The experiment is the one of io-event's design document of 2021, with its single
 * descriptor that is readable all the time, and with bystanders.
 */
#include "suites/select.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

static const char *const releases[] = {
#define X(id, name, text) name,
	LF_RELEASE_MAP(X)
#undef X
	NULL
};

static const char *const states[] = { "idle", "ready", NULL };
static const char *const timeouts[] = { "1", "0", NULL };

static const struct lf_axis axes[] = {
	{ .name = "release", .values = releases },
	{ .name = "descriptor", .values = states },
	{ .name = "timeout", .values = timeouts },
	{ .name = NULL },
};

#define TIMEOUT_NS ((int64_t)(1 * LF_MS))
/* Less than the milliseconds that some system calls know. */
#define SHORT_NS ((int64_t)(300 * LF_US))
/* No kernel takes it: the system call fails. */
#define NONSENSE_NS (-2000000000)

#define CONTRACT_CALLS 3

/* Kernel time is coarse at its edges. */
#define PART_OF_TIMEOUT 9 / 10

/* --- one call, and what it did with the lock ------------------------------------------ */

/* How often a call may let go. A look that found something need not wait. */
static unsigned allowed(enum lf_release release, int64_t timeout_ns, int ready)
{
	if (release == LF_RELEASE_ALWAYS)
		return 1;
	if (timeout_ns == 0)
		return 0;
	return release == LF_RELEASE_NONZERO || ready <= 0;
}

/*
 * Counts, and no clock but where a wait came to the end of its timeout: that takes at
 * least that long, on every machine. If it was not spent outside, the lock was held
 * for it.
 */
static void note(struct lf_polling *p, enum lf_release release, int64_t timeout_ns, int rc,
		 const struct lf_waited *seen)
{
	p->calls++;
	p->needless += seen->releases > allowed(release, timeout_ns, rc);
	if (rc < 0) {
		p->errors++;
		p->errors_lost += rc != -EINVAL && rc != -EINTR;
	}
	if (rc != 0 || timeout_ns <= 0)
		return;
	p->waits++;
	p->held += seen->outside_ns < (uint64_t)timeout_ns * PART_OF_TIMEOUT;
}

static int wait_once(struct lf_thread *t, enum lf_release release, int64_t timeout_ns)
{
	struct lf_waited seen;
	int rc = lf_poller_wait(t, timeout_ns, release, &seen);
	note(&lf_observed(t)->polling, release, timeout_ns, rc, &seen);
	return rc;
}

/* The same, and did it wait for as long as it was told? */
static void wait_timed(struct lf_thread *t, enum lf_release release, int64_t timeout_ns)
{
	struct lf_polling *p = &lf_observed(t)->polling;
	uint64_t begin = lf_now_ns(t);
	struct lf_waited seen;
	int rc = lf_poller_wait(t, timeout_ns, release, &seen);
	if (rc == 0 && lf_now_ns(t) - begin < (uint64_t)timeout_ns * PART_OF_TIMEOUT) {
		p->early++;
		p->waits++;
		return; /* not held, either: it did not wait */
	}
	note(p, release, timeout_ns, rc, &seen);
}

/* What must be so under this rule, whatever the loop does. Before others want the lock,
 * so that each call takes no longer than it has to. */
static void try_contract(struct lf_thread *t, enum lf_release release)
{
	for (int i = 0; i < CONTRACT_CALLS; i++) {
		wait_once(t, release, 0);
		wait_timed(t, release, SHORT_NS);
		wait_timed(t, release, TIMEOUT_NS);
		wait_once(t, release, NONSENSE_NS);
	}
}

/* --- the loop ---------------------------------------------------------------------------- */

#define UNIT_NS (1 * LF_MS)
#define STRIDE_MOST 16

/* Goes round so often. A loop that does not sleep marks a step for each UNIT_NS of its
 * work: by that, and not by the clock, others' waits are measured. */
static void go_round(struct lf_thread *t, struct lf_loop *loop, unsigned times)
{
	for (unsigned i = 0; i < times && !lf_stopped(t); i++) {
		wait_once(t, loop->release, loop->timeout_ns);
		lf_poll(t);
		loop->done++;
		if (loop->per_step && loop->done % loop->per_step == 0)
			lf_step(t);
	}
}

uint64_t lf_select_iterate(struct lf_thread *t, struct lf_loop *loop, uint64_t for_ns,
			   uint64_t *ret_took_ns)
{
	uint64_t begin = lf_now_ns(t), now = begin, done = loop->done;
	unsigned stride = 1;
	do {
		uint64_t before = now;
		go_round(t, loop, stride);
		now = lf_now_ns(t);
		if (now - before > for_ns / 32)
			stride = 1; /* a turn of somebody else's came */
		else if (stride < STRIDE_MOST)
			stride *= 2;
	} while (now - begin < for_ns && !lf_stopped(t));
	*ret_took_ns = now - begin;
	return loop->done - done;
}

/* Before others want the lock. The fastest of several tries is the one that nothing
 * came between. */
void lf_select_calibrate(struct lf_thread *t, struct lf_loop *loop, bool sleeps)
{
	uint64_t best_ns = UINT64_MAX;
	for (int i = 0; i < 8 && !sleeps; i++) {
		uint64_t begin = lf_now_ns(t);
		go_round(t, loop, STRIDE_MOST);
		uint64_t took_ns = lf_now_ns(t) - begin;
		best_ns = took_ns < best_ns ? took_ns : best_ns;
	}
	if (sleeps || best_ns == 0)
		return;
	loop->per_step = STRIDE_MOST * UNIT_NS / best_ns;
	loop->per_step += loop->per_step == 0;
}

/* Ten batches are to last longer than a bystander may wait at the most, so that one
 * that gets nothing shows; and long enough for the clock. */
uint64_t lf_select_batch_ns(struct lf_thread *t)
{
	const struct lf_claim *c = lf_claim_of(t);
	uint64_t quantum_ns = c->set & LF_CLAIM_QUANTUM ? c->quantum_ns : 5 * LF_MS;
	uint64_t turns_ns = quantum_ns * (lf_sweep(t) + 1) / 2;
	uint64_t least_ns = lf_time_is_virtual(t) ? LF_MS / 2 : 4 * LF_MS;
	if (lf_budget(t) != LF_BUDGET_QUICK && !lf_time_is_virtual(t))
		least_ns = 100 * LF_MS;
	return lf_sweep(t) && turns_ns > least_ns ? turns_ns : least_ns;
}

static double rate(uint64_t n, uint64_t took_ns)
{
	return took_ns ? (double)n * 1e9 / (double)took_ns : 0;
}

bool lf_select_begin(struct lf_thread *t, bool readable)
{
	char why[96];
	int rc = lf_watch(t, readable);
	if (rc == 0)
		return true;
	snprintf(why, sizeof why, "the poller cannot watch a descriptor: error %d", -rc);
	lf_precondition_failed(t, why);
	lf_stop(t);
	return false;
}

static void poller(struct lf_thread *t)
{
	struct lf_polling *p = &lf_observed(t)->polling;
	bool ready = lf_axis(t, 1) == 1;
	struct lf_loop loop = { .release = (enum lf_release)lf_axis(t, 0),
				.timeout_ns = lf_axis(t, 2) == 0 ? TIMEOUT_NS : 0 };
	uint64_t batch_ns = lf_select_batch_ns(t), took_ns;
	if (!lf_select_begin(t, ready))
		return;
	lf_lock(t);
	try_contract(t, loop.release);
	lf_select_calibrate(t, &loop, !ready && loop.timeout_ns);
	lf_advance(t);
	uint64_t n = lf_select_iterate(t, &loop, batch_ns, &took_ns);
	p->per_batch = (uint64_t)(rate(n, took_ns) / 10);
	while (lf_round(t)) {
		n = lf_select_iterate(t, &loop, batch_ns, &took_ns);
		if (lf_stopped(t))
			break;
		p->iterations += n;
		p->batches_ns += took_ns;
		lf_series_add(&p->per_s, rate(n, took_ns));
	}
	lf_unlock(t);
}

#define POLL_NS (20 * LF_US)

static uint64_t steps_of_all(struct lf_thread *t)
{
	return atomic_load_explicit(&lf_observed(t)->steps.length, memory_order_relaxed);
}

/* A poll in which others had the lock was a wait; what did they do meanwhile? */
static void poll_noting(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	uint64_t grants = mine->grants, steps = steps_of_all(t);
	lf_poll(t);
	if (mine->grants != grants)
		lf_histogram_add(&mine->passed, steps_of_all(t) - steps);
}

void lf_select_bystander(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	if (!lf_await(t, 1))
		return;
	uint64_t steps = steps_of_all(t);
	lf_lock(t);
	lf_histogram_add(&mine->passed, steps_of_all(t) - steps);
	for (unsigned i = 1; !lf_stopped(t); i++) {
		lf_compute_ns(t, POLL_NS);
		poll_noting(t);
		if (i % (UNIT_NS / POLL_NS) == 0)
			lf_step(t);
	}
	lf_unlock(t);
}

/* --- the verdict --------------------------------------------------------------------------- */

/*
 * How long a turn may be: from one quantum to two. A waiter lets its quantum pass before
 * it asks, and begins anew when it sees that the lock has changed hands meanwhile.
 */
#define QUANTA_PER_TURN 2

static void gather(const struct lf_observation *o, struct lf_histogram *ret_passed)
{
	*ret_passed = (struct lf_histogram){ 0 };
	for (unsigned i = 0; i < o->threads; i++)
		if (lf_has_role(&o->thread[i], "bystander"))
			lf_histogram_merge(ret_passed, &o->thread[i].passed);
}

/*
 * One turn for each thread, as the claim has it: that is the bound of the median. A tail
 * has none. Where the next of w waiters is chosen by chance, a wait exceeds k turns with
 * (1 - 1/w)^k: half of the waits of three waiters end within 1.7 turns and nine in ten
 * within 5.7, and the second longest of a run's twenty is as often beyond that as not.
 *
 * The bound counts the work that others did during a wait, which no busy machine
 * stretches. The clock informs: a holder without a CPU is no fault of its lock.
 */
static void judge_bystanders(struct lf_judgement *j, const struct lf_observation *o,
			     const struct lf_claim *c)
{
	struct lf_histogram waits, passed;
	if (o->threads < 2)
		return;
	lf_metric_waits(o, "bystander", &waits);
	gather(o, &passed);
	if (passed.count == 0)
		lf_judge_void(j, "no bystander ever waited for the lock");
	if (c->set & LF_CLAIM_QUANTUM)
		lf_judge_at_most(j, LF_METRIC_PASSED_P50, LF_ORIGIN_CLAIM,
				 (double)lf_histogram_quantile(&passed, 0.5),
				 ceil((double)c->quantum_ns * QUANTA_PER_TURN * o->threads /
				      UNIT_NS), passed.count, "bystander");
	lf_judge_inform(j, LF_METRIC_WAIT_P90,
			(double)lf_histogram_quantile(&waits, 0.9), waits.count, "bystander");
	lf_judge_inform(j, LF_METRIC_WAIT_MAX, (double)waits.max, waits.count, "bystander");
}

void lf_select_judge_contract(struct lf_judgement *j, const struct lf_polling *p)
{
	lf_judge_at_most(j, LF_METRIC_HELD_WAITS, LF_ORIGIN_REQUIREMENT, (double)p->held, 0,
			 p->waits, "poller");
	lf_judge_at_most(j, LF_METRIC_NEEDLESS_RELEASES, LF_ORIGIN_REQUIREMENT,
			 (double)p->needless, 0, p->calls, "poller");
	lf_judge_at_most(j, LF_METRIC_ERRNO_LOST, LF_ORIGIN_REQUIREMENT,
			 (double)p->errors_lost, 0, p->errors, "poller");
	lf_judge_at_most(j, LF_METRIC_EARLY_RETURNS, LF_ORIGIN_REQUIREMENT, (double)p->early,
			 0, p->waits, "poller");
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_polling *p = &o->polling;
	struct lf_spread rates = lf_metric_spread(&p->per_s);

	lf_select_judge_contract(j, p);
	judge_bystanders(j, o, c);
	lf_judge_inform(j, LF_METRIC_RATE, rates.mean, p->per_s.n, "poller");
	lf_judge_inform(j, LF_METRIC_RATE_CV, rates.cv, p->per_s.n, "poller");
	if (p->calls == 0)
		lf_judge_void(j, "the poller was never called");
}

/* Rings and queues that this system does not have. The simulator has its own. */
const char *lf_select_skip(const struct lf_backend *backend, enum lf_engine_set engine,
			   const struct lf_point *point)
{
	const struct lf_poller_ops *ops = backend->poller;
	(void)point;
	return engine == LF_ON_THREADS && ops->unavailable ? ops->unavailable() : NULL;
}

static const struct lf_role roles[] = {
	{ .name = "poller", .count = 1, .run = poller },
	{ .name = "bystander", .count = 0, .run = lf_select_bystander },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_select = {
	.name = "select",
	.summary = "an event loop that holds a lock: when does its poller let go?",
	.suite = "select",
	.kinds = 1 << LF_POLLER,
	.polls = true,
	.clocks = LF_CLOCK_WAIT,
	.roles = roles,
	.axes = axes,
	.sweep = LF_SWEEP(0, 1, 3),
	.skip = lf_select_skip,
	.rounds = { 10, 50, 50 },
	.limit_ns = { 5000 * LF_MS, 30000 * LF_MS, 60000 * LF_MS },
	.seeds = { 3, 10, 30 },
	.window = true,
	.required_of = 1 << LF_POLLER,
	.fair_control = "poll",
	.unfair_control = "faulty/poller_swapped",
	.judge = judge,
};
