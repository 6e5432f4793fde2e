/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measured values in order. Any thread. */
#ifndef LF_CORE_SORT_H
#define LF_CORE_SORT_H

#include <stddef.h>

/* Ascending; none of them NAN. */
void lf_sort(double value[], size_t n);

/* Of values in order, n > 0. */
double lf_median_of_sorted(const double sorted[], size_t n);

#endif
