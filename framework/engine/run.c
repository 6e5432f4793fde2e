/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every engine does before and after a run. */
#include "engine/engine.h"

#include <stdio.h>
#include <sys/mman.h>

void *lf_shared_new(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void lf_shared_free(void *memory, size_t size)
{
	if (memory)
		munmap(memory, size);
}

size_t lf_run_thread_stride(const struct lf_backend *backend)
{
	size_t lines = (backend->thread_size + LF_CACHE_LINE - 1) / LF_CACHE_LINE;
	return (lines ? lines : 1) * LF_CACHE_LINE;
}

int lf_lock_init(const struct lf_backend *b, void *lock, const int64_t param[],
		 bool processes)
{
	switch (b->kind) {
	case LF_GIL:
		return b->gil->init(lock, param);
	case LF_CHANNEL:
		return b->channel->init(lock, param, processes);
	case LF_POLLER:
		return b->poller->init(lock, param);
	default:
		return b->mutex->init(lock, param);
	}
}

void lf_lock_destroy(const struct lf_backend *b, void *lock)
{
	void (*destroy)(void *) = b->kind == LF_GIL ? b->gil->destroy :
		b->kind == LF_CHANNEL ? b->channel->destroy :
		b->kind == LF_POLLER ? b->poller->destroy : b->mutex->destroy;

	if (destroy)
		destroy(lock);
}

void lf_run_end_waits(struct lf_run *run)
{
	struct lf_actor *a = &run->actor[0];

	for (unsigned end = 0; a->ops.channel && end < 2; end++)
		a->ops.channel->send(a->lock, &a->thread, end, LF_TOKEN_END);
}

struct lf_ops lf_ops_of(const struct lf_backend *b)
{
	if (b->kind == LF_POLLER)
		return (struct lf_ops){ .acquire = NULL };
	if (b->kind == LF_CHANNEL)
		return (struct lf_ops){ .channel = b->channel };
	if (b->kind == LF_GIL) {
		return (struct lf_ops){
			.acquire = b->gil->acquire, .release = b->gil->release,
			.outside = b->gil->outside, .poll = b->gil->poll,
			.attach = b->gil->attach, .detach = b->gil->detach,
			.waiters = b->gil->waiters,
		};
	}
	return (struct lf_ops){
		.acquire = b->mutex->acquire, .release = b->mutex->release,
		.waiters = b->mutex->waiters,
	};
}

/* SplitMix64, by Steele, Lea and Flood: spreads a seed over the threads. */
static uint64_t spread(uint64_t x)
{
	x += UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (x ^ (x >> 31)) | 1; /* a generator's state is never 0 */
}

static void prepare_recording(struct lf_run *run, struct lf_actor *a)
{
	struct lf_observation *o = run->observation;
	a->rec = (struct lf_recording){
		.o = o,
		.mine = &o->thread[a->thread.index],
		.shared = &run->recorder,
		.clocks = run->cell->scenario->clocks |
			  (a->world->stamp_ns ? LF_CLOCK_STAMP : 0),
		.overtaker = LF_NOBODY,
	};
	snprintf(a->rec.mine->role, sizeof a->rec.mine->role, "%s", a->role->name);
	a->rec.mine->role_index = a->role_index;
}

unsigned lf_run_prepare(struct lf_run *run, const struct lf_backend *backend,
			const struct lf_world *world, void *lock, void *thread_data,
			uint64_t seed)
{
	const struct lf_cell *cell = run->cell;
	size_t stride = lf_run_thread_stride(backend);
	unsigned n = 0;

	run->recorder = (struct lf_recorder){ .owner = LF_NOBODY, .last = LF_NOBODY };
	run->seed = seed;
	run->stop = false;
	run->round_open = false;
	run->overtaken_before = 0;
	run->rounds_limit = cell->scenario->rounds[cell->budget];
	for (const struct lf_role *role = lf_cell_roles(cell); role->name; role++) {
		unsigned count = role->count ? role->count : cell->point.sweep;
		for (unsigned i = 0; i < count && n < LF_MAX_THREADS; i++, n++) {
			struct lf_actor *a = &run->actor[n];
			*a = (struct lf_actor){
				.thread = { (char *)thread_data + n * stride, n },
				.run = run, .world = world, .ops = lf_ops_of(backend),
				.lock = lock, .role = role, .role_index = i,
				.random = spread(seed * LF_MAX_THREADS + n),
				.polls_left = cell->polls,
			};
			prepare_recording(run, a);
		}
	}
	run->observation->threads = n;
	run->observation->timeline.timed = cell->scenario->clocks || world->stamp_ns;
	return n;
}

/* A wait that was still open at the end lasted at least until now. Being
 * overtaken does not wait for the grant to count. */
static void close_open_wait(struct lf_actor *a, uint64_t duration_ns)
{
	struct lf_thread_observation *m = a->rec.mine;
	m->inside_acquire = atomic_load_explicit(&a->rec.inside, memory_order_acquire);
	if (m->inside_acquire)
		m->asked_ns = a->rec.asked_ns;
	if (!m->censored || !m->inside_acquire)
		return;
	if (a->rec.clocks & LF_CLOCK_WAIT && duration_ns > a->rec.request_ns)
		m->open_wait_ns = duration_ns - a->rec.request_ns;
	if (a->rec.confirm_epoch == 0)
		return;
	m->confirmed++;
	m->overtakes += a->rec.overtakes;
	m->overtaken += a->rec.overtakes > 0;
	if (a->rec.overtakes > m->overtakes_max)
		m->overtakes_max = a->rec.overtakes;
}

void lf_run_finish(struct lf_run *run, uint64_t duration_ns)
{
	struct lf_observation *o = run->observation;
	for (unsigned i = 0; i < o->threads; i++)
		close_open_wait(&run->actor[i], duration_ns);
	o->duration_ns = duration_ns;
	o->held_by = run->recorder.owner == LF_NOBODY ? -1 : (int)run->recorder.owner;
}

uint64_t lf_run_limit_ns(const struct lf_run *run)
{
	return run->cell->scenario->limit_ns[run->cell->budget];
}
