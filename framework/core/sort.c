/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/sort.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void lf_sort(double value[], size_t n)
{
	qsort(value, n, sizeof value[0], ascending);
}

double lf_median_of_sorted(const double sorted[], size_t n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}
