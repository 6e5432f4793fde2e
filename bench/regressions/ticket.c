/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The built-in ticket lock; with -DSLOW_LOOPS=N its hand-over is slower. */
#define LF_TEMPLATE
#include "fixtures/locks/ticket.c"

#include "slow.h"

static void slow_release(void *lock, struct lf_thread *t)
{
	be_slow();
	ticket_release(lock, t);
}

static const struct lf_mutex_ops slow_ops = {
	.init = ticket_init, .acquire = ticket_acquire, .release = slow_release,
	.try_acquire = ticket_try_acquire, .waiters = ticket_waiters,
};

LF_BACKEND(slow_ticket) = {
	.abi = LF_ABI, .kind = LF_MUTEX, .name = "ticket-copy",
	.summary = "the built-in ticket lock, compiled again",
	.claim = { .set = LF_CLAIM_FIFO }, .params = ticket_params,
	.engines = LF_ON_ALL, .lock_size = sizeof(struct ticket), .mutex = &slow_ops,
};
LF_PLUGIN(slow_ticket);
