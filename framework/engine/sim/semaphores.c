/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System V semaphores, after Linux's ipc/sem.c: operations of one call happen all at
 * once or not at all, and whoever changes a semaphore does what waiters asked for, in
 * the order in which they came, before it goes on. Nothing is undone at an exit.
 */
#include "engine/sim/rename.h"

#include "engine/sim/kernel.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#define MOST 32
#define VALUE_MOST 32767

struct set {
	struct lf_sim_object object;
	struct set *next;
	key_t key;
	int id, n;
	bool removed;
	char waiters; /* key of the queue */
	int value[MOST];
};

/* What a call wants; it waits until that can be done. */
struct wish {
	struct set *set;
	const struct sembuf *op;
	size_t n;
	bool done;
};

static struct set *sets;
static int next_id;

void lf_sim_semaphores_reset(void)
{
	sets = NULL;
	next_id = 0;
}

static struct set *find(int id)
{
	struct set *s = sets;
	while (s && (s->id != id || s->removed))
		s = s->next;
	return s;
}

static struct set *find_key(key_t key)
{
	struct set *s = sets;
	while (s && (s->key != key || s->removed))
		s = s->next;
	return key == IPC_PRIVATE ? NULL : s;
}

static int new_set(key_t key, int n)
{
	struct set *s = n >= 1 && n <= MOST ? lf_sim_object_new(sizeof *s) : NULL;
	if (!s)
		return -EINVAL;
	s->key = key;
	s->id = next_id++;
	s->n = n;
	s->next = sets;
	sets = s;
	return s->id;
}

int lf_sim_semget(key_t key, int n, int flags)
{
	lf_sim_system_call();
	const struct set *s = find_key(key);
	if (s && flags & IPC_CREAT && flags & IPC_EXCL)
		return (int)lf_sim_result(-EEXIST);
	if (s)
		return n <= s->n ? s->id : (int)lf_sim_result(-EINVAL);
	if (key != IPC_PRIVATE && !(flags & IPC_CREAT))
		return (int)lf_sim_result(-ENOENT);
	return (int)lf_sim_result(new_set(key, n));
}

/* 0: done; 1: must wait; or a negative errno. */
static int attempt(const struct wish *w)
{
	int value[MOST];
	memcpy(value, w->set->value, sizeof value);
	for (size_t i = 0; i < w->n; i++) {
		const struct sembuf *op = &w->op[i];
		int *v = &value[op->sem_num];
		bool waits = op->sem_op == 0 ? *v != 0 : *v + op->sem_op < 0;
		if (waits)
			return op->sem_flg & IPC_NOWAIT ? -EAGAIN : 1;
		*v += op->sem_op;
		if (*v > VALUE_MOST)
			return -ERANGE;
	}
	memcpy(w->set->value, value, sizeof value);
	return 0;
}

static bool is_granted(const struct lf_sim_thread *t)
{
	struct wish *w = t->request;
	return w->done = attempt(w) == 0;
}

static void serve(struct set *s)
{
	lf_sim_wake_reached(&s->waiters, is_granted);
}

static int check(const struct set *s, const struct sembuf *op, size_t n)
{
	if (!s || n == 0)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (op[i].sem_num >= s->n)
			return -EFBIG;
		if (op[i].sem_flg & ~IPC_NOWAIT)
			lf_sim_abort("semop() with flags %#o is not simulated: IPC_NOWAIT "
				     "is", (unsigned)op[i].sem_flg);
	}
	return 0;
}

static int operate(int id, const struct sembuf *op, size_t n, uint64_t deadline_ns)
{
	struct set *s = find(id);
	struct wish w = { s, op, n, false };
	int rc = check(s, op, n);
	if (rc)
		return rc;
	lf_sim_enter(&s->object, lf_sim.machine.ipc_semaphore_ns, 0);
	rc = attempt(&w);
	w.done = rc == 0;
	if (rc < 0)
		return rc;
	while (!w.done) {
		rc = lf_sim_may_wait(true, "a semaphore");
		if (rc)
			return rc;
		lf_sim.self->request = &w;
		rc = lf_sim_wait_on(&s->waiters, "semaphore", UINT32_MAX, deadline_ns);
		if (s->removed)
			return -EIDRM;
		if (rc)
			return -EAGAIN;
	}
	serve(s);
	return 0;
}

int lf_sim_semop(int id, struct sembuf *op, size_t n)
{
	return (int)lf_sim_result(operate(id, op, n, LF_SIM_NEVER));
}

int lf_sim_semtimedop(int id, struct sembuf *op, size_t n, const struct timespec *timeout)
{
	return (int)lf_sim_result(operate(id, op, n, lf_sim_deadline_in(timeout)));
}

/* The caller's union semun, which no header has. */
union argument {
	int value;
	unsigned short *array;
};

static int set_value(struct set *s, int i, int value)
{
	if (value < 0 || value > VALUE_MOST)
		return -ERANGE;
	s->value[i] = value;
	serve(s);
	return 0;
}

static int set_all(struct set *s, const unsigned short *value)
{
	for (int i = 0; i < s->n; i++)
		s->value[i] = value[i];
	serve(s);
	return 0;
}

static int get_all(const struct set *s, unsigned short *ret_value)
{
	for (int i = 0; i < s->n; i++)
		ret_value[i] = (unsigned short)s->value[i];
	return 0;
}

static int remove_set(struct set *s)
{
	s->removed = true;
	lf_sim_wake_first(&s->waiters, LF_SIM_THREADS, UINT32_MAX);
	return 0;
}

static int control(int id, int i, int command, union argument a)
{
	struct set *s = find(id);
	lf_sim_system_call();
	if (!s || i < 0 || i >= s->n)
		return -EINVAL;
	switch (command) {
	case SETVAL:
		return set_value(s, i, a.value);
	case GETVAL:
		return s->value[i];
	case SETALL:
		return set_all(s, a.array);
	case GETALL:
		return get_all(s, a.array);
	case IPC_RMID:
		return remove_set(s);
	default:
		lf_sim_abort("semctl command %d is not simulated: SETVAL, GETVAL, SETALL, "
			     "GETALL and IPC_RMID are", command);
		return -EINVAL;
	}
}

int lf_sim_semctl(int id, int i, int command, ...)
{
	union argument a = { 0 };
	if (command == SETVAL || command == SETALL || command == GETALL) {
		va_list arguments;
		va_start(arguments, command);
		a = va_arg(arguments, union argument);
		va_end(arguments);
	}
	return (int)lf_sim_result(control(id, i, command, a));
}
