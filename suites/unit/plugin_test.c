/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a descriptor must be. Loading shared objects that misbehave is tested
 * from outside, by suites/cli/cli.t.
 */
#include "suites/unit/suites.h"

#include "core/registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int init(void *lock, const int64_t param[])
{
	(void)lock;
	(void)param;
	return 0;
}

static void enter(void *lock, struct lf_thread *t)
{
	(void)lock;
	(void)t;
}

static void outside(void *lock, struct lf_thread *t, void (*fn)(void *), void *arg)
{
	(void)lock;
	(void)t;
	fn(arg);
}

static const struct lf_mutex_ops mutex_ops = {
	.init = init, .acquire = enter, .release = enter,
};
static const struct lf_gil_ops gil_ops = {
	.init = init, .acquire = enter, .release = enter, .poll = enter,
};

/* A valid one, for a test to break. */
static struct lf_backend mutex(void)
{
	return (struct lf_backend){
		.abi = LF_ABI, .kind = LF_MUTEX, .name = "unit/lock", .summary = "a lock",
		.engines = LF_ON_ALL, .lock_size = 4, .mutex = &mutex_ops,
	};
}

static struct lf_backend gil(void)
{
	struct lf_backend b = mutex();

	b.kind = LF_GIL;
	b.gil = &gil_ops;
	return b;
}

static void refuse(const struct lf_backend *b, int code, const char *text)
{
	struct lf_error error = { "" };

	ck_assert_int_eq(lf_backend_check(b, &error), code);
	ck_assert_msg(strstr(error.text, text), "\"%s\" does not say \"%s\"", error.text,
		      text);
}

START_TEST(valid_ones_pass)
{
	struct lf_backend m = mutex(), g = gil();
	struct lf_gil_ops with_outside = gil_ops;
	struct lf_error error;

	ck_assert_int_eq(lf_backend_check(&m, &error), 0);
	ck_assert_int_eq(lf_backend_check(&g, &error), 0);
	with_outside.outside = outside;
	g.gil = &with_outside;
	ck_assert_int_eq(lf_backend_check(&g, &error), 0);
}
END_TEST

START_TEST(the_abi_comes_first)
{
	struct lf_backend b = { .abi = LF_ABI + 1, .name = (const char *)1 };

	refuse(&b, -EPROTO, "compile it again");
}
END_TEST

static const char *const bad_names[] = {
	"", "Ticket", "my lock", "lock\n", "l*ck",
	"a-name-that-is-much-too-long-to-stand-in-a-table-or-in-a-pattern",
};

START_TEST(names_are_plain)
{
	struct lf_backend b = mutex();

	b.name = bad_names[_i];
	refuse(&b, -EINVAL, "a backend's name");
	b.name = NULL;
	refuse(&b, -EINVAL, "missing");
}
END_TEST

START_TEST(identity_is_complete)
{
	struct lf_backend b = mutex();

	b.summary = "two\nlines";
	refuse(&b, -EINVAL, ".summary");
	b = mutex();
	b.kind = LF_KIND_COUNT;
	refuse(&b, -EINVAL, ".kind");
	b = mutex();
	b.engines = 0;
	refuse(&b, -EINVAL, ".engines");
	b = mutex();
	b.lock_size = 0;
	refuse(&b, -EINVAL, ".lock_size");
	b = mutex();
	b.thread_size = SIZE_MAX;
	refuse(&b, -EINVAL, ".thread_size");
}
END_TEST

START_TEST(mutex_ops_are_complete)
{
	struct lf_mutex_ops ops = mutex_ops;
	struct lf_backend b = mutex();

	b.mutex = NULL;
	refuse(&b, -EINVAL, "the mutex op table");
	b.mutex = &ops;
	ops.init = NULL;
	refuse(&b, -EINVAL, "the mutex op init");
	ops = mutex_ops;
	ops.acquire = NULL;
	refuse(&b, -EINVAL, "the mutex op acquire");
	ops = mutex_ops;
	ops.release = NULL;
	refuse(&b, -EINVAL, "the mutex op release");
}
END_TEST

START_TEST(gil_ops_are_complete)
{
	struct lf_gil_ops ops = gil_ops;
	struct lf_backend b = gil();

	b.gil = &ops;
	ops.poll = NULL;
	refuse(&b, -EINVAL, "the gil op poll");
	ops = gil_ops;
	ops.acquire = NULL;
	refuse(&b, -EINVAL, "the gil op acquire");
	/* Scenarios release a GIL between two calls, too. */
	ops = gil_ops;
	ops.release = NULL;
	ops.outside = outside;
	refuse(&b, -EINVAL, "the gil op release");
}
END_TEST

static int start_runtime(void *lock)
{
	(void)lock;
	return 0;
}

START_TEST(interpreters_are_not_simulated)
{
	struct lf_gil_ops ops = gil_ops;
	struct lf_backend b = gil();
	struct lf_error error;

	b.gil = &ops;
	b.engines = LF_ON_ALL;
	ops.runtime_start = start_runtime;
	refuse(&b, -EINVAL, "LF_ON_THREADS");
	b.engines = LF_ON_THREADS;
	ck_assert_int_eq(lf_backend_check(&b, &error), 0);
}
END_TEST

static const struct {
	struct lf_param param[3];
	const char *text;
} bad_params[] = {
	{ { { "Spin", 1, 0, 9, "spins", "help" } }, "no usable name" },
	{ { { "polls", 1, 0, 9, "polls", "help" } }, "no usable name" },
	{ { { "spin", 10, 0, 9, "spins", "help" } }, "outside its range" },
	{ { { "spin", 1, 9, 0, "spins", "help" } }, "outside its range" },
	{ { { "spin", 1, 0, 9, NULL, "help" } }, "lacks its unit" },
	{ { { "spin", 1, 0, 9, "spins", NULL } }, "lacks its help" },
	{ { { "spin", 1, 0, 9, "spins", "help" }, { "spin", 1, 0, 9, "spins", "help" } },
	  "there twice" },
};

static int poller_init(void *poller, const int64_t param[])
{
	(void)poller;
	(void)param;
	return 0;
}

START_TEST(poller_ops_are_complete)
{
	struct lf_poller_ops ops = { .init = poller_init };
	struct lf_backend b = mutex();

	b.kind = LF_POLLER;
	b.poller = NULL;
	refuse(&b, -EINVAL, "table (.poller)");
	b.poller = &ops;
	refuse(&b, -EINVAL, "op watch is missing");
	ops.init = NULL;
	refuse(&b, -EINVAL, "op init is missing; set it in struct lf_poller_ops");
}
END_TEST

START_TEST(parameter_tables_are_sound)
{
	struct lf_backend b = mutex();

	b.params = bad_params[_i].param;
	refuse(&b, -EINVAL, bad_params[_i].text);
}
END_TEST

START_TEST(parameter_tables_end)
{
	struct lf_param many[LF_MAX_PARAMS + 1];
	char name[LF_MAX_PARAMS + 1][8];
	struct lf_backend b = mutex();

	for (unsigned i = 0; i <= LF_MAX_PARAMS; i++) {
		snprintf(name[i], sizeof name[i], "p%u", i);
		many[i] = (struct lf_param){ name[i], 0, 0, 1, "units", "help" };
	}
	b.params = many;
	refuse(&b, -EINVAL, "more than 8 parameters");
}
END_TEST

static void refine_to_nothing(const int64_t param[], struct lf_claim *claim)
{
	(void)param;
	claim->quantum_ns = 0;
}

START_TEST(claims_say_how_much)
{
	struct lf_backend b = mutex();

	b.claim.set = 1u << LF_CLAIM_COUNT;
	refuse(&b, -EINVAL, "no LF_CLAIM_*");
	b.claim.set = LF_CLAIM_EVENTUAL;
	refuse(&b, -EINVAL, "LF_CLAIM_EVENTUAL");
	b.claim.set = LF_CLAIM_QUANTUM;
	refuse(&b, -EINVAL, "quantum_ns");
	b.claim.quantum_ns = 5;
	b.refine_claim = refine_to_nothing;
	refuse(&b, -EINVAL, "quantum_ns");
}
END_TEST

static void refuse_file(const char *path, int code, const char *text)
{
	struct lf_error error = { "" };
	size_t before, after;

	lf_registry(&before);
	ck_assert_int_eq(lf_registry_load(path, &error), code);
	ck_assert_msg(strstr(error.text, text), "\"%s\" does not say \"%s\"", error.text,
		      text);
	lf_registry(&after);
	ck_assert_uint_eq(before, after);
}

START_TEST(files_that_are_none_of_ours)
{
	refuse_file("./no-such-file.so", -ENOENT, "no-such-file.so");
	refuse_file("/dev/null", -ENOEXEC, "/dev/null: it is no shared object");
	refuse_file("libm.so.6", -ENOEXEC, "lf_backends");
}
END_TEST

Suite *lf_test_plugin(void)
{
	Suite *suite = suite_create("plugin");
	TCase *tcase = tcase_create("descriptor");
	TCase *loading = tcase_create("loading");

	tcase_add_test(tcase, valid_ones_pass);
	tcase_add_test(tcase, the_abi_comes_first);
	tcase_add_loop_test(tcase, names_are_plain, 0,
			    (int)(sizeof bad_names / sizeof bad_names[0]));
	tcase_add_test(tcase, identity_is_complete);
	tcase_add_test(tcase, mutex_ops_are_complete);
	tcase_add_test(tcase, gil_ops_are_complete);
	tcase_add_test(tcase, interpreters_are_not_simulated);
	tcase_add_test(tcase, poller_ops_are_complete);
	tcase_add_loop_test(tcase, parameter_tables_are_sound, 0,
			    (int)(sizeof bad_params / sizeof bad_params[0]));
	tcase_add_test(tcase, parameter_tables_end);
	tcase_add_test(tcase, claims_say_how_much);
	tcase_add_test(loading, files_that_are_none_of_ours);
	suite_add_tcase(suite, tcase);
	suite_add_tcase(suite, loading);
	return suite;
}
