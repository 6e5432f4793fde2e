/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate/rounds.h"

#include "engine/engine.h"
#include "gate/futex.h"

#include <errno.h>
#include <math.h>

/* No round takes longer than this, however busy the machine is. */
#define HANG_MS 10000

const struct lf_round_metric_info lf_round_metric_info[LF_ROUND_METRICS] = {
#define X(id, name, unit, may_fail, larger, text) { name, unit, text, may_fail, larger },
	LF_ROUND_METRIC_MAP(X)
#undef X
};

/* Whose code an arm is. */
static const char *const side_name[LF_ARMS] = {
	[LF_ARM_BASE] = "base", [LF_ARM_HEAD] = "head", [LF_ARM_CONTROL] = "base",
};

double lf_round_ratio(const struct lf_round *old, const struct lf_round *new,
		      enum lf_round_metric m)
{
	double ratio = new->value[m] / old->value[m];

	if (!(ratio > 0) || !isfinite(ratio))
		return NAN;
	return lf_round_metric_info[m].larger_is_better ? -log(ratio) : log(ratio);
}

bool lf_round_is_poor(const struct lf_round *r, enum lf_round_metric m)
{
	if (m == LF_ROUND_HANDOVER)
		return r->handovers < LF_ROUND_HANDOVERS_MIN;
	return (m == LF_ROUND_WAIT_P50 || m == LF_ROUND_WAIT_P99) &&
	       r->grants < LF_ROUND_WAITS_MIN;
}

int lf_rounds_start(struct lf_rounds *r, const struct lf_rounds_plan *plan,
		    struct lf_error *error)
{
	struct lf_arena_context context = { plan, lf_shared_new(sizeof *context.memory) };
	int code;

	*r = (struct lf_rounds){ .memory = context.memory };
	if (!r->memory)
		return lf_error_set(error, -ENOMEM, "no memory for the rounds");
	r->child = (struct lf_child){
		.state = &r->memory->state, .side_name = side_name,
		.hang_ms = plan->hang_ms ? plan->hang_ms : HANG_MS,
	};
	code = lf_child_start(&r->child, lf_arena_main, &context, error);
	if (code < 0)
		lf_rounds_stop(r);
	return code;
}

enum lf_child_end lf_rounds_until(struct lf_rounds *r, unsigned cycles, uint64_t until_ns,
				  const volatile sig_atomic_t *interrupted,
				  struct lf_error *error)
{
	struct lf_rounds_memory *m = r->memory;
	enum lf_child_end end = LF_CHILD_GOING;
	uint32_t done;

	atomic_store(&m->quota, cycles);
	lf_futex_wake(&m->quota);
	while (end == LF_CHILD_GOING && (done = atomic_load(&m->done)) < cycles) {
		lf_futex_wait(&m->done, done, LF_CHILD_LOOK_MS);
		if (atomic_load(&m->done) == done)
			end = lf_child_look(&r->child, until_ns, interrupted, error);
	}
	return end;
}

void lf_rounds_stop(struct lf_rounds *r)
{
	lf_child_stop(&r->child);
	lf_shared_free(r->memory, sizeof *r->memory);
	*r = (struct lf_rounds){ 0 };
}
