/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a lock compiled with -fsanitize=thread calls at every access to memory
 * that other threads could see; twin.sh renames __tsan_X to lf_tsan_X. gcc's and
 * clang's sets of names are both here: a name that is missing shows when the
 * program is linked.
 *
 * An access first takes its time on the machine, and then happens, all at once.
 * Memory orders play no role: the simulated machine is sequentially consistent.
 * Outside a run, when locks are set up and taken down, an access is just one.
 */
#include "engine/sim/sim.h"

#include <string.h>

void lf_tsan_init(void);
void lf_tsan_func_entry(void *caller);
void lf_tsan_func_exit(void);

void lf_tsan_init(void)
{
}

void lf_tsan_func_entry(void *caller)
{
	(void)caller;
}

void lf_tsan_func_exit(void)
{
}

/* --- plain accesses -------------------------------------------------------------- */

/* A thread's own stack is nobody else's business; nor is its errno, which lies
 * where the carrier has it. */
static bool is_private(const volatile void *address)
{
	const struct lf_strand *s = &lf_sim.self->strand;
	return (uintptr_t)address - (uintptr_t)s->stack < s->stack_size ||
		address == lf_sim.errno_address;
}

static inline void plain(const volatile void *address, enum lf_sim_access access)
{
	if (lf_sim.self && !is_private(address))
		lf_sim_touch(address, access);
}

#define PLAIN(name, access)                                                    \
	void lf_tsan_##name(void *address);                                    \
	void lf_tsan_##name(void *address)                                     \
	{                                                                      \
		plain(address, access);                                        \
	}
#define PLAIN_SIZE(n)                                                          \
	PLAIN(read##n, LF_SIM_LOAD)                                            \
	PLAIN(write##n, LF_SIM_STORE)                                          \
	PLAIN(read_write##n, LF_SIM_STORE)                                     \
	PLAIN(volatile_read##n, LF_SIM_LOAD)                                   \
	PLAIN(volatile_write##n, LF_SIM_STORE)
#define PLAIN_UNALIGNED(n)                                                     \
	PLAIN_SIZE(n)                                                          \
	PLAIN(unaligned_read##n, LF_SIM_LOAD)                                  \
	PLAIN(unaligned_write##n, LF_SIM_STORE)                                \
	PLAIN(unaligned_read_write##n, LF_SIM_STORE)                           \
	PLAIN(unaligned_volatile_read##n, LF_SIM_LOAD)                         \
	PLAIN(unaligned_volatile_write##n, LF_SIM_STORE)

PLAIN_SIZE(1)
PLAIN_UNALIGNED(2)
PLAIN_UNALIGNED(4)
PLAIN_UNALIGNED(8)
PLAIN_UNALIGNED(16)

static void range(const void *address, size_t size, enum lf_sim_access access)
{
	const char *p = address;
	for (size_t done = 0; done < size; done += LF_CACHE_LINE)
		plain(p + done, access);
}

void lf_tsan_read_range(void *address, size_t size);
void lf_tsan_write_range(void *address, size_t size);
void *lf_tsan_memcpy(void *to, const void *from, size_t size);
void *lf_tsan_memmove(void *to, const void *from, size_t size);
void *lf_tsan_memset(void *to, int value, size_t size);

void lf_tsan_read_range(void *address, size_t size)
{
	range(address, size, LF_SIM_LOAD);
}

void lf_tsan_write_range(void *address, size_t size)
{
	range(address, size, LF_SIM_STORE);
}

void *lf_tsan_memcpy(void *to, const void *from, size_t size)
{
	range(from, size, LF_SIM_LOAD);
	range(to, size, LF_SIM_STORE);
	return memcpy(to, from, size);
}

void *lf_tsan_memmove(void *to, const void *from, size_t size)
{
	range(from, size, LF_SIM_LOAD);
	range(to, size, LF_SIM_STORE);
	return memmove(to, from, size);
}

void *lf_tsan_memset(void *to, int value, size_t size)
{
	range(to, size, LF_SIM_STORE);
	return memset(to, value, size);
}

/* --- atomic accesses -------------------------------------------------------------- */

static inline void atomic_access(const volatile void *address, enum lf_sim_access access)
{
	if (lf_sim.self)
		lf_sim_touch(address, access);
}

/* Only one thread runs, so that plain accesses are atomic. */
#define FETCH(bits, type, name, result)                                        \
	type lf_tsan_atomic##bits##_##name(volatile type *a, type v, int order); \
	type lf_tsan_atomic##bits##_##name(volatile type *a, type v, int order) \
	{                                                                      \
		(void)order;                                                   \
		atomic_access(a, LF_SIM_RMW);                                  \
		type old = *a;                                                 \
		*a = (type)(result);                                           \
		return old;                                                    \
	}

/* gcc: whether it was exchanged; what was found goes to *expected. */
#define COMPARE(bits, type, strength)                                          \
	int lf_tsan_atomic##bits##_compare_exchange_##strength(                \
		volatile type *a, type *expected, type v, int order, int failure); \
	int lf_tsan_atomic##bits##_compare_exchange_##strength(                \
		volatile type *a, type *expected, type v, int order, int failure) \
	{                                                                      \
		type old = lf_tsan_atomic##bits##_compare_exchange_val(        \
			a, *expected, v, order, failure);                      \
		bool same = old == *expected;                                  \
		*expected = old;                                               \
		return same;                                                   \
	}

#define ATOMIC(bits, type)                                                     \
	type lf_tsan_atomic##bits##_load(const volatile type *a, int order);   \
	type lf_tsan_atomic##bits##_load(const volatile type *a, int order)    \
	{                                                                      \
		(void)order;                                                   \
		atomic_access(a, LF_SIM_LOAD);                                 \
		return *a;                                                     \
	}                                                                      \
	void lf_tsan_atomic##bits##_store(volatile type *a, type v, int order); \
	void lf_tsan_atomic##bits##_store(volatile type *a, type v, int order) \
	{                                                                      \
		(void)order;                                                   \
		atomic_access(a, LF_SIM_STORE);                                \
		*a = v;                                                        \
	}                                                                      \
	/* clang: returns what was found. */                                   \
	type lf_tsan_atomic##bits##_compare_exchange_val(                      \
		volatile type *a, type expected, type v, int order, int failure); \
	type lf_tsan_atomic##bits##_compare_exchange_val(                      \
		volatile type *a, type expected, type v, int order, int failure) \
	{                                                                      \
		(void)order;                                                   \
		(void)failure;                                                 \
		atomic_access(a, LF_SIM_RMW);                                  \
		type old = *a;                                                 \
		if (old == expected)                                           \
			*a = v;                                                \
		return old;                                                    \
	}                                                                      \
	COMPARE(bits, type, strong)                                            \
	COMPARE(bits, type, weak)                                              \
	FETCH(bits, type, exchange, v)                                         \
	FETCH(bits, type, fetch_add, old + v)                                  \
	FETCH(bits, type, fetch_sub, old - v)                                  \
	FETCH(bits, type, fetch_and, old & v)                                  \
	FETCH(bits, type, fetch_or, old | v)                                   \
	FETCH(bits, type, fetch_xor, old ^ v)                                  \
	FETCH(bits, type, fetch_nand, ~(old & v))

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 lf_uint128;
ATOMIC(128, lf_uint128)
#endif

void lf_tsan_atomic_thread_fence(int order);
void lf_tsan_atomic_signal_fence(int order);

void lf_tsan_atomic_thread_fence(int order)
{
	(void)order;
	if (lf_sim.self)
		lf_sim_advance(lf_sim.machine.cost_fence_ns);
}

void lf_tsan_atomic_signal_fence(int order)
{
	(void)order;
}
