/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bandwidth: a process and a thread send a datagram of 1024 bytes to and fro, one at
 * a time, first alone and then beside CPU threads. How much of the rate is left?
 *
 * After the bandwidth test of ccbench, with one difference: the rate without CPU
 * threads is measured in each cell, so that what a cell is judged by comes from the
 * same run. The thread gives the lock up twice for each datagram, to receive it and
 * to send it back.
 */
#include "suites/ccbench.h"

enum { PACKET, BEGIN, END };

#define PACKET_SIZE 1024
#define RELEASES_PER_PACKET 2

/* So much of the load is measured without it. */
#define ALONE_PART 4

/* I/O that goes first keeps at least this part of its rate; a turn comes within so
 * many quanta per thread. */
#define SHARE_BOUND 0.02
#define QUANTA_PER_THREAD 3

/* --- roles ------------------------------------------------------------------------- */

static void echo(struct lf_thread *t, unsigned kind)
{
	struct lf_cc_message m = { .kind = kind };
	lf_cc_send_outside(t, &m, PACKET_SIZE);
}

/* Until the client says that it was long enough. */
static bool serve_alone(struct lf_thread *t, struct lf_rate *ret_rate)
{
	struct lf_cc_message m;
	uint64_t start = lf_now_ns(t);

	while (lf_cc_receive_outside(t, &m)) {
		ret_rate->units++;
		ret_rate->ns = lf_now_ns(t) - start;
		if (m.kind == BEGIN)
			return true;
		echo(t, PACKET);
	}
	return false;
}

/* Until the load is over; a packet that comes later does not count. */
static void serve_beside(struct lf_thread *t, struct lf_rate *ret_rate)
{
	uint64_t start = lf_now_ns(t), load_ns = lf_cc_load_ns(t);
	struct lf_cc_message m;

	echo(t, PACKET);
	while (lf_cc_receive_outside(t, &m)) {
		bool over = lf_now_ns(t) - start >= load_ns;
		ret_rate->units += !over;
		echo(t, over ? END : PACKET);
		if (over)
			break;
	}
	ret_rate->ns = load_ns;
}

static void server(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];

	lf_lock(t);
	if (serve_alone(t, &mine->alone)) {
		lf_advance(t);
		serve_beside(t, &mine->beside);
	}
	lf_unlock(t);
}

static void client(struct lf_thread *t)
{
	uint64_t alone_ns = lf_cc_load_ns(t) / ALONE_PART, start = lf_now_ns(t);
	struct lf_cc_message m = { .kind = PACKET };
	bool begun = false;

	while (m.kind != END && !lf_stopped(t)) {
		m.kind = PACKET;
		if (!begun && lf_now_ns(t) - start >= alone_ns) {
			m.kind = BEGIN;
			begun = true;
		}
		lf_cc_send(t, LF_CC_SERVER_PORT, &m, PACKET_SIZE);
		while (!lf_cc_receive(t, LF_CC_CLIENT_PORT, &m, lf_cc_interval_ns(t)) &&
		       !lf_stopped(t))
			;
	}
}

/* --- judging ------------------------------------------------------------------------ */

/* Per time that the lock was given up and wanted back. Of no packet at all is known
 * that it took the whole load. */
static double turn_ns(const struct lf_rate *r)
{
	return (double)r->ns / (double)(r->units ? RELEASES_PER_PACKET * r->units : 1);
}

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	const struct lf_thread_observation *server = lf_cc_of(o, "server");
	double alone = lf_cc_per_second(&server->alone);
	double share = alone > 0 ? lf_cc_per_second(&server->beside) / alone : 0;
	double bound_ns = (double)c->quantum_ns * QUANTA_PER_THREAD *
		(lf_cc_count(o, "cpu") + 1);
	uint64_t n = server->beside.units;

	lf_cc_judge_starved(j, o, c, server->beside.ns / RELEASES_PER_PACKET, "server");
	if (lf_cc_io_goes_first(o, c))
		lf_cc_judge_rate(j, o, server->beside.ns, &(struct lf_assertion){
			.metric = LF_METRIC_BANDWIDTH_SHARE, .origin = LF_ORIGIN_CLAIM,
			.value = share, .bound = SHARE_BOUND, .at_least = true, .n = n,
			.role = "server" });
	else
		lf_judge_inform(j, LF_METRIC_BANDWIDTH_SHARE, share, n, "server");
	if (c->set & LF_CLAIM_QUANTUM)
		lf_judge_at_most(j, LF_METRIC_TURN_MEAN, LF_ORIGIN_CLAIM,
				 turn_ns(&server->beside), bound_ns, n, "server");
	lf_judge_inform(j, LF_METRIC_BANDWIDTH, lf_cc_per_second(&server->beside), n,
			"server");
	lf_judge_inform(j, LF_METRIC_BANDWIDTH_ALONE, alone, server->alone.units, "server");
	if (server->alone.units == 0 || server->beside.ns == 0)
		lf_judge_void(j, "the load never began");
}

static const struct lf_role roles[] = {
	{ .name = "server", .count = 1, .run = server },
	{ .name = "cpu", .run = lf_cc_cpu },
	{ .name = "client", .count = 1, .run = client, .foreign = true },
	{ .name = NULL },
};

const struct lf_scenario lf_scenario_bandwidth = {
	.name = "bandwidth",
	.summary = "datagrams to and fro beside CPU threads: how much of the rate is left?",
	LF_CC_COMMON,
	.roles = roles,
	.fair_control = "gil-bfs",
	.unfair_control = "faulty/gil_no_preempt",
	.sweep = LF_SWEEP(0, 1, 2, 3, 4),
	.skip = lf_cc_skip,
	.limit_ns = LF_CC_LIMIT(160),
	.judge = judge,
};
