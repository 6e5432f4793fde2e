/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measuring before everybody else: threads that have a CPU each and run before
 * everything without a real-time priority meet the same machine whatever else it does.
 *
 * What is measured may hang. So a class is only taken where the kernel keeps a part of
 * each CPU for the others (sched_rt_runtime_us), and it is given back when a thread
 * computes for seconds without a wait, so that the parent's watch goes on as usual.
 * Two that go first would be in each other's way: one process at a time does.
 */
#ifndef LF_GATE_REALTIME_H
#define LF_GATE_REALTIME_H

#include <stdbool.h>

/* Does the kernel keep a part of each CPU for the others? */
bool lf_realtime_is_safe(void);

/* In a process, before its threads are made. 1: they may enter. 0: another process of
 * this machine goes first just now; ask again. -1: there is no safe way. */
int lf_realtime_prepare(void);

/* The calling thread goes first from now on; at most LF_MAX_THREADS may. False: that
 * is not permitted, and nothing has changed. */
bool lf_realtime_enter(void);

/* Has nobody given a class back so far? */
bool lf_realtime_lasts(void);

#endif
