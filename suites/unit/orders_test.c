/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C library's objects and the simulator's models of them serve their waiters in the
 * same order. Where the real order is a race, it must be seen in one of many plays. */
#include "suites/unit/suites.h"

#ifdef LF_HAVE_SIM

#include "suites/unit/trial.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ORDERS lf_orders_real
#include "suites/unit/orders_roles.h"

#define TRIES 50

static char happened[16];
static _Atomic unsigned events;
static bool real;
static _Atomic int tid[3];

void lf_order_here(struct lf_thread *t)
{
	if (real)
		tid[t->index] = (int)syscall(SYS_gettid);
}

void lf_order_note(char c)
{
	unsigned mine = atomic_fetch_add(&events, 1); /* readers come together */
	if (mine < sizeof happened - 1)
		happened[mine] = c;
}

/* How often it has gone to sleep; 0 while it does not sleep. UINT64_MAX: gone. */
static uint64_t sleeps_of(int thread)
{
	char path[64], line[128];
	unsigned long long switches = 0;
	bool asleep = false;
	snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
	FILE *f = fopen(path, "re");
	if (!f)
		return UINT64_MAX;
	while (fgets(line, sizeof line, f)) {
		asleep |= strncmp(line, "State:\tS", 8) == 0;
		sscanf(line, "voluntary_ctxt_switches: %llu", &switches);
	}
	fclose(f);
	return asleep ? switches : 0;
}

/* It sleeps still a while after it was seen to. */
static void settle_really(struct lf_thread *t, unsigned who)
{
	uint64_t before = 0;
	for (;;) {
		uint64_t now = tid[who] ? sleeps_of(tid[who]) : 0;
		if (now == UINT64_MAX || (now && now == before))
			return;
		before = now;
		lf_step(t); /* somebody moves */
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	}
}

void lf_order_settle(struct lf_thread *t, unsigned who)
{
	if (real)
		settle_really(t, who);
	else
		lf_sleep_ns(t, 200000);
}

static void judge_nothing(struct lf_judgement *j, const struct lf_observation *o,
			  const struct lf_claim *c)
{
	(void)j;
	(void)o;
	(void)c;
}

/* The order in which they were served. */
static const char *play(const struct lf_order_play *p, const struct lf_engine *engine,
			uint64_t seed)
{
	static struct lf_role roles[4];
	static struct lf_scenario scenario = { .name = "order", .roles = roles,
					       .limit_ns = { 60000000000 },
					       .judge = judge_nothing };
	memset(roles, 0, sizeof roles);
	for (int i = 0; i < 3 && p->role[i]; i++)
		roles[i] = (struct lf_role){ .name = "abc", .count = 1, .run = p->role[i] };
	memset(happened, 0, sizeof happened);
	memset(tid, 0, sizeof tid);
	events = 0;
	p->init();
	struct lf_cell cell = lf_trial_cell("ticket", &scenario, NULL);
	cell.engine = engine;
	real = engine == &lf_engine_threads;
	const struct trial *t = lf_trial_of(&cell, "smp4", seed);
	ck_assert_msg(t->rc == 0, "%s", t->error.text);
	for (unsigned i = 0; i < t->observation.threads; i++)
		ck_assert_msg(!t->observation.thread[i].censored, "%s: thread %u of \"%s\"",
			      p->name, i, happened);
	return happened;
}

START_TEST(the_real_ones_serve_in_that_order)
{
	const struct lf_order_play *p = &lf_orders_real[_i];
	if (p->always) {
		for (int i = 0; i < 3; i++)
			ck_assert_str_eq(play(p, &lf_engine_threads, 1), p->order);
		return;
	}
	for (int i = 0; i < TRIES; i++)
		if (strcmp(play(p, &lf_engine_threads, 1), p->order) == 0)
			return;
	ck_abort_msg("%s never gave %s, at last %s", p->name, p->order, happened);
}
END_TEST

START_TEST(the_models_serve_in_the_same_order)
{
	const struct lf_order_play *p = &lf_orders_sim[_i];
	ck_assert_str_eq(p->name, lf_orders_real[_i].name);
	for (uint64_t seed = 1; seed <= 10; seed++)
		ck_assert_str_eq(play(p, &lf_engine_sim, seed), p->order);
}
END_TEST

Suite *lf_test_orders(void)
{
	Suite *s = suite_create("orders");
	TCase *t = tcase_create("of the C library");
	int n = 0;
	while (lf_orders_real[n].name)
		n++;
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, the_real_ones_serve_in_that_order, 0, n);
	tcase_add_loop_test(t, the_models_serve_in_the_same_order, 0, n);
	suite_add_tcase(s, t);
	return s;
}

#else

Suite *lf_test_orders(void)
{
	return suite_create("orders");
}

#endif
