/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of a built-in lock. */
#include "flag.h"

LF_BACKEND(flag) = { FLAG, .name = "ticket", .mutex = &flag_ops };
LF_PLUGIN(flag);
