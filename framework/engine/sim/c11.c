/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C11 threads, which glibc builds on its pthreads: the same objects under other
 * names. */
#include "engine/sim/rename.h"

#include "engine/sim/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t), "mtx_t is a pthread_mutex_t");
_Static_assert(sizeof(cnd_t) >= sizeof(pthread_cond_t), "cnd_t is a pthread_cond_t");

static int result(int rc)
{
	switch (rc) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ETIMEDOUT:
		return thrd_timedout;
	case EAGAIN:
		return thrd_nomem;
	default:
		return thrd_error;
	}
}

struct start {
	thrd_start_t fn;
	void *arg;
};

static void *begin(void *arg)
{
	struct start start = *(struct start *)arg;
	lf_sim_free(arg);
	return (void *)(intptr_t)start.fn(start.arg);
}

int lf_sim_thrd_create(thrd_t *ret_thread, thrd_start_t fn, void *arg)
{
	struct start *start = lf_sim_malloc(sizeof *start);
	if (!start)
		return thrd_nomem;
	*start = (struct start){ fn, arg };
	return result(lf_sim_pthread_create(ret_thread, NULL, begin, start));
}

int lf_sim_thrd_join(thrd_t thread, int *ret_value)
{
	void *value = NULL;
	int rc = lf_sim_pthread_join(thread, &value);
	if (ret_value)
		*ret_value = (int)(intptr_t)value;
	return result(rc);
}

int lf_sim_thrd_detach(thrd_t thread)
{
	return result(lf_sim_pthread_detach(thread));
}

void lf_sim_thrd_exit(int value)
{
	lf_sim_pthread_exit((void *)(intptr_t)value);
}

thrd_t lf_sim_thrd_current(void)
{
	return lf_sim_pthread_self();
}

int lf_sim_thrd_sleep(const struct timespec *t, struct timespec *rest)
{
	return lf_sim_nanosleep(t, rest);
}

void lf_sim_thrd_yield(void)
{
	lf_sim_sched_yield();
}

static pthread_mutex_t *mutex_of(mtx_t *m)
{
	return (pthread_mutex_t *)m;
}

static pthread_cond_t *cond_of(cnd_t *c)
{
	return (pthread_cond_t *)c;
}

int lf_sim_mtx_init(mtx_t *m, int type)
{
	memset(m, 0, sizeof *m);
	if (type & mtx_recursive)
		mutex_of(m)->__data.__kind = PTHREAD_MUTEX_RECURSIVE;
	return thrd_success;
}

void lf_sim_mtx_destroy(mtx_t *m)
{
	(void)m;
}

int lf_sim_mtx_lock(mtx_t *m)
{
	return result(lf_sim_pthread_mutex_lock(mutex_of(m)));
}

int lf_sim_mtx_trylock(mtx_t *m)
{
	return result(lf_sim_pthread_mutex_trylock(mutex_of(m)));
}

int lf_sim_mtx_timedlock(mtx_t *m, const struct timespec *t)
{
	return result(lf_sim_pthread_mutex_timedlock(mutex_of(m), t));
}

int lf_sim_mtx_unlock(mtx_t *m)
{
	return result(lf_sim_pthread_mutex_unlock(mutex_of(m)));
}

int lf_sim_cnd_init(cnd_t *c)
{
	return result(lf_sim_pthread_cond_init(cond_of(c), NULL));
}

void lf_sim_cnd_destroy(cnd_t *c)
{
	(void)c;
}

int lf_sim_cnd_wait(cnd_t *c, mtx_t *m)
{
	return result(lf_sim_pthread_cond_wait(cond_of(c), mutex_of(m)));
}

int lf_sim_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t)
{
	return result(lf_sim_pthread_cond_timedwait(cond_of(c), mutex_of(m), t));
}

int lf_sim_cnd_signal(cnd_t *c)
{
	return result(lf_sim_pthread_cond_signal(cond_of(c)));
}

int lf_sim_cnd_broadcast(cnd_t *c)
{
	return result(lf_sim_pthread_cond_broadcast(cond_of(c)));
}

int lf_sim_tss_create(tss_t *ret_key, tss_dtor_t destroy)
{
	return result(lf_sim_pthread_key_create(ret_key, destroy));
}

void lf_sim_tss_delete(tss_t key)
{
	lf_sim_pthread_key_delete(key);
}

void *lf_sim_tss_get(tss_t key)
{
	return lf_sim_pthread_getspecific(key);
}

int lf_sim_tss_set(tss_t key, void *value)
{
	return result(lf_sim_pthread_setspecific(key, value));
}

void lf_sim_call_once(once_flag *flag, void (*fn)(void))
{
	lf_sim_pthread_once((pthread_once_t *)flag, fn);
}
