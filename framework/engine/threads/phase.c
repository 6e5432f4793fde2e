/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The phase counter and the start gate, on futexes shared between processes.
 * They are the harness's own: nothing here resembles the lock under test, and
 * no thread is inside acquire while it waits here.
 */
#include "engine/threads/threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void lf_phase_advance(struct lf_actor *a)
{
	struct lf_os_run *os = lf_os_run_of(a);
	/* Release: what came before the advance is seen by who awaited it. Pairs
	 * with the acquire load in lf_phase_await(). */
	atomic_fetch_add_explicit(&os->phase, 1, memory_order_release);
	futex_wake_all(&os->phase);
}

/* The top bit says that the run was stopped, so that stopping changes the word
 * that sleepers compare and none of them misses it. */
#define STOPPED (UINT32_C(1) << 31)

bool lf_phase_await(struct lf_actor *a, uint64_t phase)
{
	struct lf_os_run *os = lf_os_run_of(a);
	for (;;) {
		uint32_t now = atomic_load_explicit(&os->phase, memory_order_acquire);
		if (now & STOPPED)
			return false;
		if (now >= phase)
			return true;
		futex_wait(&os->phase, now);
	}
}

void lf_phase_wake(struct lf_os_run *os)
{
	atomic_fetch_or_explicit(&os->phase, STOPPED, memory_order_release);
	futex_wake_all(&os->phase);
}

void lf_gate_wait(struct lf_os_run *os)
{
	atomic_fetch_add(&os->ready, 1);
	while (atomic_load(&os->go) == 0)
		futex_wait(&os->go, 0);
}

void lf_gate_open(struct lf_os_run *os)
{
	atomic_store(&os->go, 1);
	futex_wake_all(&os->go);
}
