/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times of the grants around the decisive one:
 *	at		which grant of the run the first hold is, from 0
 *	decisive	which of the holds decided; absent: none did
 *	end		when the excerpt ends, as all times in ns after the first hold began
 *	holds		[thread, asked, granted, released or null], in the order of grants
 *	waits		[thread, asked] of those who still waited at the end
 * Threads are indices into metrics.threads. A time before the excerpt is negative.
 */
#include "report/evidence.h"

#include "report/json.h"

#define HOLDS_BEFORE 36 /* the decisive one is the last of these */
#define HOLDS_AFTER 8
#define HOLDS_UNDECIDED 24 /* where no moment is decisive, at the end of the run */

#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)

/* Grants [from, to) of the run, and the decisive one among them; or `to`. */
struct excerpt {
	const struct lf_observation *o;
	uint64_t length; /* grants of the run */
	uint64_t from, to, decisive;
	uint64_t start_ns, end_ns;
};

static const struct lf_hold *hold(const struct lf_observation *o, uint64_t i)
{
	return &o->timeline.hold[i % LF_TIMELINE_SIZE];
}

static json_t *since(const struct excerpt *e, uint64_t ns)
{
	return json_integer((json_int_t)(ns - e->start_ns));
}

/* When the hold of grant i ended, as far as anything is known of it. */
static uint64_t end_of(const struct excerpt *e, uint64_t i)
{
	uint64_t released = GET(hold(e->o, i)->released_ns);

	if (released)
		return released;
	return i + 1 < e->length ? GET(hold(e->o, i + 1)->granted_ns) : e->o->duration_ns;
}

/* False: there is nothing to show, or its times are overwritten. */
static bool choose(struct excerpt *e, const struct lf_observation *o)
{
	bool decided;

	*e = (struct excerpt){ .o = o, .length = GET(o->grants.length) };
	decided = o->decisive_grant > 0 && o->decisive_grant <= e->length;
	e->decisive = decided ? o->decisive_grant - 1 : e->length;
	e->to = decided && e->decisive + 1 + HOLDS_AFTER < e->length ?
		e->decisive + 1 + HOLDS_AFTER : e->length;
	e->from = decided ? e->decisive + 1 : e->length;
	e->from -= e->from < (decided ? HOLDS_BEFORE : HOLDS_UNDECIDED) ? e->from :
		   decided ? HOLDS_BEFORE : HOLDS_UNDECIDED;
	if (e->to - e->from < 2 || e->length - e->from > LF_TIMELINE_SIZE)
		return false;
	e->start_ns = GET(hold(o, e->from)->granted_ns);
	e->end_ns = end_of(e, e->to - 1);
	return e->end_ns > e->start_ns;
}

static json_t *holds(const struct excerpt *e)
{
	json_t *all = json_array();

	for (uint64_t i = e->from; i < e->to; i++) {
		const struct lf_hold *h = hold(e->o, i);
		uint64_t released = GET(h->released_ns);
		json_t *one = json_array();
		lf_json_add(&one, json_integer(lf_log_at(&e->o->grants, i)));
		lf_json_add(&one, since(e, GET(h->asked_ns)));
		lf_json_add(&one, since(e, GET(h->granted_ns)));
		lf_json_add(&one, released ? since(e, released) : json_null());
		lf_json_add(&all, one);
	}
	return all;
}

/* Since when thread t waits at the end of the excerpt. False: it does not. */
static bool waits(const struct excerpt *e, unsigned t, uint64_t *ret_asked_ns)
{
	const struct lf_thread_observation *thread = &e->o->thread[t];

	/* Its next grant, after the excerpt, says when it asked. */
	for (uint64_t i = e->to; i < e->length; i++) {
		if (lf_log_at(&e->o->grants, i) != (int)t)
			continue;
		*ret_asked_ns = GET(hold(e->o, i)->asked_ns);
		return *ret_asked_ns < e->end_ns;
	}
	*ret_asked_ns = thread->asked_ns;
	return thread->inside_acquire && thread->asked_ns < e->end_ns;
}

static json_t *open_waits(const struct excerpt *e)
{
	json_t *all = json_array();
	uint64_t asked_ns;

	for (unsigned t = 0; t < lf_observed_threads(e->o); t++)
		if (waits(e, t, &asked_ns)) {
			json_t *one = json_array();
			lf_json_add(&one, json_integer(t));
			lf_json_add(&one, since(e, asked_ns));
			lf_json_add(&all, one);
		}
	return all;
}

json_t *lf_evidence_timeline(const struct lf_observation *o)
{
	struct excerpt e;
	json_t *timeline;

	if (!o->timeline.timed || !choose(&e, o))
		return NULL;
	timeline = json_object();
	lf_json_put(&timeline, "at", lf_json_count(e.from));
	if (e.decisive < e.to)
		lf_json_put(&timeline, "decisive", lf_json_count(e.decisive - e.from));
	lf_json_put(&timeline, "end", since(&e, e.end_ns));
	lf_json_put(&timeline, "holds", holds(&e));
	lf_json_put(&timeline, "waits", open_waits(&e));
	return timeline;
}
