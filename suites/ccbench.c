/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/ccbench.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

const char *const lf_cc_workload_names[] = { "pi", "regex", "bz2", "sha1", NULL };

static const struct lf_workload *workload_at(unsigned i)
{
	return lf_workload_find(lf_cc_workload_names[i]);
}

const struct lf_workload *lf_cc_workload(const struct lf_thread *t)
{
	return workload_at(lf_axis(t, 0));
}

const char *lf_cc_skip(const struct lf_backend *backend, enum lf_engine_set engine,
		       const struct lf_point *point)
{
	const struct lf_workload *w = workload_at(point->axis[0]);
	(void)backend;
	if (!w)
		return "the program has no such workload";
	return engine == LF_ON_THREADS ? w->missing : NULL;
}

uint64_t lf_cc_interval_ns(const struct lf_thread *t)
{
	static const uint64_t ms[LF_BUDGET_COUNT] = {
		LF_CC_QUICK_MS, LF_CC_NORMAL_MS, LF_CC_LONG_MS,
	};
	return ms[lf_budget(t)] * LF_MS;
}

uint64_t lf_cc_load_ns(const struct lf_thread *t)
{
	return LF_CC_LOAD * lf_cc_interval_ns(t);
}

/* --- the load --------------------------------------------------------------------- */

void lf_cc_work_until(struct lf_thread *t, const struct lf_workload *w, uint64_t end_ns,
		      struct lf_rate *ret_rate)
{
	while (lf_now_ns(t) < end_ns && !lf_stopped(t)) {
		lf_work(t, w);
		lf_step(t);
		ret_rate->units++;
	}
}

void lf_cc_load(struct lf_thread *t, uint64_t ns)
{
	struct lf_rate *rate = &lf_observed(t)->thread[t->index].beside;
	if (!lf_await(t, LF_CC_BEGIN))
		return;
	uint64_t start = lf_now_ns(t);
	lf_lock(t);
	lf_cc_work_until(t, lf_cc_workload(t), start + ns, rate);
	rate->ns = lf_now_ns(t) - start;
	lf_unlock(t);
}

void lf_cc_cpu(struct lf_thread *t)
{
	lf_cc_load(t, lf_cc_load_ns(t));
}

/* --- datagrams -------------------------------------------------------------------- */

/* Longer than a message: what is sent has the length of the benchmark's own. */
#define DATAGRAM_MAX LF_PORT_MESSAGE_MAX

void lf_cc_send(struct lf_thread *t, unsigned port, const struct lf_cc_message *m,
		size_t size)
{
	char datagram[DATAGRAM_MAX] = "";
	memcpy(datagram, m, sizeof *m);
	lf_send(t, port, datagram, size < sizeof *m ? sizeof *m : size);
}

bool lf_cc_receive(struct lf_thread *t, unsigned port, struct lf_cc_message *ret_message,
		   uint64_t timeout_ns)
{
	char datagram[DATAGRAM_MAX];
	int length = lf_receive(t, port, datagram, sizeof datagram, timeout_ns);
	if (length < (int)sizeof *ret_message)
		return false;
	memcpy(ret_message, datagram, sizeof *ret_message);
	return true;
}

/* What goes into an excursion, and what comes out. */
struct exchange {
	struct lf_thread *thread;
	struct lf_cc_message message;
	size_t size;
	bool received;
};

static void send_outside(void *arg)
{
	struct exchange *e = arg;
	lf_cc_send(e->thread, LF_CC_CLIENT_PORT, &e->message, e->size);
}

/* A server has nothing else to do: it waits as long as the run lasts. */
static void receive_outside(void *arg)
{
	struct exchange *e = arg;
	while (!e->received && !lf_stopped(e->thread))
		e->received = lf_cc_receive(e->thread, LF_CC_SERVER_PORT, &e->message,
					    lf_cc_interval_ns(e->thread));
}

void lf_cc_send_outside(struct lf_thread *t, const struct lf_cc_message *m, size_t size)
{
	struct exchange e = { .thread = t, .message = *m, .size = size };
	lf_outside(t, send_outside, &e);
}

bool lf_cc_receive_outside(struct lf_thread *t, struct lf_cc_message *ret_message)
{
	struct exchange e = { .thread = t };
	lf_outside(t, receive_outside, &e);
	*ret_message = e.message;
	return e.received;
}

/* --- judging ---------------------------------------------------------------------- */

const struct lf_thread_observation *lf_cc_of(const struct lf_observation *o,
					     const char *role)
{
	for (unsigned i = 0; i < o->threads; i++)
		if (lf_has_role(&o->thread[i], role))
			return &o->thread[i];
	return NULL;
}

unsigned lf_cc_count(const struct lf_observation *o, const char *role)
{
	unsigned n = 0;
	for (unsigned i = 0; i < o->threads; i++)
		n += lf_has_role(&o->thread[i], role);
	return n;
}

double lf_cc_per_second(const struct lf_rate *r)
{
	return r->ns ? (double)r->units * 1e9 / (double)r->ns : 0;
}

bool lf_cc_io_goes_first(const struct lf_observation *o, const struct lf_claim *c)
{
	return c->set & LF_CLAIM_IO_FIRST &&
		(c->io_threads == 0 || lf_cc_count(o, "cpu") <= c->io_threads);
}

static bool takes_turns(const struct lf_thread_observation *t)
{
	return lf_has_role(t, "cpu") || lf_has_role(t, "server");
}

/* On the simulator the scheduler is part of what is judged. */
static uint64_t delay_ns(const struct lf_observation *o)
{
	return o->noise.run_delay_ns == LF_UNKNOWN ? 0 : o->noise.run_delay_ns;
}

static bool is_kept_from_running(const struct lf_observation *o, uint64_t window_ns)
{
	return delay_ns(o) >= window_ns / 2;
}

/* What the threads had of the window to take turns in: where the machine kept them from
 * running, no more than they ran. */
static uint64_t had_ns(const struct lf_observation *o, uint64_t window_ns)
{
	uint64_t ran_ns = 0;

	for (unsigned i = 0; i < o->threads; i++)
		ran_ns += takes_turns(&o->thread[i]) ? o->thread[i].cpu_ns : 0;
	return is_kept_from_running(o, window_ns) && ran_ns < window_ns ? ran_ns : window_ns;
}

bool lf_cc_is_too_short(struct lf_judgement *j, const struct lf_observation *o,
			const struct lf_claim *c, uint64_t window_ns)
{
	uint64_t had = had_ns(o, window_ns);
	double turn_ns = c->set & LF_CLAIM_QUANTUM ? (double)c->quantum_ns :
		had < window_ns ? LF_CC_TURN_NS : 0;
	unsigned threads = 0;

	for (unsigned i = 0; i < o->threads; i++)
		threads += takes_turns(&o->thread[i]);
	/* Time outside the lock is no turn, and a woken thread without a CPU loses one. */
	if ((double)had >= LF_CC_TURNS_PER_THREAD * turn_ns * threads *
	    (had < window_ns ? LF_CC_BUSY : 1))
		return false;
	lf_judge_void(j, "the load %s %.0f ms, too short for turns of %.0f ms by %u "
		      "threads; %s", had < window_ns ? "had the CPU for" : "lasted",
		      (double)had / 1e6, turn_ns / 1e6, threads, had < window_ns ?
		      "run it on a machine that does less" : "use --budget long");
	return true;
}

void lf_cc_judge_starved(struct lf_judgement *j, const struct lf_observation *o,
			 const struct lf_claim *c, uint64_t window_ns,
			 const char *server)
{
	unsigned starved = 0;
	const char *who = NULL;
	for (unsigned i = o->threads; i-- > 0;) {
		const struct lf_thread_observation *t = &o->thread[i];
		bool serves = server && lf_has_role(t, server);
		bool counts = serves || lf_has_role(t, "cpu");
		if (!counts || (serves ? t->beside.units : t->steps) > 0)
			continue;
		starved++;
		who = t->role;
	}
	if (starved > 0 && lf_cc_is_too_short(j, o, c, window_ns))
		lf_judge_inform(j, LF_METRIC_STARVED, starved, o->steps.length, who);
	else
		lf_judge_at_most(j, LF_METRIC_STARVED, LF_ORIGIN_REQUIREMENT, starved, 0,
				 o->steps.length, who);
}

void lf_cc_inform_switches(struct lf_judgement *j, const struct lf_observation *o)
{
	double s = (double)o->duration_ns / 1e9;
	uint64_t voluntary = 0, involuntary = 0;
	for (unsigned i = 0; i < o->threads; i++) {
		voluntary += o->thread[i].voluntary_switches;
		involuntary += o->thread[i].involuntary_switches;
	}
	if (s <= 0)
		return;
	lf_judge_inform(j, LF_METRIC_SWITCHES, (double)voluntary / s, voluntary, NULL);
	lf_judge_inform(j, LF_METRIC_PREEMPTIONS, (double)involuntary / s, involuntary, NULL);
}

void lf_cc_judge_rate(struct lf_judgement *j, const struct lf_observation *o,
		      uint64_t window_ns, const struct lf_assertion *a)
{
	bool holds = a->at_least ? a->value >= a->bound : a->value <= a->bound;
	if (!holds && is_kept_from_running(o, window_ns)) {
		lf_judge_inform(j, a->metric, a->value, a->n, a->role);
		lf_judge_void(j, "%s says nothing: threads were kept from running for "
			      "%.0f ms, of a window of %.0f ms", lf_metric_name(a->metric),
			      (double)delay_ns(o) / 1e6, (double)window_ns / 1e6);
	} else if (a->at_least) {
		lf_judge_at_least(j, a->metric, a->origin, a->value, a->bound, a->n, a->role);
	} else {
		lf_judge_at_most(j, a->metric, a->origin, a->value, a->bound, a->n, a->role);
	}
}
