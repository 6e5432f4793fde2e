/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs one scenario on one backend in the simulator, for the tests of both. */
#ifndef LF_UNIT_TRIAL_H
#define LF_UNIT_TRIAL_H

#include "engine/engine.h"
#include "judge/judge.h"

struct trial {
	struct lf_observation observation;
	struct lf_judgement judgement;
	struct lf_error error;
	uint64_t hash;
	int rc; /* of the engine */
};

/* The cell of a built-in backend with its default parameters; fails the test when
 * there is no such backend. */
struct lf_cell lf_trial_cell(const char *backend, const struct lf_scenario *scenario,
			     const char *machine);

/* The result stays until the next trial. A failing engine is for the caller. */
const struct trial *lf_trial_of(const struct lf_cell *cell, const char *machine,
				uint64_t seed);

/* Both in one, and the engine must not fail. */
const struct trial *lf_trial(const char *backend, const struct lf_scenario *scenario,
			     const char *machine, uint64_t seed);

/* The same for one cell ("latency/pi/2") of a scenario that names its machine;
 * `parameter` is "name=value", or NULL. */
struct lf_cell lf_trial_cell_at(const char *id, const char *backend, const char *parameter);
const struct trial *lf_trial_at(const char *id, const char *backend, const char *parameter,
				uint64_t seed);

#endif
