/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A default outside its own range. */
#include "flag.h"

static const struct lf_param params[] = {
	{ "spin", 10, 20, 30, "spins", "spins before it yields" },
	{ 0 },
};

LF_BACKEND(flag) = {
	FLAG, .name = "bad/param", .params = params, .mutex = &flag_ops,
};
LF_PLUGIN(flag);
