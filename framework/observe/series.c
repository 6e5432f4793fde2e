/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <lockfair/observation.h>

#include <string.h>

void lf_series_add(struct lf_series *s, double value)
{
	if (s->n == LF_MAX_SERIES) {
		memmove(s->value, s->value + 1, (LF_MAX_SERIES - 1) * sizeof s->value[0]);
		s->n--;
	}
	s->value[s->n++] = value;
}
