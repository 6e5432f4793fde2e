/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/unit/paper.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint64_t clock_ns;

static uint64_t now(struct lf_actor *a)
{
	(void)a;
	return clock_ns;
}

static const struct lf_world paper_world = { .now_ns = now, .cpu_ns = now };

static void no_run(struct lf_thread *t)
{
	(void)t;
}

static void no_lock(void *lock, struct lf_thread *t)
{
	(void)lock;
	(void)t;
}

static const struct lf_mutex_ops no_ops = { .acquire = no_lock, .release = no_lock };
static const struct lf_backend no_backend = {
	.abi = LF_ABI, .kind = LF_MUTEX, .name = "paper", .mutex = &no_ops,
};

static const struct lf_role roles[] = {
	{ .name = "paper", .run = no_run },
	{ .name = NULL },
};
static const struct lf_scenario untimed = { .name = "paper", .roles = roles };
static const struct lf_scenario timed = {
	.name = "paper", .roles = roles, .clocks = LF_CLOCK_HOLD,
};

static void play_token(struct paper *p, const char *token)
{
	unsigned n = (unsigned)(token[strlen(token) - 1] - '0');
	struct lf_actor *a = &p->run->actor[n];

	ck_assert_uint_lt(n, p->o->threads);
	switch (token[0]) {
	case '?': lf_record_request(a); break;
	case '!': lf_record_confirm(a, LF_CONFIRM_EXACT); break;
	case '/': lf_record_release(a); break;
	case '<': lf_record_poll_begin(a); break;
	case '>': lf_record_poll_end(a); break;
	case '+': lf_record_step(a); break;
	default: lf_record_grant(a); break;
	}
	clock_ns += 1000;
}

void paper_continue(struct paper *p, const char *order)
{
	char *copy = strdup(order), *rest = copy, *token;
	while ((token = strsep(&rest, " ")))
		play_token(p, token);
	free(copy);
}

static void play(struct paper *p, const struct lf_scenario *s, unsigned threads,
		 const char *order)
{
	static char memory[LF_MAX_THREADS * LF_CACHE_LINE];
	memset(p, 0, sizeof *p);
	p->cell = (struct lf_cell){ .backend = &no_backend, .scenario = s, .point.sweep = threads };
	p->run = lf_shared_new(sizeof *p->run);
	p->o = calloc(1, sizeof *p->o);
	p->run->cell = &p->cell;
	p->run->observation = p->o;
	clock_ns = 1000;
	lf_run_prepare(p->run, &no_backend, &paper_world, NULL, memory, 1);
	paper_continue(p, order);
}

void paper_play(struct paper *p, unsigned threads, const char *order)
{
	play(p, &untimed, threads, order);
}

void paper_play_clocked(struct paper *p, unsigned threads, const char *order)
{
	play(p, &timed, threads, order);
}

void paper_close(struct paper *p)
{
	lf_shared_free(p->run, sizeof *p->run);
	free(p->o);
}
