/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics that are computed from an observation after the run. */
#include "core/sort.h"
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* (Σx)² / (n Σx²): 1 when all are equal, 1/n when one has everything. */
double lf_metric_jain(const uint64_t value[], unsigned n)
{
	double sum = 0, squares = 0;
	for (unsigned i = 0; i < n; i++) {
		sum += (double)value[i];
		squares += (double)value[i] * (double)value[i];
	}
	return squares > 0 ? sum * sum / (n * squares) : 1;
}

static uint64_t spread(const uint64_t progress[], unsigned n)
{
	uint64_t low = progress[0], high = progress[0];
	for (unsigned i = 1; i < n; i++) {
		low = progress[i] < low ? progress[i] : low;
		high = progress[i] > high ? progress[i] : high;
	}
	return high - low;
}

/* Replays the step log. What fell out of the bounded log happened before its
 * oldest entry, so every thread starts with what it has more than logged. */
uint64_t lf_metric_lead(const struct lf_observation *o, unsigned steps_per_round)
{
	uint64_t steps[LF_MAX_THREADS] = { 0 }, rounds[LF_MAX_THREADS], lead = 0;
	uint64_t length = o->steps.length;
	uint64_t first = length > LF_LOG_SIZE ? length - LF_LOG_SIZE : 0;

	if (o->threads == 0)
		return 0;
	for (unsigned i = 0; i < o->threads; i++)
		steps[i] = o->thread[i].steps;
	for (uint64_t i = first; i < length; i++)
		steps[lf_log_at(&o->steps, i)]--;
	for (uint64_t i = first; i < length; i++) {
		steps[lf_log_at(&o->steps, i)]++;
		for (unsigned t = 0; t < o->threads; t++)
			rounds[t] = steps[t] / steps_per_round;
		uint64_t now = spread(rounds, o->threads);
		lead = now > lead ? now : lead;
	}
	return lead;
}

static uint64_t fewest(const uint64_t grants[], unsigned n)
{
	uint64_t least = grants[0];
	for (unsigned i = 1; i < n; i++)
		least = grants[i] < least ? grants[i] : least;
	return least;
}

double lf_metric_window_share(const struct lf_observation *o, unsigned window)
{
	uint64_t grants[LF_MAX_THREADS] = { 0 }, least = UINT64_MAX;
	uint64_t length = o->grants.length;
	uint64_t first = length > LF_LOG_SIZE ? length - LF_LOG_SIZE : 0;

	if (o->threads == 0 || length == 0)
		return 0;
	if (window > length - first)
		window = (unsigned)(length - first);
	for (uint64_t i = first; i < length; i++) {
		grants[lf_log_at(&o->grants, i)]++;
		if (i - first >= window)
			grants[lf_log_at(&o->grants, i - window)]--;
		uint64_t now = i - first + 1 >= window ? fewest(grants, o->threads) : least;
		least = now < least ? now : least;
	}
	return (double)least * o->threads / window;
}

bool lf_metric_delayed(const struct lf_observation *o)
{
	for (unsigned i = 0; i < o->threads; i++)
		if (o->thread[i].run_delay_ns || o->thread[i].involuntary_switches)
			return true;
	return false;
}

bool lf_has_role(const struct lf_thread_observation *t, const char *role)
{
	return !role || strcmp(t->role, role) == 0;
}

uint64_t lf_metric_confirmed(const struct lf_observation *o, const char *role)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < o->threads; i++)
		if (lf_has_role(&o->thread[i], role))
			sum += o->thread[i].confirmed;
	return sum;
}

uint64_t lf_metric_overtakes(const struct lf_observation *o, const char *role)
{
	uint64_t most = 0;
	for (unsigned i = 0; i < o->threads; i++)
		if (lf_has_role(&o->thread[i], role) && o->thread[i].overtakes_max > most)
			most = o->thread[i].overtakes_max;
	return most;
}

void lf_metric_waits(const struct lf_observation *o, const char *role,
		     struct lf_histogram *ret_waits)
{
	memset(ret_waits, 0, sizeof *ret_waits);
	for (unsigned i = 0; i < o->threads; i++) {
		const struct lf_thread_observation *t = &o->thread[i];
		if (!lf_has_role(t, role))
			continue;
		lf_histogram_merge(ret_waits, &t->wait);
		if (t->open_wait_ns)
			lf_histogram_add(ret_waits, t->open_wait_ns);
	}
}

double lf_metric_delay_part(const struct lf_observation *o)
{
	double sum_ns = 0;
	if (o->exact || o->duration_ns == 0)
		return 0;
	for (unsigned i = 0; i < o->threads; i++) {
		if (o->thread[i].run_delay_ns == LF_UNKNOWN)
			return INFINITY;
		sum_ns += (double)o->thread[i].run_delay_ns;
	}
	return sum_ns / (double)o->duration_ns;
}

unsigned lf_metric_stuck(const struct lf_observation *o, unsigned *ret_first)
{
	unsigned stuck = 0;
	for (unsigned i = o->threads; i-- > 0;) {
		if (!o->thread[i].censored || !o->thread[i].inside_acquire)
			continue;
		stuck++;
		*ret_first = i;
	}
	return stuck;
}

uint64_t lf_metric_tokens_lost(const struct lf_observation *o)
{
	unsigned first;
	bool lost = o->stalled || lf_metric_stuck(o, &first) > 0;
	return o->tokens_misplaced + lost;
}

struct lf_spread lf_metric_spread(const struct lf_series *series)
{
	struct lf_series s = *series;
	struct lf_spread r = { 0 };
	double sum = 0, squares = 0, inverse = 0;

	if (s.n == 0)
		return r;
	lf_sort(s.value, s.n);
	for (unsigned i = 0; i < s.n; i++) {
		sum += s.value[i];
		inverse += 1 / s.value[i];
	}
	r.harmonic = s.n / inverse;
	r.mean = sum / s.n;
	for (unsigned i = 0; i < s.n; i++)
		squares += (s.value[i] - r.mean) * (s.value[i] - r.mean);
	r.low = s.value[0];
	r.high = s.value[s.n - 1];
	r.median = lf_median_of_sorted(s.value, s.n);
	if (s.n > 1 && r.mean > 0)
		r.cv = sqrt(squares / (s.n - 1)) / r.mean;
	return r;
}

double lf_metric_undelayed(const struct lf_observation *o)
{
	struct lf_spread s = lf_metric_spread(&o->loops_per_s);
	double delays_ns = 0;

	if (!(s.low > 0) || o->thread[0].steps == 0)
		return 0;
	for (unsigned i = 0; i < o->threads; i++)
		delays_ns += (double)o->thread[i].acquire_delay_ns;
	return 1e9 / fmax(1, 1e9 / s.harmonic - delays_ns / (double)o->thread[0].steps);
}
