/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comparisons look like as records; see doc/record.schema.json, "gate". */
#ifndef LF_GATE_RECORD_H
#define LF_GATE_RECORD_H

#include "gate/trial.h"

#include <jansson.h>

/* What was measured, the value of "change". A new reference; NULL: out of memory. */
json_t *lf_change_json(const struct lf_comparison *c, const struct lf_trial_options *o);

/* The same as a judgement: an assertion for each metric that may fail this lock, on
 * the lower end of its interval, and the verdict. */
void lf_change_judge(const struct lf_comparison *c, const struct lf_trial_options *o,
		     struct lf_judgement *ret_judgement);

#endif
