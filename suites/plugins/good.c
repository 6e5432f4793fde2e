/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two locks with nothing wrong, one of them with a parameter. */
#include "flag.h"

static const struct lf_param params[] = {
	{ "spin", 10, 0, 1000, "spins", "spins before it yields" },
	{ 0 },
};

LF_BACKEND(plain) = { FLAG, .name = "good/plain", .mutex = &flag_ops };
LF_BACKEND(tuned) = {
	FLAG, .name = "good/tuned", .params = params, .mutex = &flag_ops,
};
LF_PLUGINS(LF_USE(plain), LF_USE(tuned));
