/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls exit(0) in acquire, which most test frameworks take for a pass. */
#include "flag.h"

#include <stdlib.h>

static void acquire(void *lock, struct lf_thread *t)
{
	flag_acquire(lock, t);
	exit(0);
}

static const struct lf_mutex_ops ops = {
	.init = flag_init, .acquire = acquire, .release = flag_release,
};

LF_BACKEND(flag) = { FLAG, .name = "bad/exit", .mutex = &ops };
LF_PLUGIN(flag);
