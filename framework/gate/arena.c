/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the rounds are run: the child's side of rounds.h. Threads are made once
 * and pinned. Between rounds they meet, asleep, and whoever comes last evaluates the
 * round and makes a lock at a new address; then they gather, awake, and whoever
 * comes last sets the start, because it is running for certain.
 */
#include "gate/rounds.h"

#include "core/plugin.h"
#include "engine/engine.h"
#include "engine/threads/threads.h"
#include "gate/futex.h"
#include "gate/realtime.h"
#include "observe/noise.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* More acquisitions than this of one thread are counted and not looked at. */
#define SAMPLES 16384

/* Each build is loaded so many times, and a round is run by one of its copies. What
 * the addresses of code do to the processor's caches and guesses is the same for all
 * rounds of a copy, and may come to tens of per cent of a hand-over: with one copy it
 * would be taken for the build's. */
#define COPIES 8

/* Locks lie anywhere in this much memory, on a line of their own. */
#define FIELD_SIZE (1u << 20)

/* From the setting of the start until it has come. */
#define START_LEAD_NS 5000

/* Quantiles below this are a matter of the clock's steps. */
#define RESOLUTION_NS 200

/* The least part of grants, or of the time, for which somebody waited. */
#define CONTENDED 0.05

/* Looks, 20 ms apart, for whether another comparison on this machine is over. */
#define TURN_LOOKS 500

/* How often a thread looks for the others before it sleeps. On a busy machine who
 * slept is let in soon, and who spun is the next to be sent away. */
#define LOOKS_BEFORE_SLEEP 500

struct worker {
	struct lf_thread thread; /* first: what the backend sees */
	struct arena *arena;
	int cpu;
	uint64_t random;
	uint64_t delay_ns, time_ns; /* so far: without a CPU, in all */
	/* Of the round that is on. */
	uint64_t begin_ns, end_ns, cpu_ns;
	uint32_t grants, handovers, waits, sleeps;
	uint64_t wait_sum_ns;
	uint32_t *wait, *handover; /* SAMPLES of each, in ns */
} __attribute__((aligned(LF_CACHE_LINE)));

struct arena {
	const struct lf_rounds_plan *plan;
	struct lf_rounds_memory *memory;
	struct {
		const struct lf_backend *copy[COPIES];
		unsigned copies;
	} loaded[LF_ARMS];
	char *field, *data_field;
	uint32_t *scratch;
	uint64_t random;
	enum lf_arm_id order[LF_ARMS];
	unsigned place; /* in the order */
	uint32_t cycle;
	bool realtime;
	/* Set by the leader between rounds. */
	void *lock;
	struct lf_ops ops;
	const struct lf_backend *backend;
	uint64_t start_ns, deadline_ns;
	_Alignas(LF_CACHE_LINE) _Atomic uint32_t arrived, gathered;
	_Alignas(LF_CACHE_LINE) _Atomic uint32_t number; /* futex word: of the round */
	_Alignas(LF_CACHE_LINE) _Atomic uint32_t begun;  /* the round with a start */
	/* Written by the holder, inside the critical section. */
	_Alignas(LF_CACHE_LINE) uint64_t released_ns;
	struct worker *holder;
	struct worker worker[LF_MAX_THREADS];
};

/* xorshift64*, by Vigna. */
static uint64_t next_random(uint64_t *x)
{
	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	return *x * UINT64_C(0x2545F4914F6CDD1D);
}

static uint64_t below(uint64_t *random, uint64_t limit)
{
	return (next_random(random) >> 11) % limit;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

static uint32_t voluntary_switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint32_t)usage.ru_nvcsw : 0;
}

/* --- One thread in one round -------------------------------------------------- */

/* Inside the critical section. Who asked before the lock was let go of has been
 * handed it. */
static void note_grant(struct worker *w, uint64_t asked_ns, uint64_t granted_ns)
{
	struct arena *a = w->arena;
	uint64_t wait_ns = granted_ns - asked_ns;

	if (a->holder != w && a->holder && asked_ns < a->released_ns &&
	    granted_ns > a->released_ns) {
		if (w->handovers < SAMPLES)
			w->handover[w->handovers] = (uint32_t)(granted_ns - a->released_ns);
		w->handovers++;
	}
	if (w->waits < SAMPLES)
		w->wait[w->waits++] = wait_ns < UINT32_MAX ? (uint32_t)wait_ns : UINT32_MAX;
	w->wait_sum_ns += wait_ns;
	w->grants++;
}

static void take_turns(struct worker *w)
{
	struct arena *a = w->arena;
	const struct lf_rounds_plan *p = a->plan;
	uint64_t now = lf_clock_ns();

	while (now < a->deadline_ns) {
		a->ops.acquire(a->lock, &w->thread);
		note_grant(w, now, lf_clock_ns());
		lf_clock_work_ns(p->hold_ns);
		a->holder = w;
		a->released_ns = lf_clock_ns();
		a->ops.release(a->lock, &w->thread);
		/* Not always the same, or threads fall into step. */
		lf_clock_work_ns(p->think_ns / 2 + below(&w->random, p->think_ns + 1));
		now = lf_clock_ns();
	}
}

static void gather(struct arena *a, uint32_t number);

static void play(struct worker *w, uint32_t number)
{
	struct arena *a = w->arena;
	uint32_t switches;

	w->grants = w->handovers = w->waits = 0;
	w->wait_sum_ns = 0;
	if (a->ops.attach)
		a->ops.attach(a->lock, &w->thread);
	switches = voluntary_switches();
	gather(a, number);
	w->cpu_ns = thread_cpu_ns();
	while (lf_clock_ns() < a->start_ns)
		;
	w->begin_ns = lf_clock_ns();
	take_turns(w);
	w->end_ns = lf_clock_ns();
	w->cpu_ns = thread_cpu_ns() - w->cpu_ns;
	w->sleeps = voluntary_switches() - switches;
	if (a->ops.detach)
		a->ops.detach(a->lock, &w->thread);
}

/* --- What a round comes to ---------------------------------------------------- */

static int ascending(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

/* All samples of one sort, ascending, in the scratch space; returns how many. */
static uint32_t collect(struct arena *a, bool handovers)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < a->plan->threads; i++) {
		const struct worker *w = &a->worker[i];
		uint32_t mine = handovers ? w->handovers : w->waits;
		mine = mine < SAMPLES ? mine : SAMPLES;
		memcpy(a->scratch + n, handovers ? w->handover : w->wait,
		       mine * sizeof *a->scratch);
		n += mine;
	}
	qsort(a->scratch, n, sizeof *a->scratch, ascending);
	return n;
}

/* Clock steps average out in it, and interruptions stay outside. */
static double middle_mean(const uint32_t sorted[], uint32_t n)
{
	uint32_t from = n / 4, to = n - n / 4;
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += sorted[i];
	return sum / (to - from);
}

static double resolved(uint32_t ns)
{
	return ns < RESOLUTION_NS ? NAN : ns;
}

static void evaluate_samples(struct arena *a, struct lf_round *r)
{
	uint32_t n = collect(a, true);

	if (n >= LF_ROUND_HANDOVERS_MIN)
		r->value[LF_ROUND_HANDOVER] = middle_mean(a->scratch, n);
	n = collect(a, false);
	if (n < LF_ROUND_WAITS_MIN)
		return;
	r->value[LF_ROUND_WAIT_P50] = resolved(a->scratch[n / 2]);
	r->value[LF_ROUND_WAIT_P99] = resolved(a->scratch[n - 1 - n / 100]);
	r->value[LF_ROUND_WAIT_MAX] = resolved(a->scratch[n - 1]);
}

struct sums {
	double rate, cpu_ns, wait_ns, time_ns, grants, squares;
};

static struct sums add_up(const struct arena *a, struct lf_round *r)
{
	struct sums s = { 0 };

	for (unsigned i = 0; i < a->plan->threads; i++) {
		const struct worker *w = &a->worker[i];
		double time_ns = (double)(w->end_ns - a->start_ns);
		s.rate += w->grants / time_ns * 1e9;
		s.cpu_ns += (double)w->cpu_ns;
		s.wait_ns += (double)w->wait_sum_ns;
		s.time_ns += time_ns;
		s.grants += w->grants;
		s.squares += (double)w->grants * w->grants;
		r->grants += w->grants;
		r->handovers += w->handovers;
		r->sleeps += w->sleeps;
		if (w->begin_ns >= a->deadline_ns)
			r->is_void = LF_ROUND_LATE;
	}
	return s;
}

static void evaluate(struct arena *a, struct lf_round *r)
{
	struct sums s;

	memset(r, 0, sizeof *r);
	for (unsigned m = 0; m < LF_ROUND_METRICS; m++)
		r->value[m] = NAN;
	s = add_up(a, r);
	if (r->is_void == LF_ROUND_VALID && (s.grants == 0 ||
	    (r->handovers < CONTENDED * s.grants && s.wait_ns < CONTENDED * s.time_ns)))
		r->is_void = LF_ROUND_UNCONTENDED;
	if (r->is_void != LF_ROUND_VALID)
		return;
	r->value[LF_ROUND_THROUGHPUT] = s.rate;
	r->value[LF_ROUND_WAIT_MEAN] = s.wait_ns / s.grants;
	r->value[LF_ROUND_CPU] = s.cpu_ns / s.grants;
	r->value[LF_ROUND_JAIN] = s.grants * s.grants / (a->plan->threads * s.squares);
	evaluate_samples(a, r);
}

/* --- Between rounds ----------------------------------------------------------- */

/* Zeroed memory somewhere in a field, on lines of its own. */
static void *place_in(struct arena *a, char *field, size_t size)
{
	size_t lines = (FIELD_SIZE - size) / LF_CACHE_LINE;
	char *at = field + below(&a->random, lines) * LF_CACHE_LINE;

	memset(at, 0, size);
	return at;
}

static void shuffle(struct arena *a)
{
	for (unsigned i = 0; i < LF_ARMS; i++)
		a->order[i] = (enum lf_arm_id)i;
	for (unsigned i = LF_ARMS - 1; i > 0; i--) {
		unsigned k = (unsigned)below(&a->random, i + 1);
		enum lf_arm_id swap = a->order[i];
		a->order[i] = a->order[k];
		a->order[k] = swap;
	}
}

static _Noreturn void give_up(struct arena *a, const char *what, const char *why)
{
	lf_child_give_up(&a->memory->state, what, why);
}

static void open_round(struct arena *a)
{
	enum lf_arm_id id = a->order[a->place];
	const struct lf_arm *arm = &a->plan->arm[id];
	const struct lf_backend *b = a->loaded[id].copy[below(&a->random, a->loaded[id].copies)];
	size_t stride = lf_run_thread_stride(b);
	char *data = place_in(a, a->data_field, stride * a->plan->threads);
	int r;

	atomic_store(&a->memory->state.side, id);
	a->ops = lf_ops_of(b);
	a->backend = b;
	a->lock = place_in(a, a->field, b->lock_size);
	r = lf_lock_init(b, a->lock, arm->param, false);
	if (r < 0)
		give_up(a, "its init failed", strerror(-r));
	for (unsigned i = 0; i < a->plan->threads; i++)
		a->worker[i].thread.data = data + i * stride;
	a->holder = NULL;
	a->released_ns = 0;
}

/* Of all threads so far: each has another CPU. */
static void add_delays(struct arena *a)
{
	uint64_t delay_ns = 0, time_ns = 0;

	for (unsigned i = 0; i < a->plan->threads; i++) {
		delay_ns += a->worker[i].delay_ns;
		time_ns += a->worker[i].time_ns;
	}
	atomic_store(&a->memory->delay_ns, delay_ns);
	atomic_store(&a->memory->time_ns, time_ns);
}

static void close_round(struct arena *a)
{
	struct lf_rounds_memory *m = a->memory;

	if (a->realtime && !lf_realtime_lasts())
		atomic_store(&m->realtime, 0);
	add_delays(a);
	lf_lock_destroy(a->backend, a->lock);
	evaluate(a, &m->cycle[a->cycle].arm[a->order[a->place]]);
	atomic_fetch_add(&m->state.beat, 1);
	if (++a->place < LF_ARMS)
		return;
	a->place = 0;
	shuffle(a);
	atomic_store(&m->done, ++a->cycle);
	lf_futex_wake(&m->done);
}

/* The parent looks at what there is before it asks for more. */
static void await_quota(struct arena *a)
{
	struct lf_rounds_memory *m = a->memory;
	uint32_t quota;

	while ((quota = atomic_load(&m->quota)) <= a->cycle || a->cycle == LF_CYCLES_MAX)
		lf_futex_wait(&m->quota, quota, 1000);
}

/* Who comes last leads: evaluates the round before, and opens the next one. */
static void meet(struct arena *a, uint32_t number)
{
	unsigned looks = 0;

	/* Acquire and release: what every thread wrote in the round is there for the
	 * leader. */
	if (atomic_fetch_add_explicit(&a->arrived, 1, memory_order_acq_rel) + 1 ==
	    a->plan->threads) {
		if (number > 0)
			close_round(a);
		await_quota(a);
		open_round(a);
		atomic_store_explicit(&a->arrived, 0, memory_order_relaxed);
		/* Release: the new round; pairs with the load below. */
		atomic_store_explicit(&a->number, number + 1, memory_order_release);
		lf_futex_wake(&a->number);
		return;
	}
	while (atomic_load_explicit(&a->number, memory_order_acquire) == number)
		if (++looks > LOOKS_BEFORE_SLEEP)
			lf_futex_wait(&a->number, number, 1000);
}

/* Awake; who comes last sets the start. */
static void gather(struct arena *a, uint32_t number)
{
	if (atomic_fetch_add_explicit(&a->gathered, 1, memory_order_relaxed) + 1 ==
	    a->plan->threads) {
		atomic_store_explicit(&a->gathered, 0, memory_order_relaxed);
		a->start_ns = lf_clock_ns() + START_LEAD_NS;
		a->deadline_ns = a->start_ns + a->plan->round_ns;
		/* Release: the start; pairs with the load below. */
		atomic_store_explicit(&a->begun, number + 1, memory_order_release);
	}
	while (atomic_load_explicit(&a->begun, memory_order_acquire) == number)
		;
}

/* --- The process -------------------------------------------------------------- */

static void note_delay(struct worker *w, uint64_t delay_ns, uint64_t since_ns)
{
	if (delay_ns == LF_UNKNOWN)
		return;
	w->delay_ns = lf_noise_run_delay_ns() - delay_ns;
	w->time_ns = lf_clock_ns() - since_ns;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	uint64_t delay_ns, since_ns;

	lf_child_pin(w->cpu);
	if (w->arena->realtime && lf_realtime_enter())
		atomic_fetch_add(&w->arena->memory->realtime, 1);
	delay_ns = lf_noise_run_delay_ns();
	since_ns = lf_clock_ns();
	for (uint32_t number = 0;; number++) {
		meet(w->arena, number);
		play(w, number);
		note_delay(w, delay_ns, since_ns);
	}
	return NULL;
}

/* Where an object comes to lie is drawn anew in every process. */
static void leave_a_hole(struct arena *a)
{
	size_t size = (1 + below(&a->random, 4096)) * 4096;

	mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static const struct lf_backend *load_copy(struct arena *a, const struct lf_arm *arm)
{
	const struct lf_backend *b;
	struct lf_plugin plugin;
	struct lf_error error;

	leave_a_hole(a);
	if (lf_plugin_open(arm->path, true, &plugin, &error) < 0)
		give_up(a, "cannot be loaded", error.text);
	b = lf_plugin_find(plugin.backend, arm->name);
	if (!b)
		give_up(a, arm->path, "has no such backend any more");
	return b;
}

/* A runtime is not loaded twice. */
static bool is_runtime(const struct lf_backend *b)
{
	return b->kind == LF_GIL && b->gil->runtime_start;
}

/* One more copy of an arm. */
static void load(struct arena *a, enum lf_arm_id id)
{
	const struct lf_arm *arm = &a->plan->arm[id];
	unsigned n = a->loaded[id].copies;

	if (n > 0 && (!arm->path || is_runtime(a->loaded[id].copy[0])))
		return;
	atomic_store(&a->memory->state.side, id);
	a->loaded[id].copy[n] = arm->path ? load_copy(a, arm) : arm->backend;
	a->loaded[id].copies++;
}

static char *new_field(struct arena *a)
{
	char *field = mmap(NULL, FIELD_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (field == MAP_FAILED)
		give_up(a, "no memory", strerror(errno));
	return field;
}

static void check_size(struct arena *a, const struct lf_backend *b)
{
	if (b->lock_size > FIELD_SIZE / 2 ||
	    lf_run_thread_stride(b) * a->plan->threads > FIELD_SIZE / 2)
		give_up(a, b->name, "is too large to be compared: 512 KiB are the limit");
}

static void make_ready(struct arena *a)
{
	a->random = a->plan->seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
	for (unsigned i = 0; i < 8; i++)
		next_random(&a->random);
	shuffle(a);
	for (unsigned copy = 0; copy < COPIES; copy++)
		for (unsigned i = 0; i < LF_ARMS; i++)
			load(a, a->order[i]);
	for (unsigned i = 0; i < LF_ARMS; i++)
		check_size(a, a->loaded[i].copy[0]);
	a->field = new_field(a);
	a->data_field = new_field(a);
	a->scratch = calloc((size_t)SAMPLES * a->plan->threads, sizeof *a->scratch);
	if (!a->scratch)
		give_up(a, "no memory", "for the samples");
}

static void start_worker(struct arena *a, unsigned i, int cpu)
{
	struct worker *w = &a->worker[i];
	pthread_t thread;

	*w = (struct worker){
		.thread.index = i, .arena = a, .cpu = cpu,
		.random = next_random(&a->random) | 1,
		.wait = calloc(SAMPLES, sizeof *w->wait),
		.handover = calloc(SAMPLES, sizeof *w->handover),
	};
	if (!w->wait || !w->handover ||
	    pthread_create(&thread, NULL, worker_main, w) != 0)
		give_up(a, "no memory", "for the threads");
}

/* Waits for its turn, but not for ever: then it goes with all the others. */
static bool may_go_first(struct arena *a)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	int may = 0;

	for (unsigned i = 0; i < TURN_LOOKS && (may = lf_realtime_prepare()) == 0; i++) {
		atomic_fetch_add(&a->memory->state.beat, 1);
		nanosleep(&nap, NULL);
	}
	return may > 0;
}

void lf_arena_main(void *context)
{
	const struct lf_arena_context *c = context;
	static struct arena a;
	int cpu[LF_MAX_THREADS];

	a.plan = c->plan;
	a.memory = c->memory;
	lf_clock_init();
	lf_clock_start();
	make_ready(&a);
	lf_child_cpus(cpu);
	a.realtime = a.plan->realtime && may_go_first(&a);
	atomic_store(&a.memory->state.ready, 1);
	for (unsigned i = 0; i < a.plan->threads; i++)
		start_worker(&a, i, cpu[i]);
	for (;;)
		pause();
}
