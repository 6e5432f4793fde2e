/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The token carrier: a real thread for each simulated one. A token, a futex word
 * of its own for each thread, says who may run. All of them are kept on one CPU,
 * which makes a hand-over three times cheaper than waking another CPU.
 */
#include "engine/sim/carrier.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct token {
	_Atomic uint32_t go; /* futex word */
	_Atomic bool end;
	pthread_t thread;
	struct lf_strand *strand;
	jmp_buf out; /* to the bottom of the thread's stack */
};

/* Where the strands of this run go; the host stays where it is. */
static cpu_set_t place;

/* A thread sanitizer sees no futex. Weak, so that these are null without one. */
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void futex(_Atomic uint32_t *word, int op, uint32_t value,
		  const struct timespec *timeout)
{
	syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

static void give(struct token *to)
{
	if (__tsan_release)
		__tsan_release(to);
	/* Release: what this strand did is seen by the next. Pairs with the
	 * acquire exchange in try_take(). */
	atomic_store_explicit(&to->go, 1, memory_order_release);
	futex(&to->go, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static bool try_take(struct token *mine)
{
	if (!atomic_exchange_explicit(&mine->go, 0, memory_order_acquire))
		return false;
	if (__tsan_acquire)
		__tsan_acquire(mine);
	return true;
}

static void take(struct token *mine)
{
	while (!try_take(mine))
		futex(&mine->go, FUTEX_WAIT_PRIVATE, 0, NULL);
	if (atomic_load_explicit(&mine->end, memory_order_relaxed))
		longjmp(mine->out, 1);
}

static void *body(void *arg)
{
	struct token *mine = arg;
	pthread_setname_np(pthread_self(), mine->strand->name);
	if (setjmp(mine->out) == 0) {
		take(mine);
		mine->strand->fn(mine->strand->arg);
	}
	return NULL;
}

/* One CPU out of those that this process may use: the one it is on. */
static void choose_place(void)
{
	cpu_set_t allowed;
	int here = sched_getcpu();
	CPU_ZERO(&place);
	if (here >= 0)
		CPU_SET(here, &place);
	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
		CPU_AND(&place, &place, &allowed);
}

static int token_open(struct lf_strand *host, struct lf_error *error)
{
	struct token *mine = calloc(1, sizeof *mine);
	if (!mine)
		return lf_error_set(error, -ENOMEM, "no memory for the simulator");
	mine->strand = host;
	host->own = mine;
	choose_place();
	return 0;
}

static int create(struct token *t)
{
	pthread_attr_t attr;
	int rc = pthread_attr_init(&attr);
	if (rc)
		return rc;
	rc = pthread_attr_setstack(&attr, t->strand->stack, t->strand->stack_size);
	if (rc == 0 && CPU_COUNT(&place) == 1)
		rc = pthread_attr_setaffinity_np(&attr, sizeof place, &place);
	if (rc == 0)
		rc = pthread_create(&t->thread, &attr, body, t);
	pthread_attr_destroy(&attr);
	return rc;
}

static int token_start(struct lf_strand *s, struct lf_error *error)
{
	struct token *t = calloc(1, sizeof *t);
	if (!t)
		return lf_error_set(error, -ENOMEM, "no memory for a simulated thread");
	t->strand = s;
	s->own = t;
	int rc = create(t);
	if (rc == 0)
		return 0;
	free(t);
	s->own = NULL;
	return lf_error_set(error, -rc, "the simulator cannot start a thread: %s; raise "
			    "the limit on processes (ulimit -u)", strerror(rc));
}

static int token_enter(struct lf_strand *host, struct lf_strand *to, bool (*stuck)(void))
{
	const struct timespec second = { .tv_sec = 1 };
	struct token *mine = host->own;
	give(to->own);
	while (!try_take(mine)) {
		futex(&mine->go, FUTEX_WAIT_PRIVATE, 0, &second);
		if (!atomic_load_explicit(&mine->go, memory_order_relaxed) && stuck())
			return -ETIMEDOUT;
	}
	return 0;
}

static void token_swap(struct lf_strand *from, struct lf_strand *to)
{
	give(to->own);
	take(from->own);
}

static __attribute__((noreturn)) void token_leave(struct lf_strand *from, struct lf_strand *to)
{
	struct token *mine = from->own;
	give(to->own);
	longjmp(mine->out, 1);
}

static void token_end(struct lf_strand *s)
{
	struct token *t = s->own;
	if (!t)
		return;
	atomic_store_explicit(&t->end, true, memory_order_relaxed);
	give(t);
	pthread_join(t->thread, NULL);
	free(t);
	s->own = NULL;
}

static void token_close(struct lf_strand *host)
{
	free(host->own);
	host->own = NULL;
}

const struct lf_carrier lf_carrier_token = {
	.name = "token",
	.effort = 60,
	.open = token_open,
	.start = token_start,
	.enter = token_enter,
	.swap = token_swap,
	.leave = token_leave,
	.end = token_end,
	.close = token_close,
};
