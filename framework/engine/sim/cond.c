/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread condition variables. A waiter queues up before it lets go of the mutex,
 * so that no signal is lost; a signal wakes the first of the queue; who wakes up
 * takes the mutex like everybody else. glibc (2.25 and later, nptl/
 * pthread_cond_wait.c) keeps two groups of waiters and is in order between groups;
 * within a group any waiter may use a signal. First in, first out is the special
 * case that this model takes.
 */
#include "engine/sim/rename.h"

#include "engine/sim/objects.h"

#include <errno.h>

int lf_sim_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	(void)attr; /* the clock: all of them agree here */
	*c = (pthread_cond_t){ 0 };
	return 0;
}

int lf_sim_pthread_cond_destroy(pthread_cond_t *c)
{
	(void)c;
	return 0;
}

static int wait_until(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline_ns)
{
	if (!lf_sim_can_wait("a condition variable"))
		return EINVAL;
	lf_sim_touch(c, LF_SIM_RMW);
	lf_sim_wait_begin(c, "condition variable", UINT32_MAX);
	int rc = lf_sim_pthread_mutex_unlock(m);
	lf_sim_system_call();
	int result = lf_sim_wait_end(deadline_ns);
	if (rc)
		return rc;
	rc = lf_sim_mutex_relock(m);
	return rc ? rc : result;
}

int lf_sim_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return wait_until(c, m, LF_SIM_NEVER);
}

int lf_sim_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				  const struct timespec *t)
{
	return wait_until(c, m, lf_sim_deadline(t));
}

int lf_sim_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t id,
				  const struct timespec *t)
{
	(void)id;
	return wait_until(c, m, lf_sim_deadline(t));
}

static int signal_some(pthread_cond_t *c, unsigned most)
{
	if (lf_sim.self)
		lf_sim_touch(c, LF_SIM_RMW);
	if (lf_sim_wait_first(c)) {
		lf_sim_system_call();
		lf_sim_wake_first(c, most, UINT32_MAX);
	}
	return 0;
}

int lf_sim_pthread_cond_signal(pthread_cond_t *c)
{
	return signal_some(c, 1);
}

int lf_sim_pthread_cond_broadcast(pthread_cond_t *c)
{
	return signal_some(c, LF_SIM_THREADS);
}
