/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of the simulator from beginning to end, and which runs make a cell:
 * models × seeds. */
#include "engine/sim/sim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Plug-ins may call any of the entry points, also in a program that was linked with
 * the static library. Naming one of each object file here brings all of them in.
 */
int lf_sim_mtx_lock(void *m);
void *lf_sim_malloc(size_t size);
int lf_sim_pthread_rwlock_unlock(void *l);
int lf_sim_pthread_cond_signal(void *c);
int lf_sim_pthread_mutex_unlock(void *m);
int lf_sim_pthread_spin_unlock(void *l);
int lf_sim_sem_post(void *s);
int lf_sim_close(int fd);
int lf_sim_pipe(int fd[2]);
int lf_sim_eventfd(unsigned value, int flags);
int lf_sim_epoll_create(int size);
int lf_sim_kqueue(void);
int lf_sim_select(int n, void *in, void *out, void *except, void *timeout);
int lf_sim_msgget(int key, int flags);
int lf_sim_semget(int key, int n, int flags);
int lf_sim_kill(int pid, int number);
int lf_sim_fork(void);
void lf_sim_pause(void);
void lf_tsan_init(void);

struct entry_points {
	int (*object[6])(void *);
	void *(*allocate)(size_t size);
	void (*instruction[2])(void);
	int (*descriptor[2])(int fd);
	int (*pipe)(int fd[2]);
	int (*counter)(unsigned value, int flags);
	int (*ready)(int n, void *in, void *out, void *except, void *timeout);
	int (*message)(int key, int flags);
	int (*semaphore)(int key, int n, int flags);
	int (*signal)(int pid, int number);
	int (*no_argument[2])(void);
};

const struct entry_points lf_sim_entry_points = {
	{ lf_sim_mtx_lock, lf_sim_pthread_rwlock_unlock, lf_sim_pthread_cond_signal,
	  lf_sim_pthread_mutex_unlock, lf_sim_pthread_spin_unlock, lf_sim_sem_post },
	lf_sim_malloc,
	{ lf_sim_pause, lf_tsan_init },
	{ lf_sim_close, lf_sim_epoll_create },
	lf_sim_pipe,
	lf_sim_eventfd,
	lf_sim_select,
	lf_sim_msgget,
	lf_sim_semget,
	lf_sim_kill,
	{ lf_sim_fork, lf_sim_kqueue },
};

/* --- models and seeds ----------------------------------------------------------- */

/* Names of models have no slash and no suffix. */
static bool is_file(const char *machine)
{
	size_t length = strlen(machine);
	return strchr(machine, '/') ||
		(length > 4 && strcmp(machine + length - 4, ".ini") == 0);
}

/* The models of a cell: one of the shipped ones, those of a file, or all that are
 * standard. */
static const struct lf_machines *machines_of(const struct lf_cell *cell,
					     struct lf_error *error)
{
	static struct lf_machines from_file;
	static char file[256];

	if (!cell->machine || !is_file(cell->machine))
		return lf_machines_builtin(error);
	if (strcmp(file, cell->machine) == 0)
		return &from_file;
	file[0] = '\0';
	lf_machines_free(&from_file);
	if (lf_machines_read(&from_file, cell->machine, error))
		return NULL;
	snprintf(file, sizeof file, "%s", cell->machine);
	return &from_file;
}

static bool takes_part(const struct lf_cell *cell, const struct lf_machine *m)
{
	if (!cell->machine)
		return m->machine_standard;
	if (is_file(cell->machine))
		return !cell->model || strcmp(cell->model, m->name) == 0;
	return strcmp(cell->machine, m->name) == 0;
}

/* The lock's and the poller's code run on the same one. */
static const struct lf_carrier *carrier_of(const struct lf_cell *cell)
{
	const struct lf_carrier *c = lf_sim_choose_carrier(cell->twin);
	return cell->lock && c != &lf_carrier_token ? lf_sim_choose_carrier(cell->lock_twin) :
						      c;
}

/* Spinning costs the token carrier much time, so that fewer seeds must do when the
 * answer is wanted soon; the record lists them. */
static unsigned seeds_of(const struct lf_cell *cell)
{
	if (cell->seeds)
		return cell->seeds;
	if (cell->scenario->seeds[cell->budget])
		return cell->scenario->seeds[cell->budget];
	bool spins = !(cell->claim.set & LF_CLAIM_SLEEPS);
	bool slow = cell->twin && carrier_of(cell) == &lf_carrier_token;
	if (cell->budget == LF_BUDGET_QUICK)
		return spins && slow ? 3 : 10;
	return cell->budget == LF_BUDGET_LONG ? 30 : 10;
}

static unsigned variants(const struct lf_cell *cell, unsigned i,
			 struct lf_variant *ret_variant)
{
	const struct lf_machines *all = machines_of(cell, NULL);
	unsigned seeds = seeds_of(cell), n = 0;

	for (size_t k = 0; all && k < all->n; k++) {
		const struct lf_machine *m = &all->machine[k];
		if (!takes_part(cell, m))
			continue;
		if (ret_variant && i >= n && i < n + seeds) {
			*ret_variant = (struct lf_variant){
				.version = (unsigned)m->machine_version,
				.seed = cell->seed + (i - n),
			};
			snprintf(ret_variant->machine, sizeof ret_variant->machine,
				 "%s", m->name);
		}
		n += seeds;
	}
	return n;
}

static const char *cannot_place(enum lf_placement placement, enum lf_policy policy)
{
	if (placement != LF_PLACEMENT_FREE)
		return "on sim the machine model says how many CPUs there are; see "
		       "`lockfair machines`";
	return policy == LF_POLICY_OTHER ? NULL :
		"on sim the machine model says how threads are scheduled";
}

static const char *unavailable(const struct lf_cell *cell)
{
	static struct lf_error error;
	if (!(cell->backend->engines & LF_ON_SIM) ||
	    !(lf_cell_lock(cell)->engines & LF_ON_SIM))
		return "the lock declares that the simulator cannot run it";
	if (!cell->twin || !lf_cell_lock_twin(cell))
		return "the lock was not compiled for the simulator: build it with "
		       "`lockfair cc`";
	const struct lf_machines *all = machines_of(cell, &error);
	if (!all)
		return error.text;
	if (variants(cell, 0, NULL) > 0)
		return NULL;
	lf_error_set(&error, -ENOENT, "no machine model is named %s; `lockfair machines` "
		     "lists them, and a path to a file.ini gives others",
		     cell->machine ? cell->machine : "(any)");
	return error.text;
}

/* --- setting up ------------------------------------------------------------------- */

/* With sanitizers a frame takes several times its size, and the thread sanitizer
 * wants a megabyte for itself. */
#define STACK_SIZE ((size_t)2 << 20)

/* Stacks stay for the next run; only their touched pages take memory. */
static int provide_stack(struct lf_strand *s)
{
	if (s->stack)
		return 0;
	char *p = mmap(NULL, STACK_SIZE + 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -ENOMEM;
	mprotect(p, 4096, PROT_NONE); /* an overflow shows */
	s->stack = p + 4096;
	s->stack_size = STACK_SIZE;
	return 0;
}

static int provide_memory(struct lf_error *error)
{
	int rc = lf_sim_lines_open();
	for (unsigned i = 0; i < LF_SIM_THREADS && rc == 0; i++)
		rc = provide_stack(&lf_sim.thread[i].strand);
	return rc ? lf_error_set(error, rc, "no memory for the simulator's stacks") : 0;
}

/* SplitMix64's finish: neighbouring seeds give unrelated sequences. */
static uint64_t spread(uint64_t x)
{
	x += UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (x ^ (x >> 31)) | 1;
}

/* About two seconds on the host, and more where more was asked for. */
static const uint64_t effort_limit[LF_BUDGET_COUNT] = {
	40000000, 200000000, 800000000,
};

static void reset(struct lf_run *run, const struct lf_machine *m, uint64_t seed)
{
	static struct lf_sim empty;
	struct lf_strand strand[LF_SIM_THREADS];
	for (unsigned i = 0; i < LF_SIM_THREADS; i++)
		strand[i] = lf_sim.thread[i].strand;
	lf_sim = empty;
	for (unsigned i = 0; i < LF_SIM_THREADS; i++)
		lf_sim.thread[i].strand = strand[i];
	lf_sim.machine = *m;
	lf_sim.cpus = (unsigned)m->machine_cpus;
	lf_sim.random = spread(seed);
	lf_sim.hash = UINT64_C(14695981039346656037);
	lf_sim.effort_limit = effort_limit[run->cell->budget];
	lf_sim.run = run;
	lf_sim.watched = UINT64_MAX; /* nobody has looked yet */
	lf_sim_heap_clear();
	lf_sim_waits_reset();
	lf_sim_memory_reset();
	lf_sim_threads_reset();
	lf_sim_kernel_reset();
	lf_sim_ports_reset();
	for (unsigned i = 0; i < lf_sim.cpus; i++)
		lf_sim.processor[i].tick_phase_ns = lf_sim_below(m->scheduler_tick_ns);
}

static int init_one(const struct lf_backend *b, void *memory, const int64_t param[],
		    struct lf_error *error)
{
	int rc = lf_lock_init(b, memory, param, lf_cell_has_processes(lf_sim.run->cell));
	if (lf_sim.end == LF_SIM_ABORTED) {
		*error = lf_sim.error;
		return -ENOTSUP;
	}
	if (rc)
		return lf_error_set(error, rc, "%s: init() failed: %s", b->name,
				    strerror(-rc));
	return 0;
}

/* The lock, and the poller that is used while it is held, if there is one. */
static int init_backends(struct lf_run *run, void *lock, struct lf_error *error)
{
	const struct lf_cell *cell = run->cell;
	int rc = init_one(lf_cell_lock_twin(cell), lock, lf_cell_lock_param(cell), error);
	if (rc || !cell->lock)
		return rc;
	run->poller_ops = cell->twin->poller;
	return init_one(cell->twin, run->poller, cell->param, error);
}

static void *actor_body(void *arg)
{
	lf_actor_main(arg);
	return NULL;
}

/* Threads begin one after another, in an order that the seed decides. */
#define START_WITHIN_NS 20000

static int start_actors(struct lf_run *run, unsigned n, struct lf_error *error)
{
	for (unsigned i = 0; i < n; i++) {
		struct lf_actor *a = &run->actor[i];
		struct lf_sim_thread *t = lf_sim_spawn(actor_body, a, a,
						       lf_sim_below(START_WITHIN_NS));
		if (!t) {
			*error = lf_sim.error;
			return -EAGAIN;
		}
		a->engine = t;
		lf_sim.actors_left++;
	}
	return 0;
}

static int set_up(struct lf_run *run, uint64_t seed, void **ret_lock,
		  struct lf_error *error)
{
	const struct lf_backend *b = lf_cell_lock_twin(run->cell);
	void *lock = lf_sim_arena(b->lock_size);
	void *data = lf_sim_arena(lf_run_thread_stride(b) * LF_MAX_THREADS);
	if (run->cell->lock)
		run->poller = lf_sim_arena(run->cell->twin->lock_size);
	if (!lock || !data || (run->cell->lock && !run->poller))
		return lf_error_set(error, -ENOMEM, "%s: the lock and its threads' data "
				    "are too large for the simulator's memory", b->name);
	unsigned n = lf_run_prepare(run, b, &lf_sim_world, lock, data, seed);
	int rc = init_backends(run, lock, error);
	if (rc == 0)
		rc = start_actors(run, n, error);
	lf_sim_heap_set(LF_SIM_LIMIT_EVENT, lf_run_limit_ns(run));
	lf_sim_heap_set(LF_SIM_WATCH_EVENT, lf_sim_below(1000000));
	*ret_lock = lock;
	return rc;
}

/* --- coming to an end ---------------------------------------------------------------- */

/* What a thread that did not come back is doing. */
static const char *state_of(const struct lf_sim_thread *t)
{
	if (t->state == LF_SIM_WAITING)
		return t->wait.what ? t->wait.what : "not started";
	return t->actor->rec.inside ? "spins" : "runs";
}

static void observe_threads(struct lf_run *run)
{
	struct lf_observation *o = run->observation;
	for (unsigned i = 0; i < o->threads; i++) {
		const struct lf_sim_thread *t = lf_sim_thread_of(&run->actor[i]);
		struct lf_thread_observation *to = &o->thread[i];
		/* Who was cut off might have come back. */
		to->censored = t->state != LF_SIM_ENDED && lf_sim.end != LF_SIM_CUT_OFF;
		if (to->censored)
			snprintf(to->state, sizeof to->state, "%s", state_of(t));
		to->cpu_ns = lf_sim_cpu_ns(t);
		to->voluntary_switches = t->voluntary;
		to->involuntary_switches = t->involuntary;
		to->run_delay_ns = t->run_delay_ns;
	}
#define X(name, unit) o->noise.name = LF_UNKNOWN;
	LF_WITNESS_MAP(X)
#undef X
}

static void observe(struct lf_run *run)
{
	struct lf_observation *o = run->observation;
	o->stalled = lf_sim.end == LF_SIM_DEADLOCK || lf_sim.end == LF_SIM_STARVING;
	observe_threads(run);
	o->exact = true;
	if (o->cut_off)
		snprintf(o->precondition, sizeof o->precondition,
			 "its threads' spinning costs the simulator too much: cut off after "
			 "%.1f ms of virtual time", (double)lf_sim.now_ns / 1e6);
	if (o->stalled && run->on_stall && lf_sim.carrier == &lf_carrier_token)
		run->on_stall(run->context);
	lf_run_finish(run, lf_sim.now_ns);
}

static void take_down(struct lf_run *run, void *lock)
{
	bool all_ended = true;
	for (unsigned i = 0; i < lf_sim.threads; i++) {
		all_ended &= lf_sim.thread[i].state == LF_SIM_ENDED;
		lf_sim.carrier->end(&lf_sim.thread[i].strand);
	}
	lf_sim.self = NULL;
	if (!all_ended)
		return;
	if (run->cell->lock)
		lf_lock_destroy(run->cell->twin, run->poller);
	lf_lock_destroy(lf_cell_lock_twin(run->cell), lock);
}

/* A thread that is stuck cannot be taken away, nor can its memory: this process
 * runs no further simulation. */
static bool lost;

static int run_to_its_end(struct lf_run *run, void *lock, struct lf_error *error)
{
	int rc = lf_sim_go();
	if (rc == -ETIMEDOUT) {
		lost = true;
		return lf_error_set(error, -EDEADLK, "a thread ran for 2 s without a "
			"scheduling point: a loop without atomic operations, or a call that "
			"blocks and is not simulated; declare the lock for engine threads "
			"only");
	}
	if (rc)
		lf_error_set(error, rc, "the simulator cannot start a thread: %s",
			     strerror(-rc));
	if (lf_sim.end == LF_SIM_ABORTED) {
		*error = lf_sim.error;
		rc = -ENOTSUP;
	}
	if (rc == 0)
		observe(run);
	take_down(run, lock);
	return rc;
}

static int execute_on(const struct lf_carrier *carrier, struct lf_run *run,
		      const struct lf_machine *m, uint64_t seed, struct lf_error *error)
{
	void *lock = NULL;
	reset(run, m, seed);
	lf_sim.carrier = carrier;
	int rc = carrier->open(&lf_sim.host, error);
	if (rc)
		return rc;
	rc = set_up(run, seed, &lock, error);
	if (rc == 0)
		rc = run_to_its_end(run, lock, error);
	else
		for (unsigned i = 0; i < lf_sim.threads; i++)
			carrier->end(&lf_sim.thread[i].strand);
	if (!lost)
		carrier->close(&lf_sim.host);
	return rc;
}

/* The stacks of a deadlock can be looked at only where threads are real. The same
 * run once more on them gives the same deadlock. */
static int show_stacks(struct lf_run *run, const struct lf_machine *m, uint64_t seed,
		       struct lf_error *error)
{
	struct lf_observation *o = run->observation;
	memset(o, 0, sizeof *o);
	return execute_on(&lf_carrier_token, run, m, seed, error);
}

static int execute(struct lf_run *run, struct lf_variant *variant, struct lf_error *error)
{
	const struct lf_machines *all = machines_of(run->cell, error);
	if (!all)
		return -ENOENT;
	const struct lf_machine *m = lf_machine_find(all, variant->machine);
	if (!m)
		return lf_error_set(error, -ENOENT, "no machine model is named %s; "
				    "`lockfair machines` lists them", variant->machine);
	if (lost)
		return lf_error_set(error, -EBUSY, "an earlier simulation in this process "
				    "never came to an end");
	int rc = provide_memory(error);
	if (rc)
		return rc;
	const struct lf_carrier *carrier = carrier_of(run->cell);
	rc = execute_on(carrier, run, m, variant->seed, error);
	if (rc == 0 && run->observation->stalled && carrier != &lf_carrier_token &&
	    run->on_stall)
		rc = show_stacks(run, m, variant->seed, error);
	variant->trace_hash = lf_sim.hash;
	return rc;
}

const struct lf_engine lf_engine_sim = {
	.name = "sim",
	.bit = LF_ON_SIM,
	.unavailable = unavailable,
	.variants = variants,
	.cannot_place = cannot_place,
	.execute = execute,
};
