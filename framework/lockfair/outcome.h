/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Running a scenario from a test of one's own. lf_observe() puts a backend into
 * a scenario and returns what came of it; the lf_check_*() functions compare
 * that with a bound. assert.h turns them into assertions of Check.
 *
 * Thread rule: one thread, which runs no other scenario meanwhile. Best called
 * in Check's fork mode, because a lock that hangs leaves its threads behind.
 */
#ifndef LOCKFAIR_OUTCOME_H
#define LOCKFAIR_OUTCOME_H

#include <lockfair/observation.h>
#include <lockfair/scenario.h>

struct lf_observe_options {
	enum lf_budget budget;    /* default: quick */
	uint64_t seed;            /* 0: 1 */
	unsigned threads;         /* value of the sweep; 0: its largest */
	/* Parameters of the backend, "name=value,name=value"; NULL: defaults. */
	const char *parameters;
	/* What is held around a poller, a GIL; NULL: gil-interval, if it is there. */
	const struct lf_backend *lock;
	/* A run that the machine made inconclusive is repeated up to three times.
	 * After that its assertions fail, saying so; with this set they hold. */
	bool tolerate_inconclusive;
};

struct lf_outcome;

/*
 * Runs `scenario` ("barging", or one cell of it: "latency/regex/2") on the backend,
 * on this machine's threads.
 * `options` may be NULL. Never returns NULL; what went wrong (no such scenario,
 * a malformed backend, no memory) fails every check with its reason. To be freed
 * with lf_outcome_free().
 */
struct lf_outcome *lf_observe(const struct lf_backend *backend, const char *scenario,
			      const struct lf_observe_options *options);
void lf_outcome_free(struct lf_outcome *outcome);

const struct lf_observation *lf_outcome_observation(const struct lf_outcome *outcome);

/*
 * Each returns NULL when the bound holds, else a message that names backend,
 * scenario, role, value, bound, unit and number of samples; it stays valid until
 * the outcome's next check. A bound on something that was never sampled does not
 * hold. `role` NULL means every thread.
 */

/* Everything that the backend's descriptor claims, and safety. */
const char *lf_check_claims(struct lf_outcome *outcome);
/* Never two threads inside at once. */
const char *lf_check_exclusion(struct lf_outcome *outcome);
/* No thread was left waiting for a free lock. */
const char *lf_check_progress(struct lf_outcome *outcome);
/* A thread that was confirmed to be queued is overtaken at most `most` times. */
const char *lf_check_overtakes(struct lf_outcome *outcome, const char *role, uint64_t most);
/* Staged waiters are granted in their order (scenario `order`). */
const char *lf_check_order(struct lf_outcome *outcome);
/* Every thread was granted the lock at least `least` times in the window. */
const char *lf_check_grants(struct lf_outcome *outcome, const char *role, uint64_t least);
/* Progress of any two threads differs by at most `most` rounds of
 * `steps_per_round` steps (scenario `interleaving`: 40). */
const char *lf_check_lead(struct lf_outcome *outcome, unsigned steps_per_round, uint64_t most);
/* The given part (0.5, 0.99, 1 …) of all waits took at most bound_ns. */
const char *lf_check_wait(struct lf_outcome *outcome, const char *role, double part,
			  uint64_t bound_ns);
/* The smallest share of the grants, times the number of threads, is at least
 * `least` (1: all equal). Says more about the scheduler than about the lock. */
const char *lf_check_share(struct lf_outcome *outcome, double least);

/* Keeps a violated bound for lf_outcome_violations(). message NULL: nothing. */
void lf_outcome_expect(struct lf_outcome *outcome, const char *file, int line,
		       const char *message);
/* All bounds that were expected and violated, a line each, or NULL for none. */
const char *lf_outcome_violations(const struct lf_outcome *outcome);

#endif
