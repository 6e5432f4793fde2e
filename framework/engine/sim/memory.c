/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * malloc and its family for locks: whole lines of the run's arena, so that where
 * an object lies and what it shares a line with is the same in every run, and
 * nothing that a starved thread still owns outlives the run. Freed blocks wait in
 * lists by size, a power of two of lines.
 */
#include "engine/sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In front of each block; a line of its own, so that blocks begin with one. */
struct block {
	_Alignas(LF_CACHE_LINE) unsigned order; /* it has 1 << order lines */
	size_t size;                            /* as asked for */
	struct block *next;                     /* free ones */
};

#define ORDERS 24
#define ALLOCATE_NS 40

static struct block *unused[ORDERS];

void *lf_sim_malloc(size_t size);
void *lf_sim_calloc(size_t n, size_t size);
void *lf_sim_realloc(void *p, size_t size);
void *lf_sim_aligned_alloc(size_t alignment, size_t size);
int lf_sim_posix_memalign(void **ret_p, size_t alignment, size_t size);
void lf_sim_free(void *p);

void lf_sim_memory_reset(void)
{
	memset(unused, 0, sizeof unused);
}

static struct block *new_block(unsigned order)
{
	struct block *b = unused[order];
	if (b)
		unused[order] = b->next;
	else
		b = lf_sim_arena(sizeof *b + ((size_t)LF_CACHE_LINE << order));
	if (b)
		b->order = order;
	return b;
}

void *lf_sim_malloc(size_t size)
{
	unsigned order = 0;
	if (lf_sim.self)
		lf_sim_advance(lf_sim_jitter(ALLOCATE_NS));
	while (order < ORDERS && ((size_t)LF_CACHE_LINE << order) < size)
		order++;
	struct block *b = order < ORDERS ? new_block(order) : NULL;
	if (!b) {
		errno = ENOMEM;
		return NULL;
	}
	b->size = size;
	return b + 1;
}

void *lf_sim_calloc(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	void *p = lf_sim_malloc(bytes);
	return p ? memset(p, 0, bytes) : NULL;
}

void lf_sim_free(void *p)
{
	if (!p)
		return;
	if (!lf_sim_in_arena(p)) {
		free(p); /* came from the C library, as strdup()'s result does */
		return;
	}
	struct block *b = (struct block *)p - 1;
	if (lf_sim.self)
		lf_sim_advance(lf_sim_jitter(ALLOCATE_NS));
	b->next = unused[b->order];
	unused[b->order] = b;
}

void *lf_sim_realloc(void *p, size_t size)
{
	if (!p)
		return lf_sim_malloc(size);
	if (!lf_sim_in_arena(p))
		return realloc(p, size);
	const struct block *b = (struct block *)p - 1;
	void *moved = lf_sim_malloc(size);
	if (!moved)
		return NULL;
	memcpy(moved, p, b->size < size ? b->size : size);
	lf_sim_free(p);
	return moved;
}

/* Blocks begin with a line; more than that nobody gets. */
void *lf_sim_aligned_alloc(size_t alignment, size_t size)
{
	if (alignment > LF_CACHE_LINE) {
		lf_sim_abort("memory aligned to %zu bytes is not simulated: a cache line, "
			     "%d bytes, is the most", alignment, LF_CACHE_LINE);
		errno = EINVAL;
		return NULL;
	}
	return lf_sim_malloc(size);
}

int lf_sim_posix_memalign(void **ret_p, size_t alignment, size_t size)
{
	*ret_p = lf_sim_aligned_alloc(alignment, size);
	return *ret_p ? 0 : ENOMEM;
}
