/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semaphores, as glibc 2.36 has them (nptl/sem_waitcommon.c): a futex counter,
 * and a number of waiters that spares posts the system call. A post raises the
 * counter and wakes one; whoever comes first takes it, woken or not.
 */
#include "engine/sim/rename.h"

#include "engine/sim/objects.h"

#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <string.h>

struct counter {
	int value; /* futex word */
	int waiters;
};

_Static_assert(sizeof(struct counter) <= sizeof(sem_t), "must fit into a sem_t");

static struct counter *of(sem_t *s)
{
	return (struct counter *)s;
}

int lf_sim_sem_init(sem_t *s, int shared, unsigned value)
{
	(void)shared;
	if (value > INT_MAX) {
		errno = EINVAL;
		return -1;
	}
	memset(s, 0, sizeof *s);
	of(s)->value = (int)value;
	return 0;
}

int lf_sim_sem_destroy(sem_t *s)
{
	(void)s;
	return 0;
}

static bool try_down(struct counter *c)
{
	if (lf_sim.self)
		lf_sim_touch(c, LF_SIM_RMW);
	if (c->value == 0)
		return false;
	c->value--;
	return true;
}

static int down_until(struct counter *c, uint64_t deadline_ns)
{
	int rc = 0;
	if (try_down(c))
		return 0;
	if (!lf_sim_can_wait("a semaphore"))
		return EDEADLK;
	c->waiters++;
	while (rc == 0 && !try_down(c)) {
		lf_sim_system_call();
		if (c->value == 0)
			rc = lf_sim_wait_on(c, "semaphore", UINT32_MAX, deadline_ns);
	}
	c->waiters--;
	return rc;
}

static int report(int rc)
{
	return (int)lf_sim_result(-rc);
}

int lf_sim_sem_wait(sem_t *s)
{
	return report(down_until(of(s), LF_SIM_NEVER));
}

int lf_sim_sem_timedwait(sem_t *s, const struct timespec *t)
{
	return report(down_until(of(s), lf_sim_deadline(t)));
}

int lf_sim_sem_clockwait(sem_t *s, clockid_t id, const struct timespec *t)
{
	(void)id;
	return report(down_until(of(s), lf_sim_deadline(t)));
}

int lf_sim_sem_trywait(sem_t *s)
{
	return report(try_down(of(s)) ? 0 : EAGAIN);
}

int lf_sim_sem_post(sem_t *s)
{
	struct counter *c = of(s);
	if (lf_sim.self)
		lf_sim_touch(c, LF_SIM_RMW);
	if (c->value == INT_MAX)
		return report(EOVERFLOW);
	c->value++;
	if (c->waiters > 0) {
		lf_sim_system_call();
		lf_sim_wake_first(c, 1, UINT32_MAX);
	}
	return 0;
}

int lf_sim_sem_getvalue(sem_t *s, int *ret_value)
{
	*ret_value = of(s)->value;
	return 0;
}
