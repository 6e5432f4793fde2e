/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Confirmed queueing: proof that a thread waits for the lock, without a sleep
 * that hopes for it. The caller holds the lock, so nobody can be granted it
 * between two looks unless exclusion is broken. In this order:
 *
 *   waiters  the lock counts its waiters, and counts as many as are inside;
 *   futex    two looks, LF_CONFIRM_NS apart and with no grant between them,
 *            show the thread asleep in the kernel on one futex address;
 *   asleep   where that cannot be read: asleep, in both looks, since one and
 *            the same voluntary switch;
 *   spun     its CPU clock has advanced by LF_CONFIRM_NS inside acquire.
 *
 * For locks that wait on a condition variable with a time-out, as GILs do, this
 * proves presence and not order.
 */
#include "engine/threads/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Reads a file of /proc/self/task/TID into `text`. Its length, or < 0. */
static ssize_t read_task(pid_t tid, const char *file, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t length = read(fd, text, size - 1);
	close(fd);
	if (length >= 0)
		text[length] = '\0';
	return length;
}

/* "NUMBER 0xARG0 …" when in a system call; "running" or "-1 …" otherwise. False
 * when the kernel does not tell. */
static bool look_futex(struct lf_os_thread *t, struct lf_look *look)
{
	char text[256], *end;
	if (read_task(t->tid, "syscall", text, sizeof text) <= 0)
		return false;
	long number = strtol(text, &end, 10);
	if (end != text && number == SYS_futex)
		look->futex = strtoull(end, NULL, 16);
	return true;
}

static void look_asleep(struct lf_os_thread *t, struct lf_look *look)
{
	char text[4096];
	if (read_task(t->tid, "status", text, sizeof text) <= 0)
		return;
	const char *state = strstr(text, "\nState:\t");
	const char *voluntary = strstr(text, "\nvoluntary_ctxt_switches:\t");
	look->asleep = state && state[8] == 'S';
	if (voluntary)
		look->voluntary = strtoull(voluntary + 26, NULL, 10);
}

static uint64_t cpu_ns_of(struct lf_os_thread *t)
{
	struct timespec cpu;
	if (clock_gettime(t->cpu_clock, &cpu))
		return 0;
	return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

static bool is_inside(const struct lf_actor *a)
{
	/* Acquire: pairs with the release store in lf_record_request(). */
	return atomic_load_explicit(&a->rec.inside, memory_order_acquire);
}

/* Compares a look with the one before, which it replaces unless the earlier one
 * still serves as the start of the same wait. */
static bool compare_looks(struct lf_os_thread *t, const struct lf_look *now,
			  enum lf_confirm *ret_how)
{
	struct lf_look *then = &t->look;
	bool same_wait = then->seen && then->grants == now->grants &&
		then->futex == now->futex && then->asleep == now->asleep &&
		then->voluntary == now->voluntary;
	if (!same_wait) {
		*then = *now;
		return false;
	}
	if (now->futex || now->asleep) {
		*ret_how = now->futex ? LF_CONFIRM_FUTEX : LF_CONFIRM_ASLEEP;
		return now->at_ns - then->at_ns >= LF_CONFIRM_NS;
	}
	*ret_how = LF_CONFIRM_SPUN;
	return now->cpu_ns - then->cpu_ns >= LF_CONFIRM_NS;
}

static void look_at(struct lf_actor *holder, struct lf_os_thread *t)
{
	struct lf_look now = { .seen = true };
	enum lf_confirm how;

	now.grants = atomic_load_explicit(&holder->rec.o->grants.length,
					  memory_order_relaxed);
	if (!look_futex(t, &now))
		look_asleep(t, &now);
	now.cpu_ns = cpu_ns_of(t);
	now.at_ns = lf_clock_ns();
	if (!is_inside(t->actor))
		t->look.seen = false;
	else if (compare_looks(t, &now, &how))
		lf_record_confirm(t->actor, how);
}

/* The set of threads inside acquire, as a bit mask. */
static uint32_t inside_set(struct lf_os_run *os, const struct lf_actor *holder)
{
	uint32_t set = 0;
	for (unsigned i = 0; i < os->run->observation->threads; i++)
		if (&os->run->actor[i] != holder && is_inside(&os->run->actor[i]))
			set |= UINT32_C(1) << i;
	return set;
}

/* The lock's count proves something about single threads only when it covers
 * everybody inside, before and after it was read. */
static void look_by_count(struct lf_os_run *os, struct lf_actor *holder)
{
	uint32_t before = inside_set(os, holder);
	unsigned queued = holder->ops.waiters(holder->lock);
	if (inside_set(os, holder) != before ||
	    queued < (unsigned)__builtin_popcount(before))
		return;
	for (unsigned i = 0; i < os->run->observation->threads; i++)
		if (before & (UINT32_C(1) << i))
			lf_record_confirm(&os->run->actor[i], LF_CONFIRM_WAITERS);
}

static bool is_confirmed(const struct lf_actor *a)
{
	return atomic_load_explicit(&a->rec.confirm_epoch, memory_order_relaxed) != 0;
}

unsigned lf_confirm_look(struct lf_actor *holder)
{
	struct lf_os_run *os = lf_os_run_of(holder);
	unsigned confirmed = 0;

	if (holder->ops.waiters)
		look_by_count(os, holder);
	for (unsigned i = 0; i < os->run->observation->threads; i++) {
		struct lf_os_thread *t = &os->thread[i];
		if (t->actor == holder || t->actor->role->foreign)
			continue;
		if (!holder->ops.waiters && !is_confirmed(t->actor) && is_inside(t->actor))
			look_at(holder, t);
		confirmed += is_confirmed(t->actor);
	}
	return confirmed;
}

/* Long enough for a busy machine to run a waiter, and before the watch takes the
 * silence for a run that has died. */
#define GIVE_UP_NS UINT64_C(900000000)

bool lf_confirm_await(struct lf_actor *holder, unsigned n)
{
	uint64_t start = lf_clock_ns();
	const struct timespec pause = { .tv_nsec = LF_CONFIRM_NS / 4 };

	while (lf_confirm_look(holder) < n) {
		/* A lock that does not exclude has no queue to wait for. */
		if (lf_stopped(&holder->thread) || holder->rec.o->exclusion_violations ||
		    lf_clock_ns() - start > GIVE_UP_NS)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}
