/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of the simulator: that they repeat, that both carriers agree, what happens
 * when nothing moves any more, and what it does not know. */
#include "suites/unit/suites.h"

#ifdef LF_HAVE_SIM

#include "core/registry.h"
#include "engine/sim/carrier.h"
#include "suites/unit/trial.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

long lf_sim_syscall(long number, ...);

static const struct lf_scenario *scenario(const char *name)
{
	const struct lf_scenario *s = lf_scenario_find(name);
	ck_assert_msg(s != NULL, "no scenario %s", name);
	return s;
}

/* --- repeating --------------------------------------------------------------------- */

static const char *const locks[] = { "pthread", "ticket", "mcs", "handoff", "gil-ticks",
				     "gil-interval", "gil-bfs", "faulty/lost_waiters_bit" };
#define LOCKS (int)(sizeof locks / sizeof locks[0])

static struct trial kept;

static bool same(const struct trial *a, const struct trial *b)
{
	return a->hash == b->hash &&
		memcmp(&a->observation, &b->observation, sizeof a->observation) == 0;
}

START_TEST(the_same_run_gives_the_same_bytes)
{
	kept = *lf_trial(locks[_i], scenario("exclusion"), "2cpu", 3);
	ck_assert(same(&kept, lf_trial(locks[_i], scenario("exclusion"), "2cpu", 3)));
	ck_assert_uint_gt(kept.observation.grants.length, 100);
}
END_TEST

START_TEST(another_seed_takes_another_way)
{
	kept = *lf_trial(locks[_i], scenario("exclusion"), "2cpu", 3);
	ck_assert(!same(&kept, lf_trial(locks[_i], scenario("exclusion"), "2cpu", 4)));
}
END_TEST

static const char *const ways[] = { "exclusion/2cpu", "interleaving/smp4", "hog/over2x",
				    "order/smp4", "io-latency/1cpu" };
#define WAYS (int)(sizeof ways / sizeof ways[0])

/* Else a debugger, which needs the token, would see another run than the report.
 * Only what costs too much differs: the token's switches are dearer, so that it is
 * cut off sooner. */
START_TEST(both_carriers_give_the_same_run)
{
	char name[32];
	const char *const lock = locks[_i / WAYS], *const way = ways[_i % WAYS];
	const char *const machine = strchr(way, '/') + 1;
	if (!lf_carrier_fiber)
		return;
	snprintf(name, sizeof name, "%.*s", (int)(machine - 1 - way), way);
	lf_sim_only_carrier = &lf_carrier_token;
	kept = *lf_trial(lock, scenario(name), machine, 5);
	lf_sim_only_carrier = lf_carrier_fiber;
	const struct trial *other = lf_trial(lock, scenario(name), machine, 5);
	ck_assert_msg(kept.observation.cut_off ? strcmp(name, "interleaving") == 0 :
		      same(&kept, other), "%s on %s", lock, way);
}
END_TEST

static unsigned threads_of_process(void)
{
	unsigned n = 0;
	DIR *tasks = opendir("/proc/self/task");
	ck_assert_ptr_nonnull(tasks);
	while (readdir(tasks))
		n++;
	closedir(tasks);
	return n;
}

START_TEST(threads_that_never_return_leave_nothing)
{
	unsigned before = 0;
	lf_sim_only_carrier = &lf_carrier_token;
	for (uint64_t seed = 1; seed <= 80; seed++) {
		struct lf_cell cell = lf_trial_cell("faulty/lost_waiters_bit",
						    scenario("drain"), "smp4");
		cell.point.sweep = 3;
		const struct trial *t = lf_trial_of(&cell, "smp4", seed);
		ck_assert_int_eq(t->rc, 0);
		ck_assert(t->observation.stalled);
		/* Not sooner: a sanitizer starts a thread of its own with ours. */
		if (seed == 1)
			before = threads_of_process();
	}
	/* The kernel may list a thread for a moment after it was joined. */
	for (int i = 0; i < 5000 && threads_of_process() > before; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	ck_assert_uint_le(threads_of_process(), before);
}
END_TEST

START_TEST(a_lost_wakeup_is_a_deadlock)
{
	struct lf_cell cell = lf_trial_cell("faulty/lost_waiters_bit", scenario("drain"),
					    "2cpu");
	cell.point.sweep = 3;
	const struct trial *t = lf_trial_of(&cell, "2cpu", 1);
	ck_assert_int_eq(t->rc, 0);
	ck_assert(t->observation.stalled);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_FAIL);
	unsigned stuck = 0;
	for (unsigned i = 0; i < t->observation.threads; i++)
		stuck += t->observation.thread[i].censored &&
			t->observation.thread[i].inside_acquire &&
			strcmp(t->observation.thread[i].state, "futex") == 0;
	ck_assert_uint_ge(stuck, 1);
}
END_TEST

/* --- ports ---------------------------------------------------------------------------- */

static int64_t answers, sum, too_late;

static void client(struct lf_thread *t)
{
	for (int i = 1; lf_round(t); i++) {
		int got = 0;
		lf_send(t, 0, &i, sizeof i);
		if (lf_receive(t, 1, &got, sizeof got, 1000000) != (int)sizeof got)
			break;
		answers += got == i;
	}
	too_late = lf_receive(t, 1, &answers, sizeof answers, 1000);
}

static void server(struct lf_thread *t)
{
	int i;
	while (lf_receive(t, 0, &i, sizeof i, 50000000) == (int)sizeof i) {
		sum += i;
		lf_send(t, 1, &i, sizeof i);
	}
}

static const struct lf_role ping_pong_roles[] = {
	{ .name = "client", .count = 1, .run = client },
	{ .name = "server", .count = 1, .run = server, .foreign = true },
	{ .name = NULL },
};

static void judge_nothing(struct lf_judgement *j, const struct lf_observation *o,
			  const struct lf_claim *c)
{
	(void)j;
	(void)o;
	(void)c;
}

static const struct lf_scenario ping_pong = {
	.name = "ping-pong", .roles = ping_pong_roles, .rounds = { 20, 20, 20 },
	.limit_ns = { 1000000000, 1000000000, 1000000000 }, .judge = judge_nothing,
};

START_TEST(ports_carry_datagrams)
{
	const struct trial *t = lf_trial("ticket", &ping_pong, "2cpu", 1);
	ck_assert_int_eq(answers, 20);
	ck_assert_int_eq(sum, 20 * 21 / 2);
	ck_assert_int_eq(too_late, -ETIMEDOUT); /* the run was stopped */
	ck_assert_uint_eq(t->observation.lost_datagrams, 0);
	ck_assert(!t->observation.stalled);
}
END_TEST

static void flood(struct lf_thread *t)
{
	while (lf_round(t))
		lf_send(t, 2, "x", 1);
}

static const struct lf_role flood_roles[] = {
	{ .name = "flood", .count = 1, .run = flood },
	{ .name = NULL },
};

static const struct lf_scenario flooding = {
	.name = "flood", .roles = flood_roles, .rounds = { 200, 200, 200 },
	.limit_ns = { 1000000000, 1000000000, 1000000000 }, .judge = judge_nothing,
};

START_TEST(a_full_port_loses_and_counts)
{
	const struct trial *t = lf_trial("ticket", &flooding, "2cpu", 1);
	ck_assert_uint_eq(t->observation.lost_datagrams, 200 - 128);
}
END_TEST

/* --- limits ------------------------------------------------------------------------------ */

static void dawdle(struct lf_thread *t)
{
	while (!lf_stopped(t))
		lf_compute_ns(t, 1000000);
}

static const struct lf_role dawdle_roles[] = {
	{ .name = "dawdler", .count = 2, .run = dawdle },
	{ .name = NULL },
};

static const struct lf_scenario dawdling = {
	.name = "dawdle", .roles = dawdle_roles,
	.limit_ns = { 50000000, 50000000, 50000000 }, .judge = judge_nothing,
};

START_TEST(the_limit_is_virtual_time)
{
	const struct trial *t = lf_trial("ticket", &dawdling, "1cpu", 1);
	ck_assert(t->observation.limit_reached);
	ck_assert_uint_ge(t->observation.duration_ns, 50000000);
	ck_assert_uint_le(t->observation.duration_ns, 60000000);
	/* Both had half of the only CPU. */
	ck_assert_uint_ge(t->observation.thread[0].cpu_ns, 20000000);
	ck_assert_uint_ge(t->observation.thread[1].cpu_ns, 20000000);
	ck_assert_uint_ge(t->observation.thread[0].involuntary_switches, 5);
}
END_TEST

/* Nobody but the holder gets the lock, and all it does is to poll it. */
static void compute_polling(struct lf_thread *t)
{
	lf_lock(t);
	while (!lf_stopped(t))
		lf_compute_polling_ns(t, 1000000, 1000);
	lf_unlock(t);
}

static const struct lf_role polling_roles[] = {
	{ .name = "cpu", .count = 4, .run = compute_polling },
	{ .name = NULL },
};

static const struct lf_scenario polling = {
	.name = "polling", .roles = polling_roles, .polls = true,
	.limit_ns = { 1000000000 }, .window = true, .judge = judge_nothing,
};

START_TEST(a_holder_that_polls_is_no_deadlock)
{
	const struct trial *t = lf_trial("gil-ticks", &polling, "1cpu-nopreempt",
					 (uint64_t)_i + 1);
	ck_assert(t->observation.limit_reached);
	ck_assert(!t->observation.stalled);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
}
END_TEST

/* The run is stopped while one of them has the lock and goes on for a while. */
static void hold_beyond_the_limit(struct lf_thread *t)
{
	lf_lock(t);
	lf_compute_ns(t, 500000000);
	lf_unlock(t);
}

static const struct lf_role slow_roles[] = {
	{ .name = "slow", .count = 2, .run = hold_beyond_the_limit },
	{ .name = NULL },
};

static const struct lf_scenario slow = {
	.name = "slow", .roles = slow_roles, .limit_ns = { 10000000 }, .window = true,
	.judge = judge_nothing,
};

START_TEST(who_holds_the_lock_may_come_to_its_end)
{
	const struct trial *t = lf_trial("pthread", &slow, "2cpu", 1);
	ck_assert_uint_ge(t->observation.duration_ns, 900000000);
	for (unsigned i = 0; i < 2; i++)
		ck_assert(!t->observation.thread[i].censored);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_PASS);
}
END_TEST

/* --- what costs too much ---------------------------------------------------------------- */

/* One holds the lock and the others spin, for longer than anybody would simulate. */
static void hold_for_long(struct lf_thread *t)
{
	lf_lock(t);
	for (int i = 0; i < 1000 && !(lf_stopped(t) && lf_sweep(t)); i++)
		lf_compute_ns(t, 1000000);
	lf_unlock(t);
}

static void want(struct lf_thread *t)
{
	lf_compute_ns(t, 100000);
	lf_lock(t);
	lf_unlock(t);
}

static void judge_served(struct lf_judgement *j, const struct lf_observation *o,
			 const struct lf_claim *c)
{
	uint64_t unserved = 0;
	(void)c;
	for (unsigned i = 0; i < o->threads; i++)
		unserved += o->thread[i].grants == 0;
	lf_judge_at_most(j, LF_METRIC_SERVED_ONCE, LF_ORIGIN_SAFETY, (double)unserved, 0,
			 o->threads, NULL);
}

static const struct lf_role costly_roles[] = {
	{ .name = "holder", .count = 1, .run = hold_for_long },
	{ .name = "waiter", .count = 3, .run = want },
	{ .name = NULL },
};

static const struct lf_scenario costly = {
	.name = "costly", .roles = costly_roles, .limit_ns = { 2000000000 }, .window = true,
	.judge = judge_served,
};

/* Whether all come back when the run is stopped, or not even that is waited for. */
START_TEST(a_run_that_costs_too_much_says_nothing)
{
	struct lf_cell cell = lf_trial_cell("tas", &costly, NULL);
	cell.param[0] = 0; /* it never yields */
	cell.point.sweep = (unsigned)_i;
	const struct trial *t = lf_trial_of(&cell, "smp4", 1);
	ck_assert_int_eq(t->rc, 0);
	ck_assert(t->observation.cut_off);
	ck_assert_uint_lt(t->observation.duration_ns, 1000000000);
	ck_assert_int_eq(t->judgement.verdict, LF_VERDICT_INCONCLUSIVE);
	ck_assert_msg(strstr(t->judgement.reason, "cut off after "), "%s", t->judgement.reason);
}
END_TEST

/* --- what it does not know ------------------------------------------------------------------ */

static void unknown_call(struct lf_thread *t)
{
	(void)t;
	lf_sim_syscall(SYS_getrandom, NULL, 0, 0);
	abort(); /* it does not come back */
}

static const struct lf_role unknown_roles[] = {
	{ .name = "caller", .count = 1, .run = unknown_call },
	{ .name = NULL },
};

static const struct lf_scenario unknown = {
	.name = "unknown", .roles = unknown_roles, .limit_ns = { 1000000 },
	.judge = judge_nothing,
};

START_TEST(an_unknown_system_call_ends_the_run)
{
	struct lf_cell cell = lf_trial_cell("ticket", &unknown, "2cpu");
	lf_sim_only_carrier = _i ? lf_carrier_fiber : &lf_carrier_token;
	const struct trial *t = lf_trial_of(&cell, "2cpu", 1);
	char number[32];
	snprintf(number, sizeof number, "system call %d ", (int)SYS_getrandom);
	ck_assert_int_eq(t->rc, -ENOTSUP);
	ck_assert_msg(strstr(t->error.text, number), "%s", t->error.text);
}
END_TEST

START_TEST(an_unknown_machine_is_an_error)
{
	struct lf_cell cell = lf_trial_cell("ticket", &dawdling, "no-such");
	ck_assert_ptr_nonnull(strstr(lf_engine_sim.unavailable(&cell), "no-such"));
	ck_assert_int_eq(lf_trial_of(&cell, "no-such", 1)->rc, -ENOENT);
}
END_TEST

static _Atomic bool for_ever = true;

static void loop(struct lf_thread *t)
{
	(void)t;
	while (for_ever)
		;
}

/* The host's own sleep: the simulator knows nothing of it. */
static void doze(struct lf_thread *t)
{
	(void)t;
	while (for_ever)
		nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
}

static const struct lf_role loop_roles[] = {
	{ .name = "looper", .count = 1, .run = loop },
	{ .name = NULL },
};

static const struct lf_role doze_roles[] = {
	{ .name = "dozer", .count = 1, .run = doze },
	{ .name = NULL },
};

static const struct lf_scenario astray[] = {
	{ .name = "loop", .roles = loop_roles, .limit_ns = { 1000000 },
	  .judge = judge_nothing },
	{ .name = "doze", .roles = doze_roles, .limit_ns = { 1000000 },
	  .judge = judge_nothing },
};

START_TEST(a_thread_without_scheduling_points_is_an_error)
{
	struct lf_cell cell = lf_trial_cell("ticket", &astray[_i / 2], "2cpu");
	lf_sim_only_carrier = _i % 2 ? lf_carrier_fiber : &lf_carrier_token;
	const struct trial *t = lf_trial_of(&cell, "2cpu", 1);
	ck_assert_int_eq(t->rc, -EDEADLK);
	ck_assert_ptr_nonnull(strstr(t->error.text, "scheduling point"));
	ck_assert_int_eq(lf_trial_of(&cell, "2cpu", 1)->rc, -EBUSY);
	for_ever = false;
}
END_TEST

/* --- models × seeds ---------------------------------------------------------------------------- */

START_TEST(variants_are_models_times_seeds)
{
	struct lf_cell cell = lf_trial_cell("pthread", scenario("order"), NULL);
	struct lf_variant v;
	ck_assert_uint_eq(lf_engine_sim.variants(&cell, 0, &v), 70);
	ck_assert_str_eq(v.machine, "1cpu");
	ck_assert_uint_eq(v.seed, 1);
	lf_engine_sim.variants(&cell, 69, &v);
	ck_assert_str_eq(v.machine, "smp4");
	ck_assert_uint_eq(v.seed, 10);
	cell.machine = "celeron-uni";
	cell.seed = 5;
	ck_assert_uint_eq(lf_engine_sim.variants(&cell, 9, &v), 10);
	ck_assert_str_eq(v.machine, "celeron-uni");
	ck_assert_uint_eq(v.seed, 14);
}
END_TEST

static void tidy(void)
{
	lf_sim_only_carrier = NULL;
}

static TCase *new_case(Suite *s, const char *name)
{
	TCase *t = tcase_create(name);
	tcase_add_checked_fixture(t, NULL, tidy);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
	return t;
}

Suite *lf_test_sim_run(void)
{
	Suite *s = suite_create("sim_run");
	TCase *t = new_case(s, "repeat");
	tcase_add_loop_test(t, the_same_run_gives_the_same_bytes, 0, LOCKS);
	tcase_add_loop_test(t, another_seed_takes_another_way, 0, LOCKS);
	tcase_add_loop_test(t, both_carriers_give_the_same_run, 0, LOCKS * WAYS);
	t = new_case(s, "end");
	tcase_add_test(t, threads_that_never_return_leave_nothing);
	tcase_add_test(t, a_lost_wakeup_is_a_deadlock);
	tcase_add_test(t, the_limit_is_virtual_time);
	tcase_add_loop_test(t, a_holder_that_polls_is_no_deadlock, 0, 10);
	tcase_add_test(t, who_holds_the_lock_may_come_to_its_end);
	tcase_add_loop_test(t, a_run_that_costs_too_much_says_nothing, 0, 2);
	t = new_case(s, "ports");
	tcase_add_test(t, ports_carry_datagrams);
	tcase_add_test(t, a_full_port_loses_and_counts);
	t = new_case(s, "unknown");
	tcase_add_loop_test(t, an_unknown_system_call_ends_the_run, 0, 2);
	tcase_add_test(t, an_unknown_machine_is_an_error);
	tcase_add_loop_test(t, a_thread_without_scheduling_points_is_an_error, 0, 4);
	t = new_case(s, "variants");
	tcase_add_test(t, variants_are_models_times_seeds);
	return s;
}

#else

Suite *lf_test_sim_run(void)
{
	return suite_create("sim_run");
}

#endif
