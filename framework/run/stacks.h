/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the threads of a process are: what a person needs to see of a hang. */
#ifndef LF_RUN_STACKS_H
#define LF_RUN_STACKS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Writes, for every thread of `pid`, its state and the kernel function it
 * sleeps in, and then the stacks that eu-stack(1) of elfutils can tell, cut to
 * `size`. A line says so where something cannot be had. Takes up to 8 s.
 */
void lf_stacks_take(pid_t pid, char *buffer, size_t size);

#endif
