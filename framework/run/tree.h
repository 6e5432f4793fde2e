/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes below one of ours. A lock under test may fork, and what it
 * forks may leave its process group and its session, so that killpg() misses
 * it; descent, read from /proc, does not. The callers make themselves
 * subreapers (prctl(2)), so that orphans stay below them.
 */
#ifndef LF_RUN_TREE_H
#define LF_RUN_TREE_H

#include <stddef.h>
#include <sys/types.h>

/* The living descendants of `root`, without itself, parents before children; at
 * most `max`. Returns their number; 0 also where /proc is not there. */
size_t lf_tree_below(pid_t root, pid_t ret_pid[], size_t max);

/* Kills all of them (SIGKILL) but `keep` (0: none) and whatever they fork
 * meanwhile. Returns how many were killed. */
size_t lf_tree_kill_below(pid_t root, pid_t keep);

#endif
