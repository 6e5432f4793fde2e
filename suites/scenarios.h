/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of scenarios, in the order in which they run and are shown. To add
 * one: write its file in this folder, and name it here and in local.mk.
 */
#ifndef LF_SUITES_SCENARIOS_H
#define LF_SUITES_SCENARIOS_H

#define LF_SCENARIO_MAP(X)                                                     \
	X(exclusion)                                                           \
	X(drain)                                                               \
	X(order)                                                               \
	X(barging)                                                             \
	X(hog)                                                                 \
	X(interleaving)                                                        \
	X(latency)

#endif
