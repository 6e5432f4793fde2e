/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "observe/log.h"

int lf_log_at(const struct lf_log *log, uint64_t i)
{
	uint64_t length = atomic_load_explicit(&log->length, memory_order_relaxed);
	if (i >= length || length - i > LF_LOG_SIZE)
		return -1;
	return atomic_load_explicit(&log->entry[i % LF_LOG_SIZE], memory_order_relaxed);
}
