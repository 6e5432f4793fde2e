/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a scenario's thread can do: the functions of scenario.h. Here the
 * backend is called, the observation recorded, and everything that differs
 * between engines asked of the engine's world.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>

static inline struct lf_actor *actor_of(const struct lf_thread *t)
{
	return (struct lf_actor *)(uintptr_t)t; /* its first member */
}

void lf_lock(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	lf_record_request(a);
	a->ops.acquire(a->lock, t);
	lf_record_grant(a);
}

void lf_unlock(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	lf_record_release(a);
	a->ops.release(a->lock, t);
}

/* A mutex stands in for a GIL by letting go every so many polls. */
static void poll_mutex(struct lf_actor *a)
{
	if (--a->polls_left > 0)
		return;
	a->polls_left = a->run->cell->polls;
	lf_unlock(&a->thread);
	lf_lock(&a->thread);
}

void lf_poll(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	if (!a->ops.poll) {
		poll_mutex(a);
		return;
	}
	lf_record_poll_begin(a);
	a->ops.poll(a->lock, t);
	lf_record_poll_end(a);
}

struct excursion {
	struct lf_actor *actor;
	void (*fn)(void *);
	void *arg;
};

/* Runs inside the backend's outside(), when it has let go of the lock. */
static void excursion(void *arg)
{
	struct excursion *e = arg;
	if (e->fn)
		e->fn(e->arg);
	lf_record_request(e->actor);
}

void lf_outside(struct lf_thread *t, void (*fn)(void *), void *arg)
{
	struct lf_actor *a = actor_of(t);
	if (a->ops.outside) {
		struct excursion e = { a, fn, arg };
		lf_record_release(a);
		a->ops.outside(a->lock, t, excursion, &e);
		lf_record_grant(a);
		return;
	}
	lf_unlock(t);
	if (fn)
		fn(arg);
	lf_lock(t);
}

/* --- pollers --------------------------------------------------------------------- */

int lf_watch(struct lf_thread *t, bool readable)
{
	struct lf_actor *a = actor_of(t);
	int fd = a->world->descriptor(a, readable);
	return fd < 0 ? fd : a->run->poller_ops->watch(a->run->poller, fd);
}

/* One call of the poller, and what it does with the lock. */
struct watched_wait {
	struct lf_way_out way; /* first: what the poller sees */
	struct lf_actor *actor;
	struct lf_waited *seen;
	void (*fn)(void *arg);
	void *arg;
};

static void timed_excursion(void *arg)
{
	struct watched_wait *w = arg;
	uint64_t begin = w->actor->world->now_ns(w->actor);
	w->fn(w->arg);
	w->seen->outside_ns += w->actor->world->now_ns(w->actor) - begin;
}

/* Taking a lock again may change errno. Here it always does, so that what a poller
 * reads there afterwards is never what its system call left. */
static void pass_outside(const struct lf_way_out *way, void (*fn)(void *arg), void *arg)
{
	struct watched_wait *w = (struct watched_wait *)(uintptr_t)way;
	w->fn = fn;
	w->arg = arg;
	w->seen->releases++;
	lf_outside(&w->actor->thread, timed_excursion, w);
	errno = EOWNERDEAD;
}

int lf_poller_wait(struct lf_thread *t, int64_t timeout_ns, enum lf_release release,
		   struct lf_waited *ret_seen)
{
	struct lf_actor *a = actor_of(t);
	struct watched_wait w = { { pass_outside }, a, ret_seen, NULL, NULL };
	*ret_seen = (struct lf_waited){ 0 };
	return a->run->poller_ops->wait(a->run->poller, timeout_ns, release, &w.way);
}

/* --- time ------------------------------------------------------------------------- */

void lf_compute_ns(struct lf_thread *t, uint64_t ns)
{
	struct lf_actor *a = actor_of(t);
	a->world->compute_ns(a, ns);
}

void lf_compute_polling_ns(struct lf_thread *t, uint64_t ns, uint64_t every_ns)
{
	while (ns > 0) {
		uint64_t part = ns < every_ns ? ns : every_ns;
		lf_compute_ns(t, part);
		lf_poll(t);
		ns -= part;
	}
}

uint64_t lf_think_ns(const struct lf_thread *t, uint64_t ns)
{
	static const unsigned quarters[] = { 4, 1, 16, 2, 8 };
	const unsigned n = sizeof quarters / sizeof quarters[0];
	return ns * quarters[(actor_of(t)->run->seed % n + n - 1) % n] / 4;
}

void lf_sleep_ns(struct lf_thread *t, uint64_t ns)
{
	struct lf_actor *a = actor_of(t);
	a->world->sleep_ns(a, ns);
}

void lf_step(struct lf_thread *t)
{
	lf_record_step(actor_of(t));
}

enum lf_kind lf_kind(const struct lf_thread *t)
{
	return actor_of(t)->run->cell->backend->kind;
}

void lf_channel_attach(struct lf_thread *t, unsigned end)
{
	struct lf_actor *a = actor_of(t);
	a->end = end;
	if (a->ops.channel->attach)
		a->ops.channel->attach(a->lock, t, end);
}

int lf_channel_send(struct lf_thread *t, uint64_t token)
{
	struct lf_actor *a = actor_of(t);
	return a->ops.channel->send(a->lock, t, a->end, token);
}

int lf_channel_wait(struct lf_thread *t, uint64_t token)
{
	return lf_channel_wait_until(t, token, token);
}

int lf_channel_wait_until(struct lf_thread *t, uint64_t token, uint64_t last)
{
	struct lf_actor *a = actor_of(t);
	uint64_t came = 0;
	lf_record_wait_begin(a);
	int rc = a->ops.channel->wait(a->lock, t, a->end, &came);
	bool arrived = rc == 0 && (came == token || came == last);
	lf_record_wait_end(a, arrived);
	if (arrived)
		return came != token;
	if (rc == 0 && came >= LF_TOKEN_END)
		return -ECANCELED;
	atomic_fetch_add(&a->rec.o->tokens_misplaced, 1);
	return rc ? rc : -EBADMSG;
}

int lf_place(struct lf_thread *t, enum lf_placement placement)
{
	struct lf_actor *a = actor_of(t);
	if (a->world->place)
		return a->world->place(a, placement);
	return placement == LF_PLACEMENT_FREE ? 0 : -ENOTSUP;
}

int lf_schedule(struct lf_thread *t, enum lf_policy policy)
{
	struct lf_actor *a = actor_of(t);
	if (a->world->schedule)
		return a->world->schedule(a, policy);
	return policy == LF_POLICY_OTHER ? 0 : -ENOTSUP;
}

uint64_t lf_delay_ns(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	uint64_t delay_ns = a->world->delay_ns ? a->world->delay_ns(a) : 0;
	return delay_ns == LF_UNKNOWN ? 0 : delay_ns;
}

uint64_t lf_slice_ns(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	return a->world->slice_ns ? a->world->slice_ns(a) : 0;
}

bool lf_stopped(const struct lf_thread *t)
{
	return atomic_load_explicit(&actor_of(t)->run->stop, memory_order_relaxed);
}

void lf_stop(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	atomic_store_explicit(&a->run->stop, true, memory_order_relaxed);
	a->world->stop(a);
}

/* Confirmed waits that were overtaken so far, over all threads. */
static uint64_t overtaken_waits(const struct lf_observation *o)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < o->threads; i++)
		sum += o->thread[i].overtaken;
	return sum;
}

static void end_round(struct lf_run *run)
{
	struct lf_observation *o = run->observation;
	uint64_t overtaken = overtaken_waits(o);
	o->rounds++;
	o->overtaken_rounds += overtaken > run->overtaken_before;
	run->overtaken_before = overtaken;
}

bool lf_round(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	struct lf_run *run = a->run;
	const struct lf_cell *cell = run->cell;

	if (run->round_open && !lf_stopped(t))
		end_round(run);
	bool decided = run->round_open && cell->scenario->decided &&
		cell->scenario->decided(run->observation, &cell->claim, cell->required);
	if (lf_stopped(t) || decided || run->observation->rounds >= run->rounds_limit) {
		lf_stop(t);
		return false;
	}
	run->round_open = true;
	return true;
}

unsigned lf_round_index(const struct lf_thread *t)
{
	return actor_of(t)->run->observation->rounds;
}

void lf_advance(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	a->world->advance(a);
}

bool lf_await(struct lf_thread *t, uint64_t phase)
{
	struct lf_actor *a = actor_of(t);
	return a->world->await(a, phase);
}

bool lf_await_queued(struct lf_thread *t, unsigned n)
{
	struct lf_actor *a = actor_of(t);
	return a->world->await_queued(a, n);
}

unsigned lf_look_queued(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	return a->world->look_queued(a);
}

int lf_send(struct lf_thread *t, unsigned port, const void *data, size_t size)
{
	struct lf_actor *a = actor_of(t);
	return a->world->send(a, port, data, size);
}

int lf_receive(struct lf_thread *t, unsigned port, void *data, size_t size,
	       uint64_t timeout_ns)
{
	struct lf_actor *a = actor_of(t);
	return a->world->receive(a, port, data, size, timeout_ns);
}

uint64_t lf_now_ns(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	return a->world->now_ns(a);
}

bool lf_time_is_virtual(const struct lf_thread *t)
{
	return actor_of(t)->run->cell->engine->bit == LF_ON_SIM;
}

const struct lf_claim *lf_claim_of(const struct lf_thread *t)
{
	return &actor_of(t)->run->cell->claim;
}

/* xorshift64*, by Vigna. */
uint64_t lf_random(struct lf_thread *t)
{
	struct lf_actor *a = actor_of(t);
	uint64_t x = a->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	a->random = x;
	return x * UINT64_C(0x2545F4914F6CDD1D);
}

struct lf_observation *lf_observed(struct lf_thread *t)
{
	return actor_of(t)->run->observation;
}

enum lf_budget lf_budget(const struct lf_thread *t)
{
	return actor_of(t)->run->cell->budget;
}

unsigned lf_sweep(const struct lf_thread *t)
{
	return actor_of(t)->run->cell->point.sweep;
}

unsigned lf_axis(const struct lf_thread *t, unsigned axis)
{
	return actor_of(t)->run->cell->point.axis[axis];
}

unsigned lf_role_index(const struct lf_thread *t)
{
	return actor_of(t)->role_index;
}

void lf_precondition_failed(struct lf_thread *t, const char *reason)
{
	struct lf_observation *o = actor_of(t)->run->observation;
	if (o->precondition[0] == '\0')
		snprintf(o->precondition, sizeof o->precondition, "%s", reason);
}

void lf_actor_main(struct lf_actor *a)
{
	if (a->role->foreign) {
		a->role->run(&a->thread);
		return;
	}
	if (a->ops.attach)
		a->ops.attach(a->lock, &a->thread);
	a->role->run(&a->thread);
	lf_work_end(a);
	if (a->ops.detach)
		a->ops.detach(a->lock, &a->thread);
}
