/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A backend is a thing under test: a lock, described by one constant
 * structure. This header is all that a lock needs to include; it pulls in no
 * other part of lockfair, so that the same source compiles for a real kernel
 * and for the simulator, inside this tree or in a shared object of one's own.
 *
 *	struct flag { atomic_int taken; };
 *
 *	static int flag_init(void *lock, const int64_t param[])
 *	{
 *		struct flag *f = lock;
 *		atomic_init(&f->taken, 0);
 *		return 0;
 *	}
 *	...
 *	static const struct lf_mutex_ops flag_ops = {
 *		.init = flag_init, .acquire = flag_acquire, .release = flag_release,
 *	};
 *
 *	LF_BACKEND(flag) = {
 *		.abi = LF_ABI, .name = "flag", .summary = "test-and-set flag",
 *		.kind = LF_MUTEX, .engines = LF_ON_ALL,
 *		.lock_size = sizeof(struct flag), .mutex = &flag_ops,
 *	};
 *	LF_PLUGIN(flag);
 *
 * Rules for a backend: plain C on pthreads, C11 atomics and futex; no state
 * outside the lock and the per-thread data; init() after destroy() starts
 * afresh. Ops are called by the thread they name and never from a signal.
 *
 * A lock that sleeps by futex calls it by syscall(2), which glibc has no other
 * function for, and so works on both engines:
 *
 *	#include <linux/futex.h>
 *	#include <sys/syscall.h>
 *	#include <unistd.h>
 *	...
 *	syscall(SYS_futex, &l->word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
 *	syscall(SYS_futex, &l->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
 *
 * The simulator takes the place of syscall(); one in assembler, or in a library
 * that the lock is linked with, it would not see.
 */
#ifndef LOCKFAIR_BACKEND_H
#define LOCKFAIR_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Raised whenever a structure of this header changes its layout. */
#define LF_ABI 2u

/* Upper limits that keep every record and every array bounded. */
#define LF_MAX_THREADS 16
#define LF_MAX_PARAMS 8

/* What a backend is; the second column is its name in commands and records. */
#define LF_KIND_MAP(X)                                                         \
	X(MUTEX, "mutex", "excludes; acquire and release")                     \
	X(GIL, "gil", "a global interpreter lock: also polled while held")     \
	X(CHANNEL, "channel", "passes a token from one of its ends to the other") \
	X(POLLER, "poller", "waits for descriptors, around which a lock is held")

enum lf_kind {
#define X(id, name, text) LF_##id,
	LF_KIND_MAP(X)
#undef X
	LF_KIND_COUNT
};

/*
 * What a backend promises. A set of these bits is its claim; the empty set is
 * the honest claim of a barging lock. The numbers that go with a bit stand in
 * struct lf_claim.
 */
#define LF_CLAIM_MAP(X)                                                        \
	X(FIFO, "fifo", "queued threads are served in their order of arrival") \
	X(BYPASS, "bypass", "a queued thread is overtaken at most k times")    \
	X(EVENTUAL, "eventual",                                                \
	  "a queued thread is handed the lock after n overtakes or T")         \
	X(QUANTUM, "quantum", "a waiter's turn comes one quantum per thread")  \
	X(IO_FIRST, "io-first",                                                \
	  "a thread back from I/O goes before threads that compute")           \
	X(SLEEPS, "sleeps", "waiting threads sleep: they burn next to no CPU") \
	X(DELIVERS, "delivers", "every token arrives, once and in order")      \
	X(SPINS, "spins", "a waiting thread never gives up its CPU")

enum lf_claim_bit {
#define X(id, name, text) LF_CLAIM_INDEX_##id,
	LF_CLAIM_MAP(X)
#undef X
	LF_CLAIM_COUNT
};
enum lf_claim_set {
	LF_CLAIM_NONE = 0,
#define X(id, name, text) LF_CLAIM_##id = 1 << LF_CLAIM_INDEX_##id,
	LF_CLAIM_MAP(X)
#undef X
};

struct lf_claim {
	unsigned set;       /* LF_CLAIM_* bits */
	unsigned overtakes; /* BYPASS: k; EVENTUAL: n, 0 when only T is promised */
	uint64_t handoff_ns; /* EVENTUAL: T, 0 when only n is promised */
	uint64_t quantum_ns; /* QUANTUM */
	unsigned io_threads; /* IO_FIRST: beside so many; 0: beside any number */
};

/* A backend's parameter: an integer with a unit and a range, both ends valid. */
struct lf_param {
	const char *name;
	int64_t value; /* default */
	int64_t min, max;
	const char *unit; /* "ns", "ticks", "spins", … */
	const char *help;
};

/*
 * The calling thread, as a backend sees it. `data` points at the backend's
 * thread_size bytes for this thread, zeroed before attach and aligned to a
 * cache line: queue nodes live there. `index` is 0 … number of threads - 1.
 */
struct lf_thread {
	void *data;
	unsigned index;
};

static inline void *lf_thread_data(const struct lf_thread *t)
{
	return t->data;
}

/*
 * init: make the lock ready; param[] holds the values of the backend's
 * parameters in the order of its table. Returns 0 or a negative errno.
 * waiters (optional): how many threads are queued now. Called by the holder
 * only, while no thread can leave the queue.
 * timed_acquire (optional): 0, or -ETIMEDOUT after timeout_ns.
 */
struct lf_mutex_ops {
	int (*init)(void *lock, const int64_t param[]);
	void (*destroy)(void *lock); /* optional */
	void (*acquire)(void *lock, struct lf_thread *t);
	void (*release)(void *lock, struct lf_thread *t);
	bool (*try_acquire)(void *lock, struct lf_thread *t); /* optional */
	int (*timed_acquire)(void *lock, struct lf_thread *t, uint64_t timeout_ns);
	unsigned (*waiters)(void *lock);
};

/*
 * release is voluntary (around a blocking call); poll is the evaluation loop's
 * check, may drop the lock and take it again, and returns holding it. outside is
 * for a lock that does something else around a call than to release and acquire:
 * it runs fn(arg) without the lock and returns holding it.
 *
 * The last two are for interpreters, which run on `threads` only. runtime_start:
 * starts the interpreter, after init and before the first thread; not in init,
 * because processes are forked in between. spawn: starts a thread that runs
 * fn(arg) without the lock, where pthread_create() would not make a thread of the
 * interpreter's; nobody joins it, and destroy comes after fn has returned. Both
 * return 0 or a negative errno.
 */
struct lf_gil_ops {
	int (*init)(void *lock, const int64_t param[]);
	void (*destroy)(void *lock);                      /* optional */
	void (*attach)(void *lock, struct lf_thread *t);  /* optional */
	void (*detach)(void *lock, struct lf_thread *t);  /* optional */
	void (*acquire)(void *lock, struct lf_thread *t);
	void (*release)(void *lock, struct lf_thread *t);
	void (*outside)(void *lock, struct lf_thread *t, void (*fn)(void *),
			void *arg); /* optional */
	void (*poll)(void *lock, struct lf_thread *t);
	unsigned (*waiters)(void *lock); /* optional */
	int (*runtime_start)(void *lock); /* optional */
	int (*spawn)(void *lock, void *(*fn)(void *arg), void *arg); /* optional */
};

/*
 * When a poller lets go of the lock that its caller holds, to wait without it. The
 * second column is its name.
 */
#define LF_RELEASE_MAP(X)                                                      \
	X(PROBE, "probe",                                                      \
	  "looks first, holding it; lets go if nothing is ready and it may wait") \
	X(NONZERO, "nonzero", "lets go unless the timeout is zero")            \
	X(ALWAYS, "always", "lets go around every wait")

enum lf_release {
#define X(id, name, text) LF_RELEASE_##id,
	LF_RELEASE_MAP(X)
#undef X
	LF_RELEASE_COUNT
};

/* How a poller gets out of the lock: runs fn(arg) without it and returns holding it
 * again. errno may be anything then. */
struct lf_way_out {
	void (*outside)(const struct lf_way_out *way, void (*fn)(void *arg), void *arg);
};

#define LF_FOREVER (-1)

/*
 * A poller is called by a thread that holds a lock, and is judged by how it treats
 * that lock. It has no lock of its own and no per-thread data.
 *
 * watch: the descriptor is one of those that are waited for (to read). Not while a
 * thread waits. 0 or a negative errno.
 * wait: until one of them is ready or timeout_ns are over (LF_FOREVER: never). How
 * many are ready, or a negative errno: what the system call failed with, whatever
 * happened to errno after it. A timeout that is negative otherwise is the kernel's to
 * refuse.
 * unavailable (optional): why it cannot work on this system, a sentence; or NULL.
 */
struct lf_poller_ops {
	int (*init)(void *poller, const int64_t param[]);
	void (*destroy)(void *poller); /* optional */
	int (*watch)(void *poller, int fd);
	int (*wait)(void *poller, int64_t timeout_ns, enum lf_release release,
		    const struct lf_way_out *way);
	const char *(*unavailable)(void);
};

/*
 * A channel passes a token, a number, between two threads or two processes. It
 * has two ends, 0 and 1: what is sent at one end arrives at the other. One token
 * is under way at a time, beside one that ends the wait at the other end when a
 * run is over: that may be sent by anybody, and at any time.
 *
 * init: before any thread or process of the run has started; the channel's memory
 * is shared by all of them, and so are descriptors. processes: the two ends will
 * be in two processes.
 * attach (optional): the calling thread is at that end from now on.
 * send: never waits. wait: until a token arrives; it has no time-out, because for
 * most channels that would be a second system call; see LF_TOKEN_END. Both return
 * 0 or a negative errno.
 */
struct lf_channel_ops {
	int (*init)(void *channel, const int64_t param[], bool processes);
	void (*destroy)(void *channel); /* optional */
	void (*attach)(void *channel, struct lf_thread *t, unsigned end);
	int (*send)(void *channel, struct lf_thread *t, unsigned end, uint64_t token);
	int (*wait)(void *channel, struct lf_thread *t, unsigned end,
		    uint64_t *ret_token);
};

/* Tokens are less than this. What is not, ends a wait: the watchdog sends it at
 * both ends when a token was lost. Two of them may add up. */
#define LF_TOKEN_END (UINT64_C(1) << 62)

/* Which engines a backend can run on. */
enum lf_engine_set {
	LF_ON_THREADS = 1,
	LF_ON_SIM = 2,
	LF_ON_ALL = LF_ON_THREADS | LF_ON_SIM,
};

struct lf_backend {
	uint32_t abi; /* LF_ABI */
	enum lf_kind kind;
	const char *name;    /* what one types; [a-z0-9./_-] */
	const char *summary; /* one line */
	const char *source;  /* where the algorithm comes from; may be NULL */
	struct lf_claim claim;
	/* Optional: the claim under these parameter values. */
	void (*refine_claim)(const int64_t param[], struct lf_claim *claim);
	const struct lf_param *params; /* ends with a NULL name; may be NULL */
	unsigned engines;              /* LF_ON_* */
	size_t lock_size;              /* of one lock */
	size_t thread_size;            /* of the per-thread data; may be 0 */
	/* Deliberately faulty: the "scenario:assertion" that must catch it. */
	const char *caught_by;
	union {
		const struct lf_mutex_ops *mutex; /* LF_MUTEX */
		const struct lf_gil_ops *gil;     /* LF_GIL */
		const struct lf_poller_ops *poller; /* LF_POLLER */
		const struct lf_channel_ops *channel; /* LF_CHANNEL */
	};
};

/*
 * Definitions go through these, so that one source yields two sets of symbols:
 * the plain one and, compiled for the simulator, its twin. A descriptor is hidden:
 * in a shared object its name could else be bound to another one's.
 */
#ifdef LF_SIM_TWIN
#define LF_SYMBOL(id) lf_sim_##id
#else
#define LF_SYMBOL(id) lf_##id
#endif
#define LF_BACKEND(id)                                                         \
	__attribute__((visibility("hidden")))                                  \
	const struct lf_backend LF_SYMBOL(backend_##id)

/* Ends a shared object's source: names the one backend that it offers. */
#define LF_PLUGIN(id)                                                          \
	__attribute__((visibility("default")))                                 \
	const struct lf_backend *const LF_SYMBOL(backends)[] = {               \
		&LF_SYMBOL(backend_##id), NULL }

/* The same for several backends: LF_PLUGINS(LF_USE(a), LF_USE(b)); */
#define LF_USE(id) &LF_SYMBOL(backend_##id)
#define LF_PLUGINS(...)                                                        \
	__attribute__((visibility("default")))                                 \
	const struct lf_backend *const LF_SYMBOL(backends)[] = { __VA_ARGS__, NULL }

#endif
