/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/common.h"

bool lf_claim_overtakes(const struct lf_claim *claim, unsigned *ret_bound)
{
	bool eventual = (claim->set & LF_CLAIM_EVENTUAL) && claim->overtakes > 0;
	if (claim->set & LF_CLAIM_FIFO)
		*ret_bound = 0;
	else if ((claim->set & LF_CLAIM_BYPASS) || eventual)
		*ret_bound = claim->overtakes;
	else
		return false;
	return true;
}

void lf_judge_overtakes(struct lf_judgement *j, const struct lf_observation *o,
			const struct lf_claim *claim, const char *role)
{
	uint64_t n = lf_metric_confirmed(o, role), most = lf_metric_overtakes(o, role);
	unsigned bound;

	if (lf_claim_overtakes(claim, &bound))
		lf_judge_at_most(j, LF_METRIC_OVERTAKES, LF_ORIGIN_CLAIM, (double)most,
				 bound, n, role);
	else
		lf_judge_inform(j, LF_METRIC_OVERTAKES, (double)most, n, role);
}
