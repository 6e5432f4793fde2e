/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate/rounds.h"

#include "engine/engine.h"
#include "gate/futex.h"
#include "run/tree.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* No round takes longer than this, however busy the machine is. */
#define HANG_MS 10000
#define LOOK_MS 20

const struct lf_round_metric_info lf_round_metric_info[LF_ROUND_METRICS] = {
#define X(id, name, unit, may_fail, larger, text) { name, unit, text, may_fail, larger },
	LF_ROUND_METRIC_MAP(X)
#undef X
};

static const char *const arm_name[] = {
#define X(id, name) name,
	LF_ARM_MAP(X)
#undef X
};

unsigned lf_rounds_cpus(int cpu[static LF_MAX_THREADS])
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

double lf_round_ratio(const struct lf_round *old, const struct lf_round *new,
		      enum lf_round_metric m)
{
	double ratio = new->value[m] / old->value[m];

	if (!(ratio > 0) || !isfinite(ratio))
		return NAN;
	return lf_round_metric_info[m].larger_is_better ? -log(ratio) : log(ratio);
}

int lf_rounds_start(struct lf_rounds *r, const struct lf_rounds_plan *plan,
		    struct lf_error *error)
{
	pid_t parent = getpid();

	*r = (struct lf_rounds){ .memory = lf_shared_new(sizeof *r->memory) };
	if (!r->memory)
		return lf_error_set(error, -ENOMEM, "no memory for the rounds");
	fflush(NULL);
	r->child = fork();
	if (r->child == 0)
		lf_arena_main(plan, r->memory, parent);
	if (r->child > 0)
		return 0;
	lf_shared_free(r->memory, sizeof *r->memory);
	r->memory = NULL;
	return lf_error_set(error, -EAGAIN, "cannot start a process for the rounds: %s",
			    strerror(errno));
}

static const char *running(const struct lf_rounds *r)
{
	unsigned arm = atomic_load(&r->memory->running);

	return arm < LF_ARMS ? arm_name[arm] : "?";
}

static enum lf_rounds_end explain_end(struct lf_rounds *r, int status,
				      struct lf_error *error)
{
	const char *loading = atomic_load(&r->memory->ready) ? "" : " while it was loaded";

	r->child = 0;
	if (r->memory->error[0]) {
		lf_error_set(error, -EIO, "%s: %s", running(r), r->memory->error);
		return LF_ROUNDS_ERROR;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		lf_error_set(error, -EIO, "the process with the rounds was killed from "
			     "outside; run it again");
		return LF_ROUNDS_ERROR;
	}
	if (WIFSIGNALED(status))
		lf_error_set(error, -EFAULT, "%s crashed%s: signal %d (%s)", running(r),
			     loading, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		lf_error_set(error, -EFAULT, "%s ended the process%s, with status %d",
			     running(r), loading, WEXITSTATUS(status));
	return LF_ROUNDS_DIED;
}

/* Without a round for HANG_MS. Time in which this process did not run either does
 * not count: it is taken in steps. */
static enum lf_rounds_end watch(struct lf_rounds *r, uint64_t *beat, unsigned *still_ms,
				struct lf_error *error)
{
	uint64_t now = atomic_load(&r->memory->beat) + atomic_load(&r->memory->ready);
	int status;

	if (waitpid(r->child, &status, WNOHANG) == r->child)
		return explain_end(r, status, error);
	*still_ms = now == *beat ? *still_ms + LOOK_MS : 0;
	*beat = now;
	if (*still_ms < HANG_MS)
		return LF_ROUNDS_GOING;
	lf_error_set(error, -ETIMEDOUT, "%s hung: no round of 2 ms ended within %d s",
		     running(r), HANG_MS / 1000);
	return LF_ROUNDS_HUNG;
}

uint64_t lf_rounds_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

enum lf_rounds_end lf_rounds_until(struct lf_rounds *r, unsigned cycles,
				   uint64_t until_ns,
				   const volatile sig_atomic_t *interrupted,
				   struct lf_error *error)
{
	struct lf_rounds_memory *m = r->memory;
	uint64_t beat = 0;
	unsigned still_ms = 0;
	uint32_t done;

	atomic_store(&m->quota, cycles);
	lf_futex_wake(&m->quota);
	while ((done = atomic_load(&m->done)) < cycles) {
		enum lf_rounds_end end = watch(r, &beat, &still_ms, error);
		if (end != LF_ROUNDS_GOING)
			return end;
		if (interrupted && *interrupted) {
			lf_error_set(error, -EINTR, "interrupted");
			return LF_ROUNDS_INTERRUPTED;
		}
		if (lf_rounds_now_ns() > until_ns)
			return LF_ROUNDS_LATE;
		lf_futex_wait(&m->done, done, LOOK_MS);
	}
	return LF_ROUNDS_GOING;
}

void lf_rounds_stop(struct lf_rounds *r)
{
	if (r->child > 0) {
		kill(r->child, SIGSTOP);
		lf_tree_kill_below(r->child, 0);
		kill(r->child, SIGKILL);
		while (waitpid(r->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	lf_shared_free(r->memory, sizeof *r->memory);
	*r = (struct lf_rounds){ 0 };
}
