/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fiber carrier: all simulated threads take turns on one real thread, each on
 * its own stack, and a change between them is a dozen instructions. That is some
 * hundred times cheaper than the token carrier and decides nothing else: both give
 * the same run.
 *
 * All of them share the real thread's storage, so that a lock with thread-local
 * variables of its own must not run here; nor do sanitizers follow it. errno is
 * kept apart. See lf_sim_choose_carrier().
 */
#include "engine/sim/carrier.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define HAVE_FIBERS 1

/* void lf_sim_fiber_swap(void **from, void *to): keeps what a called function has
 * to keep by the ABI and changes stacks. */
__asm__(".text\n"
	".globl lf_sim_fiber_swap\n"
	".hidden lf_sim_fiber_swap\n"
	".type lf_sim_fiber_swap,@function\n"
	"lf_sim_fiber_swap:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size lf_sim_fiber_swap,.-lf_sim_fiber_swap\n");
void lf_sim_fiber_swap(void **from, void *to);

#define SAVED_REGISTERS 6
#endif

#ifdef HAVE_FIBERS

/* At the upper end of a strand's stack; the host's has a place of its own. */
struct fiber {
	void *sp; /* while it does not run */
	int error; /* errno meanwhile */
};

/* The real thread, and the host that waits for it. */
static struct {
	pthread_t thread;
	struct fiber base; /* the thread's own stack, which stands for the host */
	struct fiber *first;
	_Atomic uint32_t done; /* futex word */
} real;

/* Who begins; read by begin() on the new stack. */
static struct lf_strand *beginner;

static void begin(void)
{
	beginner->fn(beginner->arg);
	__builtin_trap(); /* it leaves and does not return */
}

static struct fiber *of(struct lf_strand *s)
{
	return s->own;
}

static void swap(struct fiber *from, struct lf_strand *to)
{
	from->error = errno;
	beginner = to;
	lf_sim_fiber_swap(&from->sp, of(to)->sp);
	errno = from->error;
}

static int fiber_open(struct lf_strand *host, struct lf_error *error)
{
	(void)error;
	real.base = (struct fiber){ 0 };
	host->own = &real.base;
	return 0;
}

static int fiber_start(struct lf_strand *s, struct lf_error *error)
{
	(void)error;
	uintptr_t top = (uintptr_t)s->stack + s->stack_size;
	struct fiber *f = (struct fiber *)((top - sizeof *f) & ~(uintptr_t)63);
	/* As if begin() had been called from nowhere, and had then saved its
	 * registers: at its first instruction the stack is 8 off a multiple of 16. */
	void **sp = (void **)f;
	*--sp = NULL;
	*--sp = (void *)(uintptr_t)begin;
	for (int i = 0; i < SAVED_REGISTERS; i++)
		*--sp = NULL;
	*f = (struct fiber){ .sp = sp };
	s->own = f;
	return 0;
}

static void futex(int op, uint32_t value, const struct timespec *timeout)
{
	syscall(SYS_futex, &real.done, op, value, timeout, NULL, 0);
}

static void *run(void *unused)
{
	(void)unused;
	lf_sim_fiber_swap(&real.base.sp, real.first->sp);
	/* Release: the host sees all that happened here. Pairs with the acquire
	 * load in fiber_enter(). */
	atomic_store_explicit(&real.done, 1, memory_order_release);
	futex(FUTEX_WAKE_PRIVATE, 1, NULL);
	return NULL;
}

static int fiber_enter(struct lf_strand *host, struct lf_strand *to, bool (*stuck)(void))
{
	const struct timespec second = { .tv_sec = 1 };
	(void)host;
	real.first = of(to);
	beginner = to;
	atomic_store_explicit(&real.done, 0, memory_order_relaxed);
	int rc = pthread_create(&real.thread, NULL, run, NULL);
	if (rc)
		return -rc;
	while (!atomic_load_explicit(&real.done, memory_order_acquire)) {
		futex(FUTEX_WAIT_PRIVATE, 0, &second);
		if (!atomic_load_explicit(&real.done, memory_order_relaxed) && stuck()) {
			pthread_detach(real.thread);
			return -ETIMEDOUT;
		}
	}
	pthread_join(real.thread, NULL);
	return 0;
}

static void fiber_swap(struct lf_strand *from, struct lf_strand *to)
{
	swap(of(from), to);
}

static __attribute__((noreturn)) void fiber_leave(struct lf_strand *from, struct lf_strand *to)
{
	swap(of(from), to);
	__builtin_trap(); /* nobody enters it again */
}

/* Its stack is used anew, or not at all. */
static void fiber_end(struct lf_strand *s)
{
	s->own = NULL;
}

static const struct lf_carrier fiber = {
	.name = "fiber",
	.effort = 2,
	.open = fiber_open,
	.start = fiber_start,
	.enter = fiber_enter,
	.swap = fiber_swap,
	.leave = fiber_leave,
	.end = fiber_end,
	.close = fiber_end,
};

const struct lf_carrier *const lf_carrier_fiber = &fiber;

#else

const struct lf_carrier *const lf_carrier_fiber = NULL;

#endif
