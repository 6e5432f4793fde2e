/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trial compares two builds of a lock from nothing: it runs cycles of rounds,
 * looks at the agreed numbers of them, and ends as soon as a look decides. A
 * comparison is a trial and, when that says "worse", a second one in a process of
 * its own, which has to say so too.
 *
 * Thread rule: one thread.
 */
#ifndef LF_GATE_TRIAL_H
#define LF_GATE_TRIAL_H

#include "gate/rounds.h"
#include "judge/change.h"
#include "judge/judge.h"

struct lf_trial_metric {
	bool may_fail;   /* for this kind of lock */
	bool told;       /* enough rounds gave a value */
	enum lf_change change;
	struct lf_interval head, control; /* against base; logarithms, > 0 is worse */
	const char *veto; /* of the control; NULL: none */
	double base;      /* median of base's rounds, in the metric's unit */
	float ratio[LF_CHANGE_PAIRS_MAX], control_ratio[LF_CHANGE_PAIRS_MAX];
};

struct lf_trial {
	enum lf_change change; /* over all metrics: OPEN is inconclusive */
	enum lf_child_end end;
	struct lf_error error; /* of what ended it, where that was no look … */
	enum lf_arm_id at;     /* … and whose code ran then */
	char reason[256];      /* why it is open; empty: it is not */
	bool sleeping;         /* the old lock sleeps while it waits */
	unsigned cycles, processes;
	unsigned voids[LF_ARMS][LF_ROUND_VOIDS];
	uint64_t took_ns;
	bool realtime; /* its threads went before everybody else */
	double delay; /* part of the time for which threads had no CPU; NAN: unknown */
	uint64_t seed;
	struct lf_trial_metric metric[LF_ROUND_METRICS];
};

/* What all metrics of a trial come to, so far. */
enum lf_change lf_trial_change(const struct lf_trial *t);

struct lf_trial_options {
	struct lf_rounds_plan plan;
	struct lf_change_rule rule;
	uint64_t cap_ns;    /* of one trial */
	bool claims_sleep;  /* the old lock says so */
	const volatile sig_atomic_t *interrupted; /* may be NULL */
};

/* Runs one. Always fills *ret_trial. */
void lf_trial_run(const struct lf_trial_options *options, uint64_t seed,
		  struct lf_trial *ret_trial);

struct lf_comparison {
	enum lf_verdict verdict; /* PASS, FAIL, INCONCLUSIVE, ERROR */
	char reason[384];
	bool confirming;         /* there was a second trial … */
	bool confirmed;          /* … and it said the same */
	struct lf_trial trial, confirmation;
};

/* Runs a trial and, if need be, its confirmation, and says what they come to. */
void lf_comparison_run(const struct lf_trial_options *options, uint64_t seed,
		       struct lf_comparison *ret_comparison);

#endif
