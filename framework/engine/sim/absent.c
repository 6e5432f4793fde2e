/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stands in for the simulator where configure found that it cannot be built. */
#include <config.h>

#include "engine/engine.h"

#include <errno.h>

static const char *unavailable(const struct lf_cell *cell)
{
	(void)cell;
	return LF_SIM_UNAVAILABLE;
}

static unsigned variants(const struct lf_cell *cell, unsigned i,
			 struct lf_variant *ret_variant)
{
	(void)cell;
	(void)i;
	(void)ret_variant;
	return 0;
}

static int execute(struct lf_run *run, struct lf_variant *variant, struct lf_error *error)
{
	(void)run;
	(void)variant;
	return lf_error_set(error, -ENOSYS, "%s", LF_SIM_UNAVAILABLE);
}

const struct lf_engine lf_engine_sim = {
	.name = "sim",
	.bit = LF_ON_SIM,
	.unavailable = unavailable,
	.variants = variants,
	.execute = execute,
};
