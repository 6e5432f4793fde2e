/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LF_REPORT_HOST_H
#define LF_REPORT_HOST_H

#include <jansson.h>

/* "volatile.host" of a record, a new reference; NULL: no memory. */
json_t *lf_record_host(void);

#endif
