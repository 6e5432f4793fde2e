/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/record.h"

#include "core/registry.h"
#include "report/evidence.h"
#include "report/host.h"
#include "report/json.h"
#include "run/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- What was run --- */

static json_t *claim(const struct lf_claim *c)
{
	static const char *const names[] = {
#define X(id, name, text) name,
		LF_CLAIM_MAP(X)
#undef X
	};
	char text[128];
	json_t *set = json_array();
	for (unsigned i = 0; i < LF_CLAIM_COUNT; i++)
		if (c->set & 1u << i)
			lf_json_add(&set, json_string(names[i]));

	json_t *o = json_object();
	lf_json_put(&o, "text", json_string(lf_claim_text(c, text, sizeof text)));
	lf_json_put(&o, "set", set);
	lf_json_put(&o, "overtakes", lf_json_count(c->overtakes));
	lf_json_put(&o, "handoff_ns", lf_json_count(c->handoff_ns));
	lf_json_put(&o, "quantum_ns", lf_json_count(c->quantum_ns));
	lf_json_put(&o, "io_threads", lf_json_count(c->io_threads));
	return o;
}

static json_t *params(const struct lf_cell *cell)
{
	json_t *o = json_object();
	const struct lf_param *p = cell->backend->params;
	for (unsigned i = 0; p && p[i].name && i < LF_MAX_PARAMS; i++)
		lf_json_put(&o, p[i].name, json_integer(cell->param[i]));
	if (cell->backend->kind == LF_MUTEX && cell->scenario->polls)
		lf_json_put(&o, "polls", json_integer(cell->polls));
	return o;
}

static unsigned variants(const struct lf_result *r)
{
	return r->variants < LF_MAX_VARIANTS ? r->variants : LF_MAX_VARIANTS;
}

/* "here", or the names of the machine models: "desktop-2, server-64". */
static json_t *machine(const struct lf_cell *cell, const struct lf_result *r)
{
	const size_t size = sizeof r->variant[0].variant.machine + 2;
	char text[64 * (sizeof r->variant[0].variant.machine + 2)] = "";
	size_t used = 0;
	for (unsigned i = 0; i < variants(r) && used + size < sizeof text; i++) {
		const char *name = r->variant[i].variant.machine;
		unsigned k = 0;
		while (strncmp(r->variant[k].variant.machine, name, size - 2) != 0)
			k++;
		if (k == i && name[0])
			used += (size_t)snprintf(text + used, sizeof text - used,
						 "%s%.*s", used ? ", " : "",
						 (int)size - 2, name);
	}
	if (used == 0 && cell->engine->bit == LF_ON_SIM)
		return lf_json_text(cell->machine ? cell->machine : "all", sizeof text);
	return used ? lf_json_text(text, sizeof text) : json_string("here");
}

/* As decimal text: a seed has 64 bits, a number of JSON as many read it 53. */
static json_t *seeds(const struct lf_cell *cell, const struct lf_result *r)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < variants(r); i++) {
		uint64_t seed = r->variant[i].variant.seed;
		unsigned k = 0;
		while (r->variant[k].variant.seed != seed)
			k++;
		if (k == i)
			lf_json_add(&list, json_sprintf("%" PRIu64, seed));
	}
	if (variants(r) == 0)
		lf_json_add(&list, json_sprintf("%" PRIu64, cell->seed));
	return list;
}

/* --- How it ended --- */

/* A cell without a verdict of its own never passes. */
static enum lf_verdict verdict(const struct lf_result *r, const char **ret_reason)
{
	bool judged =
		atomic_load_explicit(&r->state, memory_order_acquire) == LF_RESULT_JUDGED;
	enum lf_verdict v = r->judgement.verdict;

	*ret_reason = r->judgement.reason;
	if (r->error[0]) {
		*ret_reason = r->error;
		return LF_VERDICT_ERROR;
	}
	if (v == LF_VERDICT_PASS && !judged) {
		*ret_reason = r->ending[0] ? r->ending
					   : "the worker ended before its verdict; run "
					     "the cell again";
		return LF_VERDICT_ERROR;
	}
	return v;
}

static json_t *expected(const struct lf_expectation *e)
{
	json_t *o = json_object();
	lf_json_put(&o, "verdict",
		    json_string(lf_expect_name(e ? e->expect : LF_EXPECT_NOTHING)));
	lf_json_put(&o, "reason", lf_json_text(e ? e->reason : "", sizeof e->reason));
	lf_json_put(&o, "until", lf_json_text(e ? e->until : "", sizeof e->until));
	return o;
}

static json_t *control(const struct lf_scenario *s, const char *as, const char *note)
{
	json_t *o = json_object();
	lf_json_put(&o, "as", json_string(as ? as : ""));
	lf_json_put(&o, "note", lf_json_text(note ? note : "", 1024));
	lf_json_put(&o, "fair", json_string(s->fair_control ? s->fair_control : ""));
	lf_json_put(&o, "unfair", json_string(s->unfair_control ? s->unfair_control : ""));
	return o;
}

static json_t *assertion(const struct lf_assertion *a)
{
	json_t *o = json_object();
	lf_json_put(&o, "metric", json_string(lf_metric_name(a->metric)));
	lf_json_put(&o, "role", lf_json_text(a->role, sizeof a->role));
	lf_json_put(&o, "origin", json_string(lf_origin_name(a->origin)));
	lf_json_put(&o, "value", lf_json_number(a->value));
	lf_json_put(&o, "bound", lf_json_number(a->bound));
	lf_json_put(&o, "at_least", json_boolean(a->at_least));
	lf_json_put(&o, "unit", json_string(lf_metric_unit(a->metric)));
	lf_json_put(&o, "n", lf_json_count(a->n));
	lf_json_put(&o, "holds", json_boolean(a->holds));
	return o;
}

static json_t *assertions(const struct lf_judgement *j)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < j->n && i < LF_MAX_ASSERTIONS; i++)
		lf_json_add(&list, assertion(&j->assertion[i]));
	return list;
}

/* --- What was measured --- */

static json_t *thread_metrics(const struct lf_observation *o, unsigned i)
{
	const struct lf_thread_observation *t = &o->thread[i];
	char name[LF_THREAD_NAME_MAX];
	json_t *m = json_object();

	lf_json_put(&m, "thread", lf_json_text(lf_thread_name(o, i, name), sizeof name));
	lf_json_put(&m, "role", lf_json_text(t->role, sizeof t->role));
#define COUNT(field) lf_json_put(&m, #field, lf_json_count(t->field))
	COUNT(requests);
	COUNT(grants);
	COUNT(steps);
	COUNT(confirmed);
	COUNT(overtaken);
	COUNT(overtakes);
	COUNT(overtakes_max);
	COUNT(overtakes_run);
	COUNT(grants_queued);
	COUNT(open_wait_ns);
	COUNT(cpu_ns);
	COUNT(acquire_ns);
	COUNT(acquire_cpu_ns);
	COUNT(hold_ns);
#undef COUNT
	lf_json_put(&m, "censored", json_boolean(t->censored));
	lf_json_put(&m, "inside_acquire", json_boolean(t->inside_acquire));
	return m;
}

static json_t *confirmed_by(const struct lf_observation *o)
{
	json_t *m = json_object();
#define X(id, name, text)                     \
	if (o->confirmed_by[LF_CONFIRM_##id]) \
		lf_json_put(&m, name, lf_json_count(o->confirmed_by[LF_CONFIRM_##id]));
	LF_CONFIRM_MAP(X)
#undef X
	return m;
}

static json_t *order_metrics(const struct lf_order *order)
{
	json_t *m = json_object();
	lf_json_put(&m, "rounds", lf_json_count(order->rounds));
	lf_json_put(&m, "inversions", lf_json_count(order->inversions));
	lf_json_put(&m, "inversions_max", lf_json_count(order->inversions_max));
	lf_json_put(&m, "disordered", lf_json_count(order->disordered));
	lf_json_put(&m, "unserved", lf_json_count(order->unserved));
	return m;
}

static json_t *samples(const struct lf_series *s)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < s->n && i < LF_MAX_SERIES; i++)
		lf_json_add(&list, lf_json_number(s->value[i]));
	return list;
}

void lf_record_samples(const json_t *list, struct lf_series *ret_series)
{
	*ret_series = (struct lf_series){ .n = 0 };
	for (size_t i = 0; i < json_array_size(list); i++)
		lf_series_add(ret_series, json_number_value(json_array_get(list, i)));
}

const json_t *lf_record_loops(const json_t *record)
{
	return lf_json_get(lf_json_get(record, "metrics"), "loops_per_s");
}

static json_t *polling(const struct lf_polling *p)
{
	json_t *m = json_object();
#define COUNT(field) lf_json_put(&m, #field, lf_json_count(p->field))
	COUNT(calls);
	COUNT(needless);
	COUNT(waits);
	COUNT(held);
	COUNT(early);
	COUNT(errors);
	COUNT(errors_lost);
	COUNT(iterations);
	COUNT(batches_ns);
	COUNT(per_batch);
#undef COUNT
	lf_json_put(&m, "per_s", samples(&p->per_s));
	lf_json_put(&m, "gain", samples(&p->gain));
	return m;
}

/* Hand-overs there and back; null where there were none. undelayed: per second of the
 * time that no end waited for a CPU. */
static json_t *loops(const struct lf_observation *o)
{
	const struct lf_series *s = &o->loops_per_s;
	struct lf_spread spread = lf_metric_spread(s);
	json_t *m = json_object();
	lf_json_put(&m, "low", lf_json_number(spread.low));
	lf_json_put(&m, "high", lf_json_number(spread.high));
	lf_json_put(&m, "average", lf_json_number(spread.mean));
	lf_json_put(&m, "undelayed", lf_json_number(lf_metric_undelayed(o)));
	lf_json_put(&m, "samples", samples(s));
	return m;
}

static json_t *metrics(const struct lf_observation *o)
{
	json_t *m = json_object();
	lf_json_put(&m, "rounds", lf_json_count(o->rounds));
	lf_json_put(&m, "engine_ns", lf_json_count(o->duration_ns));
	lf_json_put(&m, "grants", lf_json_count(o->grants.length));
	lf_json_put(&m, "steps", lf_json_count(o->steps.length));
#define COUNT(field) lf_json_put(&m, #field, lf_json_count(o->field))
	COUNT(overtakes_max);
	COUNT(overtaken_rounds);
	COUNT(longest_run);
	COUNT(lost_datagrams);
	COUNT(exclusion_violations);
	COUNT(torn);
#undef COUNT
	lf_json_put(&m, "stalled", json_boolean(o->stalled));
	lf_json_put(&m, "limit_reached", json_boolean(o->limit_reached));
	lf_json_put(&m, "confirmed_by", confirmed_by(o));
	lf_json_put(&m, "order", order_metrics(&o->order));
	if (o->polling.calls > 0)
		lf_json_put(&m, "polling", polling(&o->polling));
	if (o->loops_per_s.n > 0)
		lf_json_put(&m, "loops_per_s", loops(o));
	json_t *threads = json_array();
	for (unsigned i = 0; i < lf_observed_threads(o); i++)
		lf_json_add(&threads, thread_metrics(o, i));
	lf_json_put(&m, "threads", threads);
	return m;
}

static json_t *histogram(const struct lf_histogram *h)
{
	json_t *buckets = json_array();
	for (unsigned i = 0; i < LF_HISTOGRAM_BUCKETS; i++) {
		if (h->bucket[i] == 0)
			continue;
		uint64_t upper = lf_histogram_upper(i);
		json_t *pair = json_array();
		lf_json_add(&pair, lf_json_count(upper < h->max ? upper : h->max));
		lf_json_add(&pair, lf_json_count(h->bucket[i]));
		lf_json_add(&buckets, pair);
	}
	json_t *o = json_object();
	lf_json_put(&o, "unit", json_string("ns"));
	lf_json_put(&o, "count", lf_json_count(h->count));
	lf_json_put(&o, "sum", lf_json_count(h->sum));
	lf_json_put(&o, "min", lf_json_count(h->min));
	lf_json_put(&o, "p50", lf_json_count(lf_histogram_quantile(h, 0.5)));
	lf_json_put(&o, "p90", lf_json_count(lf_histogram_quantile(h, 0.9)));
	lf_json_put(&o, "p99", lf_json_count(lf_histogram_quantile(h, 0.99)));
	lf_json_put(&o, "p99.9", lf_json_count(lf_histogram_quantile(h, 0.999)));
	lf_json_put(&o, "max", lf_json_count(h->max));
	lf_json_put(&o, "buckets", buckets);
	return o;
}

/* The waits of each role: {"victim": {"wait": …}}. Empty without clocks. */
static json_t *histograms(const struct lf_observation *o)
{
	json_t *all = json_object();
	for (unsigned i = 0; i < lf_observed_threads(o); i++) {
		char role[sizeof o->thread[i].role];
		snprintf(role, sizeof role, "%.15s", o->thread[i].role);
		if (json_object_get(all, role))
			continue;
		struct lf_histogram sum = { 0 };
		for (unsigned k = i; k < lf_observed_threads(o); k++)
			if (strncmp(o->thread[k].role, role, sizeof role) == 0)
				lf_histogram_merge(&sum, &o->thread[k].wait);
		if (sum.count == 0)
			continue;
		json_t *of_role = json_object();
		lf_json_put(&of_role, "wait", histogram(&sum));
		lf_json_put(&all, role, of_role);
	}
	return all;
}

/* --- What may differ between identical runs --- */

static json_t *noise(const struct lf_observation *o)
{
	json_t *m = json_object();
#define X(name, unit)                                         \
	lf_json_put(&m, #name,                                \
		    o->noise.name == LF_UNKNOWN ? json_null() \
						: lf_json_count(o->noise.name));
	LF_WITNESS_MAP(X)
#undef X
	json_t *threads = json_array();
	for (unsigned i = 0; i < lf_observed_threads(o); i++) {
		const struct lf_thread_observation *t = &o->thread[i];
		json_t *x = json_object();
		lf_json_put(&x, "voluntary_switches",
			    lf_json_count(t->voluntary_switches));
		lf_json_put(&x, "involuntary_switches",
			    lf_json_count(t->involuntary_switches));
		lf_json_put(&x, "run_delay_ns",
			    t->run_delay_ns == LF_UNKNOWN
				    ? json_null()
				    : lf_json_count(t->run_delay_ns));
		lf_json_add(&threads, x);
	}
	lf_json_put(&m, "threads", threads);
	return m;
}

static json_t *now(void)
{
	char text[sizeof "2026-01-31T23:59:59Z"] = "";
	time_t t = time(NULL);
	struct tm tm;
	if (gmtime_r(&t, &tm))
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

static json_t *volatile_part(const struct lf_result *r)
{
	json_t *o = json_object();
	lf_json_put(&o, "host", lf_record_host());
	lf_json_put(&o, "noise", noise(&r->observation));
	lf_json_put(&o, "duration_ns", lf_json_count(r->wall_ns));
	lf_json_put(&o, "time", now());
	/* Addresses and thread ids are others in every run. */
	if (r->stack[0])
		lf_json_put(&o, "stack", lf_json_text(r->stack, sizeof r->stack));
	return o;
}

static json_t *axes(const struct lf_cell *cell)
{
	const struct lf_axis *axis = cell->scenario->axes;
	json_t *o = json_object();

	for (unsigned i = 0; axis && axis[i].name; i++)
		lf_json_put(&o, axis[i].name,
			    json_string(axis[i].values[cell->point.axis[i]]));
	return o;
}

void lf_record_set_place(json_t *record, size_t at, size_t of)
{
	json_t *part = json_object_get(record, "volatile");
	json_t *place = json_object();

	lf_json_put(&place, "at", lf_json_count(at));
	lf_json_put(&place, "of", lf_json_count(of));
	json_object_set_new(part, "place", place);
}

json_t *lf_record_make(const struct lf_cell *cell, const struct lf_result *result,
		       const struct lf_expectation *expectation, const char *as,
		       const char *control_note, const char *rerun)
{
	char scenario[96], object[LF_OBJECT_MAX];
	const char *reason;
	enum lf_verdict v = verdict(result, &reason);
	json_t *r = json_object();

	lf_json_put(&r, "schema", json_integer(LF_RECORD_SCHEMA));
	lf_json_put(&r, "scenario",
		    json_string(lf_cell_scenario_id(cell, scenario, sizeof scenario)));
	lf_json_put(&r, "axes", axes(cell));
	lf_json_put(&r, "sweep", cell->scenario->sweep.n ?
		    json_integer(cell->point.sweep) : json_null());
	lf_json_put(&r, "backend", json_string(cell->backend->name));
	lf_json_put(&r, "object", json_string(lf_replay_object(cell, object)));
	lf_json_put(&r, "lock", cell->lock ? json_string(cell->lock->name) : json_null());
	lf_json_put(&r, "claim", claim(&cell->claim));
	lf_json_put(&r, "params", params(cell));
	lf_json_put(&r, "engine", json_string(cell->engine->name));
	lf_json_put(&r, "machine", machine(cell, result));
	lf_json_put(&r, "seeds", seeds(cell, result));
	lf_json_put(&r, "verdict", json_string(lf_verdict_name(v)));
	lf_json_put(&r, "expected", expected(expectation));
	lf_json_put(&r, "reason", lf_json_text(reason, sizeof result->error));
	lf_json_put(&r, "control", control(cell->scenario, as, control_note));
	lf_json_put(&r, "assertions", assertions(&result->judgement));
	lf_json_put(&r, "metrics", metrics(&result->observation));
	lf_json_put(&r, "histograms", histograms(&result->observation));
	lf_json_put(&r, "evidence", lf_evidence_make(cell, result));
	lf_json_put(&r, "rerun", lf_json_text(rerun ? rerun : "", 4096));
	lf_json_put(&r, "volatile", volatile_part(result));
	return r;
}
