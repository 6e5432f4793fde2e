/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Crashes in acquire. */
#include "flag.h"

#include <signal.h>

static void acquire(void *lock, struct lf_thread *t)
{
	flag_acquire(lock, t);
	raise(SIGSEGV);
}

static const struct lf_mutex_ops ops = {
	.init = flag_init, .acquire = acquire, .release = flag_release,
};

LF_BACKEND(flag) = { FLAG, .name = "bad/crash", .mutex = &ops };
LF_PLUGIN(flag);
