/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cells of a scenario: every combination of its axes and its sweep. */
#ifndef LF_CORE_POINT_H
#define LF_CORE_POINT_H

#include <lockfair/scenario.h>

/* The first value of every axis with the largest of the sweep: where a scenario
 * shows most, and where its controls stand. */
struct lf_point lf_point_default(const struct lf_scenario *s);

/* All of them, in their order: the last axis turns before the first one, the sweep
 * before all. next: false after the last. */
struct lf_point lf_point_first(const struct lf_scenario *s);
bool lf_point_next(const struct lf_scenario *s, struct lf_point *point);

/*
 * Reads what follows the name in the id of a cell ("/regex/3" of
 * "latency/regex/3"). The number need not be one of the sweep's own, but at most
 * LF_MAX_THREADS. False: a value is missing, unknown or too many.
 */
bool lf_point_parse(const struct lf_scenario *s, const char *text,
		    struct lf_point *ret_point);

/* What lf_point_parse() takes: "NAME/WORKLOAD/N", for messages. Returns `buffer`. */
const char *lf_point_form(const struct lf_scenario *s, char *buffer, size_t size);

#endif
