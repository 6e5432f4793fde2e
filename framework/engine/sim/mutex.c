/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread mutexes, as glibc 2.36 has them (nptl/lowlevellock.h, lowlevellock.c,
 * pthread_mutex_lock.c): a futex word that is 0 free, 1 taken, 2 taken and
 * perhaps waited for; who finds it free takes it, queued or not. The adaptive
 * kind tries for a while first, about twice as often as it took lately. The
 * kinds with priority inheritance leave the queue to the kernel: inherit.c.
 *
 * They live in the C library's own structure, so that its static initialisers
 * work.
 */
#include "engine/sim/rename.h"

#include "engine/sim/objects.h"

#include <errno.h>
#include <pthread.h>

#define PRIORITY_INHERIT 32 /* in __kind, as glibc has it */
#define KIND(m) ((m)->__data.__kind & 3)
#define INHERITS(m) ((m)->__data.__kind & PRIORITY_INHERIT)
#define ADAPTIVE_LIMIT 100

static int *word(pthread_mutex_t *m)
{
	return &m->__data.__lock;
}

static int my_number(void)
{
	return lf_sim.self ? (int)lf_sim.self->id + 1 : 1;
}

/* Until it was 0 when set to 2. */
static int lock_slowly(int *p, uint64_t deadline_ns)
{
	if (!lf_sim_can_wait("a mutex"))
		return EDEADLK;
	bool look = *p == 2;
	while (look || lf_sim_exchange(p, 2) != 0) {
		look = false;
		lf_sim_system_call();
		if (*p == 2 &&
		    lf_sim_wait_on(p, "mutex", UINT32_MAX, deadline_ns) == ETIMEDOUT)
			return ETIMEDOUT;
	}
	return 0;
}

static int lock_adaptively(pthread_mutex_t *m, uint64_t deadline_ns)
{
	int tries = 0, limit = m->__data.__spins * 2 + 10;
	if (limit > ADAPTIVE_LIMIT)
		limit = ADAPTIVE_LIMIT;
	int rc = 0;
	do {
		if (tries++ >= limit) {
			if (lf_sim_exchange_if(word(m), 0, 1) != 0)
				rc = lock_slowly(word(m), deadline_ns);
			break;
		}
		lf_sim_pause();
	} while (*word(m) != 0 || lf_sim_exchange_if(word(m), 0, 1) != 0);
	m->__data.__spins = (short)(m->__data.__spins + (tries - m->__data.__spins) / 8);
	return rc;
}

/* What takes an instruction while nobody waits is FUTEX_LOCK_PI and _UNLOCK_PI
 * else. */
static int lock_inheriting(pthread_mutex_t *m, uint64_t deadline_ns)
{
	if (lf_sim_exchange_if(word(m), 0, lf_sim_number(lf_sim.self)) == 0)
		return 0;
	lf_sim_system_call();
	int rc = lf_sim_inherit_lock(word(m), "mutex", deadline_ns);
	/* The kernel would not wait for itself; glibc then waits for ever. */
	if (rc == EDEADLK && lf_sim.self)
		rc = lf_sim_wait_on(&m->__data.__owner, "mutex", UINT32_MAX, deadline_ns);
	return rc;
}

static void unlock_inheriting(pthread_mutex_t *m)
{
	int mine = lf_sim_number(lf_sim.self);
	if (lf_sim_exchange_if(word(m), mine, 0) == mine)
		return;
	lf_sim_system_call();
	lf_sim_inherit_unlock(word(m));
}

/* Recursive and error-checking kinds: 0 go on, -1 done, else the error. */
static int check_owner(pthread_mutex_t *m)
{
	if (KIND(m) == PTHREAD_MUTEX_NORMAL || KIND(m) == PTHREAD_MUTEX_ADAPTIVE_NP ||
	    m->__data.__owner != my_number())
		return 0;
	if (KIND(m) == PTHREAD_MUTEX_ERRORCHECK)
		return EDEADLK;
	m->__data.__count++;
	return -1;
}

static int lock_until(pthread_mutex_t *m, uint64_t deadline_ns)
{
	int rc = check_owner(m);
	if (rc)
		return rc < 0 ? 0 : rc;
	if (INHERITS(m))
		rc = lock_inheriting(m, deadline_ns);
	else if (lf_sim_exchange_if(word(m), 0, 1) == 0)
		rc = 0;
	else if (KIND(m) == PTHREAD_MUTEX_ADAPTIVE_NP)
		rc = lock_adaptively(m, deadline_ns);
	else
		rc = lock_slowly(word(m), deadline_ns);
	if (rc)
		return rc;
	m->__data.__owner = my_number();
	m->__data.__count = 1;
	return 0;
}

int lf_sim_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int kind = PTHREAD_MUTEX_NORMAL, protocol = PTHREAD_PRIO_NONE;
	int robust = PTHREAD_MUTEX_STALLED;
	if (attr) {
		pthread_mutexattr_gettype(attr, &kind);
		pthread_mutexattr_getprotocol(attr, &protocol);
		pthread_mutexattr_getrobust(attr, &robust);
	}
	if (robust != PTHREAD_MUTEX_STALLED)
		return lf_sim_unknown("a robust mutex (PTHREAD_MUTEX_ROBUST)", ENOTSUP);
	if (protocol == PTHREAD_PRIO_PROTECT)
		return lf_sim_unknown("a priority ceiling (PTHREAD_PRIO_PROTECT)", ENOTSUP);
	*m = (pthread_mutex_t){ 0 };
	m->__data.__kind = kind | (protocol == PTHREAD_PRIO_INHERIT ? PRIORITY_INHERIT : 0);
	return 0;
}

int lf_sim_pthread_mutex_destroy(pthread_mutex_t *m)
{
	return *word(m) ? EBUSY : 0;
}

int lf_sim_pthread_mutex_lock(pthread_mutex_t *m)
{
	return lock_until(m, LF_SIM_NEVER);
}

int lf_sim_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
	return lock_until(m, lf_sim_deadline(t));
}

int lf_sim_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock_id,
				   const struct timespec *t)
{
	(void)clock_id; /* all clocks of the simulated machine agree */
	return lock_until(m, lf_sim_deadline(t));
}

int lf_sim_pthread_mutex_trylock(pthread_mutex_t *m)
{
	int rc = check_owner(m);
	if (rc)
		return rc < 0 ? 0 : EBUSY;
	int taken = INHERITS(m) ? lf_sim_number(lf_sim.self) : 1;
	if (lf_sim_exchange_if(word(m), 0, taken) != 0)
		return EBUSY;
	m->__data.__owner = my_number();
	m->__data.__count = 1;
	return 0;
}

int lf_sim_pthread_mutex_unlock(pthread_mutex_t *m)
{
	bool owned = m->__data.__owner == my_number();
	if (!owned && (KIND(m) == PTHREAD_MUTEX_RECURSIVE ||
		       KIND(m) == PTHREAD_MUTEX_ERRORCHECK))
		return EPERM;
	if (KIND(m) == PTHREAD_MUTEX_RECURSIVE && --m->__data.__count > 0)
		return 0;
	m->__data.__owner = 0;
	if (INHERITS(m)) {
		unlock_inheriting(m);
	} else if (lf_sim_exchange(word(m), 0) > 1) {
		lf_sim_system_call();
		lf_sim_wake_first(word(m), 1, UINT32_MAX);
	}
	return 0;
}

/* For condition variables: as glibc's, they relock as if there were waiters. */
int lf_sim_mutex_relock(pthread_mutex_t *m)
{
	if (INHERITS(m))
		return lock_until(m, LF_SIM_NEVER);
	int rc = lf_sim_exchange(word(m), 2) == 0 ? 0 : lock_slowly(word(m), LF_SIM_NEVER);
	m->__data.__owner = my_number();
	m->__data.__count = 1;
	return rc;
}
