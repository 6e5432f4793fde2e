/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of the framework's own unit tests. To add a suite: write
 * NAME_test.c in this folder with `Suite *lf_test_NAME(void);`, and name it
 * here and in suites/local.mk.
 */
#ifndef LF_UNIT_SUITES_H
#define LF_UNIT_SUITES_H

#include <check.h>

#define LF_TEST_MAP(X)                                                         \
	X(campaign)                                                            \
	X(change)                                                              \
	X(ccbench)                                                             \
	X(ccbench_report)                                                      \
	X(channels)                                                            \
	X(expectation)                                                         \
	X(fixtures)                                                            \
	X(gate)                                                                \
	X(gils)                                                                \
	X(gils_sim)                                                            \
	X(job)                                                                 \
	X(judge)                                                               \
	X(observe)                                                             \
	X(orders)                                                              \
	X(page)                                                                \
	X(pingpong)                                                            \
	X(plugin)                                                              \
	X(pollers)                                                             \
	X(ratio)                                                               \
	X(registry)                                                            \
	X(replay)                                                              \
	X(record)                                                              \
	X(record_file)                                                         \
	X(text)                                                                \
	X(tap)                                                                 \
	X(junit)                                                               \
	X(seed)                                                                \
	X(sensitivity)                                                         \
	X(runner)                                                              \
	X(seeds)                                                               \
	X(shown)                                                               \
	X(sim_kernel)                                                          \
	X(sim_machine)                                                         \
	X(sim_objects)                                                         \
	X(sim_run)                                                             \
	X(sim_unknown)                                                         \
	X(sim_verdicts)                                                        \
	X(threads)                                                             \
	X(timeline)                                                            \
	X(waits)                                                               \
	X(workloads)

#define X(name) Suite *lf_test_##name(void);
LF_TEST_MAP(X)
#undef X

#endif
