/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simulator: discrete events on virtual CPUs. Its parts:
 *
 *	events.c    the heap of CPU events and timers
 *	schedule.c  which thread runs where
 *	loop.c      the loop that goes from event to event, and what ends a run
 *	watchdog.c  finds threads that never come back to the simulator
 *	lines.c     the arena of the lock's memory, and cache lines
 *	waits.c     queues of waiting threads: futexes and everything built on them
 *	hooks.c     what the compiler calls for every memory access of a lock
 *	mutex.c …   what lock sources call instead of the C library
 *	files.c …   and instead of the kernel: descriptors, messages, signals
 *	world.c …   what scenarios call
 *	sim.c       one run from beginning to end; models × seeds
 *
 * One thread runs at a time. It goes on without a switch as long as its next
 * operation comes before the next event; so every operation of every thread
 * happens in the order of virtual time, which makes memory sequentially
 * consistent. Decisions rest on integers, a seeded generator and identities; on
 * no address, no environment and no clock of the host.
 *
 * There is one simulation at a time in a process: `lf_sim`. The sanitizer's hooks
 * must not watch the simulator itself, which would call itself for ever.
 */
#ifndef LF_SIM_SIM_H
#define LF_SIM_SIM_H

#if defined(__SANITIZE_THREAD__)
#error "the simulator must be compiled without -fsanitize=thread: see local.mk"
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#error "the simulator must be compiled without -fsanitize=thread: see local.mk"
#endif
#endif

#include "engine/engine.h"
#include "engine/sim/carrier.h"
#include "engine/sim/machine.h"

/* Threads of a run: those of the scenario, and those that a lock starts. */
#define LF_SIM_THREADS 32
#define LF_SIM_KEYS 32
#define LF_SIM_NEVER UINT64_MAX

enum lf_sim_state {
	LF_SIM_READY,   /* wants a CPU */
	LF_SIM_RUNNING, /* has one */
	LF_SIM_WAITING,
	LF_SIM_ENDED,
};

/* A place in a queue of waiters; see waits.c. */
struct lf_sim_wait {
	const void *key;  /* what it waits for; NULL: in no queue */
	uint32_t mask;    /* FUTEX_WAIT_BITSET */
	int result;       /* 0: woken; ETIMEDOUT */
	const char *what; /* "futex", "mutex", … */
	struct lf_sim_thread *next, *prev;
};

struct lf_sim_thread {
	unsigned id;
	enum lf_sim_state state;
	unsigned cpu;        /* where it is, or was last */
	uint64_t at_ns;      /* running: when it does its next operation */
	uint64_t rest_ns;    /* ready: time of that operation still to be spent */
	uint64_t virtual_ns; /* CPU time as the scheduler weighs it */
	uint64_t since_ns;   /* running: since when */
	uint64_t cpu_ns;     /* CPU time until then */
	struct lf_sim_wait wait;
	bool timed;          /* its timer is set */
	bool in_world;       /* waits in a function of the world: a stop ends that */
	/* Asked at each poll while it waits; true: wake it up. */
	bool (*ready)(struct lf_sim_thread *t);
	uint64_t awaited; /* a phase, or a number of queued threads */
	void *request;    /* what it waits for in a queue that many share */
	/* Known queueing, see queued.c. */
	uint64_t seen_request, seen_cpu_ns;
	uint64_t voluntary, involuntary; /* switches */
	uint64_t ready_since_ns, run_delay_ns;
	struct lf_strand strand;
	struct lf_actor *actor; /* NULL: a thread that the lock started */
	void *(*fn)(void *);
	void *arg, *value;
	bool detached;
	void *specific[LF_SIM_KEYS];
};

struct lf_sim_cpu {
	struct lf_sim_thread *running; /* NULL: idle */
	uint64_t slice_end_ns;
	uint64_t interrupt_ns; /* the next tick, or a preemption before it */
	uint64_t tick_phase_ns;
	bool preempt;
};

/* Events: a CPU's next one, a thread's timer, and what concerns the run. */
enum lf_sim_event {
	LF_SIM_CPU_EVENT = 0,
	LF_SIM_TIMER_EVENT = LF_SIM_CPUS,
	LF_SIM_LIMIT_EVENT = LF_SIM_TIMER_EVENT + LF_SIM_THREADS,
	LF_SIM_GRACE_EVENT,
	LF_SIM_WATCH_EVENT,
	LF_SIM_POLL_EVENT,
	LF_SIM_EVENTS,
};

struct lf_sim_heap {
	unsigned n;
	int position[LF_SIM_EVENTS]; /* in entry[]; -1: not set */
	struct lf_sim_entry {
		uint64_t at_ns, tie;
		unsigned event;
	} entry[LF_SIM_EVENTS];
};

/*
 * A run costs the host time: for each access to memory, and more for each change
 * of threads (see struct lf_carrier). Both are counted, because they are the same in every
 * repetition, which the host's clock is not. At the limit the run is stopped, as at
 * its limit of virtual time, and some way beyond it is cut off.
 */
#define LF_SIM_ACCESS_EFFORT 1

/* Why a run ended. */
enum lf_sim_end {
	LF_SIM_GOES_ON,
	LF_SIM_ALL_ENDED,
	LF_SIM_GRACE_OVER, /* stopped, and somebody does not come back */
	LF_SIM_CUT_OFF,    /* it costs too much */
	LF_SIM_DEADLOCK, /* nobody can run, and no timer is set */
	LF_SIM_STARVING, /* threads spin for a lock that nobody holds */
	LF_SIM_ABORTED,  /* with an error: something that cannot be simulated */
};

/* What the host saw when it looked last; see watchdog.c. */
struct lf_sim_watchdog {
	uint64_t points, cpu_ns;
	unsigned looks, asleep; /* since a scheduling point */
};

struct lf_sim {
	/* What the hooks need, together. */
	uint64_t now_ns;
	uint64_t next_ns;            /* the running thread must look up then */
	struct lf_sim_thread *self;  /* who runs; NULL: the host */
	struct lf_sim_cpu *cpu;      /* where */
	uint64_t cpu_bit;            /* 1 << its number */
	const void *errno_address;   /* no memory of the lock's */
	struct lf_machine machine;
	uint64_t random;
	uint64_t hash;               /* of the order of events */
	uint64_t effort;             /* what the run costs the host, see below */
	uint64_t effort_limit;
	_Atomic uint64_t points;     /* scheduling points, for the watchdog */
	struct lf_sim_heap heap;
	unsigned cpus, threads;
	struct lf_sim_cpu processor[LF_SIM_CPUS];
	struct lf_sim_thread thread[LF_SIM_THREADS];
	struct lf_sim_thread *queue[LF_SIM_THREADS]; /* ready, in order of arrival */
	unsigned queued;
	uint64_t least_virtual_ns;
	unsigned actors_left;
	enum lf_sim_end end;
	struct lf_error error;
	struct lf_run *run;
	uint64_t phase;              /* lf_advance(), lf_await() */
	uint64_t watched;            /* movements() at the last watch */
	uint64_t awaited;            /* … and at the last look of the grace period */
	uint64_t awaited_ns;         /* when they changed last in it */
	const struct lf_carrier *carrier;
	struct lf_strand host;
	struct lf_sim_watchdog watchdog;
};

#pragma GCC visibility push(hidden)

extern struct lf_sim lf_sim;

/* --- generator: xorshift64*, by Vigna ----------------------------------------- */

static inline uint64_t lf_sim_random_number(void)
{
	uint64_t x = lf_sim.random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	lf_sim.random = x;
	return x * UINT64_C(0x2545F4914F6CDD1D);
}

/* 0 … below - 1; 0 when `below` is 0. */
uint64_t lf_sim_below(uint64_t below);
/* ns, give or take the model's jitter, evenly. */
uint64_t lf_sim_jitter(uint64_t ns);
/* A wake-up latency around the median ns: continuous, with a heavy tail. */
uint64_t lf_sim_latency(uint64_t ns);

/* --- events.c --------------------------------------------------------------- */

void lf_sim_heap_clear(void);
void lf_sim_heap_set(unsigned event, uint64_t at_ns);
void lf_sim_heap_remove(unsigned event);

/* --- schedule.c --------------------------------------------------------------- */

/* The running thread's operation takes that long; events until then come first. */
void lf_sim_look_up(void);

static inline void lf_sim_advance(uint64_t ns)
{
	lf_sim.now_ns += ns;
	if (__builtin_expect(lf_sim.now_ns >= lf_sim.next_ns, 0))
		lf_sim_look_up();
}

/* Makes a thread that will run fn(arg), not before at_ns. NULL: too many, or no
 * memory, with the reason in lf_sim.error. */
struct lf_sim_thread *lf_sim_spawn(void *(*fn)(void *), void *arg, struct lf_actor *actor,
				   uint64_t at_ns);
/* The running thread waits until it is woken, or until the timer (not for
 * LF_SIM_NEVER) has ended. Returns wait.result. */
int lf_sim_block(uint64_t deadline_ns);
/* Makes a waiting thread ready; for whoever took it out of its queue. */
void lf_sim_wake(struct lf_sim_thread *t);
void lf_sim_yield(void);
/* The running thread ends with that value. */
_Noreturn void lf_sim_exit(void *value);
uint64_t lf_sim_cpu_ns(const struct lf_sim_thread *t);
/* A tick, or a preemption: the CPU's thread has not reached its next operation. */
void lf_sim_interrupt(struct lf_sim_cpu *cpu, uint64_t at_ns);

/* --- loop.c ------------------------------------------------------------------- */

/* Goes from event to event up to the next operation of a thread, which is the
 * running one from then on. NULL: the run has ended. */
struct lf_sim_thread *lf_sim_next_thread(void);
/* The calling thread has no operation to do now; comes back when it has. */
void lf_sim_go_on(struct lf_sim_thread *me);
/* The run costs more than it should: it is stopped, or cut off. */
void lf_sim_effort_spent(void);
void lf_sim_set_timer(struct lf_sim_thread *t, uint64_t deadline_ns);
/* Keeps asking t->ready() while t waits. */
void lf_sim_ask(struct lf_sim_thread *t, bool (*ready)(struct lf_sim_thread *));
/* The run ends here; does not return to a simulated thread. */
void lf_sim_finish(enum lf_sim_end end);
/* Something that the simulator does not know. Ends the run with that error. */
__attribute__((format(printf, 1, 2)))
void lf_sim_abort(const char *format, ...);
/* The host runs the simulation until it ends. 0; -ETIMEDOUT: a thread went two
 * seconds without a scheduling point; or the carrier's error. */
int lf_sim_go(void);

/* --- watchdog.c ---------------------------------------------------------------- */

/* Has the thread that runs gone two seconds without letting the simulator look up?
 * Asked by the host, once a second. */
bool lf_sim_stuck(void);

/* --- lines.c ------------------------------------------------------------------ */

enum lf_sim_access { LF_SIM_LOAD, LF_SIM_STORE, LF_SIM_RMW };

/* 0 or -ENOMEM. Once per run; keeps the memory of the run before. */
int lf_sim_lines_open(void);
void lf_sim_lines_reset(void);
/* Zeroed, line-aligned memory of the run; NULL when there is no more. */
void *lf_sim_arena(size_t size);
bool lf_sim_in_arena(const void *p);
/* The running thread accesses memory; returns when it may do so. */
void lf_sim_touch(const volatile void *address, enum lf_sim_access access);

/* --- waits.c ------------------------------------------------------------------- */

void lf_sim_waits_reset(void);
/* The running thread queues up at `key` and sleeps. 0 or ETIMEDOUT. */
int lf_sim_wait_on(const void *key, const char *what, uint32_t mask, uint64_t deadline_ns);
/* The same in two parts, for what must happen between queueing up and sleeping. */
void lf_sim_wait_begin(const void *key, const char *what, uint32_t mask);
int lf_sim_wait_end(uint64_t deadline_ns);
/* Takes the first waiters out of the queue and wakes them; how many. */
unsigned lf_sim_wake_first(const void *key, unsigned most, uint32_t mask);
/* The first one; NULL: nobody. */
struct lf_sim_thread *lf_sim_wait_first(const void *key);
void lf_sim_wait_cancel(struct lf_sim_thread *t);
/* Wakes those at `key` for whom reached() is true, in order. */
void lf_sim_wake_reached(const void *key, bool (*reached)(const struct lf_sim_thread *));
/* Moves waiters from one queue to the end of another; how many. */
unsigned lf_sim_requeue(const void *from, const void *to, unsigned most);

/* --- memory of the run's objects, see memory.c ---------------------------------- */

void lf_sim_memory_reset(void);
void lf_sim_threads_reset(void); /* thread-specific data */
void lf_sim_kernel_reset(void);  /* descriptors, queues, signals */
/* A new thread blocks the signals that the one blocks that starts it. */
void lf_sim_signals_inherit(const struct lf_sim_thread *t);

/* --- the world of scenarios: world.c, ports.c, queued.c --------------------------- */

extern const struct lf_world lf_sim_world;
/* Like lf_sim_wait_on(), and a stop of the run ends it. */
int lf_sim_wait_in_world(const void *key, const char *what, uint64_t deadline_ns);
/* The run was stopped: everybody who waits in the world goes on, and has a
 * limited time to come to an end. */
void lf_sim_stop(void);
void lf_sim_ports_reset(void);
int lf_sim_port_send(struct lf_actor *a, unsigned port, const void *data, size_t size);
int lf_sim_port_receive(struct lf_actor *a, unsigned port, void *data, size_t size,
			uint64_t timeout_ns);
int lf_sim_descriptor(struct lf_actor *a, bool readable);
unsigned lf_sim_look_queued(struct lf_actor *holder);
bool lf_sim_await_queued(struct lf_actor *holder, unsigned n);

static inline struct lf_sim_thread *lf_sim_thread_of(const struct lf_actor *a)
{
	return a->engine;
}

#pragma GCC visibility pop

#endif
