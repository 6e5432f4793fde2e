/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Crashes in a constructor, before anybody has looked at it. */
#include "flag.h"

#include <stdlib.h>

__attribute__((constructor))
static void crash(void)
{
	abort();
}

LF_BACKEND(flag) = { FLAG, .name = "bad/crash_at_load", .mutex = &flag_ops };
LF_PLUGIN(flag);
