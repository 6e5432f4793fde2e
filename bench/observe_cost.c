/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What watching costs: an uncontended lock and unlock of one backend, bare,
 * observed by counts, and observed by counts and clocks. They are measured in
 * turn, in short batches, so that they share whatever the machine does; the
 * figure is the median over all batches of the difference to the bare batch next
 * to it.
 *
 *	observe_cost [BACKEND [BATCHES]]
 */
#include "core/registry.h"
#include "core/sort.h"
#include "engine/engine.h"
#include "fixtures/fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAIRS 200000

enum variant { BARE, COUNTS, WAITS, HOLDS, VARIANTS };
static const char *const variant_name[] = {
	"bare", "+ counts", "+ counts, waits", "+ counts, waits, holds",
};
static const unsigned clocks[] = { 0, 0, LF_CLOCK_WAIT, LF_CLOCK_HOLD };

struct bench {
	enum variant variant;
	unsigned batches;
	double *ns[VARIANTS]; /* per pair, one value a batch */
};

static struct bench bench;

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void bare_pairs(struct lf_actor *a)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		a->ops.acquire(a->lock, &a->thread);
		a->ops.release(a->lock, &a->thread);
	}
}

static void observed_pairs(struct lf_actor *a)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		lf_lock(&a->thread);
		lf_unlock(&a->thread);
	}
}

static double time_batch(struct lf_actor *a, enum variant v)
{
	a->rec.clocks = clocks[v];
	double start = now_ns();
	if (v == BARE)
		bare_pairs(a);
	else
		observed_pairs(a);
	return (now_ns() - start) / PAIRS;
}

static void measure(struct lf_thread *t)
{
	struct lf_actor *a = (struct lf_actor *)t;
	for (int v = 0; v < VARIANTS; v++)
		time_batch(a, (enum variant)v); /* warm */
	for (unsigned i = 0; i < bench.batches; i++)
		for (int v = 0; v < VARIANTS; v++)
			bench.ns[v][i] = time_batch(a, (enum variant)v);
	lf_stop(t);
}

/* A second thread, so that the C library does not treat the process as single. */
static void bystander(struct lf_thread *t)
{
	lf_await(t, 1);
}

static const struct lf_role roles[] = {
	{ .name = "pairs", .count = 1, .run = measure },
	{ .name = "bystander", .count = 1, .run = bystander },
	{ .name = NULL },
};
static const struct lf_scenario scenario = {
	.name = "observe_cost", .kinds = 1 << LF_MUTEX | 1 << LF_GIL, .roles = roles,
	.limit_ns = { UINT64_C(300000000000) },
};

static double median(double *value, unsigned n)
{
	lf_sort(value, n);
	return lf_median_of_sorted(value, n);
}

static void report(const char *backend)
{
	unsigned n = bench.batches;
	double *more = malloc(n * sizeof *more);
	printf("%s: ns per uncontended lock + unlock, median of %u batches of %d\n",
	       backend, n, PAIRS);
	for (int v = COUNTS; v < VARIANTS; v++) {
		for (unsigned i = 0; i < n; i++)
			more[i] = bench.ns[v][i] - bench.ns[BARE][i];
		printf("  %-22s %+6.1f\n", variant_name[v], median(more, n));
	}
	printf("  %-22s %6.1f\n", variant_name[BARE], median(bench.ns[BARE], n));
	free(more);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "pthread";
	struct lf_error error = { "" };
	struct lf_run *run = lf_shared_new(sizeof *run);
	struct lf_cell cell;
	struct lf_variant variant;

	bench.batches = argc > 2 ? (unsigned)atoi(argv[2]) : 51;
	if (!run || lf_fixtures_register(&error) || !lf_registry_find(name) ||
	    bench.batches < 9) {
		fprintf(stderr, "usage: observe_cost [BACKEND [BATCHES]], at least 9 batches; "
			"`lockfair list backends` names them. %s\n", error.text);
		return 2;
	}
	for (int v = 0; v < VARIANTS; v++)
		bench.ns[v] = calloc(bench.batches, sizeof(double));
	lf_cell_init(&cell, lf_registry_find(name), &scenario, &lf_engine_threads);
	run->cell = &cell;
	run->observation = lf_shared_new(sizeof *run->observation);
	lf_engine_threads.variants(&cell, 0, &variant);
	if (lf_engine_threads.execute(run, &variant, &error)) {
		fprintf(stderr, "observe_cost: %s\n", error.text);
		return 99;
	}
	report(name);
	return 0;
}
