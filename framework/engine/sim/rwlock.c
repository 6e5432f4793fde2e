/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread reader-writer locks, after glibc 2.36 (nptl/pthread_rwlock_common.c).
 * There are read phases and write phases.
 *
 *   A reader enters at once in a read phase; with the kind that prefers writers
 *   (non-recursive), only while no writer waits. Otherwise it registers and waits
 *   for the next read phase.
 *   A writer enters if there are no readers and no writer; else it waits. The last
 *   reader to leave hands the lock to a waiting writer.
 *   A writer that leaves starts a read phase if readers have registered, except
 *   with the kind that prefers writers while others wait.
 *   Among writers, who comes first takes it: a woken writer may be too late.
 */
#include "engine/sim/rename.h"

#include "engine/sim/objects.h"

#include <errno.h>
#include <string.h>

struct state {
	int readers;         /* that hold it */
	int writer;          /* one holds it */
	int waiting_readers;
	int waiting_writers;
	int write_grant;     /* the last reader left it to a writer */
	int phase;           /* the number of read phases begun: readers wait for it */
	int prefers_writers;
};

_Static_assert(sizeof(struct state) <= sizeof(pthread_rwlock_t),
	       "must fit into a pthread_rwlock_t");
/* A static initialiser may set the kind, where glibc keeps it. */
_Static_assert(offsetof(pthread_rwlock_t, __data.__flags) >= sizeof(struct state),
	       "must leave the kind alone");

static struct state *of(pthread_rwlock_t *l)
{
	struct state *s = (struct state *)l;
	s->prefers_writers = l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
	return s;
}

/* Two addresses to wait at: readers' and writers'. */
static const void *readers_queue(const struct state *s)
{
	return &s->phase;
}

static const void *writers_queue(const struct state *s)
{
	return &s->writer;
}

static void touch(const struct state *s)
{
	if (lf_sim.self)
		lf_sim_touch(s, LF_SIM_RMW);
}

static void wake(const void *queue, unsigned most)
{
	if (!lf_sim_wait_first(queue))
		return;
	lf_sim_system_call();
	lf_sim_wake_first(queue, most, UINT32_MAX);
}

static bool try_read(struct state *s)
{
	touch(s);
	if (s->writer || s->write_grant || (s->prefers_writers && s->waiting_writers))
		return false;
	s->readers++;
	return true;
}

static bool try_write(struct state *s)
{
	touch(s);
	if (s->writer || s->readers)
		return false;
	s->write_grant = 0;
	s->writer = 1;
	return true;
}

/* Whoever begins a read phase makes all registered readers its holders. */
static void begin_read_phase(struct state *s)
{
	s->readers += s->waiting_readers;
	s->waiting_readers = 0;
	s->phase++;
	wake(readers_queue(s), LF_SIM_THREADS);
}

static int read_until(pthread_rwlock_t *l, uint64_t deadline_ns)
{
	struct state *s = of(l);
	if (try_read(s))
		return 0;
	if (!lf_sim_can_wait("a reader-writer lock"))
		return EDEADLK;
	int phase = s->phase;
	s->waiting_readers++;
	while (s->phase == phase) {
		lf_sim_system_call();
		if (s->phase != phase)
			break;
		if (lf_sim_wait_on(readers_queue(s), "rwlock, as reader", UINT32_MAX,
				   deadline_ns) == ETIMEDOUT && s->phase == phase) {
			s->waiting_readers--;
			return ETIMEDOUT;
		}
	}
	return 0;
}

static int write_until(pthread_rwlock_t *l, uint64_t deadline_ns)
{
	struct state *s = of(l);
	int rc = 0;
	if (!s->write_grant && try_write(s))
		return 0;
	if (!lf_sim_can_wait("a reader-writer lock"))
		return EDEADLK;
	s->waiting_writers++;
	while (rc == 0 && !try_write(s)) {
		lf_sim_system_call();
		if (s->writer || s->readers)
			rc = lf_sim_wait_on(writers_queue(s), "rwlock, as writer",
					    UINT32_MAX, deadline_ns);
	}
	s->waiting_writers--;
	/* It gave up: those that waited for it to have its turn may go on. */
	if (rc && s->waiting_writers == 0 && !s->writer) {
		s->write_grant = 0;
		begin_read_phase(s);
	}
	return rc;
}

static void leave_as_writer(struct state *s)
{
	s->writer = 0;
	if (s->waiting_readers && !(s->prefers_writers && s->waiting_writers))
		begin_read_phase(s);
	else
		wake(writers_queue(s), 1);
}

static void leave_as_reader(struct state *s)
{
	if (--s->readers > 0)
		return;
	if (s->waiting_writers) {
		s->write_grant = 1;
		wake(writers_queue(s), 1);
	} else if (s->waiting_readers) {
		begin_read_phase(s);
	}
}

int lf_sim_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	int kind = PTHREAD_RWLOCK_PREFER_READER_NP;
	if (attr)
		pthread_rwlockattr_getkind_np(attr, &kind);
	memset(l, 0, sizeof *l);
	l->__data.__flags = (unsigned)kind;
	return 0;
}

int lf_sim_pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	struct state *s = of(l);
	return s->readers || s->writer ? EBUSY : 0;
}

int lf_sim_pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return read_until(l, LF_SIM_NEVER);
}

int lf_sim_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *t)
{
	return read_until(l, lf_sim_deadline(t));
}

int lf_sim_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t id,
				      const struct timespec *t)
{
	(void)id;
	return read_until(l, lf_sim_deadline(t));
}

int lf_sim_pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	return try_read(of(l)) ? 0 : EBUSY;
}

int lf_sim_pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return write_until(l, LF_SIM_NEVER);
}

int lf_sim_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *t)
{
	return write_until(l, lf_sim_deadline(t));
}

int lf_sim_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t id,
				      const struct timespec *t)
{
	(void)id;
	return write_until(l, lf_sim_deadline(t));
}

int lf_sim_pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	struct state *s = of(l);
	return !s->write_grant && try_write(s) ? 0 : EBUSY;
}

int lf_sim_pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	struct state *s = of(l);
	touch(s);
	if (s->writer)
		leave_as_writer(s);
	else
		leave_as_reader(s);
	return 0;
}
