/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Do the models of interpreters' locks behave as the interpreters' own? For each
 * pair, again and again: how long turns are; how long a thread back from a sleep
 * waits beside 1 and 2 threads that compute and poll all the time ("pi"), or compute
 * for a millisecond between two polls ("regex"); and what is left of the rate of
 * calls without the lock beside one of them. Equal means the same class of each, or
 * less than a factor of two, by which the median of such waits varies from run to
 * run; and the same order of the four waits. What a poll costs goes with it. Who
 * differs while threads were kept from running for half of the time has not differed:
 * that run is left open.
 *
 * A turn is counted from the poll at which the one before it let go, and not from
 * when its own began: where a waiter's timer ends turns, it starts then, and a thread
 * that has the lock but no CPU yet would make its own turn look short.
 *
 *	bench/interpreters RUNS MODEL REAL [MODEL REAL]...
 *
 * MODEL is a built-in backend, REAL one as well or a plug-in's path. Every
 * measurement is a process of its own, because not every interpreter can be started
 * twice. On a busy machine `nice -n -19` keeps others out; a real-time priority does
 * not do, because the kernel stops such threads for 50 ms in every second.
 */
#include "core/registry.h"
#include "engine/engine.h"
#include "fixtures/fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define POLL_NS (20000)
#define SETTLED_NS (200 * MS)
#define POLLS 100000
#define WINDOW_NS (1500 * MS)
/* Calls are counted in slots, of which the median counts: where turns are of 100 ms a
 * caller waits for them nearly always, and now and then has a burst of calls before a
 * waiter is awake. */
#define SLOT_NS (20 * MS)
#define CALL_NS 50000 /* of computation between two calls */

/* --- what threads do ------------------------------------------------------------ */

static uint64_t unit_ns; /* of computation between two polls */
static uint64_t polled_ns; /* when a holder last polled; the lock protects it */

static void cpu(struct lf_thread *t)
{
	struct lf_thread_observation *mine = &lf_observed(t)->thread[t->index];
	uint64_t begun_ns, ended_ns, turn;

	lf_lock(t);
	begun_ns = polled_ns;
	while (!lf_stopped(t)) {
		turn = mine->grants;
		lf_compute_ns(t, unit_ns);
		ended_ns = polled_ns = lf_now_ns(t);
		lf_poll(t);
		if (mine->grants == turn)
			continue;
		if (begun_ns > SETTLED_NS)
			lf_histogram_add(&mine->passed, ended_ns - begun_ns);
		begun_ns = polled_ns;
	}
	lf_unlock(t);
}

static void sleep_10_ms(void *arg)
{
	lf_sleep_ns(arg, 10 * MS);
}

static void sleeper(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t)) {
		lf_outside(t, sleep_10_ms, t);
		lf_compute_ns(t, POLL_NS);
	}
	lf_unlock(t);
}

static void caller(struct lf_thread *t)
{
	struct lf_histogram *slots = &lf_observed(t)->thread[t->index].passed;
	uint64_t calls = 0, slot_end_ns = SETTLED_NS;

	lf_lock(t);
	while (!lf_stopped(t)) {
		lf_outside(t, NULL, NULL);
		lf_compute_ns(t, CALL_NS);
		for (; lf_now_ns(t) >= slot_end_ns; slot_end_ns += SLOT_NS, calls = 0)
			if (slot_end_ns > SETTLED_NS)
				lf_histogram_add(slots, calls);
		calls++;
	}
	lf_unlock(t);
}

static void poller(struct lf_thread *t)
{
	uint64_t begun_ns;

	lf_lock(t);
	begun_ns = lf_now_ns(t);
	for (unsigned i = 0; i < POLLS; i++)
		lf_poll(t);
	lf_histogram_add(&lf_observed(t)->thread[t->index].passed,
			 (lf_now_ns(t) - begun_ns) / POLLS);
	lf_unlock(t);
	lf_stop(t);
}

static const struct lf_role only_cpu[] = {
	{ .name = "cpu", .run = cpu }, { .name = NULL },
};
static const struct lf_role with_sleeper[] = {
	{ .name = "sleeper", .count = 1, .run = sleeper },
	{ .name = "cpu", .run = cpu }, { .name = NULL },
};
static const struct lf_role with_caller[] = {
	{ .name = "caller", .count = 1, .run = caller },
	{ .name = "cpu", .run = cpu }, { .name = NULL },
};
static const struct lf_role alone[] = {
	{ .name = "caller", .count = 1, .run = caller }, { .name = NULL },
};
static const struct lf_role only_poller[] = {
	{ .name = "poller", .count = 1, .run = poller }, { .name = NULL },
};

/* --- one measurement -------------------------------------------------------------- */

enum what { PASSED, WAIT, SLOT };

struct measured {
	double value;
	bool busy; /* threads were kept from running for half of the time */
};

static bool was_busy(const struct lf_observation *o)
{
	return o->noise.run_delay_ns != LF_UNKNOWN &&
		o->noise.run_delay_ns >= o->duration_ns / 2;
}

static double value_of(const struct lf_observation *o, enum what what)
{
	const struct lf_thread_observation *t = &o->thread[0];

	switch (what) {
	case PASSED:
		/* A turn that a timer ends may be late and not early; on a busy
		 * machine nearly all are late. */
		return (double)lf_histogram_quantile(&t->passed, 0.02);
	case WAIT:
		/* Who got it too seldom for a median waited at least that long. */
		return t->wait.count >= 4 ? (double)lf_histogram_quantile(&t->wait, 0.5) :
			(double)o->duration_ns / (double)(t->wait.count + 1);
	case SLOT:
		return (double)lf_histogram_quantile(&t->passed, 0.5);
	}
	return 0;
}

/* In the child. */
static struct measured run(const struct lf_entry *gil, const struct lf_role *roles,
			   unsigned threads, uint64_t limit_ns, enum what what)
{
	static struct lf_scenario scenario;
	struct lf_observation *o = lf_shared_new(sizeof *o);
	struct lf_run *r = lf_shared_new(sizeof *r);
	struct lf_variant variant = { .machine = "here", .seed = 1 };
	struct lf_error error = { "" };
	struct lf_cell cell;

	scenario = (struct lf_scenario){
		.name = "bench", .roles = roles, .polls = true, .clocks = LF_CLOCK_WAIT,
		.limit_ns = { limit_ns },
	};
	lf_cell_init(&cell, gil, &scenario, &lf_engine_threads);
	cell.point.sweep = threads;
	r->cell = &cell;
	r->observation = o;
	if (!lf_engine_threads.execute(r, &variant, &error))
		return (struct measured){ value_of(o, what), was_busy(o) };
	fprintf(stderr, "interpreters: %s: %s\n", gil->backend->name, error.text);
	return (struct measured){ .value = -1 };
}

static struct measured measure(const struct lf_entry *gil, const struct lf_role *roles,
			       unsigned threads, uint64_t unit, uint64_t limit_ns,
			       enum what what)
{
	struct measured m = { .value = -1 };
	int fd[2];
	pid_t child;

	if (pipe(fd) < 0 || (child = fork()) < 0)
		return m;
	if (child == 0) {
		unit_ns = unit;
		m = run(gil, roles, threads, limit_ns, what);
		_exit(write(fd[1], &m, sizeof m) == sizeof m ? 0 : 1);
	}
	close(fd[1]);
	if (read(fd[0], &m, sizeof m) != sizeof m)
		m.value = -1;
	close(fd[0]);
	waitpid(child, NULL, 0);
	return m;
}

/* --- one lock ----------------------------------------------------------------------- */

#define WAITS 4

/* What is compared. */
enum point { TURN, REGEX, SHARE, ORDER, POINTS };
static const char *const point_names[POINTS] = {
	"turns (within a fifth)", "regex waits (class)", "rate of calls (class)",
	"order of waits",
};

struct result {
	double turn_ms, wait_ms[WAITS], share, poll_ns;
	bool busy[POINTS]; /* what went into this one */
};

static const struct {
	const char *name;
	unsigned threads;
	uint64_t unit_ns;
} waits[WAITS] = {
	{ "pi/1", 1, POLL_NS }, { "pi/2", 2, POLL_NS },
	{ "regex/1", 1, MS }, { "regex/2", 2, MS },
};
#define FIRST_REGEX 2

static void measure_waits(const struct lf_entry *gil, struct result *r)
{
	for (int i = 0; i < WAITS; i++) {
		struct measured m = measure(gil, with_sleeper, waits[i].threads,
					    waits[i].unit_ns, WINDOW_NS, WAIT);
		r->wait_ms[i] = m.value / 1e6;
		r->busy[ORDER] |= m.busy;
		r->busy[REGEX] |= m.busy && i >= FIRST_REGEX;
	}
}

static struct result measure_all(const struct lf_entry *gil)
{
	struct result r = { 0 };
	struct measured turn, solo, beside;

	turn = measure(gil, only_cpu, 2, POLL_NS, WINDOW_NS, PASSED);
	r.turn_ms = turn.value / 1e6;
	r.busy[TURN] = turn.busy;
	measure_waits(gil, &r);
	solo = measure(gil, alone, 0, POLL_NS, WINDOW_NS, SLOT);
	beside = measure(gil, with_caller, 1, POLL_NS, WINDOW_NS, SLOT);
	r.share = beside.value / solo.value;
	r.busy[SHARE] = solo.busy || beside.busy;
	r.poll_ns = measure(gil, only_poller, 0, POLL_NS, 10000 * MS, PASSED).value;
	return r;
}

static void print_result(const char *name, const struct result *r)
{
	bool busy = r->busy[TURN] || r->busy[SHARE] || r->busy[ORDER];

	printf("  %-14s turn %7.2f ms  wait", name, r->turn_ms);
	for (int i = 0; i < WAITS; i++)
		printf("  %s %7.2f ms", waits[i].name, r->wait_ms[i]);
	printf("  calls %6.2f %%  poll %4.0f ns%s\n", 100 * r->share, r->poll_ns,
	       busy ? "  (busy)" : "");
}

/* --- do two agree? -------------------------------------------------------------------- */

/* In which of the intervals between n bounds, all ascending. */
static int class_of(double value, const double bound[], int n)
{
	int c = 0;

	while (c < n && value >= bound[c])
		c++;
	return c;
}

static const double wait_bounds[] = { 3, 50, 400 };
static const double share_bounds[] = { 0.01, 0.15 };

static bool same_class(double a, double b, const double bound[], int n)
{
	return class_of(a, bound, n) == class_of(b, bound, n) ||
		(a > 0 && b > 0 && a < 2 * b && b < 2 * a);
}

static bool near(double a, double b)
{
	return a > 0 && b > 0 && a < b * 1.2 && b < a * 1.2;
}

/* Waits that differ by more than half must differ in the same direction. */
static bool same_order(const struct result *a, const struct result *b)
{
	for (int i = 0; i < WAITS; i++)
		for (int k = 0; k < WAITS; k++)
			if (a->wait_ms[i] > 1.5 * a->wait_ms[k] &&
			    b->wait_ms[k] > 1.5 * b->wait_ms[i])
				return false;
	return true;
}

/* How often two agreed, and how often a busy machine left that open. */
struct tally {
	unsigned agreed[POINTS], open[POINTS];
};

static bool same_regex(const struct result *a, const struct result *b)
{
	bool same = true;

	for (int i = FIRST_REGEX; i < WAITS; i++)
		same &= same_class(a->wait_ms[i], b->wait_ms[i], wait_bounds, 3);
	return same;
}

static void compare(const struct result *a, const struct result *b, struct tally *tally)
{
	const bool same[POINTS] = {
		[TURN] = near(a->turn_ms, b->turn_ms), [REGEX] = same_regex(a, b),
		[SHARE] = same_class(a->share, b->share, share_bounds, 2),
		[ORDER] = same_order(a, b),
	};

	for (int p = 0; p < POINTS; p++) {
		tally->agreed[p] += same[p];
		tally->open[p] += !same[p] && (a->busy[p] || b->busy[p]);
	}
}

static bool find(const char *name, struct lf_entry *ret_entry)
{
	struct lf_error error = { "" };
	const struct lf_entry *entry;
	size_t n;

	if (!strchr(name, '/')) {
		entry = lf_registry_find(name);
		if (!entry)
			fprintf(stderr, "interpreters: no backend %s\n", name);
	} else if (lf_registry_load(name, &error) < 0) {
		fprintf(stderr, "interpreters: %s\n", error.text);
		return false;
	} else {
		entry = lf_registry(&n);
		entry += n - 1;
	}
	if (entry)
		*ret_entry = *entry;
	return entry;
}

static int compare_pair(const char *model, const char *real, unsigned runs)
{
	struct tally tally = { { 0 }, { 0 } };
	struct lf_entry pair[2];

	if (!find(model, &pair[0]) || !find(real, &pair[1]))
		return 1;
	for (unsigned i = 0; i < runs; i++) {
		struct result first = measure_all(&pair[0]), second = measure_all(&pair[1]);
		print_result(pair[0].backend->name, &first);
		print_result(pair[1].backend->name, &second);
		compare(&first, &second, &tally);
		fflush(stdout);
	}
	printf("%s against %s, %s:\n", pair[0].backend->name, pair[1].backend->name,
	       pair[1].backend->summary);
	for (int p = 0; p < POINTS; p++)
		printf("  %-24s same in %u of %u, %u left open\n", point_names[p],
		       tally.agreed[p], runs, tally.open[p]);
	return 0;
}

int main(int argc, char **argv)
{
	struct lf_error error = { "" };
	int failed = 0;

	if (argc < 4 || argc % 2 != 0) {
		fprintf(stderr, "Usage: %s RUNS MODEL REAL [MODEL REAL]...\n", argv[0]);
		return 2;
	}
	if (lf_fixtures_register(&error) < 0) {
		fprintf(stderr, "interpreters: %s\n", error.text);
		return 1;
	}
	for (int i = 2; i < argc; i += 2)
		failed |= compare_pair(argv[i], argv[i + 1], (unsigned)atoi(argv[1]));
	return failed;
}
