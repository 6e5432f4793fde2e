/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <lockfair/observation.h>

#include <math.h>

/* Values 0 … 15 are their own bucket. From 16 on, the bits below the leading
 * one choose among 16 buckets of equal width within the power of two. */
unsigned lf_histogram_bucket(uint64_t value)
{
	if (value < LF_HISTOGRAM_SUB)
		return (unsigned)value;
	unsigned exponent = 63 - (unsigned)__builtin_clzll(value);
	if (exponent >= LF_HISTOGRAM_TOP)
		return LF_HISTOGRAM_BUCKETS - 1;
	unsigned sub = (unsigned)(value >> (exponent - 4)) & (LF_HISTOGRAM_SUB - 1);
	return (exponent - 3) * LF_HISTOGRAM_SUB + sub;
}

uint64_t lf_histogram_upper(unsigned bucket)
{
	if (bucket < LF_HISTOGRAM_SUB)
		return bucket;
	if (bucket >= LF_HISTOGRAM_BUCKETS - 1)
		return UINT64_MAX;
	unsigned shift = bucket / LF_HISTOGRAM_SUB - 1;
	uint64_t lower = (uint64_t)(LF_HISTOGRAM_SUB + bucket % LF_HISTOGRAM_SUB) << shift;
	return lower + (UINT64_C(1) << shift) - 1;
}

void lf_histogram_add(struct lf_histogram *h, uint64_t value)
{
	h->bucket[lf_histogram_bucket(value)]++;
	h->sum += value;
	if (value > h->max)
		h->max = value;
	if (value < h->min || h->count == 0)
		h->min = value;
	h->count++;
}

void lf_histogram_merge(struct lf_histogram *to, const struct lf_histogram *from)
{
	if (from->count == 0)
		return;
	if (to->count == 0 || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->count += from->count;
	to->sum += from->sum;
	for (unsigned i = 0; i < LF_HISTOGRAM_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

uint64_t lf_histogram_quantile(const struct lf_histogram *h, double part)
{
	if (h->count == 0)
		return 0;
	uint64_t wanted = (uint64_t)(part * (double)h->count + 0.9999999);
	if (wanted < 1)
		wanted = 1;
	uint64_t seen = 0;
	for (unsigned i = 0; i < LF_HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= wanted) {
			uint64_t upper = lf_histogram_upper(i);
			return upper < h->max ? upper : h->max;
		}
	}
	return h->max;
}

void lf_sample(struct lf_samples *s, uint64_t value)
{
	lf_histogram_add(&s->values, value);
	s->squares += (double)value * (double)value;
}

double lf_samples_mean(const struct lf_samples *s)
{
	return s->values.count ? (double)s->values.sum / (double)s->values.count : 0;
}

double lf_samples_deviation(const struct lf_samples *s)
{
	double mean = lf_samples_mean(s);
	if (s->values.count == 0)
		return 0;
	/* Rounding may leave less than nothing. */
	return sqrt(fmax(0, s->squares / (double)s->values.count - mean * mean));
}
