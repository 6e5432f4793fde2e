/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate/waits.h"

#include "core/clock.h"
#include "engine/engine.h"
#include "engine/threads/threads.h"
#include "observe/noise.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES_MAX 4096
#define HANG_MS 10000
#define ASK_HOLD_NS 2000
#define CLOSE_LOOKS 100

/* A holder that took that much longer than its work was off its CPU. */
#define HOLDER_SLACK_NS 20000

/* Shared with the child. */
struct memory {
	struct lf_child_state state;
	_Atomic uint32_t n;
	_Atomic bool asking; /* a wait is open */
	_Atomic bool stop;   /* the others let go of the lock for good */
	struct lf_wait wait[SAMPLES_MAX];
};

struct scene {
	const struct lf_waits_plan *plan;
	struct memory *memory;
	struct lf_ops ops;
	void *lock;
	char *data;
	size_t stride;
	uint64_t limit_ns;
	_Atomic uint64_t holder_off_ns;
	_Atomic uint64_t released_ns; /* when the lock was let go of last */
};

struct actor {
	struct lf_thread thread;
	struct scene *scene;
	int cpu;
};

/* Run delay from a descriptor that stays open: an open costs more than the read. */
static uint64_t delay_from(int fd)
{
	char line[128];
	ssize_t n = pread(fd, line, sizeof line - 1, 0);
	unsigned long long delay;

	if (n <= 0)
		return 0;
	line[n] = '\0';
	return sscanf(line, "%*u %llu", &delay) == 1 ? delay : 0;
}

/* Inside the critical section, before it ends. */
static void hold(struct scene *s, uint64_t ns)
{
	uint64_t start_ns = lf_clock_ns(), took_ns;

	lf_clock_work_ns(ns);
	took_ns = lf_clock_ns() - start_ns;
	if (took_ns > ns + HOLDER_SLACK_NS)
		atomic_fetch_add_explicit(&s->holder_off_ns, took_ns - ns,
					  memory_order_relaxed);
}

static void let_go(struct actor *a)
{
	struct scene *s = a->scene;

	atomic_store_explicit(&s->released_ns, lf_clock_ns(), memory_order_relaxed);
	s->ops.release(s->lock, &a->thread);
}

/* A lock may be handed to a thread that is ready to run but has no CPU: until it has
 * one, the holder is off its CPU. */
static void take(struct actor *a, int fd)
{
	struct scene *s = a->scene;
	uint64_t delay_ns = delay_from(fd), asked_ns = lf_clock_ns(), now_ns, handed_ns;

	s->ops.acquire(s->lock, &a->thread);
	now_ns = lf_clock_ns();
	if (now_ns - asked_ns < HOLDER_SLACK_NS)
		return;
	delay_ns = delay_from(fd) - delay_ns;
	handed_ns = now_ns - atomic_load_explicit(&s->released_ns, memory_order_relaxed);
	atomic_fetch_add_explicit(&s->holder_off_ns,
				  delay_ns < handed_ns ? delay_ns : handed_ns,
				  memory_order_relaxed);
}

static void *hog_main(void *arg)
{
	struct actor *a = arg;
	struct scene *s = a->scene;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	lf_child_pin(a->cpu);
	if (s->ops.attach)
		s->ops.attach(s->lock, &a->thread);
	take(a, fd);
	while (!atomic_load_explicit(&s->memory->stop, memory_order_relaxed)) {
		hold(s, s->plan->hold_ns);
		atomic_fetch_add_explicit(&s->memory->state.beat, 1, memory_order_relaxed);
		/* A GIL is polled, and decides for itself when it goes on. */
		if (s->ops.poll) {
			s->ops.poll(s->lock, &a->thread);
			continue;
		}
		let_go(a);
		take(a, fd);
	}
	let_go(a);
	return NULL;
}

static void ask(struct actor *a, int fd)
{
	struct scene *s = a->scene;
	struct memory *m = s->memory;
	uint32_t n = atomic_load_explicit(&m->n, memory_order_relaxed);
	struct lf_wait *w = &m->wait[n];
	uint64_t delay_ns = delay_from(fd);
	uint64_t off_ns = atomic_load_explicit(&s->holder_off_ns, memory_order_relaxed);
	uint64_t asked_ns = lf_clock_ns();

	atomic_store_explicit(&m->asking, true, memory_order_relaxed);
	s->ops.acquire(s->lock, &a->thread);
	w->ns = lf_clock_ns() - asked_ns;
	atomic_store_explicit(&m->asking, false, memory_order_relaxed);
	/* A system call, and inside the critical section: only when it matters. */
	if (w->ns > s->limit_ns)
		w->own_delay_ns = delay_from(fd) - delay_ns;
	w->holder_off_ns = atomic_load_explicit(&s->holder_off_ns, memory_order_relaxed) -
		off_ns;
	hold(s, ASK_HOLD_NS);
	let_go(a);
	/* Release: the sample is complete; pairs with the load in add_up(). */
	atomic_store_explicit(&m->n, n + 1, memory_order_release);
	atomic_fetch_add_explicit(&m->state.beat, 1, memory_order_relaxed);
}

static void *ask_main(void *arg)
{
	struct actor *a = arg;
	struct scene *s = a->scene;
	uint64_t random = s->plan->seed | 1;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	lf_child_pin(a->cpu);
	if (s->ops.attach)
		s->ops.attach(s->lock, &a->thread);
	while (atomic_load(&s->memory->n) < SAMPLES_MAX) {
		struct timespec nap = { 0 };
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		nap.tv_nsec = (long)(s->plan->pause_ns / 2 +
				     (random >> 33) % (s->plan->pause_ns + 1));
		nanosleep(&nap, NULL);
		ask(a, fd);
	}
	return NULL;
}

static void make_lock(struct scene *s)
{
	const struct lf_backend *b = s->plan->backend;
	int r;

	s->stride = lf_run_thread_stride(b);
	s->lock = lf_shared_new(b->lock_size);
	s->data = lf_shared_new(s->stride * s->plan->threads);
	if (!s->lock || !s->data)
		lf_child_give_up(&s->memory->state, "no memory", b->name);
	r = lf_lock_init(b, s->lock, s->plan->param, false);
	if (r < 0)
		lf_child_give_up(&s->memory->state, "its init failed", strerror(-r));
}

static void scene_main(void *context)
{
	struct scene *s = context;
	static struct actor actor[LF_MAX_THREADS];
	int cpu[LF_MAX_THREADS];
	pthread_t thread;

	lf_clock_init();
	lf_clock_start();
	s->ops = lf_ops_of(s->plan->backend);
	make_lock(s);
	lf_child_cpus(cpu);
	atomic_store(&s->memory->state.ready, 1);
	for (unsigned i = 0; i < s->plan->threads; i++) {
		actor[i] = (struct actor){
			.thread = { s->data + i * s->stride, i }, .scene = s, .cpu = cpu[i],
		};
		if (pthread_create(&thread, NULL, i ? hog_main : ask_main, &actor[i]) != 0)
			lf_child_give_up(&s->memory->state, "no thread", strerror(errno));
	}
	for (;;)
		pause();
}

/* A wait that is open at the end goes on until nobody else wants the lock; one that
 * is open even then was at least as long as the run. */
static void close_wait(struct memory *m, const struct lf_waits_plan *plan,
		       struct lf_waits *waits)
{
	const struct timespec nap = { .tv_nsec = LF_CHILD_LOOK_MS * 1000000L };

	atomic_store(&m->stop, true);
	for (unsigned i = 0; atomic_load(&m->asking) && i < CLOSE_LOOKS; i++)
		nanosleep(&nap, NULL);
	if (atomic_load(&m->asking))
		lf_waits_add(waits, &(struct lf_wait){ .ns = plan->cap_ns });
	else
		nanosleep(&nap, NULL);
}

static void add_up(const struct memory *m, const struct lf_waits_plan *plan,
		   struct lf_waits *waits)
{
	uint32_t n = atomic_load_explicit(&m->n, memory_order_acquire);

	for (uint32_t i = 0; i < n && i < plan->samples; i++)
		lf_waits_add(waits, &m->wait[i]);
}

static enum lf_child_end watch(struct lf_child *child, struct memory *m,
			       const struct lf_waits_plan *plan,
			       const volatile sig_atomic_t *interrupted,
			       struct lf_error *error)
{
	const struct timespec nap = { .tv_nsec = LF_CHILD_LOOK_MS * 1000000L };
	uint64_t until_ns = lf_monotonic_ns() + plan->cap_ns;
	enum lf_child_end end = LF_CHILD_GOING;

	while (end == LF_CHILD_GOING && atomic_load(&m->n) < plan->samples) {
		nanosleep(&nap, NULL);
		end = lf_child_look(child, until_ns, interrupted, error);
	}
	return end;
}

enum lf_child_end lf_waits_measure(const struct lf_waits_plan *plan, struct lf_waits *waits,
				   const volatile sig_atomic_t *interrupted,
				   struct lf_error *error)
{
	struct memory *m = lf_shared_new(sizeof *m);
	struct scene scene = { .plan = plan, .memory = m, .limit_ns = waits->limit_ns };
	struct lf_child child = {
		.state = &m->state, .side_name = &plan->side,
		.hang_ms = plan->hang_ms ? plan->hang_ms : HANG_MS,
	};
	enum lf_child_end end;

	if (!m) {
		lf_error_set(error, -ENOMEM, "no memory for the waits");
		return LF_CHILD_ERROR;
	}
	if (lf_child_start(&child, scene_main, &scene, error) < 0) {
		lf_shared_free(m, sizeof *m);
		return LF_CHILD_ERROR;
	}
	end = watch(&child, m, plan, interrupted, error);
	if (end == LF_CHILD_LATE)
		close_wait(m, plan, waits);
	lf_child_stop(&child);
	add_up(m, plan, waits);
	lf_shared_free(m, sizeof *m);
	return end;
}
