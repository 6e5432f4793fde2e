/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hand-made records for the tests of the reports. */
#ifndef LF_UNIT_RECORDS_H
#define LF_UNIT_RECORDS_H

#include <jansson.h>
#include <stdio.h>

/* A record of a pass on `threads` that expects nothing; claims as given, or
 * nothing for NULL. Appended to `records`, which keeps it. */
json_t *lf_stand_record(json_t *records, const char *scenario, const char *backend,
			const char *claim);

/* Sets verdict and reason; returns the record. */
json_t *lf_stand_verdict(json_t *record, const char *verdict, const char *reason);
void lf_stand_expect(json_t *record, const char *expected, const char *reason);
void lf_stand_control(json_t *record, const char *as, const char *note);

/* An upper bound that `value` is held against; of information it counts for
 * nothing. */
void lf_stand_assert(json_t *record, const char *metric, const char *unit,
		     const char *origin, double value, double bound);

/* Numbers of the observation, and the order of grants around the decisive one:
 * the victim is overtaken `times` in 5 of 50 rounds. */
void lf_stand_overtaken(json_t *record, int times);

/* Three threads; `order` names the threads of the rounds by their initials c, d
 * (the second cpu) and i. */
void lf_stand_rounds(json_t *record, const char *order);

/* Records of every verdict, expected or not, on both engines. */
json_t *lf_stand_all(void);

/* Fails with the first line that differs: Check cannot carry whole reports. */
void lf_stand_same(const char *actual, const char *expected);

/* What a report writes to a stream, as a string to free(). */
char *lf_stand_output(int (*report)(FILE *out, const json_t *records),
		      const json_t *records);

#endif
