/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting on a word that processes share. */
#ifndef LF_GATE_FUTEX_H
#define LF_GATE_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Returns when it was woken, at once if the word is not `value`, and in any case
 * after `ms`. */
static inline void lf_futex_wait(_Atomic uint32_t *word, uint32_t value, long ms)
{
	struct timespec limit = { ms / 1000, ms % 1000 * 1000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

static inline void lf_futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

#endif
