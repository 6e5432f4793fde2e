/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results as the benchmarks print them that a suite was made after, so that old tables
 * and new ones can be laid side by side. To add a layout: write seed_SUITE.c with a
 * function as below, and name it in the map.
 */
#ifndef LF_REPORT_SEED_H
#define LF_REPORT_SEED_H

#include "report/report.h"

/* suite, what prints the records of it and of one engine */
#define LF_SEED_MAP(X)                                                         \
	X("ccbench", lf_seed_ccbench)                                          \
	X("handoff", lf_seed_handoff)                                          \
	X("select", lf_seed_select)

/* All records; the function takes those of its scenarios and of that engine. */
typedef void lf_seed_print(FILE *out, const json_t *records, const char *engine);

lf_seed_print lf_seed_ccbench, lf_seed_handoff, lf_seed_select;

#endif
