/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * transfer: how long does a process take to bring its data to a thread, beside two
 * CPU threads?
 *
 * `bulk` is after the UDP client with which Nir Aides timed his patch in 2010
 * (Python issue 7946): 10 MiB, three times three runs, of which the best three were
 * quoted; here the whole spread is told as well. Of the original neither the size of
 * its datagrams, nor how it acknowledged them, nor the number of its threads is
 * known. Chosen are 2048 bytes, an acknowledgement for every 16, and two threads
 * (--threads). `echo` is after the echo server that came with David Beazley's "holy
 * threads" of 2022: a message, its echo, a pause of a millisecond.
 *
 * What a run takes without CPU threads is measured first, in the same cell.
 */
#include "suites/ccbench.h"

#include <math.h>

#define RUNS 9
#define GROUP 3 /* runs, of which the mean is taken */

#define DATAGRAM_SIZE LF_PORT_MESSAGE_MAX
#define DATAGRAMS_PER_ACK 16
#define ECHO_SIZE 64
#define ECHO_PAUSE_NS (1 * LF_MS)

/* Datagrams of a run: 256 KiB, 2 MiB and the original's 10 MiB; and messages. */
static const unsigned datagrams[LF_BUDGET_COUNT] = { 128, 1024, 5120 };
static const unsigned messages[LF_BUDGET_COUNT] = { 16, 100, 500 };

/* A lock that serves I/O first makes a run at most so much longer. */
#define SLOWDOWN_BOUND 20

enum { DATA, ACK, BEGIN, END };
enum { BULK, ECHO };

/* --- the client --------------------------------------------------------------------- */

static bool await_answer(struct lf_thread *t)
{
	struct lf_cc_message m;
	while (!lf_stopped(t))
		if (lf_cc_receive(t, LF_CC_CLIENT_PORT, &m, lf_cc_interval_ns(t)))
			return true;
	return false;
}

static bool send_bulk(struct lf_thread *t)
{
	unsigned n = datagrams[lf_budget(t)];
	for (unsigned i = 1; i <= n; i++) {
		bool asks = i % DATAGRAMS_PER_ACK == 0;
		struct lf_cc_message m = { .kind = asks ? ACK : DATA, .number = i };
		lf_cc_send(t, LF_CC_SERVER_PORT, &m, DATAGRAM_SIZE);
		if (asks && !await_answer(t))
			return false;
	}
	return true;
}

static bool exchange_echoes(struct lf_thread *t)
{
	const struct lf_cc_message m = { .kind = ACK };
	for (unsigned i = 0; i < messages[lf_budget(t)]; i++) {
		lf_cc_send(t, LF_CC_SERVER_PORT, &m, ECHO_SIZE);
		if (!await_answer(t))
			return false;
		lf_sleep_ns(t, ECHO_PAUSE_NS);
	}
	return true;
}

/* One run; its time, or 0 when it did not come to its end. */
static uint64_t run(struct lf_thread *t)
{
	uint64_t start = lf_now_ns(t);
	bool done = lf_axis(t, 0) == BULK ? send_bulk(t) : exchange_echoes(t);
	return done ? lf_now_ns(t) - start : 0;
}

static void tell(struct lf_thread *t, unsigned kind)
{
	struct lf_cc_message m = { .kind = kind };
	lf_cc_send(t, LF_CC_SERVER_PORT, &m, sizeof m);
}

/* The fastest group so far goes into `beside`: runs, and the time of all of them. */
static void client(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	struct lf_rate group = { 0 };
	uint64_t ns = run(t);

	mine->alone = (struct lf_rate){ ns > 0, ns };
	tell(t, BEGIN);
	for (unsigned i = 0; i < RUNS && (ns = run(t)) > 0; i++) {
		lf_sample(&mine->samples, ns);
		group = (struct lf_rate){ group.units + 1, group.ns + ns };
		if (group.units < GROUP)
			continue;
		if (mine->beside.units == 0 || group.ns < mine->beside.ns)
			mine->beside = group;
		group = (struct lf_rate){ 0 };
	}
	tell(t, END);
	lf_stop(t);
}

/* --- the others --------------------------------------------------------------------- */

static void server(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	size_t size = lf_axis(t, 0) == BULK ? sizeof(struct lf_cc_message) : ECHO_SIZE;
	struct lf_cc_message m;
	bool begun = false;

	lf_lock(t);
	while (lf_cc_receive_outside(t, &m) && m.kind != END) {
		if (m.kind == BEGIN)
			lf_advance(t);
		begun |= m.kind == BEGIN;
		mine->beside.units += begun && m.kind != BEGIN;
		if (m.kind == ACK)
			lf_cc_send_outside(t, &m, size);
	}
	lf_unlock(t);
}

/* Until the client has done, or the limit comes. */
static void cpu(struct lf_thread *t)
{
	lf_cc_load(t, UINT64_MAX / 2);
}

/* --- judging ------------------------------------------------------------------------ */

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_thread_observation *client = lf_cc_of(o, "client");
	const struct lf_samples *s = &client->samples;
	uint64_t n = s->values.count;
	double best = client->beside.units ? (double)client->beside.ns / GROUP : INFINITY;
	double alone = (double)client->alone.ns, slowdown = alone > 0 ? best / alone : 0;

	lf_cc_judge_starved(j, o, c, o->duration_ns, "server");
	if (lf_cc_io_goes_first(o, c))
		lf_cc_judge_rate(j, o, o->duration_ns, &(struct lf_assertion){
			.metric = LF_METRIC_TRANSFER_SLOWDOWN, .origin = LF_ORIGIN_CLAIM,
			.value = slowdown, .bound = SLOWDOWN_BOUND, .n = n,
			.role = "client" });
	else if (client->beside.units)
		lf_judge_inform(j, LF_METRIC_TRANSFER_SLOWDOWN, slowdown, n, "client");
	lf_judge_inform(j, LF_METRIC_TRANSFER_ALONE, alone, client->alone.units, "client");
	if (client->beside.units)
		lf_judge_inform(j, LF_METRIC_TRANSFER_BEST, best, n, "client");
	if (n > 0) {
		lf_judge_inform(j, LF_METRIC_TRANSFER_MIN, (double)s->values.min, n, "client");
		lf_judge_inform(j, LF_METRIC_TRANSFER_MEAN, lf_samples_mean(s), n, "client");
		lf_judge_inform(j, LF_METRIC_TRANSFER_SD, lf_samples_deviation(s), n, "client");
		lf_judge_inform(j, LF_METRIC_TRANSFER_MAX, (double)s->values.max, n, "client");
	}
	if (client->alone.units == 0)
		lf_judge_void(j, "not even a run without load came to its end");
	if (o->lost_datagrams > 0)
		lf_judge_void(j, "%llu datagrams were lost",
			      (unsigned long long)o->lost_datagrams);
}

static const struct lf_role roles[] = {
	{ .name = "server", .count = 1, .run = server },
	{ .name = "cpu", .run = cpu },
	{ .name = "client", .count = 1, .run = client, .foreign = true },
	{ .name = NULL },
};

static const char *const patterns[] = { [BULK] = "bulk", [ECHO] = "echo", NULL };
static const struct lf_axis axes[] = {
	{ .name = "pattern", .values = patterns }, { .name = NULL },
};

const struct lf_scenario lf_scenario_transfer = {
	.name = "transfer",
	.summary = "data from outside beside CPU threads: how long does it take?",
	LF_CC_COMMON,
	.backends = LF_CC_PATCHES,
	.roles = roles,
	.fair_control = "gil-bfs",
	.unfair_control = "faulty/gil_no_preempt",
	.axes = axes,
	.sweep = LF_SWEEP(2),
	.limit_ns = { 1500 * LF_MS, 12000 * LF_MS, 90000 * LF_MS },
	.window = true,
	.judge = judge,
};
