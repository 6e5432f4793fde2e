/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layer C: is the new lock as fast as the old one, in turns and in one process? */
#include "cli/gate.h"

#include "cli/place.h"
#include "engine/engine.h"
#include "gate/record.h"
#include "report/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_NS 2000000
#define HOLD_NS 2000
#define THINK_NS 1000
#define CAP_NS UINT64_C(20000000000)

/* The shared object with the built-in locks, of which copies can be loaded. */
#define MODULE "backends.so"

static const struct lf_role no_roles[] = { { .name = NULL } };
static const unsigned two_and_more[] = { 2 };
static const struct lf_scenario change_scenario = {
	.name = "change", .summary = "is the new lock as fast as the old one?",
	.roles = no_roles, .sweep = { two_and_more, 1 },
};

static const char *module(void)
{
	static char folder[PATH_MAX], path[PATH_MAX + sizeof MODULE + 1];

	if (path[0] == '\0' && lf_find_place(LF_PLACE_MODULES, MODULE, folder, sizeof folder))
		snprintf(path, sizeof path, "%s/" MODULE, folder);
	return path[0] ? path : NULL;
}

static struct lf_arm arm_of(const struct lf_gate *gate, const struct lf_entry *e)
{
	struct lf_arm arm = {
		.path = e->plugin ? e->plugin : module(),
		.name = lf_plain_name(e->backend->name), .backend = e->backend,
	};

	lf_gate_params(gate, e, arm.param, NULL);
	return arm;
}

static const char *unable_side(const struct lf_backend *b)
{
	struct lf_ops ops = lf_ops_of(b);

	if (!(b->engines & LF_ON_THREADS))
		return "it does not run on real threads";
	return ops.acquire && ops.release ? NULL :
		"it is no lock that is taken and let go of, and has no speed to compare";
}

/* Why no rounds can be run, or NULL. */
static const char *unable(const struct lf_gate *gate, const struct lf_gate_lock *lock)
{
	static char text[160];
	int cpu[LF_MAX_THREADS];
	unsigned cpus = lf_child_cpus(cpu);
	const char *why;

	if (!lock->base.backend)
		return "base has no such lock, so there is nothing to compare with";
	why = unable_side(lock->base.backend);
	if (!why)
		why = unable_side(lock->head.backend);
	if (why || cpus >= gate->options->threads)
		return why;
	snprintf(text, sizeof text, "%u threads need as many CPUs, and this process may use "
		 "%u; lockfair doctor tells more", gate->options->threads, cpus);
	return text;
}

static void make_options(const struct lf_gate *gate, const struct lf_gate_lock *lock,
			 struct lf_trial_options *ret)
{
	*ret = (struct lf_trial_options){
		.rule = gate->options->rule, .cap_ns = CAP_NS,
		.claims_sleep = lock->base.backend->claim.set & LF_CLAIM_SLEEPS,
		.interrupted = gate->interrupted,
		.plan = { .threads = gate->options->threads, .round_ns = ROUND_NS,
			  .hold_ns = HOLD_NS, .think_ns = THINK_NS,
			  .realtime = !gate->options->no_realtime },
	};
	ret->plan.arm[LF_ARM_BASE] = ret->plan.arm[LF_ARM_CONTROL] = arm_of(gate, &lock->base);
	ret->plan.arm[LF_ARM_HEAD] = arm_of(gate, &lock->head);
}

static int leave_out(struct lf_gate *gate, const struct lf_gate_lock *lock,
		     const char *reason, struct lf_result *r)
{
	lf_gate_skip(r, reason);
	return lf_gate_keep(gate, lf_gate_record(gate, lock, &change_scenario, r, NULL, "C"),
			    lf_gate_key("C", lock->name, 1, NULL));
}

static int compare(struct lf_gate *gate, const struct lf_gate_lock *lock,
		   struct lf_comparison *c, struct lf_result *r)
{
	struct lf_trial_options o;
	json_t *earlier = json_array(), *key;
	unsigned attempt = 1;

	make_options(gate, lock, &o);
	for (;; attempt++) {
		lf_progress_say(&gate->progress, "%s: head against base, attempt %u of %u",
				lock->name, attempt, gate->options->attempts);
		lf_comparison_run(&o, gate->options->run.seed + attempt - 1, c);
		if (c->verdict != LF_VERDICT_INCONCLUSIVE || *gate->interrupted ||
		    !lf_gate_again(gate, attempt))
			break;
		lf_json_add(&earlier, json_pack("{s:s, s:s}", "verdict", "inconclusive",
						"reason", c->reason));
	}
	lf_progress_clear(&gate->progress);
	lf_change_judge(c, &o, &r->judgement);
	if (c->verdict == LF_VERDICT_ERROR)
		snprintf(r->error, sizeof r->error, "%s", c->reason);
	r->wall_ns = c->trial.took_ns + c->confirmation.took_ns;
	key = lf_gate_key("C", lock->name, attempt, earlier);
	lf_json_put(&key, "change", lf_change_json(c, &o));
	return lf_gate_keep(gate, lf_gate_record(gate, lock, &change_scenario, r, NULL, "C"),
			    key);
}

int lf_gate_changes(struct lf_gate *gate)
{
	struct lf_comparison *c = malloc(sizeof *c);
	struct lf_result *r = malloc(sizeof *r);
	int code = c && r ? 0 : lf_error_set(&gate->error, -ENOMEM, "out of memory");

	for (size_t i = 0; code == 0 && i < gate->n; i++) {
		const struct lf_gate_lock *lock = &gate->lock[i];
		const char *reason = unable(gate, lock);
		memset(r, 0, sizeof *r);
		code = reason ? leave_out(gate, lock, reason, r) :
			compare(gate, lock, c, r);
		if (code == 0 && *gate->interrupted)
			code = -EINTR;
	}
	free(c);
	free(r);
	return code;
}
