/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that a lock starts itself, thread-specific data, once, barriers and
 * pthread spin locks.
 */
#include "engine/sim/rename.h"

#include "engine/sim/objects.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* --- threads ----------------------------------------------------------------------- */

#define CREATE_NS 10000

static pthread_t handle_of(const struct lf_sim_thread *t)
{
	return (pthread_t)t->id + 1;
}

static struct lf_sim_thread *thread_of(pthread_t handle)
{
	bool known = handle >= 1 && handle <= lf_sim.threads;
	return known ? &lf_sim.thread[handle - 1] : NULL;
}

int lf_sim_pthread_create(pthread_t *ret_thread, const pthread_attr_t *attr,
			  void *(*fn)(void *), void *arg)
{
	int detached = PTHREAD_CREATE_JOINABLE;
	if (attr)
		pthread_attr_getdetachstate(attr, &detached);
	if (lf_sim.self)
		lf_sim_advance(lf_sim_jitter(CREATE_NS));
	struct lf_sim_thread *t = lf_sim_spawn(fn, arg, NULL, lf_sim.now_ns);
	if (!t)
		return EAGAIN;
	t->detached = detached == PTHREAD_CREATE_DETACHED;
	*ret_thread = handle_of(t);
	return 0;
}

int lf_sim_pthread_join(pthread_t thread, void **ret_value)
{
	struct lf_sim_thread *t = thread_of(thread);
	if (!t || t->detached)
		return t ? EINVAL : ESRCH;
	if (t == lf_sim.self)
		return EDEADLK;
	if (t->state != LF_SIM_ENDED) {
		if (!lf_sim_can_wait("a thread to end"))
			return EDEADLK;
		lf_sim_system_call();
	}
	if (t->state != LF_SIM_ENDED)
		lf_sim_wait_on(t, "thread", UINT32_MAX, LF_SIM_NEVER);
	if (ret_value)
		*ret_value = t->value;
	return 0;
}

int lf_sim_pthread_detach(pthread_t thread)
{
	struct lf_sim_thread *t = thread_of(thread);
	if (!t)
		return ESRCH;
	t->detached = true;
	return 0;
}

void lf_sim_pthread_exit(void *value)
{
	if (!lf_sim.self || lf_sim.self->actor)
		lf_sim_abort("the lock ends a thread that it did not start");
	lf_sim_exit(value);
}

pthread_t lf_sim_pthread_self(void)
{
	return lf_sim.self ? handle_of(lf_sim.self) : 0;
}

/* --- thread-specific data ------------------------------------------------------------ */

static struct {
	bool used;
	void *host; /* the value outside of all threads */
} key[LF_SIM_KEYS];

void lf_sim_threads_reset(void)
{
	memset(key, 0, sizeof key);
}

/* Values are not destroyed: a run takes its memory back as a whole. */
int lf_sim_pthread_key_create(pthread_key_t *ret_key, void (*destroy)(void *))
{
	(void)destroy;
	for (unsigned i = 0; i < LF_SIM_KEYS; i++) {
		if (key[i].used)
			continue;
		key[i].used = true;
		*ret_key = i;
		return 0;
	}
	return EAGAIN;
}

int lf_sim_pthread_key_delete(pthread_key_t k)
{
	if (k >= LF_SIM_KEYS || !key[k].used)
		return EINVAL;
	key[k].used = false;
	key[k].host = NULL;
	for (unsigned i = 0; i < lf_sim.threads; i++)
		lf_sim.thread[i].specific[k] = NULL;
	return 0;
}

void *lf_sim_pthread_getspecific(pthread_key_t k)
{
	if (k >= LF_SIM_KEYS)
		return NULL;
	return lf_sim.self ? lf_sim.self->specific[k] : key[k].host;
}

int lf_sim_pthread_setspecific(pthread_key_t k, const void *value)
{
	if (k >= LF_SIM_KEYS || !key[k].used)
		return EINVAL;
	void **place = lf_sim.self ? &lf_sim.self->specific[k] : &key[k].host;
	*place = (void *)(uintptr_t)value;
	return 0;
}

/* --- once ------------------------------------------------------------------------------ */

enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };

int lf_sim_pthread_once(pthread_once_t *once, void (*fn)(void))
{
	int *state = (int *)once;
	int was = lf_sim_exchange_if(state, ONCE_NEW, ONCE_RUNNING);
	if (was == ONCE_NEW) {
		fn();
		lf_sim_exchange(state, ONCE_DONE);
		lf_sim_wake_first(state, LF_SIM_THREADS, UINT32_MAX);
		return 0;
	}
	while (*(volatile int *)state != ONCE_DONE && lf_sim_can_wait("pthread_once()"))
		lf_sim_wait_on(state, "once", UINT32_MAX, LF_SIM_NEVER);
	return 0;
}

/* --- barriers ----------------------------------------------------------------------------- */

struct barrier {
	unsigned size, arrived;
};

_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t),
	       "must fit into a pthread_barrier_t");

int lf_sim_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
				unsigned size)
{
	(void)attr;
	if (size == 0)
		return EINVAL;
	memset(b, 0, sizeof *b);
	((struct barrier *)b)->size = size;
	return 0;
}

int lf_sim_pthread_barrier_destroy(pthread_barrier_t *b)
{
	(void)b;
	return 0;
}

int lf_sim_pthread_barrier_wait(pthread_barrier_t *b)
{
	struct barrier *barrier = (struct barrier *)b;
	if (!lf_sim_can_wait("a barrier"))
		return EINVAL;
	lf_sim_touch(b, LF_SIM_RMW);
	if (++barrier->arrived < barrier->size) {
		lf_sim_wait_on(b, "barrier", UINT32_MAX, LF_SIM_NEVER);
		return 0;
	}
	barrier->arrived = 0;
	lf_sim_system_call();
	lf_sim_wake_first(b, LF_SIM_THREADS, UINT32_MAX);
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

/* --- pthread spin locks: test, then test-and-set --------------------------------- */

int lf_sim_pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	(void)shared;
	*l = 0;
	return 0;
}

int lf_sim_pthread_spin_destroy(pthread_spinlock_t *l)
{
	(void)l;
	return 0;
}

int lf_sim_pthread_spin_trylock(pthread_spinlock_t *l)
{
	return lf_sim_exchange_if((int *)(uintptr_t)l, 0, 1) == 0 ? 0 : EBUSY;
}

int lf_sim_pthread_spin_lock(pthread_spinlock_t *l)
{
	while (lf_sim_pthread_spin_trylock(l) != 0) {
		if (!lf_sim_can_wait("a spin lock"))
			return EDEADLK;
		do {
			lf_sim_pause();
			lf_sim_touch(l, LF_SIM_LOAD);
		} while (*l != 0);
	}
	return 0;
}

int lf_sim_pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (lf_sim.self)
		lf_sim_touch(l, LF_SIM_STORE);
	*l = 0;
	return 0;
}
