/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's clock that never goes back, for everything but a run's own time stamps
 * (engine/threads/clock.c has those). Any thread. */
#ifndef LF_CORE_CLOCK_H
#define LF_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t lf_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
