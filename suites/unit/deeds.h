/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Backends, scenarios and engines of the tests' own, whose runs do what a misbehaving
 * lock would: crash, exit, hang, fork. For the tests of workers, supervisor and campaign.
 */
#ifndef LF_SUITES_UNIT_DEEDS_H
#define LF_SUITES_UNIT_DEEDS_H

#include "core/cell.h"
#include "core/registry.h"

/* What a run does; the parameter of every backend here. */
enum deed {
	DO_PASS, DO_FAIL, DO_PRECONDITION, DO_SEGV, DO_EXIT_0, DO_EXIT_3, DO_KILL,
	DO_HANG, DO_ERROR, DO_STALL, DO_ESCAPE, DO_VARY, DO_SLOW, DO_CRASH_LATE,
	DO_HANG_LATE, DO_SPIN, DO_TWO_INSIDE, DO_ESCAPE_AND_HANG,
};

/* A backend, and what its runs do unless a cell says otherwise. */
#define BEHAVES(id, text, deed)                                                \
	static const struct lf_param id##_param[] = {                          \
		{ "deed", deed, 0, 99, "deeds", "what its runs do" }, { 0 },   \
	};                                                                     \
	static const struct lf_backend id = {                                  \
		.abi = LF_ABI, .kind = LF_MUTEX, .name = "unit/" text,         \
		.summary = "for the tests", .params = id##_param,              \
	}

/* unit/fair, unit/unfair and unit/subject, of which the last is what is judged. */
extern const struct lf_entry lf_deed_entries[3];
#define FAIR (&lf_deed_entries[0])
#define UNFAIR (&lf_deed_entries[1])
#define SUBJECT (&lf_deed_entries[2])

/* One runs its cells alone, the others several at once; the last one in four variants. */
extern const struct lf_engine lf_deed_alone, lf_deed_together, lf_deed_several;

/* A scenario that judges what was done; and the same one with controls. */
extern const struct lf_scenario lf_deed_scenario, lf_deed_controlled;

/* For ever, on the first CPU that we may use, where others do the same. */
void lf_deed_spin(void);

/* How many processes there are below us; none is left after the question. */
size_t lf_deed_left_behind(void);

struct lf_cell lf_deed_cell(const struct lf_scenario *s, const struct lf_entry *entry,
			    const struct lf_engine *engine, int64_t deed);

#endif
