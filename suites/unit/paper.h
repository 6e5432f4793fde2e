/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run on paper: the recorder is told a hand-made order of events, by one
 * thread, with no lock and no engine. Tokens, separated by blanks:
 *
 *	?N  thread N asks      !N  … is confirmed to be queued
 *	N   … is granted       /N  … releases
 *	<N  … begins a poll    >N  … ends it
 *	+N  … makes a step
 */
#ifndef LF_UNIT_PAPER_H
#define LF_UNIT_PAPER_H

#include "engine/engine.h"

struct paper {
	struct lf_cell cell;
	struct lf_run *run;
	struct lf_observation *o;
};

void paper_play(struct paper *p, unsigned threads, const char *order);
/* The same with clocks that advance by 1000 ns per token. */
void paper_play_clocked(struct paper *p, unsigned threads, const char *order);
void paper_continue(struct paper *p, const char *order);
void paper_close(struct paper *p);

#endif
