/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Up to three threads in the simulator, a, b and c, that do as the test says, and a
 * line of letters that tells in what order. For tests of what the simulator offers to
 * locks, whose files read as any program's: rename.h sends their calls to it. */
#ifndef LF_UNIT_PLAY_H
#define LF_UNIT_PLAY_H

#include "suites/unit/trial.h"

typedef void lf_play_role(struct lf_thread *t);

/* Runs them (b and c may be NULL) on a machine with four CPUs and fails the test when
 * they get stuck. */
const struct trial *lf_play(lf_play_role *a, lf_play_role *b, lf_play_role *c);
/* The same, where getting stuck and errors are for the test. */
const struct trial *lf_play_freely(lf_play_role *a, lf_play_role *b, lf_play_role *c);

/* What happened, one letter each. */
extern char lf_happened[64];
void lf_note(char c);

/* Long enough for another thread to go to sleep in what it just called. */
void lf_wait_a_moment(struct lf_thread *t);
/* An absolute time, of the simulator's clock. */
struct timespec lf_in_1_ms(void);

#endif
