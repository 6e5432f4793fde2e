/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Futexes with priority inheritance, as futex(2) and the kernel's kernel/futex/pi.c
 * have them: the word is the owner's thread number, with FUTEX_WAITERS beside it
 * once somebody queued up; then unlocking is up to the kernel, which hands the word
 * to the first waiter. All threads here have one priority, so that there is nothing
 * to inherit and the queue is one of arrival.
 */
#include "engine/sim/objects.h"

#include <errno.h>
#include <linux/futex.h>

static int my_number(void)
{
	return lf_sim_number(lf_sim.self);
}

static int owner_of(const int *word)
{
	return *word & FUTEX_TID_MASK;
}

static void hand_to(int *word, int number, bool waiters)
{
	*word = number | (waiters ? (int)FUTEX_WAITERS : 0);
}

int lf_sim_inherit_try(int *word)
{
	if (owner_of(word) == my_number())
		return EDEADLK;
	if (owner_of(word) != 0)
		return EAGAIN;
	hand_to(word, my_number(), lf_sim_wait_first(word));
	return 0;
}

int lf_sim_inherit_lock(int *word, const char *what, uint64_t deadline_ns)
{
	int rc = lf_sim_inherit_try(word);
	if (rc != EAGAIN)
		return rc;
	if (!lf_sim_can_wait("a lock with priority inheritance"))
		return EDEADLK;
	*word |= (int)FUTEX_WAITERS;
	/* Who is woken owns it already. */
	return lf_sim_wait_on(word, what, UINT32_MAX, deadline_ns);
}

int lf_sim_inherit_unlock(int *word)
{
	if (owner_of(word) != my_number())
		return EPERM;
	struct lf_sim_thread *heir = lf_sim_wait_first(word);
	hand_to(word, heir ? lf_sim_number(heir) : 0, heir);
	lf_sim_wake_first(word, 1, UINT32_MAX);
	return 0;
}
