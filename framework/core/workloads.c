/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/workloads.h"

#include <string.h>

static const struct lf_workload *const *workloads;
static size_t workloads_n;

void lf_workloads_set(const struct lf_workload *const list[], size_t n)
{
	workloads = list;
	workloads_n = n;
}

const struct lf_workload *const *lf_workloads(size_t *ret_n)
{
	*ret_n = workloads_n;
	return workloads;
}

const struct lf_workload *lf_workload_find(const char *name)
{
	for (size_t i = 0; i < workloads_n; i++)
		if (strcmp(workloads[i]->name, name) == 0)
			return workloads[i];
	return NULL;
}
