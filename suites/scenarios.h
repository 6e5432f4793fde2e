/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lists of scenarios and suites, in the order in which they run and are shown.
 * To add a scenario: write its file in this folder, and name it here and in
 * local.mk.
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
	X(io_latency)                                                          \
	/* ccbench */                                                          \
	X(latency)                                                             \
	X(bandwidth)                                                           \
	X(throughput)                                                          \
	X(transfer)                                                            \
	X(cpued)                                                               \
	X(single)                                                              \
	X(regime)                                                              \
	/* handoff */                                                          \
	X(pingpong)                                                            \
	X(ranking)                                                             \
	/* select */                                                           \
	X(select)                                                              \
	X(select_gain)

/*
 * The suites: name, what is in it, and the backends that it judges when none are
 * asked for, so that a new backend makes no bare run longer.
 */
#define LF_SUITE_MAP(X)                                                        \
	X("core", "safety, order, starvation and turns, of any lock",          \
	  "pthread* ticket mcs tas handoff gil-ticks gil-interval gil-bfs")    \
	X("ccbench", "interpreter locks under the benchmarks of 2010",         \
	  "gil-ticks gil-ticks-2500 gil-interval gil-bfs")                     \
	X("handoff", "what it costs to let somebody else go on, by channel",   \
	  "sigusr1 message-queue pipes semaphore spin-yield spinlock futex "   \
	  "eventfd posix-mq socketpair condvar")                               \
	X("select", "waits for descriptors while a lock is held",              \
	  "select poll epoll kqueue io-uring")

#endif
