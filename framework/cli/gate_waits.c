/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layer B: are waits as short as they are to be? */
#include "cli/gate.h"

#include "engine/engine.h"
#include "gate/waits.h"
#include "report/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLD_NS 50000
#define PAUSE_NS 500000
#define SAMPLES 500
#define CAP_NS UINT64_C(6000000000)

/* Of claims: scheduling and the holder's last unit of work come on top. */
#define QUANTA_PER_THREAD 3
#define CLAIM_PART 0.9

static const struct lf_role no_roles[] = { { .name = NULL } };
static const struct lf_scenario waits_scenario = {
	.name = "waits", .summary = "how long does a thread wait that asks now and then?",
	.roles = no_roles,
};

/* What is asked for, or else what is claimed. False: neither. */
static bool limit_of(const struct lf_gate_options *o, const struct lf_claim *c,
		     struct lf_waits *ret)
{
	*ret = (struct lf_waits){ .limit_ns = o->wait_limit_ns, .part = o->wait_part };
	if (ret->limit_ns)
		return true;
	ret->part = CLAIM_PART;
	if (c->set & LF_CLAIM_QUANTUM)
		ret->limit_ns = c->quantum_ns * QUANTA_PER_THREAD * o->threads;
	else if (c->set & LF_CLAIM_EVENTUAL && c->handoff_ns)
		ret->limit_ns = c->handoff_ns + 2 * HOLD_NS;
	return ret->limit_ns != 0;
}

static const char *unable(const struct lf_gate *gate, const struct lf_backend *b)
{
	int cpu[LF_MAX_THREADS];

	if (!(b->engines & LF_ON_THREADS))
		return "it does not run on real threads";
	if (!lf_ops_of(b).acquire || !lf_ops_of(b).release)
		return "locks of its kind are not judged by their waits";
	if (lf_child_cpus(cpu) < gate->options->threads)
		return "each thread needs a CPU of its own here: a wait for a CPU is no "
		       "excuse where there are too few of them; lockfair doctor tells more";
	return NULL;
}

static enum lf_verdict measure(struct lf_gate *gate, const struct lf_entry *e,
			       const char *side, struct lf_waits *w, char *reason,
			       size_t size)
{
	struct lf_waits_plan plan = {
		.side = side, .backend = e->backend, .threads = gate->options->threads,
		.hold_ns = HOLD_NS, .pause_ns = PAUSE_NS, .samples = SAMPLES,
		.cap_ns = CAP_NS, .seed = gate->options->run.seed,
	};
	struct lf_error error = { "" };
	enum lf_child_end end;

	lf_gate_params(gate, e, plan.param, NULL);
	lf_progress_say(&gate->progress, "%s: how long it lets a thread wait",
			e->backend->name);
	end = lf_waits_measure(&plan, w, gate->interrupted, &error);
	lf_progress_clear(&gate->progress);
	if (end == LF_CHILD_GOING || end == LF_CHILD_LATE)
		return lf_waits_verdict(w, reason, size);
	snprintf(reason, size, "%s", error.text);
	return end == LF_CHILD_DIED || end == LF_CHILD_HUNG ? LF_VERDICT_FAIL :
		end == LF_CHILD_INTERRUPTED ? LF_VERDICT_INCONCLUSIVE : LF_VERDICT_ERROR;
}

static json_t *waits_json(const struct lf_waits *w)
{
	json_t *o = json_object();

	lf_json_put(&o, "limit_ns", lf_json_count(w->limit_ns));
	lf_json_put(&o, "part", json_real(w->part));
	lf_json_put(&o, "samples", lf_json_count(w->samples));
	lf_json_put(&o, "above", lf_json_count(w->above));
	lf_json_put(&o, "excused", lf_json_count(w->excused));
	lf_json_put(&o, "own_delay_ns", lf_json_count(w->own_delay_ns));
	lf_json_put(&o, "holder_off_ns", lf_json_count(w->holder_off_ns));
	lf_json_put(&o, "worst_net_ns", lf_json_count(w->worst_net_ns));
	return o;
}

static void judge(const struct lf_waits *w, bool claimed, struct lf_result *r)
{
	struct lf_judgement *j = &r->judgement;
	uint64_t wrong = w->above - w->excused;

	j->required = true;
	lf_judge_at_most(j, LF_METRIC_WAITS_ABOVE,
			 claimed ? LF_ORIGIN_CLAIM : LF_ORIGIN_REQUIREMENT,
			 (double)wrong, (1 - w->part) * (double)w->samples, w->samples, NULL);
	j->assertion[j->n - 1].holds = j->verdict != LF_VERDICT_FAIL;
}

/* What base fails as well is no fault of the change. */
static const struct lf_expectation *known(struct lf_gate *gate,
					  const struct lf_gate_lock *lock,
					  const struct lf_waits *w, enum lf_verdict verdict)
{
	struct lf_waits base = { .limit_ns = w->limit_ns, .part = w->part };
	char unused[256];

	if (verdict != LF_VERDICT_FAIL || !lock->base.backend)
		return NULL;
	return lf_gate_known(verdict, lf_verdict_name(
		measure(gate, &lock->base, LF_SIDE_BASE, &base, unused, sizeof unused)));
}

static int leave_out(struct lf_gate *gate, const struct lf_gate_lock *lock,
		     const char *reason, struct lf_result *r)
{
	lf_gate_skip(r, reason);
	return lf_gate_keep(gate, lf_gate_record(gate, lock, &waits_scenario, r, NULL, "B"),
			    lf_gate_key("B", lock->name, 1, NULL));
}

static int judge_lock(struct lf_gate *gate, const struct lf_gate_lock *lock,
		      struct lf_waits *w, struct lf_result *r)
{
	struct lf_judgement *j = &r->judgement;
	json_t *earlier = json_array(), *key;
	unsigned attempt = 1;
	bool claimed = gate->options->wait_limit_ns == 0;

	for (;; attempt++) {
		struct lf_waits now = { .limit_ns = w->limit_ns, .part = w->part };
		j->verdict = measure(gate, &lock->head, LF_SIDE_HEAD, &now, j->reason,
				     sizeof j->reason);
		if (j->verdict != LF_VERDICT_INCONCLUSIVE || !lf_gate_again(gate, attempt)) {
			*w = now;
			break;
		}
		lf_json_add(&earlier, json_pack("{s:s, s:s}", "verdict", "inconclusive",
						"reason", j->reason));
	}
	if (j->verdict == LF_VERDICT_ERROR)
		snprintf(r->error, sizeof r->error, "%s", j->reason);
	judge(w, claimed, r);
	key = lf_gate_key("B", lock->name, attempt, earlier);
	lf_json_put(&key, "waits", waits_json(w));
	return lf_gate_keep(gate, lf_gate_record(gate, lock, &waits_scenario, r,
						 known(gate, lock, w, j->verdict), "B"),
			    key);
}

int lf_gate_waits(struct lf_gate *gate)
{
	struct lf_result *r = malloc(sizeof *r);
	int code = r ? 0 : lf_error_set(&gate->error, -ENOMEM, "out of memory");

	for (size_t i = 0; code == 0 && i < gate->n; i++) {
		const struct lf_gate_lock *lock = &gate->lock[i];
		const char *reason = unable(gate, lock->head.backend);
		struct lf_cell cell;
		struct lf_waits w;
		lf_cell_init(&cell, &lock->head, &waits_scenario, &lf_engine_threads);
		lf_gate_params(gate, &lock->head, cell.param, NULL);
		lf_cell_refine(&cell);
		if (!reason && !limit_of(gate->options, &cell.claim, &w))
			reason = "it claims no time; --wait-limit p99:2ms would be one";
		memset(r, 0, sizeof *r);
		code = reason ? leave_out(gate, lock, reason, r) :
			judge_lock(gate, lock, &w, r);
		if (code == 0 && *gate->interrupted)
			code = -EINTR;
	}
	free(r);
	return code;
}
