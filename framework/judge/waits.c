/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/waits.h"

#include <math.h>
#include <stdio.h>

#define CHANCE 0.001
#define EXCUSED_MAX 0.20
#define SAMPLES_MIN 100

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void lf_waits_add(struct lf_waits *w, const struct lf_wait *wait)
{
	uint64_t net = less(less(wait->ns, wait->own_delay_ns), wait->holder_off_ns);

	w->samples++;
	w->worst_net_ns = net > w->worst_net_ns ? net : w->worst_net_ns;
	if (wait->ns <= w->limit_ns)
		return;
	w->above++;
	w->excused += net <= w->limit_ns;
	w->own_delay_ns += wait->own_delay_ns;
	w->holder_off_ns += wait->holder_off_ns;
}

/* P(Binomial(n, p) >= k). */
static double chance_of(uint64_t k, uint64_t n, double p)
{
	double sum = 0;

	for (uint64_t i = k; i <= n && i < k + 1000; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
			   lgamma((double)(n - i) + 1) + (double)i * log(p) +
			   (double)(n - i) * log(1 - p));
	return sum;
}

enum lf_verdict lf_waits_verdict(const struct lf_waits *w, char *reason, size_t size)
{
	uint64_t wrong = w->above - w->excused;
	double allowed = (1 - w->part) * (double)w->samples;
	bool many = (double)wrong > allowed;
	bool excused = (double)w->excused > EXCUSED_MAX * (double)w->samples;

	snprintf(reason, size, "%llu of %llu waits were longer than %.4g ms, %llu of them "
		 "because of the machine; the longest without that is %.4g ms",
		 (unsigned long long)w->above, (unsigned long long)w->samples,
		 (double)w->limit_ns / 1e6, (unsigned long long)w->excused,
		 (double)w->worst_net_ns / 1e6);
	if (many && chance_of(wrong, w->samples, 1 - w->part) < CHANCE)
		return LF_VERDICT_FAIL;
	if (excused)
		snprintf(reason, size, "%llu of %llu waits were too long because of the "
			 "machine, more than %.0f %%", (unsigned long long)w->excused,
			 (unsigned long long)w->samples, EXCUSED_MAX * 100);
	if (w->samples < SAMPLES_MIN)
		snprintf(reason, size, "only %llu waits could be measured, and %d are "
			 "needed", (unsigned long long)w->samples, SAMPLES_MIN);
	return many || excused || w->samples < SAMPLES_MIN ? LF_VERDICT_INCONCLUSIVE :
		LF_VERDICT_PASS;
}
