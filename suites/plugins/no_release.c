/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lacks an op. */
#include "flag.h"

static const struct lf_mutex_ops ops = { .init = flag_init, .acquire = flag_acquire };

LF_BACKEND(flag) = { FLAG, .name = "bad/no_release", .mutex = &ops };
LF_PLUGIN(flag);
