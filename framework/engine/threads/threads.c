/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run on this machine's kernel: foreign roles are forked first, then the
 * threads start behind a gate; the calling thread keeps watch. The run ends by
 * its director, by the hard limit, or because nothing moved any more; then
 * everybody has a grace period to come back, and who does not is censored. No
 * thread is ever joined blindly.
 */
#include "engine/threads/threads.h"
#include "observe/noise.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The watch wakes that often. A sleep that took much longer shows that the
 * machine stood still, and then counts for no more than twice its length. */
#define WATCH_NS UINT64_C(5000000)
#define STALL_NS UINT64_C(1000000000)
#define GRACE_NS UINT64_C(1000000000)

static struct lf_os_run *of_run(const struct lf_run *run)
{
	/* The first actor's thread is the first of the array in lf_os_run. */
	struct lf_os_thread *first = run->actor[0].engine;
	return (struct lf_os_run *)((char *)first - offsetof(struct lf_os_run, thread));
}

struct lf_os_run *lf_os_run_of(const struct lf_actor *a)
{
	return of_run(a->run);
}

static uint64_t world_cpu(struct lf_actor *a)
{
	struct timespec cpu;
	(void)a;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

/* An unknown delay stays the same, so that differences are 0. */
static uint64_t world_delay(struct lf_actor *a)
{
	(void)a;
	return lf_noise_run_delay_ns();
}

static void world_compute(struct lf_actor *a, uint64_t ns)
{
	(void)a;
	lf_clock_work_ns(ns);
}

/* In parts, so that a stopped run need not wait for a long sleep. */
static void world_sleep(struct lf_actor *a, uint64_t ns)
{
	const uint64_t part_ns = 50000000;
	while (ns > 0 && !lf_stopped(&a->thread)) {
		uint64_t now = ns < part_ns ? ns : part_ns;
		struct timespec pause = { .tv_nsec = (long)now };
		nanosleep(&pause, NULL);
		ns -= now;
	}
}

static void world_stop(struct lf_actor *a)
{
	struct lf_os_run *os = lf_os_run_of(a);
	lf_phase_wake(os);
	lf_ports_wake(os);
}

static const struct lf_world threads_world = {
	.now_ns = lf_clock_now, .cpu_ns = world_cpu,
	.delay_ns = world_delay,
	.compute_ns = world_compute, .sleep_ns = world_sleep,
	.advance = lf_phase_advance, .await = lf_phase_await,
	.await_queued = lf_confirm_await, .look_queued = lf_confirm_look,
	.send = lf_ports_send, .receive = lf_ports_receive,
	.stop = world_stop, .descriptor = lf_descriptor_open,
	.place = lf_place_thread, .schedule = lf_place_schedule,
	.slice_ns = lf_place_slice_ns,
};

static void run_actor(struct lf_os_thread *t)
{
	struct lf_os_run *os = lf_os_run_of(t->actor);
	lf_gate_wait(os);
	lf_actor_main(t->actor);
	lf_noise_of_thread(t->actor->rec.mine);
	/* Release: the observation is complete before it is said to be. Pairs
	 * with the acquire load in all_done(). */
	atomic_store_explicit(&t->done, true, memory_order_release);
}

static void *thread_main(void *arg)
{
	struct lf_os_thread *t = arg;
	t->tid = (pid_t)syscall(SYS_gettid);
	pthread_getcpuclockid(pthread_self(), &t->cpu_clock);
	prctl(PR_SET_NAME, t->actor->role->name);
	run_actor(t);
	return NULL;
}

static int start_foreign(struct lf_os_thread *t)
{
	t->tid = fork();
	if (t->tid < 0)
		return -errno;
	if (t->tid > 0)
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run_actor(t);
	_exit(0);
}

/* NULL: the backend is no interpreter lock. */
static const struct lf_gil_ops *gil_of(const struct lf_run *run)
{
	const struct lf_backend *b = run->cell->backend;
	return b->kind == LF_GIL ? b->gil : NULL;
}

static int start_thread(struct lf_os_thread *t)
{
	const struct lf_gil_ops *gil = gil_of(t->actor->run);
	t->spawned = gil && gil->spawn;
	return t->spawned ? gil->spawn(t->actor->lock, thread_main, t) :
		-pthread_create(&t->thread, NULL, thread_main, t);
}

static int start_runtime(struct lf_run *run)
{
	const struct lf_gil_ops *gil = gil_of(run);
	return gil && gil->runtime_start ? gil->runtime_start(run->actor[0].lock) : 0;
}

/* Processes first: a fork after the first thread would copy its locks. */
static int start_all(struct lf_run *run, struct lf_os_run *os)
{
	unsigned n = run->observation->threads;
	int rc = 0;
	for (unsigned i = 0; i < n && rc == 0; i++)
		if (run->actor[i].role->foreign)
			rc = start_foreign(&os->thread[i]);
	if (rc == 0)
		rc = start_runtime(run);
	for (unsigned i = 0; i < n && rc == 0; i++)
		if (!run->actor[i].role->foreign)
			rc = start_thread(&os->thread[i]);
	const struct timespec pause = { .tv_nsec = 100000 };
	while (rc == 0 && atomic_load(&os->ready) < n)
		nanosleep(&pause, NULL);
	return rc;
}

static bool all_done(const struct lf_run *run, const struct lf_os_run *os)
{
	for (unsigned i = 0; i < run->observation->threads; i++)
		if (!atomic_load_explicit(&os->thread[i].done, memory_order_acquire))
			return false;
	return true;
}

/* Sleeps one watch period. Returns what it counts for. */
static uint64_t watch_once(struct lf_noise_meter *meter)
{
	const struct timespec pause = { .tv_nsec = (long)WATCH_NS };
	uint64_t start = lf_clock_ns();
	nanosleep(&pause, NULL);
	uint64_t took = lf_clock_ns() - start;
	lf_noise_slept(meter, WATCH_NS, took);
	return took < 2 * WATCH_NS ? took : 2 * WATCH_NS;
}

/* Tokens are in no log: requests go on as long as they arrive. */
static uint64_t movement(const struct lf_observation *o, const struct lf_os_run *os)
{
	uint64_t sum = o->grants.length + o->steps.length + os->phase;
	for (unsigned i = 0; i < o->threads; i++)
		sum += o->thread[i].requests;
	return sum;
}

static bool anybody_inside(const struct lf_run *run)
{
	for (unsigned i = 0; i < run->observation->threads; i++)
		if (run->actor[i].rec.inside)
			return true;
	return false;
}

static void stop_run(struct lf_run *run)
{
	atomic_store_explicit(&run->stop, true, memory_order_relaxed);
	run->actor[0].world->stop(&run->actor[0]);
	lf_run_end_waits(run);
}

/* Until the director ends the run, the limit is reached, or nothing moves. */
static void watch_run(struct lf_run *run, struct lf_os_run *os,
		      struct lf_noise_meter *meter)
{
	struct lf_observation *o = run->observation;
	uint64_t limit_ns = lf_run_limit_ns(run), seen = movement(o, os);
	uint64_t start_ns = lf_clock_ns(), still_ns = 0;

	while (!run->stop && !all_done(run, os)) {
		uint64_t passed = watch_once(meter), now = movement(o, os);
		still_ns = now == seen ? still_ns + passed : 0;
		seen = now;
		o->stalled = still_ns >= STALL_NS && anybody_inside(run);
		o->limit_reached = lf_clock_ns() - start_ns > limit_ns;
		if (o->stalled || o->limit_reached)
			break;
	}
}

/* Grants still count as movement: a queue may take its time to drain. */
static void wait_grace(struct lf_run *run, struct lf_os_run *os,
		       struct lf_noise_meter *meter)
{
	uint64_t still_ns = 0, seen = movement(run->observation, os), total_ns = 0;
	while (!all_done(run, os) && still_ns < GRACE_NS && total_ns < 4 * GRACE_NS) {
		uint64_t passed = watch_once(meter), now = movement(run->observation, os);
		still_ns = now == seen ? still_ns + passed : 0;
		total_ns += passed;
		seen = now;
	}
}

/* Joins who came back; marks and forgets who did not. */
static bool collect(struct lf_run *run, struct lf_os_run *os)
{
	bool everybody = true;
	for (unsigned i = 0; i < run->observation->threads; i++) {
		struct lf_os_thread *t = &os->thread[i];
		bool foreign = run->actor[i].role->foreign;
		bool done = atomic_load_explicit(&t->done, memory_order_acquire);
		if (foreign) {
			if (!done)
				kill(t->tid, SIGKILL);
			waitpid(t->tid, NULL, 0);
		} else if (done) {
			if (!t->spawned)
				pthread_join(t->thread, NULL);
		} else {
			if (!t->spawned)
				pthread_detach(t->thread);
			run->observation->thread[i].censored = true;
			everybody = false;
		}
	}
	return everybody;
}

struct memory {
	struct lf_os_run *os;
	char *lock, *thread_data, *poller; /* poller: NULL where there is none */
	size_t lock_size, data_size, poller_size;
};

static void release_memory(struct memory *m)
{
	lf_shared_free(m->os, sizeof *m->os);
	lf_shared_free(m->lock, m->lock_size);
	lf_shared_free(m->thread_data, m->data_size);
	lf_shared_free(m->poller, m->poller_size);
}

static int map_memory(struct memory *m, const struct lf_cell *cell, struct lf_error *error)
{
	const struct lf_backend *b = lf_cell_lock(cell);
	m->lock_size = b->lock_size;
	m->poller_size = cell->lock ? cell->backend->lock_size : 0;
	m->data_size = lf_run_thread_stride(b) * LF_MAX_THREADS;
	m->os = lf_shared_new(sizeof *m->os);
	m->lock = lf_shared_new(m->lock_size);
	m->thread_data = lf_shared_new(m->data_size);
	if (m->poller_size)
		m->poller = lf_shared_new(m->poller_size);
	if (m->os && m->lock && m->thread_data && (m->poller || !m->poller_size))
		return 0;
	release_memory(m);
	return lf_error_set(error, -ENOMEM, "no memory for a run of %s (a lock of %zu bytes)",
			    b->name, b->lock_size);
}

static void bind_actors(struct lf_run *run, struct lf_os_run *os)
{
	os->run = run;
	for (unsigned i = 0; i < run->observation->threads; i++) {
		os->thread[i].actor = &run->actor[i];
		run->actor[i].engine = &os->thread[i];
	}
}

/* From the open gate to the last thread. True when everybody came back. */
static bool run_threads(struct lf_run *run, struct lf_os_run *os)
{
	struct lf_noise_meter meter;
	lf_noise_begin(&meter, &run->observation->noise);
	lf_gate_open(os);
	watch_run(run, os, &meter);
	if (run->observation->stalled && run->on_stall)
		run->on_stall(run->context);
	uint64_t duration_ns = lf_clock_ns();
	stop_run(run);
	wait_grace(run, os, &meter);
	bool everybody = collect(run, os);
	lf_run_finish(run, duration_ns);
	lf_noise_end(&meter, run->observation);
	return everybody;
}

static int init_one(const struct lf_cell *cell, const struct lf_backend *b, void *memory, const int64_t param[],
		    struct lf_error *error)
{
	int rc = lf_lock_init(b, memory, param, lf_cell_has_processes(cell));
	return rc ? lf_error_set(error, rc, "%s: init failed: %s", b->name, strerror(-rc)) :
		    0;
}

/* The lock, and the poller that is used while it is held, if there is one. */
static int init_backends(struct lf_run *run, struct memory *m, struct lf_error *error)
{
	const struct lf_cell *cell = run->cell;
	int rc = init_one(cell, lf_cell_lock(cell), m->lock, lf_cell_lock_param(cell), error);
	if (rc || !cell->lock)
		return rc;
	run->poller_ops = cell->backend->poller;
	run->poller = m->poller;
	rc = init_one(cell, cell->backend, m->poller, cell->param, error);
	if (rc)
		lf_lock_destroy(cell->lock, m->lock);
	return rc;
}

static void destroy_backends(struct lf_run *run, struct memory *m)
{
	const struct lf_cell *cell = run->cell;
	if (cell->lock)
		lf_lock_destroy(cell->backend, m->poller);
	lf_descriptors_close(m->os);
	lf_lock_destroy(lf_cell_lock(cell), m->lock);
}

static int execute(struct lf_run *run, struct lf_variant *variant, struct lf_error *error)
{
	const struct lf_cell *cell = run->cell;
	struct memory m = { 0 };
	int rc = map_memory(&m, cell, error);
	if (rc)
		return rc;
	lf_clock_init();
	lf_place_init();
	rc = init_backends(run, &m, error);
	if (rc) {
		release_memory(&m);
		return rc;
	}
	lf_run_prepare(run, lf_cell_lock(cell), &threads_world, m.lock, m.thread_data,
		       variant->seed);
	bind_actors(run, m.os);
	rc = lf_ports_open(m.os, error);
	lf_clock_start(); /* foreign processes inherit it */
	if (rc == 0 && (rc = start_all(run, m.os)) != 0)
		lf_error_set(error, rc, "cannot start the threads of %s: %s",
			     cell->scenario->name, strerror(-rc));
	if (rc == 0 && run_threads(run, m.os)) {
		run->observation->lost_datagrams += lf_ports_close(m.os);
		destroy_backends(run, &m);
		release_memory(&m);
	}
	/* Otherwise somebody still uses the lock: its memory stays. */
	return rc;
}

static const char *unavailable(const struct lf_cell *cell)
{
	if (!(cell->backend->engines & LF_ON_THREADS) ||
	    !(lf_cell_lock(cell)->engines & LF_ON_THREADS))
		return "this backend does not run on real threads";
	return NULL;
}

static unsigned variants(const struct lf_cell *cell, unsigned i, struct lf_variant *ret_variant)
{
	(void)i;
	if (ret_variant)
		*ret_variant = (struct lf_variant){ .machine = "here", .seed = cell->seed };
	return 1;
}

const struct lf_engine lf_engine_threads = {
	.name = "threads",
	.bit = LF_ON_THREADS,
	.unavailable = unavailable,
	.variants = variants,
	.cannot_place = lf_place_cannot,
	.execute = execute,
};
