/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What several scenarios assert in the same way. */
#ifndef LF_SUITES_COMMON_H
#define LF_SUITES_COMMON_H

#include "judge/judge.h"
#include <lockfair/scenario.h>

#define LF_MS UINT64_C(1000000)
#define LF_US UINT64_C(1000)

/*
 * A fair lock loses a waiter of a round with probability 0, an unfair one
 * overtakes it in at least one round in five. So many rounds miss an unfair
 * lock with a probability below 1.5e-5: ln(1.5e-5) / ln(1 - 0.2).
 */
#define LF_ROUNDS_QUICK 50
#define LF_ROUNDS_NORMAL 100 /* 2e-10 */
#define LF_ROUNDS_LONG 300

/* Does the claim bound overtakes, and by how many? False: not at all. */
bool lf_claim_overtakes(const struct lf_claim *claim, unsigned *ret_bound);

/* The claim's bound on overtakes of role `role` (NULL: of anybody), or what was
 * seen as information. */
void lf_judge_overtakes(struct lf_judgement *j, const struct lf_observation *o,
			const struct lf_claim *claim, const char *role);

#endif
