/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory as the lock sees it. Locks, per-thread data and what a lock allocates
 * lie in an arena, line by line from its start, so that which objects share a
 * line does not depend on the host. Other memory (globals, stacks) gets its lines
 * as it is touched.
 *
 * A line is in the caches of some CPUs; who writes must have it alone. A fetch
 * takes its time from the moment when the line is free, in the order of the
 * requests. Where a request comes from another socket, it takes longer.
 */
#include "engine/sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA_SIZE ((size_t)4 << 20)
#define ARENA_LINES (ARENA_SIZE / LF_CACHE_LINE)

/* Some locks hash addresses; the same place in every run keeps them repeatable.
 * Only a wish: nothing here depends on it. */
#define ARENA_WISH ((void *)(uintptr_t)0x1f00000000)

struct line {
	uint64_t sharers; /* CPUs that have it, one bit each */
	uint64_t free_ns; /* when the fetches asked for so far are done */
	unsigned owner;   /* CPU that wrote last */
};

struct foreign_line {
	uintptr_t number; /* address / LF_CACHE_LINE; 0: unused */
	struct line line;
};

static char *arena;
static size_t arena_used;
static struct line *arena_line;
static struct foreign_line *foreign; /* a hash table, open addressing */
static size_t foreign_size, foreign_used;

static void *map(void *wish, size_t size)
{
	void *p = mmap(wish, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

int lf_sim_lines_open(void)
{
	if (!arena)
		arena = map(ARENA_WISH, ARENA_SIZE);
	if (!arena_line)
		arena_line = map(NULL, ARENA_LINES * sizeof *arena_line);
	if (!foreign) {
		foreign_size = 1024;
		foreign = calloc(foreign_size, sizeof *foreign);
	}
	if (!arena || !arena_line || !foreign)
		return -ENOMEM;
	lf_sim_lines_reset();
	return 0;
}

void lf_sim_lines_reset(void)
{
	memset(arena, 0, arena_used);
	memset(arena_line, 0, arena_used / LF_CACHE_LINE * sizeof *arena_line);
	memset(foreign, 0, foreign_size * sizeof *foreign);
	arena_used = 0;
	foreign_used = 0;
}

void *lf_sim_arena(size_t size)
{
	size_t rounded = (size + LF_CACHE_LINE - 1) / LF_CACHE_LINE * LF_CACHE_LINE;
	if (rounded < size || rounded > ARENA_SIZE - arena_used)
		return NULL;
	void *p = arena + arena_used;
	arena_used += rounded;
	return p;
}

bool lf_sim_in_arena(const void *p)
{
	return (uintptr_t)p - (uintptr_t)arena < ARENA_SIZE;
}

static size_t slot_of(const struct foreign_line *table, size_t size, uintptr_t number)
{
	size_t i = (number * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (size - 1);
	while (table[i].number != 0 && table[i].number != number)
		i = (i + 1) & (size - 1);
	return i;
}

static bool grow_foreign(void)
{
	struct foreign_line *grown = calloc(2 * foreign_size, sizeof *grown);
	if (!grown)
		return false;
	for (size_t i = 0; i < foreign_size; i++)
		if (foreign[i].number)
			grown[slot_of(grown, 2 * foreign_size, foreign[i].number)] =
				foreign[i];
	free(foreign);
	foreign = grown;
	foreign_size *= 2;
	return true;
}

static struct line *foreign_line(uintptr_t number)
{
	size_t i = slot_of(foreign, foreign_size, number);
	if (foreign[i].number)
		return &foreign[i].line;
	if (4 * foreign_used >= 3 * foreign_size) {
		if (!grow_foreign()) {
			lf_sim_abort("no memory for the state of another cache line");
			return arena_line;
		}
		i = slot_of(foreign, foreign_size, number);
	}
	foreign_used++;
	foreign[i].number = number;
	return &foreign[i].line;
}

static struct line *line_of(const volatile void *address)
{
	uintptr_t offset = (uintptr_t)address - (uintptr_t)arena;
	if (offset < ARENA_SIZE)
		return &arena_line[offset / LF_CACHE_LINE];
	return foreign_line((uintptr_t)address / LF_CACHE_LINE);
}

static bool has(const struct line *l, enum lf_sim_access access)
{
	if (access == LF_SIM_LOAD)
		return l->sharers & lf_sim.cpu_bit;
	return l->sharers == lf_sim.cpu_bit;
}

static uint64_t transfer_ns(const struct line *l)
{
	const struct lf_machine *m = &lf_sim.machine;
	unsigned here = (unsigned)(lf_sim.cpu - lf_sim.processor);
	uint64_t sockets = m->machine_sockets, cpus = m->machine_cpus;
	bool far = here * sockets / cpus != l->owner * sockets / cpus;
	return lf_sim_jitter(far ? m->cost_far_transfer_ns : m->cost_transfer_ns);
}

/* The CPU asks for the line: it is entered as its place at once, and others that
 * ask from now on come after it. */
static uint64_t fetch(struct line *l, enum lf_sim_access access)
{
	uint64_t start = l->free_ns > lf_sim.now_ns ? l->free_ns : lf_sim.now_ns;
	l->free_ns = start + transfer_ns(l);
	if (access == LF_SIM_LOAD) {
		l->sharers |= lf_sim.cpu_bit;
	} else {
		l->sharers = lf_sim.cpu_bit;
		l->owner = (unsigned)(lf_sim.cpu - lf_sim.processor);
	}
	return l->free_ns - lf_sim.now_ns;
}

void lf_sim_touch(const volatile void *address, enum lf_sim_access access)
{
	const struct lf_machine *m = &lf_sim.machine;
	const uint64_t cost[] = { m->cost_hit_ns, m->cost_store_ns, m->cost_rmw_ns };

	lf_sim.effort += LF_SIM_ACCESS_EFFORT;
	/* Time first: the line may be gone when it is over. */
	lf_sim_advance(cost[access]);
	struct line *l = line_of(address);
	if (!has(l, access))
		lf_sim_advance(fetch(l, access));
}
