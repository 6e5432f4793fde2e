/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/supervisor.h"

#include "core/clock.h"
#include "observe/noise.h"
#include "run/stacks.h"
#include "run/tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

/* An engine ends a run at its limit and grants the threads a grace period; what
 * still runs this long after the limit has lost its engine too. */
#define SOFT_AFTER_LIMIT_NS (4 * SECOND)
#define HARD_AFTER_SOFT_NS (6 * SECOND)

/* What the time between two looks counts for at most. Looks come every 50 ms, but
 * not on a machine that stands still, or while stacks are taken. */
#define LOOK_COUNTS_NS (SECOND / 4)

/* Without a CPU the patience grows so many times at most: a process that spins
 * for ever on a busy machine is without one most of the time, too. */
#define PATIENCE_GROWS 16

/* Virtual time is bounded by the engine, the real time that it takes is not. */
#define SIM_FACTOR 10

/* CK_TIMEOUT_MULTIPLIER is Check's word for a slow machine; valgrind needs it. */
static double patience(void)
{
	const char *text = getenv("CK_TIMEOUT_MULTIPLIER");
	double factor = text ? atof(text) : 1;

	return factor > 1 ? factor : 1;
}

static void set_limits(struct lf_job *job)
{
	const struct lf_cell *cell = job->cell;
	uint64_t limit = cell->scenario->limit_ns[cell->budget];

	if (cell->engine->bit == LF_ON_SIM)
		limit *= SIM_FACTOR;
	job->soft_ns = (uint64_t)((double)(limit + SOFT_AFTER_LIMIT_NS) * patience());
	job->hard_ns = job->soft_ns + HARD_AFTER_SOFT_NS;
}

/* Check's own limit must never come before ours. */
static double check_limit_s(const struct lf_job *job)
{
	return (double)(job->hard_ns / SECOND + 30) * LF_MAX_VARIANTS;
}

int lf_job_start(struct lf_job *job, const struct lf_cell *cell, struct lf_error *error)
{
	pid_t worker;

	*job = (struct lf_job){ .cell = cell, .pidfd = -1 };
	set_limits(job);
	job->memory = mmap(NULL, sizeof *job->memory, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (job->memory == MAP_FAILED) {
		job->memory = NULL;
		return lf_error_set(error, -ENOMEM, "no %zu bytes of shared memory for a "
				    "worker; free some memory", sizeof *job->memory);
	}
	job->memory->supervisor = (int)getpid();
	/* What stands in stdio buffers would be written once by every process. */
	fflush(NULL);
	worker = fork();
	if (worker == 0)
		lf_worker_main(cell, job->memory, check_limit_s(job));
	if (worker < 0) {
		int code = -errno;
		lf_job_free(job);
		return lf_error_set(error, code, "cannot start a worker: fork: %s",
				    strerror(-code));
	}
	job->worker = worker;
	job->pidfd = (int)syscall(SYS_pidfd_open, worker, 0);
	job->started_ns = job->looked_ns = lf_monotonic_ns();
	return 0;
}

static void take_stacks(struct lf_job *job)
{
	struct lf_result *r = &job->memory->result;
	int tester = atomic_load(&job->memory->tester);

	lf_stacks_take(tester ? (pid_t)tester : job->worker, r->stack, sizeof r->stack);
	atomic_store(&r->stacks, LF_STACKS_TAKEN);
}

/* Everything below the worker first: once it is dead, its orphans are ours. It has
 * to have stopped for that, or it could fork behind our back. */
static void kill_all(struct lf_job *job)
{
	siginfo_t unused;

	kill(job->worker, SIGSTOP);
	while (waitid(P_PID, (id_t)job->worker, &unused,
		      WSTOPPED | WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	lf_tree_kill_below(job->worker, 0);
	kill(job->worker, SIGKILL);
}

/* How long the cell's processes were ready to run and had no CPU. */
static uint64_t delay_of(const struct lf_job *job)
{
	const pid_t process[] = { job->worker, (pid_t)atomic_load(&job->memory->tester) };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof process / sizeof process[0]; i++) {
		uint64_t delay = process[i] ? lf_noise_run_delay_of(process[i]) : LF_UNKNOWN;
		sum += delay != LF_UNKNOWN ? delay : 0;
	}
	return sum;
}

/* Has it made no progress for that long, in time that it could use? */
static bool is_still_for(const struct lf_job *job, uint64_t limit_ns)
{
	uint64_t most = job->still_ns - job->still_ns / PATIENCE_GROWS, delay, waited;

	if (job->still_ns < limit_ns)
		return false;
	delay = delay_of(job);
	waited = delay > job->delay_ns ? delay - job->delay_ns : 0;
	return job->still_ns - (waited < most ? waited : most) >= limit_ns;
}

static void count_stillness(struct lf_job *job)
{
	uint64_t now = lf_monotonic_ns(), passed = now - job->looked_ns;
	unsigned variants = job->memory->result.variants;

	job->looked_ns = now;
	job->still_ns += passed < LOOK_COUNTS_NS ? passed : LOOK_COUNTS_NS;
	if (variants == job->variants)
		return;
	job->variants = variants;
	job->still_ns = 0;
	job->delay_ns = delay_of(job);
}

static void mind_limits(struct lf_job *job)
{
	struct lf_result *r = &job->memory->result;

	count_stillness(job);
	if (atomic_load(&r->stacks) == LF_STACKS_WANTED)
		take_stacks(job);
	if (atomic_load(&r->stacks) == LF_STACKS_UNASKED && is_still_for(job, job->soft_ns))
		take_stacks(job);
	if (!job->killed && is_still_for(job, job->hard_ns)) {
		job->killed = true;
		job->judged = atomic_load(&r->state) == LF_RESULT_JUDGED;
		kill_all(job);
	}
}

/* A failed assertion of safety, for a run that could not be judged. */
__attribute__((format(printf, 4, 5)))
static void convict(struct lf_result *r, enum lf_metric metric, double value,
		    const char *format, ...)
{
	uint64_t inside = r->observation.exclusion_violations + r->observation.torn;
	struct lf_judgement *j = &r->judgement;
	va_list arguments;

	*j = (struct lf_judgement){ .verdict = LF_VERDICT_FAIL };
	lf_judge_at_most(j, metric, LF_ORIGIN_SAFETY, value, 0, 1, NULL);
	va_start(arguments, format);
	vsnprintf(j->reason, sizeof j->reason, format, arguments);
	va_end(arguments);
	snprintf(r->ending, sizeof r->ending, "%.*s",
		 (int)sizeof r->ending - 1, j->reason);
	lf_judge_at_most(j, LF_METRIC_EXCLUSION, LF_ORIGIN_SAFETY, (double)inside, 0,
			 r->observation.grants.length, NULL);
	atomic_store(&r->state, LF_RESULT_JUDGED);
}

__attribute__((format(printf, 2, 3)))
static void lose(struct lf_result *r, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(r->ending, sizeof r->ending, format, arguments);
	va_end(arguments);
	snprintf(r->error, sizeof r->error, "%s", r->ending);
}

static unsigned threads_inside(const struct lf_observation *o)
{
	unsigned n = 0;

	for (unsigned i = 0; i < o->threads && i < LF_MAX_THREADS; i++)
		n += o->thread[i].inside_acquire;
	return n ? n : 1;
}

static void convict_of_hang(struct lf_job *job, const char *when)
{
	struct lf_result *r = &job->memory->result;

	convict(r, LF_METRIC_PROGRESS, threads_inside(&r->observation),
		"the run hung%s: nothing ended it within %llu s, and it was killed; "
		"the stacks show where", when,
		(unsigned long long)(job->hard_ns / SECOND));
}

/* The cell's process ended, and the worker lived to tell how. */
static void explain_end(struct lf_job *job)
{
	struct lf_worker_memory *m = job->memory;
	struct lf_result *r = &m->result;
	bool judged = atomic_load(&r->state) == LF_RESULT_JUDGED;
	const char *when = judged ? "after" : "before";
	int end = atomic_load(&m->end), code = m->end_code;

	if (judged && (end == LF_END_RETURNED || r->judgement.verdict != LF_VERDICT_PASS))
		return;
	if (r->error[0])
		return;
	if (end == LF_END_SIGNAL && code == SIGKILL)
		lose(r, "the worker was killed from outside (signal 9), perhaps because "
		     "the machine ran out of memory; run the cell again");
	else if (end == LF_END_SIGNAL)
		convict(r, LF_METRIC_SURVIVES, 1, "the lock crashed: signal %d (%s), %s "
			"the verdict", code, strsignal(code), when);
	else if (end == LF_END_STATUS)
		convict(r, LF_METRIC_SURVIVES, 1, "the lock ended the process with "
			"status %d, %s the verdict", code, when);
	else if (end == LF_END_TIMEOUT)
		convict_of_hang(job, "");
	else
		convict(r, LF_METRIC_SURVIVES, 1, "the lock called exit(0): the process "
			"ended in order, but before the verdict");
}

static void finish(struct lf_job *job, int status)
{
	struct lf_worker_memory *m = job->memory;
	struct lf_result *r = &m->result;
	bool judged = atomic_load(&r->state) == LF_RESULT_JUDGED;

	r->wall_ns = lf_monotonic_ns() - job->started_ns;
	/* A verdict that came while it was being killed stands. */
	if (job->killed && job->judged && r->judgement.verdict == LF_VERDICT_PASS)
		convict_of_hang(job, " after its verdict");
	else if (job->killed && !judged)
		convict_of_hang(job, "");
	else if (atomic_load(&m->end) != LF_END_UNKNOWN)
		explain_end(job);
	else if (!judged && WIFSIGNALED(status))
		lose(r, "the worker was lost: signal %d (%s); run the cell again",
		     WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (!judged)
		lose(r, "the worker was lost: it ended with status %d; run the cell "
		     "again", WEXITSTATUS(status));
	if (r->error[0]) {
		r->judgement = (struct lf_judgement){ .verdict = LF_VERDICT_ERROR };
		snprintf(r->judgement.reason, sizeof r->judgement.reason, "%.*s",
			 (int)sizeof r->judgement.reason - 1, r->error);
	}
}

bool lf_job_look(struct lf_job *job)
{
	int status;
	pid_t r = waitpid(job->worker, &status, WNOHANG);

	if (r == 0 || (r < 0 && errno == EINTR)) {
		mind_limits(job);
		return false;
	}
	if (job->pidfd >= 0)
		close(job->pidfd);
	job->pidfd = -1;
	finish(job, r < 0 ? 0 : status);
	return true;
}

void lf_jobs_wait(struct lf_job *const job[], size_t n, int timeout_ms)
{
	struct pollfd end[64];
	size_t used = n < 64 ? n : 64;

	for (size_t i = 0; i < used; i++)
		end[i] = (struct pollfd){ .fd = job[i]->pidfd, .events = POLLIN };
	poll(end, used, timeout_ms);
}

void lf_job_abandon(struct lf_job *job)
{
	kill_all(job);
	while (waitpid(job->worker, NULL, 0) < 0 && errno == EINTR)
		;
	if (job->pidfd >= 0)
		close(job->pidfd);
	job->pidfd = -1;
}

void lf_job_free(struct lf_job *job)
{
	if (job->memory)
		munmap(job->memory, sizeof *job->memory);
	job->memory = NULL;
}
