/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef LF_HAVE_SIM
#include "engine/sim/rename.h"
#endif

#include "suites/unit/play.h"

#include <check.h>
#include <string.h>
#include <time.h>

char lf_happened[64];
static unsigned events;

void lf_note(char c)
{
	if (events < sizeof lf_happened - 1)
		lf_happened[events++] = c;
}

static void judge_nothing(struct lf_judgement *j, const struct lf_observation *o,
			  const struct lf_claim *c)
{
	(void)j;
	(void)o;
	(void)c;
}

const struct trial *lf_play_freely(lf_play_role *a, lf_play_role *b, lf_play_role *c)
{
	static struct lf_role roles[4];
	static struct lf_scenario scenario = { .name = "play", .roles = roles,
					       .limit_ns = { 1000000000 },
					       .judge = judge_nothing };
	static struct lf_cell cell;
	lf_play_role *const run[] = { a, b, c };
	memset(roles, 0, sizeof roles);
	for (int i = 0; i < 3 && run[i]; i++)
		roles[i] = (struct lf_role){ .name = "abc", .count = 1, .run = run[i] };
	memset(lf_happened, 0, sizeof lf_happened);
	events = 0;
	cell = lf_trial_cell("ticket", &scenario, "smp4");
	return lf_trial_of(&cell, "smp4", 1);
}

const struct trial *lf_play(lf_play_role *a, lf_play_role *b, lf_play_role *c)
{
	const struct trial *t = lf_play_freely(a, b, c);
	ck_assert_msg(t->rc == 0, "%s", t->error.text);
	ck_assert(!t->observation.stalled);
	return t;
}

void lf_wait_a_moment(struct lf_thread *t)
{
	lf_sleep_ns(t, 200000);
}

struct timespec lf_in_1_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}
