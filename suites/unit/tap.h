/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From Check's XML log to TAP 13. */
#ifndef LF_UNIT_TAP_H
#define LF_UNIT_TAP_H

#include <stdio.h>

struct lf_tap_totals {
	unsigned tests, failed;
};

/* Reads the XML log open at `fd` from its start and writes TAP to `out`. 0, or
 * -1 when it is not a complete log of Check's. */
int lf_tap_from_check_xml(int fd, FILE *out, struct lf_tap_totals *ret_totals);

#endif
