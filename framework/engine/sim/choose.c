/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which carrier a lock gets. Fibers share their thread's local storage, so a lock
 * whose shared object (or program) has thread-local variables needs real threads.
 * Sanitizers want to see real threads, too.
 */
#include "engine/sim/carrier.h"

#include <lockfair/backend.h>

#include <link.h>
#include <stdint.h>

const struct lf_carrier *lf_sim_only_carrier;

/* Weak: null where there is no such sanitizer. */
__attribute__((weak)) void __asan_init(void);
__attribute__((weak)) void __tsan_init(void);

struct question {
	uintptr_t address; /* of something in the object */
	bool found, has_tls;
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct question *q = context;
	bool here = false, tls = false;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && q->address - begin < p->p_memsz)
			here = true;
		tls |= p->p_type == PT_TLS && p->p_memsz > 0;
	}
	if (!here)
		return 0;
	q->found = true;
	q->has_tls = tls;
	return 1;
}

const struct lf_carrier *lf_sim_choose_carrier(const struct lf_backend *twin)
{
	/* The table of its operations: the descriptor itself may be a copy. */
	struct question q = { .address = (uintptr_t)twin->mutex };
	if (lf_sim_only_carrier)
		return lf_sim_only_carrier;
	if (!lf_carrier_fiber || __asan_init || __tsan_init)
		return &lf_carrier_token;
	dl_iterate_phdr(look_at_object, &q);
	return q.found && !q.has_tls ? lf_carrier_fiber : &lf_carrier_token;
}
