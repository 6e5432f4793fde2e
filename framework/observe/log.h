/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Appending to a log. The grant log has one writer at a time, the lock's
 * holder; the step log has many.
 */
#ifndef LF_OBSERVE_LOG_H
#define LF_OBSERVE_LOG_H

#include <lockfair/observation.h>

/* By the holder. Returns the new length. Relaxed: the lock orders the writers,
 * and readers only look after the join or, for progress, at the length. */
static inline uint64_t lf_log_append_held(struct lf_log *log, uint8_t entry)
{
	uint64_t at = atomic_load_explicit(&log->length, memory_order_relaxed);
	atomic_store_explicit(&log->entry[at % LF_LOG_SIZE], entry, memory_order_relaxed);
	atomic_store_explicit(&log->length, at + 1, memory_order_relaxed);
	return at + 1;
}

static inline uint64_t lf_log_append(struct lf_log *log, uint8_t entry)
{
	uint64_t at = atomic_fetch_add_explicit(&log->length, 1, memory_order_relaxed);
	atomic_store_explicit(&log->entry[at % LF_LOG_SIZE], entry, memory_order_relaxed);
	return at + 1;
}

#endif
