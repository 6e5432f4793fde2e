/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The channels, by their own ops: tokens arrive in order between two threads and
 * between two processes, a wait can be ended from anywhere, and nothing is left in
 * the kernel. What the scenario makes of them is in pingpong_test.c.
 */
#include "engine/engine.h"
#include "fixtures/backends.h"
#include "suites/unit/suites.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define X(id) extern const struct lf_backend lf_backend_##id;
LF_FIXTURE_MAP(X)
#undef X

static const struct lf_backend *const channels[] = {
	&lf_backend_sigusr1, &lf_backend_message_queue, &lf_backend_pipes,
	&lf_backend_semaphore, &lf_backend_spin_yield, &lf_backend_futex,
	&lf_backend_eventfd, &lf_backend_posix_mq, &lf_backend_socketpair,
	&lf_backend_condvar, &lf_backend_spinlock,
};
#define CHANNELS (int)(sizeof channels / sizeof channels[0])
/* The last one would take a slice of the scheduler for each token on one CPU. */
#define TOKENS(i) ((i) == CHANNELS - 1 ? 10u : 100u)

/* Two threads or processes and what is between them; shared by processes. */
struct pair {
	const struct lf_backend *backend;
	bool processes;
	_Atomic unsigned attached;
	_Atomic unsigned echoed; /* by end 1 */
	_Atomic int ended;       /* of end 1: what its last wait returned; 1: not yet */
	_Alignas(LF_CACHE_LINE) char memory[4096];
};

static struct pair *pair_open(const struct lf_backend *b, bool processes)
{
	static const int64_t no_param[LF_MAX_PARAMS];
	struct pair *p = lf_shared_new(sizeof *p);

	ck_assert_ptr_nonnull(p);
	ck_assert_uint_le(b->lock_size, sizeof p->memory);
	memset(p->memory, 0xa5, sizeof p->memory);
	p->backend = b;
	p->processes = processes;
	p->ended = 1;
	ck_assert_int_eq(b->channel->init(p->memory, no_param, processes), 0);
	return p;
}

static void pair_close(struct pair *p)
{
	if (p->backend->channel->destroy)
		p->backend->channel->destroy(p->memory);
	lf_shared_free(p, sizeof *p);
}

static void attach(struct pair *p, struct lf_thread *t, unsigned end)
{
	if (p->backend->channel->attach)
		p->backend->channel->attach(p->memory, t, end);
	p->attached++;
	while (p->attached < 2)
		usleep(100);
}

/* End 1: sends back whatever comes, until something that is no token does. */
static void *echo(void *arg)
{
	struct pair *p = arg;
	const struct lf_channel_ops *c = p->backend->channel;
	struct lf_thread t = { .index = 1 };
	uint64_t token;
	int rc;

	attach(p, &t, 1);
	while ((rc = c->wait(p->memory, &t, 1, &token)) == 0 && token < LF_TOKEN_END) {
		p->echoed++;
		c->send(p->memory, &t, 1, token);
	}
	p->ended = rc;
	return NULL;
}

struct other {
	pthread_t thread;
	pid_t process;
};

static struct other start(struct pair *p)
{
	struct other o = { .process = -1 };

	if (!p->processes) {
		ck_assert_int_eq(pthread_create(&o.thread, NULL, echo, p), 0);
		return o;
	}
	o.process = fork();
	ck_assert_int_ge(o.process, 0);
	if (o.process == 0) {
		echo(p);
		_exit(0);
	}
	return o;
}

static void join(const struct pair *p, const struct other *o)
{
	if (p->processes)
		ck_assert_int_eq(waitpid(o->process, NULL, 0), o->process);
	else
		pthread_join(o->thread, NULL);
}

static void pass_tokens(const struct lf_backend *b, bool processes, unsigned n)
{
	struct pair *p = pair_open(b, processes);
	struct other other = start(p);
	struct lf_thread t = { .index = 0 };
	uint64_t came = 0;

	attach(p, &t, 0);
	for (uint64_t token = 1; token <= n; token++) {
		ck_assert_int_eq(b->channel->send(p->memory, &t, 0, token), 0);
		ck_assert_int_eq(b->channel->wait(p->memory, &t, 0, &came), 0);
		ck_assert_uint_eq(came, token);
	}
	ck_assert_int_eq(b->channel->send(p->memory, &t, 0, LF_TOKEN_END), 0);
	join(p, &other);
	ck_assert_uint_eq(p->echoed, n);
	ck_assert_int_eq(p->ended, 0);
	pair_close(p);
}

START_TEST(tokens_arrive_between_threads)
{
	pass_tokens(channels[_i], false, TOKENS(_i));
	/* And from a fresh start. */
	pass_tokens(channels[_i], false, 3);
}
END_TEST

START_TEST(tokens_arrive_between_processes)
{
	pass_tokens(channels[_i], true, TOKENS(_i));
	pass_tokens(channels[_i], true, 3);
}
END_TEST

/* The watchdog is at neither end, and does not know whether somebody waits. */
static void end_wait(const struct lf_backend *b, bool processes)
{
	struct pair *p = pair_open(b, processes);
	struct other other;
	struct lf_thread t = { .index = 0 };

	for (unsigned end = 0; end < 2; end++)
		b->channel->send(p->memory, &t, end, LF_TOKEN_END);
	pair_close(p);

	p = pair_open(b, processes);
	other = start(p);
	attach(p, &t, 0);
	for (unsigned end = 0; end < 2; end++)
		b->channel->send(p->memory, &t, end, LF_TOKEN_END);
	join(p, &other);
	ck_assert_int_eq(p->ended, 0);
	ck_assert_uint_eq(p->echoed, 0);
	pair_close(p);
}

START_TEST(a_wait_can_be_ended)
{
	end_wait(channels[_i], false);
	end_wait(channels[_i], true);
}
END_TEST

/* Lines of a table of System V objects, or 0 where there is none. */
static unsigned lines(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned n = 0;

	for (int c; f && (c = fgetc(f)) != EOF;)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

START_TEST(no_object_outlives_its_channel)
{
	/* The first one may move the process into another namespace. */
	pair_close(pair_open(channels[_i], true));
	unsigned queues = lines("/proc/sysvipc/msg"), sets = lines("/proc/sysvipc/sem");
	int before = dup(0);

	for (int i = 0; i < 3; i++)
		pair_close(pair_open(channels[_i], true));
	ck_assert_uint_eq(lines("/proc/sysvipc/msg"), queues);
	ck_assert_uint_eq(lines("/proc/sysvipc/sem"), sets);
	close(before);
	int after = dup(0);
	ck_assert_int_eq(after, before);
	close(after);
}
END_TEST

Suite *lf_test_channels(void)
{
	Suite *suite = suite_create("channels");
	TCase *ops = tcase_create("ops");

	tcase_add_loop_test(ops, tokens_arrive_between_threads, 0, CHANNELS);
	tcase_add_loop_test(ops, tokens_arrive_between_processes, 0, CHANNELS);
	tcase_add_loop_test(ops, a_wait_can_be_ended, 0, CHANNELS);
	tcase_add_loop_test(ops, no_object_outlives_its_channel, 0, CHANNELS);
	suite_add_tcase(suite, ops);
	return suite;
}
