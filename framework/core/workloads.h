/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The workloads there are. Single-threaded; filled before the first cell runs. */
#ifndef LF_CORE_WORKLOADS_H
#define LF_CORE_WORKLOADS_H

#include <lockfair/workload.h>

/* The list of all n workloads, whose memory must stay. */
void lf_workloads_set(const struct lf_workload *const list[], size_t n);

#endif
