/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * latency: a process sends datagrams to a thread that has nothing to do but to
 * receive them, beside CPU threads. How long after it was sent does the thread
 * have it, and the lock again?
 *
 * After the latency test of ccbench: the first ping starts the load, twenty spaced
 * ones follow in the last two thirds of it. Who gets nothing before the load is
 * over has the twenty samples 19, 18 … 0 intervals: a mean of 9.5 and a deviation
 * of 5.77 of them, which says nothing but "starved for the whole window"; so that
 * is what is said.
 *
 * regime: the same with up to twelve threads, for locks that claim to serve I/O
 * first beside so many threads, and take turns beside more, as deadlines do that
 * pass: then each thread may have one turn before the receiver has its own. Pings
 * come faster than turns, and pile up; so what is measured is the turn, from the
 * moment when a ping is there and the receiver wants it.
 */
#include "suites/ccbench.h"

#include <math.h>

enum { PING, END };

/* The mean wait is within so many quanta per thread; and I/O that goes first is in
 * before this part of a quantum is over, in half of the cases. */
#define QUANTA_PER_THREAD 3
#define IO_PART 0.25

/* Intervals are longer in `regime`, so that the load has many turns. */
#define REGIME_STRETCH 3

/* --- roles ------------------------------------------------------------------------- */

/* `turns`: a ping counts from when the one before it was received, and not at all
 * when that was after the load. */
static void receive_pings(struct lf_thread *t, uint64_t load_ns, bool turns)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	uint64_t last = lf_now_ns(t), end = last + load_ns;
	struct lf_cc_message m;

	while (lf_cc_receive_outside(t, &m) && m.kind != END) {
		uint64_t now = lf_now_ns(t);
		uint64_t from = turns && last > m.sent_ns ? last : m.sent_ns;
		/* Clocks of two processes may differ by a little. */
		if (!turns || from < end)
			lf_sample(&mine->samples, now > from ? now - from : 0);
		mine->beside.units += now < end;
		last = now;
	}
	mine->beside.ns = load_ns;
}

static void serve(struct lf_thread *t, unsigned stretch)
{
	struct lf_cc_message first;

	lf_lock(t);
	if (lf_cc_receive_outside(t, &first)) {
		lf_advance(t);
		receive_pings(t, stretch * lf_cc_load_ns(t), stretch > 1);
	}
	lf_unlock(t);
}

static void send(struct lf_thread *t, unsigned kind, unsigned number)
{
	struct lf_cc_message m = { kind, number, lf_now_ns(t) };
	lf_cc_send(t, LF_CC_SERVER_PORT, &m, sizeof m);
}

static void ping(struct lf_thread *t, unsigned stretch)
{
	uint64_t interval_ns = stretch * lf_cc_interval_ns(t);

	send(t, PING, 0);
	lf_sleep_ns(t, LF_CC_PAUSE * interval_ns);
	for (unsigned i = 1; i <= LF_CC_PINGS && !lf_stopped(t); i++) {
		lf_sleep_ns(t, interval_ns);
		send(t, PING, i);
	}
	send(t, END, 0);
}

static void server(struct lf_thread *t)
{
	serve(t, 1);
}

static void client(struct lf_thread *t)
{
	ping(t, 1);
}

static void regime_server(struct lf_thread *t)
{
	serve(t, REGIME_STRETCH);
}

static void regime_client(struct lf_thread *t)
{
	ping(t, REGIME_STRETCH);
}

static void regime_cpu(struct lf_thread *t)
{
	lf_cc_load(t, REGIME_STRETCH * lf_cc_load_ns(t));
}

/* --- judging ------------------------------------------------------------------------ */

static double quantile(const struct lf_samples *s, double part)
{
	return (double)lf_histogram_quantile(&s->values, part);
}

/* The claim's bound on a metric, or what was seen. */
static void judge_or_inform(struct lf_judgement *j, bool claimed, enum lf_metric m,
			    double value, double bound, uint64_t n)
{
	if (claimed)
		lf_judge_at_most(j, m, LF_ORIGIN_CLAIM, value, bound, n, "server");
	else
		lf_judge_inform(j, m, value, n, "server");
}

/* Pings come when a part of the load is over. */
static uint64_t window_ns(const struct lf_observation *o)
{
	return lf_cc_of(o, "server")->beside.ns / LF_CC_LOAD * LF_CC_PINGS;
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_samples *s = &lf_cc_of(o, "server")->samples;
	uint64_t n = s->values.count;
	double q = (double)c->quantum_ns, threads = lf_cc_count(o, "cpu") + 1;

	lf_cc_judge_starved(j, o, c, window_ns(o), "server");
	judge_or_inform(j, c->set & LF_CLAIM_QUANTUM, LF_METRIC_LATENCY_MEAN,
			lf_samples_mean(s), q * QUANTA_PER_THREAD * threads, n);
	judge_or_inform(j, lf_cc_io_goes_first(o, c), LF_METRIC_LATENCY_P50,
			quantile(s, 0.5), q * IO_PART, n);
	lf_judge_inform(j, LF_METRIC_LATENCY_SD, lf_samples_deviation(s), n, "server");
	lf_judge_inform(j, LF_METRIC_LATENCY_P99, quantile(s, 0.99), n, "server");
	lf_judge_inform(j, LF_METRIC_LATENCY_MAX, (double)s->values.max, n, "server");
	if (n < LF_CC_PINGS)
		lf_judge_void(j, "only %llu of %d pings were received",
			      (unsigned long long)n, LF_CC_PINGS);
}

static void judge_regime(struct lf_judgement *j, const struct lf_observation *o,
			 const struct lf_claim *c)
{
	const struct lf_samples *s = &lf_cc_of(o, "server")->samples;
	uint64_t n = s->values.count;
	double q = (double)c->quantum_ns, threads = lf_cc_count(o, "cpu") + 1;

	lf_cc_judge_starved(j, o, c, window_ns(o), "server");
	judge_or_inform(j, c->set & LF_CLAIM_QUANTUM, LF_METRIC_TURN_MAX,
			(double)s->values.max, q * LF_CC_TURNS_PER_THREAD * threads, n);
	judge_or_inform(j, lf_cc_io_goes_first(o, c), LF_METRIC_TURN_P50,
			quantile(s, 0.5), q * IO_PART, n);
	lf_judge_inform(j, LF_METRIC_TURN_MEAN, lf_samples_mean(s), n, "server");
	if (n == 0)
		lf_judge_void(j, "no ping was received");
}

static const char *skip_regime(const struct lf_backend *backend, enum lf_engine_set engine,
			       const struct lf_point *point)
{
	if (!(backend->claim.set & LF_CLAIM_IO_FIRST))
		return "the lock does not claim to serve I/O first, beside any number of "
		       "threads";
	return lf_cc_skip(backend, engine, point);
}

static const struct lf_role roles[] = {
	{ .name = "server", .count = 1, .run = server },
	{ .name = "cpu", .run = lf_cc_cpu },
	{ .name = "client", .count = 1, .run = client, .foreign = true },
	{ .name = NULL },
};

static const struct lf_role regime_roles[] = {
	{ .name = "server", .count = 1, .run = regime_server },
	{ .name = "cpu", .run = regime_cpu },
	{ .name = "client", .count = 1, .run = regime_client, .foreign = true },
	{ .name = NULL },
};

static const struct lf_axis axes[] = { LF_CC_WORKLOADS, { .name = NULL } };

const struct lf_scenario lf_scenario_latency = {
	.name = "latency",
	.summary = "pings from outside beside CPU threads: how long until they are received?",
	LF_CC_COMMON,
	.roles = roles,
	.fair_control = "gil-bfs",
	.unfair_control = "faulty/gil_no_preempt",
	.axes = axes,
	.sweep = LF_SWEEP(0, 1, 2, 3, 4),
	.skip = lf_cc_skip,
	.limit_ns = LF_CC_LIMIT(120),
	.judge = judge,
};

const struct lf_scenario lf_scenario_regime = {
	.name = "regime",
	.summary = "the same beside up to twelve: does I/O go first, and then in turn?",
	LF_CC_COMMON,
	.backends = "gil-bfs",
	.roles = regime_roles,
	.fair_control = "gil-bfs",
	.unfair_control = "faulty/bfs_latest",
	.sweep = LF_SWEEP(4, 6, 8, 10, 12),
	.skip = skip_regime,
	.limit_ns = LF_CC_LIMIT(360),
	.judge = judge_regime,
};
