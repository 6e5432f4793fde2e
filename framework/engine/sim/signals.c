/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals that are blocked and accepted by sigwait() and its kin: the only ones that
 * come at a place that the receiver chose. Each thread counts as a process, with its
 * thread's number; an ordinary signal that is pending already is not counted twice.
 */
#include "engine/sim/rename.h"

#include "engine/sim/kernel.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define SIGNALS 65 /* 1 … 64 */
#define HOST LF_SIM_THREADS

static struct inbox {
	uint64_t blocked, awaited; /* bit n - 1: signal n */
	unsigned pending[SIGNALS];
	siginfo_t info[SIGNALS];   /* of the last one */
	char waiters;              /* key of the queue */
} inbox[LF_SIM_THREADS + 1];

void lf_sim_signals_reset(void)
{
	memset(inbox, 0, sizeof inbox);
}

static struct inbox *mine(void)
{
	return &inbox[lf_sim.self ? lf_sim.self->id : HOST];
}

void lf_sim_signals_inherit(const struct lf_sim_thread *t)
{
	inbox[t->id].blocked = mine()->blocked;
}

static uint64_t bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

static uint64_t bits_of(const sigset_t *set)
{
	uint64_t bits = 0;
	for (int i = 1; i < SIGNALS; i++)
		if (sigismember(set, i) == 1)
			bits |= bit(i);
	return bits;
}

static void set_of(uint64_t bits, sigset_t *ret_set)
{
	sigemptyset(ret_set);
	for (int i = 1; i < SIGNALS; i++)
		if (bits & bit(i))
			sigaddset(ret_set, i);
}

/* --- masks ---------------------------------------------------------------------------- */

static void refuse_delivery(int number)
{
	lf_sim_abort("signal %d reaches a thread that does not block it, and the simulator "
		     "interrupts nobody: block it and take it with sigwait(), or declare "
		     "the backend for engine threads only", number);
}

static void deliver_unblocked(const struct inbox *b)
{
	for (int i = 1; i < SIGNALS; i++)
		if (b->pending[i] && !(b->blocked & bit(i)))
			refuse_delivery(i);
}

static int change_mask(int how, const sigset_t *set, sigset_t *ret_old)
{
	struct inbox *b = mine();
	lf_sim_system_call();
	if (ret_old)
		set_of(b->blocked, ret_old);
	if (!set)
		return 0;
	if (how == SIG_BLOCK)
		b->blocked |= bits_of(set);
	else if (how == SIG_UNBLOCK)
		b->blocked &= ~bits_of(set);
	else if (how == SIG_SETMASK)
		b->blocked = bits_of(set);
	else
		return EINVAL;
	deliver_unblocked(b);
	return 0;
}

int lf_sim_pthread_sigmask(int how, const sigset_t *set, sigset_t *ret_old)
{
	return change_mask(how, set, ret_old);
}

int lf_sim_sigprocmask(int how, const sigset_t *set, sigset_t *ret_old)
{
	return (int)lf_sim_result(-change_mask(how, set, ret_old));
}

int lf_sim_sigpending(sigset_t *ret_set)
{
	const struct inbox *b = mine();
	lf_sim_system_call();
	sigemptyset(ret_set);
	for (int i = 1; i < SIGNALS; i++)
		if (b->pending[i])
			sigaddset(ret_set, i);
	return 0;
}

/* --- sending ----------------------------------------------------------------------------- */

static void post(struct inbox *b, int number, int code)
{
	if (!((b->blocked | b->awaited) & bit(number)))
		refuse_delivery(number);
	b->info[number] = (siginfo_t){ .si_signo = number, .si_code = code };
	b->info[number].si_pid = lf_sim_gettid();
	if (number >= SIGRTMIN || b->pending[number] == 0)
		b->pending[number]++;
	if (b->awaited & bit(number))
		lf_sim_wake_first(&b->waiters, 1, UINT32_MAX);
}

int lf_sim_signal_thread(pid_t tid, int number, int code)
{
	int i = tid - LF_SIM_FIRST_TID - 1;
	if (lf_sim.self)
		lf_sim_advance(lf_sim_jitter(lf_sim.machine.cost_syscall_ns +
					     lf_sim.machine.ipc_signal_ns));
	if (number < 0 || number >= SIGNALS)
		return -EINVAL;
	if (i < 0 || i >= (int)lf_sim.threads || lf_sim.thread[i].state == LF_SIM_ENDED)
		return -ESRCH;
	if (number > 0)
		post(&inbox[i], number, code);
	return 0;
}

int lf_sim_kill(pid_t pid, int number)
{
	if (pid <= 0)
		lf_sim_abort("kill(%d): groups of processes are not simulated", (int)pid);
	return (int)lf_sim_result(lf_sim_signal_thread(pid, number, SI_USER));
}

int lf_sim_pthread_kill(pthread_t thread, int number)
{
	/* A handle is the thread's place, from 1 on. */
	return -lf_sim_signal_thread(LF_SIM_FIRST_TID + (pid_t)thread, number, SI_TKILL);
}

/* --- accepting --------------------------------------------------------------------------- */

/* The lowest number that is pending; 0: none. */
static int take(struct inbox *b, uint64_t wanted)
{
	for (int i = 1; i < SIGNALS; i++) {
		if (!b->pending[i] || !(wanted & bit(i)))
			continue;
		b->pending[i]--;
		return i;
	}
	return 0;
}

/* The signal's number, or a negative errno. */
static int accept_signal(const sigset_t *set, uint64_t deadline_ns, siginfo_t *ret_info)
{
	struct inbox *b = mine();
	uint64_t wanted = bits_of(set);
	int number, rc = 0;
	if (lf_sim.self)
		lf_sim_advance(lf_sim_jitter(lf_sim.machine.cost_syscall_ns +
					     lf_sim.machine.ipc_signal_ns));
	while ((number = take(b, wanted)) == 0 && rc == 0) {
		rc = lf_sim_may_wait(deadline_ns > lf_sim.now_ns, "a signal");
		if (rc)
			return rc;
		b->awaited = wanted;
		rc = -lf_sim_wait_on(&b->waiters, "signal", UINT32_MAX, deadline_ns);
		b->awaited = 0;
	}
	if (number == 0)
		return -EAGAIN;
	if (ret_info)
		*ret_info = b->info[number];
	return number;
}

int lf_sim_sigwait(const sigset_t *set, int *ret_number)
{
	int rc = accept_signal(set, LF_SIM_NEVER, NULL);
	if (rc < 0)
		return -rc;
	*ret_number = rc;
	return 0;
}

int lf_sim_sigwaitinfo(const sigset_t *set, siginfo_t *ret_info)
{
	return (int)lf_sim_result(accept_signal(set, LF_SIM_NEVER, ret_info));
}

int lf_sim_sigtimedwait(const sigset_t *set, siginfo_t *ret_info,
			const struct timespec *timeout)
{
	return (int)lf_sim_result(accept_signal(set, lf_sim_deadline_in(timeout), ret_info));
}
