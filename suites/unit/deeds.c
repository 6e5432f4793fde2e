/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/unit/deeds.h"

#include "engine/engine.h"
#include "judge/judge.h"
#include "run/tree.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

BEHAVES(fair, "fair", DO_PASS);
BEHAVES(unfair, "unfair", DO_FAIL);
BEHAVES(subject, "subject", DO_PASS);

const struct lf_entry lf_deed_entries[3] = {
	{ .backend = &fair }, { .backend = &unfair }, { .backend = &subject },
};

static void crash_late(void)
{
	raise(SIGSEGV);
}

static void hang_late(void)
{
	for (;;)
		pause();
}

void lf_deed_spin(void)
{
	cpu_set_t set;
	int cpu = 0;

	sched_getaffinity(0, sizeof set, &set);
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
	for (;;)
		__asm__ volatile("");
}

static void escape(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			for (;;)
				pause();
		_exit(0);
	}
	wait(NULL);
}

static void misbehave(struct lf_run *run, int64_t deed, unsigned variant)
{
	struct lf_observation *o = run->observation;

	/* A sanitizer would turn the signals into exits of its own. */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	switch (deed) {
	case DO_FAIL:
		o->overtakes_max = 7;
		break;
	case DO_PRECONDITION:
		snprintf(o->precondition, sizeof o->precondition, "nobody was queued");
		break;
	case DO_SEGV:
		raise(SIGSEGV);
		break;
	case DO_TWO_INSIDE:
		o->exclusion_violations = 2;
		raise(SIGABRT);
		break;
	case DO_EXIT_0:
		exit(0);
	case DO_EXIT_3:
		exit(3);
	case DO_KILL:
		raise(SIGKILL);
		break;
	case DO_HANG:
		for (;;)
			pause();
	case DO_STALL:
		run->on_stall(run->context);
		o->thread[0].censored = o->thread[0].inside_acquire = true;
		break;
	case DO_ESCAPE:
		escape();
		break;
	case DO_ESCAPE_AND_HANG:
		escape();
		for (;;)
			pause();
	case DO_VARY:
		o->overtakes_max = variant >= 2 ? 7 : 0;
		break;
	case DO_SLOW:
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
		break;
	case DO_CRASH_LATE:
		atexit(crash_late);
		break;
	case DO_HANG_LATE:
		atexit(hang_late);
		break;
	case DO_SPIN:
		lf_deed_spin();
		break;
	}
}

static int execute(struct lf_run *run, struct lf_variant *variant, struct lf_error *error)
{
	int64_t deed = run->cell->param[0];

	run->observation->threads = 1;
	run->observation->rounds = (unsigned)variant->seed;
	if (deed == DO_ERROR)
		return lf_error_set(error, -EIO, "the engine ran out of steam");
	misbehave(run, deed, (unsigned)variant->seed);
	return 0;
}

static const char *available(const struct lf_cell *cell)
{
	return cell->seed == 99 ? "not on a Sunday" : NULL;
}

static unsigned one_variant(const struct lf_cell *cell, unsigned i, struct lf_variant *v)
{
	(void)cell;
	*v = (struct lf_variant){ .seed = i };
	return 1;
}

static unsigned four_variants(const struct lf_cell *cell, unsigned i,
			      struct lf_variant *v)
{
	one_variant(cell, i, v);
	return 4;
}

const struct lf_engine lf_deed_alone = {
	.name = "alone", .bit = LF_ON_THREADS, .unavailable = available,
	.variants = one_variant, .execute = execute,
};
const struct lf_engine lf_deed_together = {
	.name = "together", .bit = LF_ON_SIM, .unavailable = available,
	.variants = one_variant, .execute = execute,
};
const struct lf_engine lf_deed_several = {
	.name = "several", .bit = LF_ON_SIM, .unavailable = available,
	.variants = four_variants, .execute = execute,
};

static void judge(struct lf_judgement *j, const struct lf_observation *o,
		  const struct lf_claim *c)
{
	(void)c;
	lf_judge_at_most(j, LF_METRIC_OVERTAKES, LF_ORIGIN_CLAIM,
			 (double)o->overtakes_max, 0, 1, NULL);
}

static const struct lf_role roles[] = { { 0 } };
const struct lf_scenario lf_deed_scenario = {
	.name = "unit", .suite = "unit", .kinds = 1 << LF_MUTEX, .roles = roles,
	.limit_ns = { 1000000000, 1000000000, 1000000000 }, .judge = judge,
};
const struct lf_scenario lf_deed_controlled = {
	.name = "controlled", .suite = "unit", .kinds = 1 << LF_MUTEX, .roles = roles,
	.limit_ns = { 1000000000, 1000000000, 1000000000 }, .judge = judge,
	.fair_control = "unit/fair", .unfair_control = "unit/unfair",
};

struct lf_cell lf_deed_cell(const struct lf_scenario *s, const struct lf_entry *entry,
			      const struct lf_engine *engine, int64_t deed)
{
	struct lf_cell cell;

	lf_cell_init(&cell, entry, s, engine);
	cell.param[0] = deed;
	return cell;
}

size_t lf_deed_left_behind(void)
{
	pid_t left[4];
	size_t n = lf_tree_below(getpid(), left, 4);

	lf_tree_kill_below(getpid(), 0);
	return n;
}
