/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The heap of events, and the generator. Each event has a fixed number, so that
 * it can be moved or taken out. Of two events at the same time the generator
 * decides which comes first: any fixed order would favour somebody for ever.
 */
#include "engine/sim/sim.h"

static bool before(const struct lf_sim_entry *a, const struct lf_sim_entry *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->tie < b->tie);
}

static void put(struct lf_sim_heap *h, unsigned i, struct lf_sim_entry e)
{
	h->entry[i] = e;
	h->position[e.event] = (int)i;
}

static void rise(struct lf_sim_heap *h, unsigned i, struct lf_sim_entry e)
{
	while (i > 0 && before(&e, &h->entry[(i - 1) / 2])) {
		put(h, i, h->entry[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put(h, i, e);
}

static void sink(struct lf_sim_heap *h, unsigned i, struct lf_sim_entry e)
{
	for (;;) {
		unsigned child = 2 * i + 1;
		if (child >= h->n)
			break;
		if (child + 1 < h->n && before(&h->entry[child + 1], &h->entry[child]))
			child++;
		if (!before(&h->entry[child], &e))
			break;
		put(h, i, h->entry[child]);
		i = child;
	}
	put(h, i, e);
}

void lf_sim_heap_clear(void)
{
	struct lf_sim_heap *h = &lf_sim.heap;
	h->n = 0;
	for (unsigned i = 0; i < LF_SIM_EVENTS; i++)
		h->position[i] = -1;
}

/* When the running thread must look up: at the next event, or when its own CPU
 * is interrupted. */
static void renew_next(void)
{
	const struct lf_sim_heap *h = &lf_sim.heap;
	uint64_t next = h->n ? h->entry[0].at_ns : LF_SIM_NEVER;
	if (lf_sim.cpu && lf_sim.cpu->interrupt_ns < next)
		next = lf_sim.cpu->interrupt_ns;
	lf_sim.next_ns = next;
}

void lf_sim_heap_set(unsigned event, uint64_t at_ns)
{
	struct lf_sim_heap *h = &lf_sim.heap;
	struct lf_sim_entry e = { at_ns, lf_sim_random_number(), event };
	int at = h->position[event];

	if (at < 0)
		rise(h, h->n++, e);
	else if (before(&e, &h->entry[at]))
		rise(h, (unsigned)at, e);
	else
		sink(h, (unsigned)at, e);
	renew_next();
}

void lf_sim_heap_remove(unsigned event)
{
	struct lf_sim_heap *h = &lf_sim.heap;
	int at = h->position[event];
	if (at >= 0) {
		struct lf_sim_entry last = h->entry[--h->n];
		h->position[event] = -1;
		if ((unsigned)at < h->n && before(&last, &h->entry[at]))
			rise(h, (unsigned)at, last);
		else if ((unsigned)at < h->n)
			sink(h, (unsigned)at, last);
	}
	renew_next();
}

uint64_t lf_sim_below(uint64_t below)
{
	return below ? lf_sim_random_number() % below : 0;
}

uint64_t lf_sim_jitter(uint64_t ns)
{
	uint64_t reach = ns * lf_sim.machine.noise_jitter_percent / 100;
	return ns - reach + lf_sim_below(2 * reach + 1);
}

/* 1024 × 2^(i/4), for i = 0 … 4; between them a straight line is close enough. */
static const uint64_t quarter[] = { 1024, 1218, 1448, 1722, 2048 };

/* ns × 2^(octaves/1024). */
static uint64_t scale(uint64_t ns, int64_t octaves)
{
	int64_t whole = octaves >> 10;
	unsigned part = octaves & 1023, i = part >> 8, between = part & 255;
	uint64_t factor = quarter[i] * (256 - between) + quarter[i + 1] * between;
	uint64_t scaled = ns * factor >> 18;
	return whole >= 0 ? scaled << whole : scaled >> -whole;
}

/*
 * The logarithm is a sum of 16 coins and a ramp that fills the steps between
 * them: close to a normal distribution, and continuous. A lattice of latencies
 * would resonate with the lock's own periods. In 1/1024 octaves the coins have a
 * standard deviation of 2 × their step.
 */
uint64_t lf_sim_latency(uint64_t ns)
{
	uint64_t tail = lf_sim.machine.wake_tail_percent;
	uint64_t number = lf_sim_random_number();
	int64_t step = (int64_t)(tail * 1024 / 200);
	int64_t coins = __builtin_popcountll(number & 0xffff) - 8;
	int64_t ramp = step ? (int64_t)((number >> 16) % (uint64_t)step) - step / 2 : 0;
	uint64_t latency = scale(ns, coins * step + ramp);
	return latency ? latency : 1;
}
