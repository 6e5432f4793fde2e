/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate/child.h"

#include "core/clock.h"
#include "run/tree.h"
#include <lockfair/backend.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

unsigned lf_child_cpus(int cpu[])
{
	cpu_set_t set;
	unsigned n = 0;

	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 0;
	for (int i = 0; i < CPU_SETSIZE && n < LF_MAX_THREADS; i++)
		if (CPU_ISSET((size_t)i, &set))
			cpu[n++] = i;
	return n;
}

/* --- In the child --------------------------------------------------------------- */

void lf_child_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

_Noreturn void lf_child_give_up(struct lf_child_state *state, const char *what,
				const char *why)
{
	snprintf(state->error, sizeof state->error, "%s: %s", what, why);
	_exit(1);
}

static void settle_in(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	/* A group of its own: the terminal's ^C goes to the parent alone. */
	setpgid(0, 0);
	/* Threads inherit it; the default adds 50 us to every timed sleep. */
	prctl(PR_SET_TIMERSLACK, 1);
	/* What a lock prints is not part of the report. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* --- In the parent -------------------------------------------------------------- */

int lf_child_start(struct lf_child *child, void (*main)(void *context), void *context,
		   struct lf_error *error)
{
	pid_t parent = getpid();

	child->still_ms = 0;
	child->beat = 0;
	/* What the foreign code forks stays below us when its own parent is gone. */
	prctl(PR_GET_CHILD_SUBREAPER, &child->was_subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* What stands in stdio buffers would be written by both. */
	fflush(NULL);
	child->pid = fork();
	if (child->pid == 0) {
		settle_in(parent);
		main(context);
		_exit(0);
	}
	if (child->pid > 0)
		return 0;
	child->pid = 0;
	return lf_error_set(error, -EAGAIN, "cannot start a process to measure in: %s",
			    strerror(errno));
}

static enum lf_child_end explain_end(struct lf_child *child, int status,
				     struct lf_error *error)
{
	const struct lf_child_state *s = child->state;
	const char *side = child->side_name[atomic_load(&s->side)];
	const char *loading = atomic_load(&s->ready) ? "" : " while it was loaded";

	child->pid = 0;
	if (s->error[0]) {
		lf_error_set(error, -EIO, "%s: %.480s", side, s->error);
		return LF_CHILD_ERROR;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		lf_error_set(error, -EIO, "the process that measured was killed from "
			     "outside; run it again");
		return LF_CHILD_ERROR;
	}
	if (WIFSIGNALED(status))
		lf_error_set(error, -EFAULT, "%s crashed%s: signal %d (%s)", side, loading,
			     WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		lf_error_set(error, -EFAULT, "%s ended the process%s, with status %d", side,
			     loading, WEXITSTATUS(status));
	return LF_CHILD_DIED;
}

enum lf_child_end lf_child_look(struct lf_child *child, uint64_t until_ns,
				const volatile sig_atomic_t *interrupted,
				struct lf_error *error)
{
	uint64_t beat = atomic_load(&child->state->beat) +
		atomic_load(&child->state->ready);
	int status;

	if (waitpid(child->pid, &status, WNOHANG) == child->pid)
		return explain_end(child, status, error);
	if (interrupted && *interrupted) {
		lf_error_set(error, -EINTR, "interrupted");
		return LF_CHILD_INTERRUPTED;
	}
	/* In looks, not by the clock: a machine that stood still hangs nobody. */
	child->still_ms = beat == child->beat ? child->still_ms + LF_CHILD_LOOK_MS : 0;
	child->beat = beat;
	if (child->still_ms >= child->hang_ms) {
		lf_error_set(error, -ETIMEDOUT, "%s hung: nothing happened for %u s",
			     child->side_name[atomic_load(&child->state->side)],
			     child->hang_ms / 1000);
		return LF_CHILD_HUNG;
	}
	return lf_monotonic_ns() > until_ns ? LF_CHILD_LATE : LF_CHILD_GOING;
}

void lf_child_stop(struct lf_child *child)
{
	if (child->pid > 0) {
		/* It must not fork behind our back. */
		kill(child->pid, SIGSTOP);
		lf_tree_kill_below(child->pid, 0);
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
		child->pid = 0;
	}
	lf_tree_kill_below(getpid(), 0);
	prctl(PR_SET_CHILD_SUBREAPER, child->was_subreaper);
}
