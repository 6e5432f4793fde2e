/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The evidence of a record: what a person needs to see in order to believe a
 * verdict and to act on it. At most LF_EVIDENCE_MAX bytes as text.
 */
#ifndef LF_REPORT_EVIDENCE_H
#define LF_REPORT_EVIDENCE_H

#include "run/result.h"

#include <jansson.h>

#define LF_THREAD_NAME_MAX 24

/* "victim", or "cpu.1" where a role has several threads. Returns `buffer`. */
const char *lf_thread_name(const struct lf_observation *o, unsigned thread,
			   char buffer[static LF_THREAD_NAME_MAX]);

/* How many threads an observation speaks of; a broken one says at most that
 * many. */
unsigned lf_observed_threads(const struct lf_observation *o);

/* When the lock was held and waited for around the decisive grant, or at the end; a
 * new reference, or NULL: there are no times, or no memory. */
json_t *lf_evidence_timeline(const struct lf_observation *o);

/* A new reference, or NULL: out of memory. */
json_t *lf_evidence_make(const struct lf_cell *cell, const struct lf_result *result);

#endif
