/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the verdicts of single runs (models × seeds) to the verdict of a cell.
 *
 *   FAIL          safety was lost in a run, whichever: that is a proof. Or a claim
 *                 failed in most runs under some model: a lock claims for every
 *                 machine. Or a requirement failed in most runs under every model.
 *   SENSITIVE     other failures: the verdict depends on the model or the seed. Or a
 *                 run passed without margin (lf_assertion_is_near()): on another
 *                 build or with another seed it might not.
 *   INCONCLUSIVE  no failure, and a model under which no run could tell, or under
 *                 which most were cut off.
 *   PASS          else: all hold, with margin.
 *
 * Runs that could not tell count for nothing.
 */
#ifndef LF_JUDGE_SENSITIVITY_H
#define LF_JUDGE_SENSITIVITY_H

#include "run/result.h"

/*
 * Combines n results; those of one model need not stand together. Sets the
 * verdict and the reason of *judgement, which else stays the judgement of the run
 * that is shown. With n = 0 nothing changes.
 */
void lf_combine_variants(const struct lf_variant_result *v, unsigned n,
			 struct lf_judgement *judgement);

#endif
