/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "observe/recorder.h"

#include "engine/engine.h"
#include "observe/log.h"

/* The bits that hold and CPU times add to LF_CLOCK_WAIT. */
#define HOLD_BIT (LF_CLOCK_HOLD & ~LF_CLOCK_WAIT)
#define CPU_BIT (LF_CLOCK_CPU & ~LF_CLOCK_WAIT)

#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define SET(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)

/* Counters with one writer: a plain increment that readers may see late. */
#define BUMP(x, by) SET(x, GET(x) + (by))

static uint64_t delay_ns(struct lf_actor *a)
{
	return a->world->delay_ns ? a->world->delay_ns(a) : 0;
}

/* For the timeline: `read_ns` is what the scenario's clock has just said, if it asks
 * for one. */
static uint64_t stamp_ns(struct lf_actor *a, uint64_t read_ns)
{
	return a->rec.clocks & LF_CLOCK_STAMP ? a->world->stamp_ns(a) : read_ns;
}

/* The slower a clock is to read, the farther it stands from acquire. */
static void request_clocks(struct lf_actor *a)
{
	struct lf_recording *r = &a->rec;
	if (r->clocks & CPU_BIT) {
		r->request_delay_ns = delay_ns(a);
		r->request_cpu_ns = a->world->cpu_ns(a);
	}
	if (r->clocks & LF_CLOCK_WAIT)
		r->request_ns = a->world->now_ns(a);
	r->asked_ns = stamp_ns(a, r->request_ns);
}

/* The timeline's entry of this thread's last grant. */
static struct lf_hold *my_hold(struct lf_recording *r)
{
	return &r->o->timeline.hold[(r->grant_seq - 1) % LF_TIMELINE_SIZE];
}

/* A lock that does not exclude may have granted so often meanwhile that the entry is
 * another grant's. */
static void end_hold(struct lf_recording *r, uint64_t now_ns)
{
	if (GET(r->o->grants.length) - r->grant_seq < LF_TIMELINE_SIZE)
		SET(my_hold(r)->released_ns, now_ns);
}

void lf_record_request(struct lf_actor *a)
{
	struct lf_recording *r = &a->rec;
	r->arrival_epoch = GET(r->shared->epoch);
	BUMP(r->mine->requests, 1);
	if (r->clocks)
		request_clocks(a);
	/* Release: who sees `inside` also sees the epoch of this request. Pairs
	 * with the acquire load of those who confirm waiters. */
	atomic_store_explicit(&r->inside, true, memory_order_release);
}

static void grant_clocks(struct lf_actor *a)
{
	struct lf_recording *r = &a->rec;
	struct lf_hold *hold = my_hold(r);
	if (r->clocks & LF_CLOCK_WAIT)
		r->grant_ns = a->world->now_ns(a);
	SET(hold->asked_ns, r->asked_ns);
	SET(hold->granted_ns, stamp_ns(a, r->grant_ns));
	SET(hold->released_ns, 0);
	if (!(r->clocks & LF_CLOCK_WAIT))
		return;
	uint64_t wait_ns = r->grant_ns - r->request_ns;
	lf_histogram_add(&r->mine->wait, wait_ns);
	r->mine->acquire_ns += wait_ns;
	if (r->clocks & CPU_BIT) {
		r->mine->acquire_cpu_ns += a->world->cpu_ns(a) - r->request_cpu_ns;
		r->mine->acquire_delay_ns += delay_ns(a) - r->request_delay_ns;
	}
}

/* This grant goes to a request of a later epoch than `w`'s confirmation. */
static void overtake(struct lf_recording *w, uint8_t by)
{
	BUMP(w->overtakes, 1);
	uint64_t row = GET(w->overtaker) == by ? GET(w->overtakes_row) + 1 : 1;
	SET(w->overtaker, by);
	SET(w->overtakes_row, row);
	if (row > w->mine->overtakes_run)
		w->mine->overtakes_run = row;
}

/* Counts this grant against every confirmed waiter that was there before the
 * request was made. */
static void grant_beside_waiters(struct lf_actor *a, uint64_t length)
{
	struct lf_run *run = a->run;
	struct lf_observation *o = a->rec.o;
	bool queued = false;
	for (unsigned i = 0; i < o->threads; i++) {
		struct lf_recording *w = &run->actor[i].rec;
		uint64_t epoch = GET(w->confirm_epoch);
		if (w == &a->rec || epoch == 0)
			continue;
		queued = true;
		if (a->rec.arrival_epoch < epoch)
			continue;
		overtake(w, (uint8_t)a->thread.index);
		if (GET(w->overtakes) > o->overtakes_max) {
			o->overtakes_max = GET(w->overtakes);
			o->decisive_grant = length;
			o->decisive_thread = i;
		}
	}
	struct lf_recorder *s = a->rec.shared;
	bool same = queued && GET(s->last) == a->thread.index;
	SET(s->run_length, same ? GET(s->run_length) + 1 : 1);
	if (!queued)
		return;
	a->rec.mine->grants_queued++;
	if (GET(s->run_length) > o->longest_run)
		o->longest_run = GET(s->run_length);
}

/* My own confirmed wait is over. */
static void grant_confirmed(struct lf_recording *r)
{
	struct lf_thread_observation *m = r->mine;
	uint64_t overtakes = GET(r->overtakes);
	m->confirmed++;
	m->overtakes += overtakes;
	m->overtaken += overtakes > 0;
	if (overtakes > m->overtakes_max)
		m->overtakes_max = overtakes;
	SET(r->confirm_epoch, 0);
	atomic_fetch_sub_explicit(&r->shared->confirmed, 1, memory_order_relaxed);
}

static void violation(struct lf_recording *r)
{
	atomic_fetch_add_explicit(&r->o->exclusion_violations, 1, memory_order_relaxed);
}

static void enter(struct lf_recording *r, uint8_t me)
{
	struct lf_recorder *s = r->shared;
	if (GET(s->owner) != LF_NOBODY)
		violation(r);
	SET(s->owner, me);
	/* The guarded data: two words that only ever change together. */
	uint64_t first = GET(s->torn[0]);
	if (first != GET(s->torn[1]))
		atomic_fetch_add_explicit(&r->o->torn, 1, memory_order_relaxed);
	SET(s->torn[0], first + 1);
	SET(s->torn[1], first + 1);
}

void lf_record_grant(struct lf_actor *a)
{
	struct lf_recording *r = &a->rec;
	struct lf_recorder *s = r->shared;
	uint8_t me = (uint8_t)a->thread.index;

	SET(r->inside, false);
	enter(r, me);
	uint64_t length = lf_log_append_held(&r->o->grants, me);
	r->grant_seq = length;
	BUMP(r->mine->grants, 1);
	if (GET(r->confirm_epoch))
		grant_confirmed(r);
	if (GET(s->confirmed))
		grant_beside_waiters(a, length);
	else
		SET(s->run_length, 1);
	SET(s->last, me);
	if (r->clocks)
		grant_clocks(a);
}

static void release_clocks(struct lf_actor *a)
{
	struct lf_recording *r = &a->rec;
	uint64_t now_ns = 0;
	if (r->clocks & HOLD_BIT) {
		now_ns = a->world->now_ns(a);
		r->mine->hold_ns += now_ns - r->grant_ns;
	}
	end_hold(r, stamp_ns(a, now_ns));
}

void lf_record_release(struct lf_actor *a)
{
	struct lf_recording *r = &a->rec;
	if (r->clocks & (HOLD_BIT | LF_CLOCK_STAMP))
		release_clocks(a);
	if (GET(r->shared->owner) != a->thread.index)
		violation(r);
	SET(r->shared->owner, LF_NOBODY);
}

/* A poll may drop the lock and take it again without telling. Until it returns
 * the lock counts as free and this thread as one that asks for it. */
void lf_record_poll_begin(struct lf_actor *a)
{
	struct lf_recording *r = &a->rec;
	r->arrival_epoch = GET(r->shared->epoch);
	r->polls++;
	if (r->clocks)
		request_clocks(a);
	SET(r->shared->owner, LF_NOBODY);
	atomic_store_explicit(&r->inside, true, memory_order_release);
}

void lf_record_poll_end(struct lf_actor *a)
{
	struct lf_recording *r = &a->rec;
	if (GET(r->o->grants.length) != r->grant_seq) {
		/* Others held it meanwhile: that was a release and a grant. */
		if (r->clocks & HOLD_BIT)
			r->mine->hold_ns += r->request_ns - r->grant_ns;
		if (r->clocks & (HOLD_BIT | LF_CLOCK_STAMP))
			end_hold(r, r->asked_ns);
		BUMP(r->mine->requests, 1);
		lf_record_grant(a);
		return;
	}
	SET(r->inside, false);
	if (GET(r->shared->owner) != LF_NOBODY)
		violation(r);
	SET(r->shared->owner, (uint8_t)a->thread.index);
}

void lf_record_confirm(struct lf_actor *waiter, enum lf_confirm how)
{
	struct lf_recording *w = &waiter->rec;
	if (GET(w->confirm_epoch))
		return;
	struct lf_recorder *s = w->shared;
	uint64_t epoch = atomic_fetch_add_explicit(&s->epoch, 1, memory_order_relaxed) + 1;
	SET(w->overtakes, 0);
	SET(w->overtakes_row, 0);
	SET(w->overtaker, LF_NOBODY);
	SET(w->confirm_epoch, epoch);
	atomic_fetch_add_explicit(&s->confirmed, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&w->o->confirmed_by[how], 1, memory_order_relaxed);
}

void lf_record_wait_begin(struct lf_actor *a)
{
	BUMP(a->rec.mine->requests, 1);
	SET(a->rec.inside, true);
}

void lf_record_wait_end(struct lf_actor *a, bool arrived)
{
	SET(a->rec.inside, false);
	BUMP(a->rec.mine->grants, arrived);
}

void lf_record_step(struct lf_actor *a)
{
	BUMP(a->rec.mine->steps, 1);
	lf_log_append(&a->rec.o->steps, (uint8_t)a->thread.index);
}
