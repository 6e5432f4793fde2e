/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The built-in queued mutex, which with patience 0 serves in order of arrival and
 * says so. With -DLIFO newcomers go in front of the queue; with -DBARGING a release
 * frees the lock, and whoever happens to come by takes it.
 */
#ifdef LIFO
#define HANDOFF_BEHIND(waiter) false
#endif
#define LF_TEMPLATE
#include "fixtures/locks/handoff.c"

#ifdef BARGING
#define PATIENCE 1000
#else
#define PATIENCE 0
#endif

static const struct lf_param queue_params[HANDOFF_PARAMS + 1] =
	HANDOFF_PARAMS_WITH(PATIENCE);

LF_BACKEND(queue_copy) = {
	.abi = LF_ABI, .kind = LF_MUTEX, .name = "queue-copy",
	.summary = "the built-in queued mutex, first come, first served",
	.claim = { .set = LF_CLAIM_FIFO | LF_CLAIM_SLEEPS },
	.params = queue_params, .engines = LF_ON_ALL,
	.lock_size = sizeof(struct handoff), .thread_size = sizeof(struct handoff_waiter),
	.mutex = &handoff_ops,
};
LF_PLUGIN(queue_copy);
