/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run saw. An observation has a fixed size and no pointers, so that it
 * can lie in memory shared with a supervisor and survive a crash of the run.
 * It is written by the run's threads, without locks, and read after the join.
 */
#ifndef LOCKFAIR_OBSERVATION_H
#define LOCKFAIR_OBSERVATION_H

#include <lockfair/backend.h>
#include <stdatomic.h>

/*
 * A log-linear histogram: values below 16 have a bucket each, every further
 * power of two is cut into 16 buckets, so that a bucket's bounds differ by at
 * most 1/16. Values of 2^40 ns (18 minutes) and more share the last bucket.
 */
#define LF_HISTOGRAM_SUB 16
#define LF_HISTOGRAM_TOP 40
#define LF_HISTOGRAM_BUCKETS (LF_HISTOGRAM_SUB * (LF_HISTOGRAM_TOP - 3))

struct lf_histogram {
	uint64_t count;
	uint64_t sum;
	uint64_t max; /* exact */
	uint64_t min; /* exact; meaningless while count is 0 */
	uint32_t bucket[LF_HISTOGRAM_BUCKETS];
};

void lf_histogram_add(struct lf_histogram *h, uint64_t value);
void lf_histogram_merge(struct lf_histogram *to, const struct lf_histogram *from);
/* The smallest bucket bound that at least `part` (0 … 1) of the values do not
 * exceed, never more than max; 0 when empty. */
uint64_t lf_histogram_quantile(const struct lf_histogram *h, double part);
/* The bucket of a value, and the largest value that falls into a bucket. */
unsigned lf_histogram_bucket(uint64_t value);
uint64_t lf_histogram_upper(unsigned bucket);

/* Values that a scenario measured itself. */
struct lf_samples {
	struct lf_histogram values;
	double squares; /* sum of their squares */
};

void lf_sample(struct lf_samples *s, uint64_t value);
double lf_samples_mean(const struct lf_samples *s);
/* The deviation of the values themselves, not an estimate of anything; 0 of none. */
double lf_samples_deviation(const struct lf_samples *s);

/* So many units of something in so much time. */
struct lf_rate {
	uint64_t units, ns;
};

/* The last LF_LOG_SIZE thread indices of a sequence, and its whole length. */
#define LF_LOG_SIZE (1u << 16)

struct lf_log {
	_Atomic uint64_t length;
	_Atomic uint8_t entry[LF_LOG_SIZE];
};

/* The i-th entry of the whole sequence, or -1 when it was overwritten. */
int lf_log_at(const struct lf_log *log, uint64_t i);

/*
 * When the last LF_TIMELINE_SIZE holds of the lock began and ended, in the engine's
 * time: that of the i-th grant (from 0) is entry i % LF_TIMELINE_SIZE. Only where
 * `timed`: on `sim`, and where the scenario asks for clocks.
 */
#define LF_TIMELINE_SIZE 2048u

struct lf_hold {
	_Atomic uint64_t asked_ns, granted_ns;
	_Atomic uint64_t released_ns; /* 0: not yet, or not known */
};

struct lf_timeline {
	bool timed;
	struct lf_hold hold[LF_TIMELINE_SIZE];
};

/* How a waiter was confirmed to be queued; the name stands in records. */
#define LF_CONFIRM_MAP(X)                                                      \
	X(WAITERS, "waiters", "the lock's own count of its waiters")           \
	X(FUTEX, "futex", "asleep on one futex address in two samples")        \
	X(ASLEEP, "asleep", "state S and a voluntary switch in two samples")   \
	X(SPUN, "spun", "its CPU clock advanced inside acquire")               \
	X(EXACT, "exact", "known to the simulator")

enum lf_confirm {
#define X(id, name, text) LF_CONFIRM_##id,
	LF_CONFIRM_MAP(X)
#undef X
	LF_CONFIRM_COUNT
};

struct lf_thread_observation {
	char role[16];
	unsigned role_index;
	_Atomic uint64_t requests; /* calls of acquire */
	_Atomic uint64_t grants;
	_Atomic uint64_t steps;
	uint64_t confirmed;      /* requests that were confirmed to be queued */
	_Atomic uint64_t overtaken; /* of those: overtaken at least once; the director
				  * sums it up while others run */
	uint64_t overtakes;      /* sum over requests */
	uint64_t overtakes_max;  /* of one request */
	uint64_t overtakes_run;  /* most in a row by one thread */
	uint64_t grants_queued;  /* grants while another was confirmed queued */
	bool censored;           /* never came back: its last wait is open */
	bool inside_acquire;     /* when it was given up */
	char state[24];          /* … and what it was doing then: "mutex", "futex",
				  * "spins", …; known to the simulator only */
	uint64_t open_wait_ns;   /* of a censored wait: at least this long */
	uint64_t asked_ns;       /* when inside_acquire: since when, if it is known */
	uint64_t cpu_ns;         /* CPU time of the whole thread */
	uint64_t acquire_cpu_ns; /* … spent inside acquire (LF_CLOCK_CPU) */
	uint64_t acquire_delay_ns; /* … there, ready to run but without a CPU; of a
				    * channel's end: while tokens were passed */
	uint64_t acquire_ns;     /* time spent inside acquire (LF_CLOCK_WAIT) */
	uint64_t hold_ns;        /* (LF_CLOCK_HOLD) */
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t run_delay_ns;   /* runnable but not running */
	struct lf_histogram wait; /* request to grant, ns */
	struct lf_histogram passed; /* steps of others during a wait (`io-latency`) */
	/* What the scenario itself measured (suite ccbench): what it says of the thread,
	 * without the others' load and beside it. */
	struct lf_samples samples;
	struct lf_rate alone, beside;
};

/* What the machine did meanwhile. LF_UNKNOWN where the kernel cannot tell. */
#define LF_UNKNOWN UINT64_MAX

#define LF_WITNESS_MAP(X)                                                      \
	X(involuntary_switches, "switches")                                    \
	X(run_delay_ns, "ns")                                                  \
	X(steal_ns, "ns")                                                      \
	X(pressure_ns, "ns")                                                   \
	X(spin_gap_ns, "ns")                                                   \
	X(sleep_overshoot_ns, "ns")

struct lf_noise {
#define X(name, unit) uint64_t name;
	LF_WITNESS_MAP(X)
#undef X
};

/* A quantity that was measured several times, in the order of measuring. */
#define LF_MAX_SERIES 64

struct lf_series {
	unsigned n;
	double value[LF_MAX_SERIES];
};

/* The last of them stay: what does not fit pushes the first one out. */
void lf_series_add(struct lf_series *series, double value);

/* What a poller did with the lock that its caller holds, for `select`. */
struct lf_polling {
	uint64_t waits;        /* calls that ended by their timeout */
	uint64_t held;         /* … and kept the lock for all or most of it */
	uint64_t early;        /* calls that found nothing and ended before their timeout */
	uint64_t calls;        /* under a rule that says whether to let go */
	uint64_t needless;     /* … that let go although it says not to */
	uint64_t errors;       /* calls that failed */
	uint64_t errors_lost;  /* … with another error than the system call's */
	uint64_t iterations;   /* of the measured batches, which took */
	uint64_t batches_ns;
	uint64_t per_batch;    /* iterations in 100 ms of the warm-up */
	struct lf_series per_s; /* iterations per second, by batch */
	/* Of `select-gain`: `probe` by `nonzero`, by pair of batches; all of them, and the
	 * turns that others had in those of `nonzero`. */
	struct lf_series gain;
	struct lf_rate probe, nonzero;
	uint64_t turns;
};

/* The outcome of staged rounds, for `order` and `drain`. */
struct lf_order {
	uint64_t rounds;     /* staged and completely granted */
	uint64_t inversions; /* pairs granted against their staged order */
	uint64_t inversions_max; /* of one round */
	uint64_t disordered; /* rounds with at least one */
	uint64_t unserved;   /* waiters that did not get their one grant */
};

struct lf_observation {
	unsigned threads;
	unsigned rounds;         /* completed */
	uint64_t duration_ns;    /* engine time */
	bool stalled;            /* no grant and no step for a second, threads inside */
	bool limit_reached;      /* the hard limit ended it */
	bool cut_off;            /* it cost the engine too much: says nothing */
	bool exact;              /* virtual time: no noise is in it */
	int held_by;             /* who held the lock at the end; -1: nobody */
	char precondition[160];  /* why it failed; empty when it held */
	_Atomic uint64_t confirmed_by[LF_CONFIRM_COUNT];
	/* Safety */
	_Atomic uint64_t exclusion_violations; /* a second owner was seen */
	_Atomic uint64_t torn;                 /* guarded data changed half-way */
	/* Order */
	uint64_t overtakes_max;
	uint64_t overtaken_rounds; /* rounds with an overtake, of `rounds` */
	uint64_t longest_run;      /* grants in a row while another was queued */
	struct lf_order order;
	uint64_t lost_datagrams;
	struct lf_polling polling;
	/* Channels: tokens that came out of turn, or could not be waited for. */
	_Atomic uint64_t tokens_misplaced;
	uint64_t slice_ns;         /* of the scheduler, where it is known; 0: not */
	/* Hand-overs there and back per second, by repetition. */
	struct lf_series loops_per_s;
	/* By round, as ratios: to the run's own hand-over; two CPUs to one. */
	struct lf_series standing, two_cpus;
	/* The moment to show: position in `grants` just after the worst case. */
	uint64_t decisive_grant;
	unsigned decisive_thread;
	struct lf_log grants; /* who got the lock */
	struct lf_log steps;  /* who made a step */
	struct lf_timeline timeline; /* … and when, beside `grants` */
	struct lf_noise noise;
	struct lf_thread_observation thread[LF_MAX_THREADS];
};

#endif
