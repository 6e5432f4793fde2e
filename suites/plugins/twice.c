/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two locks of one name. */
#include "flag.h"

LF_BACKEND(one) = { FLAG, .name = "bad/twice", .mutex = &flag_ops };
LF_BACKEND(two) = { FLAG, .name = "bad/twice", .mutex = &flag_ops };
LF_PLUGINS(LF_USE(one), LF_USE(two));
