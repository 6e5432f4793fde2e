/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A correct lock, a test-and-set flag that yields, from which the plug-ins of
 * this folder are made: each is this lock with one thing wrong.
 */
#ifndef LF_PLUGINS_FLAG_H
#define LF_PLUGINS_FLAG_H

#include <lockfair/backend.h>

#include <sched.h>
#include <stdatomic.h>

struct flag {
	atomic_int taken;
};

static inline int flag_init(void *lock, const int64_t param[])
{
	struct flag *f = lock;

	(void)param;
	atomic_init(&f->taken, 0);
	return 0;
}

static inline void flag_acquire(void *lock, struct lf_thread *t)
{
	struct flag *f = lock;

	(void)t;
	/* pairs with the release in flag_release() */
	while (atomic_exchange_explicit(&f->taken, 1, memory_order_acquire))
		sched_yield();
}

static inline void flag_release(void *lock, struct lf_thread *t)
{
	struct flag *f = lock;

	(void)t;
	atomic_store_explicit(&f->taken, 0, memory_order_release);
}

static const struct lf_mutex_ops flag_ops = {
	.init = flag_init, .acquire = flag_acquire, .release = flag_release,
};

/* What every descriptor has; what a plug-in sets after it wins. */
#define FLAG                                                                   \
	.abi = LF_ABI, .summary = "test-and-set flag that yields",             \
	.kind = LF_MUTEX, .engines = LF_ON_THREADS,                            \
	.lock_size = sizeof(struct flag)

#endif
