/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Layer A: everything that head claims, by counts, on both engines; base runs the
 * same cells, so that what is newly broken can be told from what was broken before.
 */
#include "cli/cells.h"
#include "cli/gate.h"
#include "engine/engine.h"
#include "report/baseline.h"
#include "report/json.h"
#include "run/campaign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct claims {
	struct lf_gate *gate;
	struct lf_cells cells;
	bool *again;        /* of each cell: is it to be run in the next attempt? */
	json_t *records;    /* of this attempt and those before it */
	unsigned attempt;
	bool failed;
};

static bool is_side(const struct lf_cell *cell, const char *side)
{
	size_t length = strlen(side);

	return strncmp(cell->backend->name, side, length) == 0 &&
	       cell->backend->name[length] == ':';
}

/* --- What was promised ---------------------------------------------------------- */

static const struct lf_scenario claim_scenario = {
	.name = "claim", .summary = "does the new lock promise what the old one did?",
};

static unsigned dropped(const struct lf_claim *base, const struct lf_claim *head)
{
	unsigned gone = base->set & ~head->set, n = 0;

	for (; gone; gone &= gone - 1)
		n++;
	n += (base->set & head->set & (LF_CLAIM_BYPASS | LF_CLAIM_EVENTUAL)) &&
	     head->overtakes > base->overtakes;
	n += base->set & head->set & LF_CLAIM_EVENTUAL &&
	     head->handoff_ns > base->handoff_ns;
	n += base->set & head->set & LF_CLAIM_QUANTUM &&
	     head->quantum_ns > base->quantum_ns;
	return n;
}

static int keep_claim(struct claims *c, const struct lf_cell *cell, unsigned n,
		      const char *reason)
{
	struct lf_gate *gate = c->gate;
	struct lf_result *r = calloc(1, sizeof *r);
	json_t *record;

	if (!r)
		return lf_error_set(&gate->error, -ENOMEM, "out of memory");
	lf_judge_at_most(&r->judgement, LF_METRIC_CLAIMS_DROPPED, LF_ORIGIN_CLAIM, n, 0, 1,
			 NULL);
	r->judgement.verdict = r->judgement.assertion[0].holds ? LF_VERDICT_PASS :
		LF_VERDICT_FAIL;
	snprintf(r->judgement.reason, sizeof r->judgement.reason, "%s", reason);
	atomic_store(&r->state, LF_RESULT_JUDGED);
	record = lf_record_make(cell, r,
				lf_expected_of(&gate->expected, cell,
					       gate->options->run.command), "", NULL, "");
	free(r);
	lf_json_put(&record, "gate",
		    lf_gate_key("A", lf_plain_name(cell->backend->name), 1, NULL));
	if (record && json_array_append_new(c->records, record) == 0)
		return 0;
	return lf_error_set(&gate->error, -ENOMEM, "out of memory");
}

/* A lock that takes a promise back keeps everything that is left. */
static int compare_claims(struct claims *c, const struct lf_gate_lock *lock)
{
	struct lf_cell base, head;
	char was[128], is[128], reason[300];

	lf_cell_init(&base, &lock->base, &claim_scenario, &lf_engine_threads);
	lf_cell_init(&head, &lock->head, &claim_scenario, &lf_engine_threads);
	snprintf(reason, sizeof reason, "it promised %s, and now promises %s",
		 lf_claim_text(&base.claim, was, sizeof was),
		 lf_claim_text(&head.claim, is, sizeof is));
	return keep_claim(c, &head, dropped(&base.claim, &head.claim), reason);
}

/* Who takes the lock itself away, or gives it another name, takes back all of it, and
 * the lock too where that promised nothing. */
static int miss_lock(struct claims *c, const struct lf_entry *gone)
{
	static const struct lf_claim nothing;
	struct lf_cell base;

	lf_cell_init(&base, gone, &claim_scenario, &lf_engine_threads);
	return keep_claim(c, &base, dropped(&base.claim, &nothing) + 1, "base has it and "
			  "head has not; if it was meant to go, or has a new name, a "
			  "waiver of this cell says so");
}

/* --- What base did, too --------------------------------------------------------- */

/* The record of the same cell on the other side, whose name is given. */
static json_t *counterpart(const struct claims *c, const char *backend, const char *id,
			   const char *engine)
{
	size_t i;
	json_t *r;

	json_array_foreach(c->records, i, r)
		if (strcmp(lf_json_string(r, "backend"), backend) == 0 &&
		    strcmp(lf_json_string(r, "scenario"), id) == 0 &&
		    strcmp(lf_json_string(r, "engine"), engine) == 0)
			return r;
	return NULL;
}

static const struct lf_gate_lock *lock_of(const struct lf_gate *gate,
					  const struct lf_cell *cell)
{
	for (size_t i = 0; i < gate->n; i++)
		if (gate->lock[i].head.backend == cell->backend)
			return &gate->lock[i];
	return NULL;
}

/* --- Running them --------------------------------------------------------------- */

static int keep(struct claims *c, json_t *record)
{
	json_t *old = counterpart(c, lf_json_string(record, "backend"),
				  lf_json_string(record, "scenario"),
				  lf_json_string(record, "engine"));
	size_t i;
	json_t *r;

	json_array_foreach(c->records, i, r)
		if (r == old)
			return json_array_set_new(c->records, i, record);
	return json_array_append_new(c->records, record);
}

/* What the attempts before came to: those of the old record, and itself. */
static json_t *earlier_of(const struct claims *c, const struct lf_cell *cell)
{
	char id[96];
	json_t *old = counterpart(c, cell->backend->name,
				  lf_cell_scenario_id(cell, id, sizeof id),
				  cell->engine->name);
	json_t *list = old ? json_copy(json_object_get(json_object_get(old, "gate"),
						       "earlier")) : json_array();

	if (old)
		lf_json_add(&list, json_pack("{s:O, s:O}", "verdict",
					     json_object_get(old, "verdict"), "reason",
					     json_object_get(old, "reason")));
	return list;
}

static json_t *make_record(struct claims *c, const struct lf_cell_outcome *outcome)
{
	struct lf_gate *gate = c->gate;
	const struct lf_cell *cell = outcome->cell;
	const struct lf_gate_lock *lock = lock_of(gate, cell);
	const struct lf_expectation *known;
	bool base_side = is_side(cell, LF_SIDE_BASE);
	char command[4096], id[96];
	const char *base = NULL;
	json_t *record, *key;

	lf_progress_clear(&gate->progress);
	known = lf_expected_of(&gate->expected, cell, gate->options->run.command);
	if (lock && lock->base.backend)
		base = lf_json_string(counterpart(c, lock->base.backend->name,
			lf_cell_scenario_id(cell, id, sizeof id), cell->engine->name),
			"verdict");
	if (base && !known)
		known = lf_gate_known(outcome->result->judgement.verdict, base);
	lf_cell_command(cell, &gate->options->run, command, sizeof command);
	record = lf_record_make(cell, outcome->result, known, base_side ?
				lf_control_name(LF_CONTROL_BASE) : outcome->control,
				outcome->control_note, command);
	if (!lock && !base_side)
		return record;
	key = lf_gate_key("A", lf_plain_name(cell->backend->name), c->attempt,
			  earlier_of(c, cell));
	if (!base_side && gate->baseline)
		lf_baseline_apply(gate->baseline, record);
	if (!base_side)
		lf_json_put(&key, "base", base && base[0] ? json_string(base) : json_null());
	lf_json_put(&record, "gate", key);
	return record;
}

/* What another attempt will not replace is on the disk as it ends: head, when it is
 * decided, after what base did. */
static int write_final(struct claims *c, const struct lf_cell_outcome *outcome,
		       json_t *record)
{
	const struct lf_cell *cell = outcome->cell;
	const struct lf_gate_lock *lock = lock_of(c->gate, cell);
	char id[96];
	int r = 0;

	if (!lock || outcome->control[0] ||
	    outcome->result->judgement.verdict == LF_VERDICT_INCONCLUSIVE)
		return 0;
	if (lock->base.backend)
		r = lf_gate_write(c->gate, counterpart(c, lock->base.backend->name,
			lf_cell_scenario_id(cell, id, sizeof id), cell->engine->name));
	return r < 0 ? r : lf_gate_write(c->gate, record);
}

/* One failure decides, and so does what cannot be run at all; the rest is for those who
 * want to see all of it. */
static int ended(void *context, const struct lf_cell_outcome *outcome)
{
	struct claims *c = context;
	json_t *record = make_record(c, outcome);

	if (!record || keep(c, record) < 0)
		return lf_error_set(&c->gate->error, -ENOMEM, "out of memory");
	lf_progress_end(&c->gate->progress, outcome->cell);
	if (write_final(c, outcome, record) < 0)
		return -EIO;
	c->failed = lf_record_shown(record)->exit == LF_EXIT_FAIL ||
		(is_side(outcome->cell, LF_SIDE_HEAD) &&
		 lf_record_shown(record)->exit == LF_EXIT_HARNESS);
	return c->failed && !c->gate->options->keep_going ? -ECANCELED : 0;
}

static int planned(void *context, const struct lf_cell *const cell[], size_t n,
		   size_t known)
{
	struct claims *c = context;

	(void)known;
	lf_progress_plan(&c->gate->progress, cell, n);
	return 0;
}

static void begun(void *context, const struct lf_cell *cell, size_t i)
{
	struct claims *c = context;

	lf_progress_begin(&c->gate->progress, cell, i);
}

static void waiting(void *context)
{
	struct claims *c = context;

	lf_progress_show(&c->gate->progress);
}

static int run(struct claims *c)
{
	struct lf_gate *gate = c->gate;
	struct lf_campaign campaign = {
		.interrupted = gate->interrupted, .planned = planned, .begun = begun,
		.waiting = waiting, .ended = ended, .context = c,
		.without_controls = gate->options->run.no_controls,
	};
	struct lf_cell *some = calloc(c->cells.n, sizeof *some);
	size_t missing;
	int r;

	if (!some)
		return lf_error_set(&gate->error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < c->cells.n; i++)
		if (c->again[i])
			some[campaign.n++] = c->cells.cell[i];
	campaign.cell = some;
	r = lf_campaign_run(&campaign, &missing, &gate->error);
	lf_progress_clear(&gate->progress);
	free(some);
	return r;
}

/* Marks what is inconclusive on head, and the same on base. */
static bool mark_open(struct claims *c)
{
	bool any = false;

	for (size_t i = 0; i < c->cells.n; i++) {
		const struct lf_cell *cell = &c->cells.cell[i];
		char id[96], name[LF_NAME_MAX];
		json_t *head = counterpart(c, lf_side_name(LF_SIDE_HEAD,
			lf_plain_name(cell->backend->name), name),
			lf_cell_scenario_id(cell, id, sizeof id), cell->engine->name);
		c->again[i] = strcmp(lf_json_string(head, "verdict"), "inconclusive") == 0;
		any |= c->again[i];
	}
	return any;
}

static int make_cells(struct claims *c)
{
	struct lf_gate *gate = c->gate;
	struct lf_options options = gate->options->run;
	const char **name = calloc(2 * gate->n, sizeof *name);
	int r;

	if (!name)
		return lf_error_set(&gate->error, -ENOMEM, "out of memory");
	options.selector = (struct lf_strings){ .at = name };
	for (size_t i = 0; i < gate->n; i++) {
		if (gate->lock[i].base.backend)
			name[options.selector.n++] = gate->lock[i].base.backend->name;
		name[options.selector.n++] = gate->lock[i].head.backend->name;
	}
	r = lf_cells_make(&c->cells, &options, &gate->error);
	free(name);
	c->again = malloc(c->cells.n + 1);
	if (r == 0 && !c->again)
		return lf_error_set(&gate->error, -ENOMEM, "out of memory");
	for (size_t i = 0; r == 0 && i < c->cells.n; i++)
		c->again[i] = true;
	return r;
}

static int run_attempts(struct claims *c)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->gate->n; i++)
		if (c->gate->lock[i].base.backend)
			r = compare_claims(c, &c->gate->lock[i]);
	for (size_t i = 0; r == 0 && i < c->gate->gone_n; i++)
		r = miss_lock(c, &c->gate->gone[i]);
	do {
		c->attempt++;
		r = r == 0 ? run(c) : r;
	} while (r == 0 && mark_open(c) && lf_gate_again(c->gate, c->attempt));
	return r == -ECANCELED && c->failed ? 0 : r;
}

int lf_gate_claims(struct lf_gate *gate)
{
	struct claims c = { .gate = gate, .records = json_array() };
	int r = make_cells(&c);

	if (r == 0)
		r = run_attempts(&c);
	if (json_array_extend(gate->records, c.records) < 0 && r == 0)
		r = lf_error_set(&gate->error, -ENOMEM, "out of memory");
	json_decref(c.records);
	lf_cells_free(&c.cells);
	free(c.again);
	return r;
}
