/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Never comes back from acquire, asleep, though nobody holds the lock. */
#include "flag.h"

#include <unistd.h>

static void acquire(void *lock, struct lf_thread *t)
{
	(void)lock;
	(void)t;
	for (;;)
		pause();
}

static const struct lf_mutex_ops ops = {
	.init = flag_init, .acquire = acquire, .release = flag_release,
};

LF_BACKEND(flag) = { FLAG, .name = "bad/hang", .mutex = &ops };
LF_PLUGIN(flag);
