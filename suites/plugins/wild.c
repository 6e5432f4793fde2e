/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pointer in the descriptor that leads nowhere. */
#include "flag.h"

LF_BACKEND(flag) = {
	FLAG, .name = "bad/wild", .mutex = (const struct lf_mutex_ops *)16,
};
LF_PLUGIN(flag);
