/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <lockfair/outcome.h>

#include "core/point.h"
#include "core/registry.h"
#include "engine/engine.h"
#include "judge/judge.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 3

struct lf_outcome {
	struct lf_cell cell;
	struct lf_entry entry;
	struct lf_observation *observation; /* stays mapped while threads are left */
	struct lf_run *run;
	struct lf_judgement judgement;
	bool tolerate;
	bool broken;           /* nothing was observed: message says why */
	char message[640];
	char violations[4096];
};

/* What lf_observe() returns when there is no memory for an outcome. */
static struct lf_outcome no_memory = {
	.broken = true, .message = "no memory for an outcome",
};

/* The message of a check, kept in the outcome. */
__attribute__((format(printf, 2, 3)))
static const char *say(struct lf_outcome *o, const char *format, ...)
{
	char id[64];
	const struct lf_cell *c = &o->cell;
	int n = snprintf(o->message, sizeof o->message, "%s in %s: ", c->backend->name,
			 lf_cell_scenario_id(c, id, sizeof id));
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(o->message + n, sizeof o->message - (size_t)n, format, arguments);
	va_end(arguments);
	return o->message;
}

__attribute__((format(printf, 2, 3)))
static struct lf_outcome *give_up(struct lf_outcome *o, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(o->message, sizeof o->message, format, arguments);
	va_end(arguments);
	o->broken = true;
	return o;
}

/* "name=value,name=value" */
static int set_parameters(struct lf_cell *cell, const char *text, struct lf_error *error)
{
	char name[64];
	long long value;
	int length;

	for (const char *at = text; at && *at; at += length, at += *at == ',') {
		if (sscanf(at, "%63[^=,]=%lld%n", name, &value, &length) != 2)
			return lf_error_set(error, -EINVAL, "parameters \"%s\": expected "
					    "name=value,name=value", text);
		int rc = lf_cell_set_param(cell, name, value, error);
		if (rc)
			return rc;
	}
	return 0;
}

static int set_threads(struct lf_cell *cell, unsigned threads, struct lf_error *error)
{
	const struct lf_sweep *sweep = &cell->scenario->sweep;
	if (threads == 0)
		return 0;
	for (unsigned i = 0; i < sweep->n; i++) {
		if (sweep->value[i] == threads) {
			cell->point.sweep = threads;
			return 0;
		}
	}
	return lf_error_set(error, -ERANGE, "%s is not judged with %u threads; see "
			    "\"lockfair list scenarios\"", cell->scenario->name, threads);
}

static int configure(struct lf_outcome *o, const struct lf_observe_options *options,
		     struct lf_error *error)
{
	if (options->seed)
		o->cell.seed = options->seed;
	o->cell.budget = options->budget;
	o->tolerate = options->tolerate_inconclusive;
	int rc = set_parameters(&o->cell, options->parameters, error);
	if (rc == 0 && options->lock)
		rc = lf_cell_set_lock(&o->cell, &(struct lf_entry){ .backend = options->lock },
				      error);
	return rc ? rc : set_threads(&o->cell, options->threads, error);
}

static bool threads_are_left(const struct lf_observation *o)
{
	for (unsigned i = 0; i < o->threads; i++)
		if (o->thread[i].censored)
			return true;
	return false;
}

static int observe_once(struct lf_outcome *o, struct lf_error *error)
{
	const struct lf_engine *engine = o->cell.engine;
	struct lf_variant variant;

	memset(o->observation, 0, sizeof *o->observation);
	o->run->cell = &o->cell;
	o->run->observation = o->observation;
	engine->variants(&o->cell, 0, &variant);
	int rc = engine->execute(o->run, &variant, error);
	if (rc == 0)
		lf_judge(&o->cell, o->observation, &o->judgement);
	return rc;
}

static struct lf_outcome *observe(struct lf_outcome *o, const struct lf_observe_options *options)
{
	struct lf_error error = { "" };
	const char *why;

	if (options && configure(o, options, &error))
		return give_up(o, "%s: %s", o->cell.backend->name, error.text);
	why = lf_cell_unavailable(&o->cell);
	if (why)
		return give_up(o, "%s: %s", o->cell.backend->name, why);
	o->run = lf_shared_new(sizeof *o->run);
	o->observation = lf_shared_new(sizeof *o->observation);
	if (!o->run || !o->observation)
		return give_up(o, "no memory for a run of %s", o->cell.backend->name);
	for (int i = 0; i < ATTEMPTS; i++) {
		if (observe_once(o, &error))
			return give_up(o, "%s: %s", o->cell.backend->name, error.text);
		if (o->judgement.verdict != LF_VERDICT_INCONCLUSIVE)
			break;
	}
	return o;
}

/* The scenario of "pingpong/uni/rr/threads". */
static const struct lf_scenario *scenario_of(const char *id)
{
	char name[64];
	size_t length = strcspn(id, "/");

	if (length >= sizeof name)
		return NULL;
	memcpy(name, id, length);
	name[length] = 0;
	return lf_scenario_find(name);
}

struct lf_outcome *lf_observe(const struct lf_backend *backend, const char *scenario,
			      const struct lf_observe_options *options)
{
	struct lf_outcome *o = calloc(1, sizeof *o);
	const struct lf_scenario *s = scenario_of(scenario);
	const char *values = strchr(scenario, '/');
	struct lf_error error;
	char form[96];

	if (!o)
		return &no_memory;
	if (lf_backend_check(backend, &error))
		return give_up(o, "%s", error.text);
	if (!s)
		return give_up(o, "no scenario is named \"%s\"; `lockfair list scenarios` "
			       "lists them", scenario);
	if (!(s->kinds & (1u << backend->kind)))
		return give_up(o, "%s does not judge a %s", s->name, lf_kind_name(backend->kind));
	o->entry.backend = backend;
	lf_cell_init(&o->cell, &o->entry, s, &lf_engine_threads);
	if (values && !lf_point_parse(s, values, &o->cell.point))
		return give_up(o, "\"%s\" is no cell of %s; give %s", scenario, s->name,
			       lf_point_form(s, form, sizeof form));
	return observe(o, options);
}

void lf_outcome_free(struct lf_outcome *o)
{
	if (o == &no_memory)
		return;
	/* Threads that never came back still write to these. */
	if (!o->observation || !threads_are_left(o->observation)) {
		lf_shared_free(o->run, sizeof *o->run);
		lf_shared_free(o->observation, sizeof *o->observation);
	}
	free(o);
}

const struct lf_observation *lf_outcome_observation(const struct lf_outcome *o)
{
	return o->observation;
}

/* What stands before every check. True: *ret_message is the answer. */
static bool is_settled(struct lf_outcome *o, const char **ret_message)
{
	*ret_message = o->message;
	if (o->broken)
		return true;
	if (o->judgement.verdict != LF_VERDICT_INCONCLUSIVE)
		return false;
	*ret_message = o->tolerate ? NULL :
		say(o, "inconclusive in %d attempts: %s", ATTEMPTS, o->judgement.reason);
	return true;
}

const char *lf_check_claims(struct lf_outcome *o)
{
	const char *message;
	if (is_settled(o, &message))
		return message;
	return o->judgement.verdict == LF_VERDICT_PASS ? NULL :
		say(o, "%s", o->judgement.reason);
}

/* Safety convicts whatever else the machine did. */
static const char *check_safety(struct lf_outcome *o, enum lf_metric m)
{
	if (o->broken)
		return o->message;
	for (unsigned i = 0; i < o->judgement.n; i++) {
		const struct lf_assertion *a = &o->judgement.assertion[i];
		if (a->metric == m && !a->holds)
			return say(o, "%s: %.0f %s, at most %.0f (n=%llu)", lf_metric_name(m),
				   a->value, lf_metric_unit(m), a->bound,
				   (unsigned long long)a->n);
	}
	return NULL;
}

const char *lf_check_exclusion(struct lf_outcome *o)
{
	return check_safety(o, LF_METRIC_EXCLUSION);
}

const char *lf_check_progress(struct lf_outcome *o)
{
	return check_safety(o, LF_METRIC_PROGRESS);
}

const char *lf_check_overtakes(struct lf_outcome *o, const char *role, uint64_t most)
{
	const char *message;
	uint64_t worst = o->broken ? 0 : lf_metric_overtakes(o->observation, role);
	uint64_t confirmed = o->broken ? 0 : lf_metric_confirmed(o->observation, role);

	/* A waiter that was overtaken too often convicts, conclusive or not. */
	if (worst <= most && is_settled(o, &message))
		return message;
	if (confirmed == 0)
		return say(o, "no wait of %s was confirmed to be queued: nothing to bound",
			   role ? role : "anybody");
	if (worst <= most)
		return NULL;
	return say(o, "overtakes of %s: %llu grants, at most %llu (n=%llu confirmed waits)",
		   role ? role : "a queued thread", (unsigned long long)worst,
		   (unsigned long long)most, (unsigned long long)confirmed);
}

const char *lf_check_order(struct lf_outcome *o)
{
	const char *message;
	if (is_settled(o, &message))
		return message;
	const struct lf_order *order = &o->observation->order;
	if (order->rounds == 0)
		return say(o, "no waiters were staged: use scenario order");
	if (order->inversions == 0)
		return NULL;
	return say(o, "inversions: %llu pairs in %llu of %llu rounds, at most 0",
		   (unsigned long long)order->inversions,
		   (unsigned long long)order->disordered,
		   (unsigned long long)order->rounds);
}

const char *lf_check_grants(struct lf_outcome *o, const char *role, uint64_t least)
{
	unsigned seen = 0;
	const char *message;
	if (is_settled(o, &message))
		return message;
	for (unsigned i = 0; i < o->observation->threads; i++) {
		const struct lf_thread_observation *t = &o->observation->thread[i];
		seen += lf_has_role(t, role);
		if (lf_has_role(t, role) && t->grants < least)
			return say(o, "grants of %s %u: %llu, at least %llu (n=%llu requests)",
				   t->role, t->role_index, (unsigned long long)t->grants,
				   (unsigned long long)least, (unsigned long long)t->requests);
	}
	return seen ? NULL : say(o, "no thread has the role %s", role);
}

const char *lf_check_lead(struct lf_outcome *o, unsigned steps_per_round, uint64_t most)
{
	const char *message;
	if (is_settled(o, &message))
		return message;
	uint64_t steps = o->observation->steps.length;
	if (steps_per_round == 0 || steps < steps_per_round)
		return say(o, "%llu steps are less than a round: nothing to bound",
			   (unsigned long long)steps);
	uint64_t lead = lf_metric_lead(o->observation, steps_per_round);
	return lead <= most ? NULL :
		say(o, "lead: %llu rounds, at most %llu (n=%llu steps)",
		    (unsigned long long)lead, (unsigned long long)most,
		    (unsigned long long)steps);
}

const char *lf_check_wait(struct lf_outcome *o, const char *role, double part,
			  uint64_t bound_ns)
{
	struct lf_histogram waits;
	const char *message;
	if (is_settled(o, &message))
		return message;
	lf_metric_waits(o->observation, role, &waits);
	if (waits.count == 0)
		return say(o, "no wait of %s was timed: nothing to bound",
			   role ? role : "anybody");
	uint64_t value = lf_histogram_quantile(&waits, part);
	return value <= bound_ns ? NULL :
		say(o, "wait p%g of %s: %.3f ms, at most %.3f ms (n=%llu)", part * 100,
		    role ? role : "all", (double)value / 1e6, (double)bound_ns / 1e6,
		    (unsigned long long)waits.count);
}

const char *lf_check_share(struct lf_outcome *o, double least)
{
	uint64_t sum = 0, low = UINT64_MAX;
	const char *message;
	if (is_settled(o, &message))
		return message;
	unsigned n = o->observation->threads;
	for (unsigned i = 0; i < n; i++) {
		uint64_t grants = o->observation->thread[i].grants;
		sum += grants;
		low = grants < low ? grants : low;
	}
	double share = sum ? (double)low * n / (double)sum : 0;
	return share >= least ? NULL :
		say(o, "smallest share of the grants: %.3f of an equal one, at least %.3f "
		    "(n=%llu grants)", share, least, (unsigned long long)sum);
}

void lf_outcome_expect(struct lf_outcome *o, const char *file, int line, const char *message)
{
	size_t used = strlen(o->violations);
	if (message)
		snprintf(o->violations + used, sizeof o->violations - used, "%s%s:%d: %s",
			 used ? "\n" : "", file, line, message);
}

const char *lf_outcome_violations(const struct lf_outcome *o)
{
	return o->violations[0] ? o->violations : NULL;
}
