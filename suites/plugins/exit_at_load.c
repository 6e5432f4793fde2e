/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends the process in a constructor, and calls that a success. */
#include "flag.h"

#include <unistd.h>

__attribute__((constructor))
static void leave(void)
{
	_exit(0);
}

LF_BACKEND(flag) = { FLAG, .name = "bad/exit_at_load", .mutex = &flag_ops };
LF_PLUGIN(flag);
