/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C library's mutex; with -DSLOW_LOOPS=N it is let go of later. */
#include "fixtures/locks/pthread.c"

#include "slow.h"

static void slow_release(void *lock, struct lf_thread *t)
{
	be_slow();
	pthread_release(lock, t);
}

static const struct lf_mutex_ops slow_ops = {
	.init = pthread_init_normal, .destroy = pthread_destroy,
	.acquire = pthread_acquire, .release = slow_release,
	.try_acquire = pthread_try_acquire, .timed_acquire = pthread_timed_acquire,
};

LF_BACKEND(slow_mutex) = {
	.abi = LF_ABI, .kind = LF_MUTEX, .name = "mutex-copy",
	.summary = "the C library's normal mutex, once more",
	.claim = { .set = LF_CLAIM_SLEEPS }, .engines = LF_ON_ALL,
	.lock_size = sizeof(pthread_mutex_t), .mutex = &slow_ops,
};
LF_PLUGIN(slow_mutex);
