/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What makes a copy of a built-in lock worse, for ci/gate-soak. */
#ifndef LF_REGRESSIONS_SLOW_H
#define LF_REGRESSIONS_SLOW_H

#include <stdint.h>

#ifndef SLOW_LOOPS
#define SLOW_LOOPS 0
#endif

/* Dependent multiplications: no compiler shortens and no core overlaps them. */
static inline void be_slow(void)
{
	uint64_t x = SLOW_LOOPS | 1;

	for (unsigned i = 0; i < SLOW_LOOPS; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

#endif
