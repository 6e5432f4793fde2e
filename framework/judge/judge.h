/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The judge turns an observation into assertions with verdicts. It knows no
 * engine: what it is given is the observation and the claim.
 */
#ifndef LF_JUDGE_JUDGE_H
#define LF_JUDGE_JUDGE_H

#include <lockfair/observation.h>

#define LF_VERDICT_MAP(X)                                                      \
	X(PASS, "pass")                                                        \
	X(FAIL, "fail")                                                        \
	X(INCONCLUSIVE, "inconclusive")                                        \
	X(SENSITIVE, "sensitive")                                              \
	X(SKIP, "skip")                                                        \
	X(ERROR, "error")

enum lf_verdict {
#define X(id, name) LF_VERDICT_##id,
	LF_VERDICT_MAP(X)
#undef X
	LF_VERDICT_COUNT
};

/* Order metrics convict; time metrics are bounded relative to something of the
 * same run; shares inform; safety is always on. */
enum lf_metric_class { LF_CLASS_ORDER, LF_CLASS_TIME, LF_CLASS_SHARE, LF_CLASS_SAFETY };

#define LF_METRIC_MAP(X)                                                       \
	X(OVERTAKES, "overtakes", "grants", ORDER,                             \
	  "most grants to later requests while one waiter was queued")         \
	X(OVERTAKEN_ROUNDS, "overtaken-rounds", "rounds", ORDER,               \
	  "rounds in which a confirmed waiter was overtaken")                  \
	X(INVERSIONS, "inversions", "pairs", ORDER,                            \
	  "pairs of staged waiters granted against their order")               \
	X(LONGEST_RUN, "longest-run", "grants", ORDER,                         \
	  "grants in a row to one thread while another was queued")            \
	X(SERVED_ONCE, "served-once", "waiters", ORDER,                        \
	  "queued waiters that did not get exactly one grant")                 \
	X(STARVED, "starved", "threads", ORDER,                                \
	  "threads that got nothing, or were passed over again and again")     \
	X(GRANTS_MIN, "grants-min", "grants", ORDER,                           \
	  "fewest grants of a thread that kept asking")                        \
	X(LEAD, "lead", "rounds", ORDER,                                       \
	  "largest difference of progress between two live threads")           \
	X(PASSED_P50, "passed-p50", "steps", ORDER,                            \
	  "median of the steps that others made during a wait")                \
	X(PASSED_P90, "passed-p90", "steps", ORDER,                            \
	  "90th percentile of the steps that others made during a wait")       \
	X(WAIT_P50, "wait-p50", "ns", TIME, "median wait")                     \
	X(WAIT_P90, "wait-p90", "ns", TIME, "90th percentile of the wait")     \
	X(WAIT_P99, "wait-p99", "ns", TIME, "99th percentile of the wait")     \
	X(WAIT_P999, "wait-p99.9", "ns", TIME, "99.9th percentile of the wait") \
	X(WAIT_MAX, "wait-max", "ns", TIME, "longest wait")                    \
	X(HOLD_MEAN, "hold-mean", "ns", TIME, "mean time the lock was held")   \
	X(CPU_BURNT, "cpu-burnt", "ratio", TIME,                               \
	  "CPU time inside acquire / time there, less waiting for a CPU")      \
	X(CHANGE_HANDOVER, "change-hand-over", "ratio", TIME,                  \
	  "hand-over: at least so many times that of the old lock")            \
	X(CHANGE_THROUGHPUT, "change-throughput", "ratio", TIME,               \
	  "throughput: the old lock's is at least so many times this one's")   \
	X(CHANGE_WAIT_MEAN, "change-wait-mean", "ratio", TIME,                 \
	  "mean wait: at least so many times that of the old lock")            \
	X(CHANGE_WAIT_P50, "change-wait-p50", "ratio", TIME,                   \
	  "median wait: at least so many times that of the old lock")          \
	X(CHANGE_WAIT_P99, "change-wait-p99", "ratio", TIME,                   \
	  "p99 of the wait: at least so many times that of the old lock")      \
	X(CHANGE_CPU, "change-cpu", "ratio", TIME,                             \
	  "CPU per acquisition: at least so many times that of the old lock")  \
	X(WAITS_ABOVE, "waits-above", "waits", TIME,                           \
	  "waits above the limit that nothing but the lock explains")          \
	X(CLAIMS_DROPPED, "claims-dropped", "claims", ORDER,                   \
	  "what the old lock promised and the new one does not")               \
	X(LATENCY_MEAN, "latency-mean", "ns", TIME, "mean time from ping to receipt") \
	X(LATENCY_SD, "latency-sd", "ns", TIME, "its standard deviation")      \
	X(LATENCY_P50, "latency-p50", "ns", TIME, "its median")                \
	X(LATENCY_P99, "latency-p99", "ns", TIME, "its 99th percentile")       \
	X(LATENCY_MAX, "latency-max", "ns", TIME, "the longest of them")       \
	X(BANDWIDTH, "bandwidth", "packets/s", TIME,                           \
	  "datagrams to and fro, beside the load")                             \
	X(BANDWIDTH_ALONE, "bandwidth-alone", "packets/s", TIME, "the same without load") \
	X(BANDWIDTH_SHARE, "bandwidth-share", "ratio", TIME, "bandwidth beside the load / without") \
	X(TURN_MEAN, "turn-mean", "ns", TIME,                                  \
	  "mean time until a thread that gave the lock up has it back")        \
	X(TURN_P50, "turn-p50", "ns", TIME, "its median")                      \
	X(TURN_MAX, "turn-max", "ns", TIME, "the longest of them")             \
	X(SPEED, "speed", "units/s", TIME, "work that all threads did together") \
	X(SPEED_SHARE, "speed-share", "ratio", TIME, "of what one thread does alone") \
	X(SWITCHES, "voluntary-switches", "switches/s", TIME,                  \
	  "times that a thread went to sleep")                                 \
	X(PREEMPTIONS, "involuntary-switches", "switches/s", TIME,             \
	  "times that a thread lost its CPU")                                  \
	X(SLOWDOWN, "slowdown", "ratio", TIME, "of work, by a poll each microsecond") \
	X(POLL_COST, "poll-cost", "ns", TIME, "of one poll that finds nothing") \
	X(PAIR_COST, "pair-cost", "ns", TIME, "of giving up a lock that nobody wants") \
	X(TRANSFER_ALONE, "transfer-alone", "ns", TIME, "of a run without load") \
	X(TRANSFER_BEST, "transfer-best", "ns", TIME, "best mean of three runs") \
	X(TRANSFER_MIN, "transfer-min", "ns", TIME, "shortest run")            \
	X(TRANSFER_MEAN, "transfer-mean", "ns", TIME, "mean of all runs")      \
	X(TRANSFER_SD, "transfer-sd", "ns", TIME, "its standard deviation")    \
	X(TRANSFER_MAX, "transfer-max", "ns", TIME, "longest run")             \
	X(TRANSFER_SLOWDOWN, "transfer-slowdown", "ratio", TIME,               \
	  "best mean of three runs / a run without load")                      \
	X(JAIN, "jain", "index", SHARE, "Jain's index over the grants")        \
	X(SHARE_MIN, "share-min", "ratio", SHARE,                              \
	  "smallest share of the grants, times the number of threads")                  \
	X(SHARE_WINDOW, "share-window", "ratio", SHARE,                        \
	  "the same in the worst of all windows of grants")                    \
	X(HELD_WAITS, "held-waits", "waits", ORDER,                            \
	  "waits for descriptors during which the lock was held")              \
	X(NEEDLESS_RELEASES, "needless-releases", "calls", ORDER,              \
	  "calls of a poller that let go of the lock although they did not wait") \
	X(ERRNO_LOST, "errno-lost", "errors", ORDER,                           \
	  "errors of a system call that became others when the lock was taken again") \
	X(EARLY_RETURNS, "early-returns", "waits", ORDER,                      \
	  "waits that found nothing and ended before their timeout")           \
	X(RATE, "rate", "1/s", TIME, "iterations per second, mean of the batches") \
	X(RATE_CV, "rate-cv", "ratio", TIME,                                   \
	  "standard deviation of the batches / their mean")                    \
	X(GAIN, "gain", "ratio", TIME,                                         \
	  "iterations that look before they let go / that always let go")      \
	X(TOKEN, "token", "tokens", ORDER,                                     \
	  "tokens that were lost or came out of turn")                         \
	X(LOOPS, "loops", "1/s", TIME,                                         \
	  "hand-overs there and back per second, mean of the repetitions")     \
	X(LOOPS_CV, "loops-cv", "ratio", TIME,                                 \
	  "standard deviation of the repetitions / their mean")                \
	X(LOOP_RATE, "loop-rate", "1/s", TIME,                                 \
	  "loops per second of the time that nobody spent waiting for a CPU")  \
	X(PLACE, "place", "ratio", TIME,                                       \
	  "loops of the channel / of the run's own hand-over, median")         \
	X(PLACE_SPREAD, "place-spread", "ratio", TIME,                         \
	  "largest / smallest place in the middle half of all rounds")     \
	X(TWO_CPUS, "two-cpus", "ratio", TIME,                                 \
	  "loops on two CPUs / on one")                                        \
	X(LOOP_SLICES, "loop-slices", "slices", TIME,                          \
	  "time of a loop in slices of the scheduler")                         \
	X(EXCLUSION, "exclusion", "violations", SAFETY,                        \
	  "times that two threads were inside at once")                        \
	X(PROGRESS, "progress", "threads", SAFETY,                             \
	  "threads left waiting for a lock that nobody holds")                 \
	X(SURVIVES, "survives", "ends", SAFETY,                                \
	  "ends of the run before its verdict: a crash, an exit")

enum lf_metric {
#define X(id, name, unit, class, text) LF_METRIC_##id,
	LF_METRIC_MAP(X)
#undef X
	LF_METRIC_COUNT
};

/* Who asked for the bound. Information has none and never fails. */
#define LF_ORIGIN_MAP(X)                                                       \
	X(CLAIM, "claim")                                                      \
	X(REQUIREMENT, "requirement")                                          \
	X(SAFETY, "safety")                                                    \
	X(INFORMATION, "information")

enum lf_origin {
#define X(id, name) LF_ORIGIN_##id,
	LF_ORIGIN_MAP(X)
#undef X
	LF_ORIGIN_COUNT
};

struct lf_assertion {
	enum lf_metric metric;
	enum lf_origin origin;
	bool at_least; /* the bound is a lower one */
	bool holds;
	double value, bound;
	uint64_t n;    /* samples */
	char role[16]; /* of whom; empty: of all */
};

#define LF_MAX_ASSERTIONS 48

struct lf_judgement {
	enum lf_verdict verdict;
	bool required; /* requirements count; set before the scenario judges */
	unsigned n;
	struct lf_assertion assertion[LF_MAX_ASSERTIONS];
	char reason[384]; /* one sentence: what decided it */
	char open[192];   /* why a pass would prove nothing; empty: it would */
};

const char *lf_verdict_name(enum lf_verdict v);
int lf_verdict_find(const char *name); /* -1: none */
const char *lf_metric_name(enum lf_metric m);
const char *lf_metric_unit(enum lf_metric m);
const char *lf_metric_text(enum lf_metric m);
enum lf_metric_class lf_metric_class(enum lf_metric m);
const char *lf_origin_name(enum lf_origin o);
int lf_metric_find(const char *name); /* -1: none */

/* How scenarios state what they assert. A requirement that was not asked for
 * is kept as information. `role` may be NULL. */
void lf_judge_at_most(struct lf_judgement *j, enum lf_metric m, enum lf_origin o,
		      double value, double bound, uint64_t n, const char *role);
void lf_judge_at_least(struct lf_judgement *j, enum lf_metric m, enum lf_origin o,
		       double value, double bound, uint64_t n, const char *role);
void lf_judge_inform(struct lf_judgement *j, enum lf_metric m, double value,
		     uint64_t n, const char *role);

/* A precondition did not hold: without a failure the verdict stays open. The
 * first reason is kept. */
__attribute__((format(printf, 2, 3)))
void lf_judge_void(struct lf_judgement *j, const char *format, ...);

/* The assertion that decided, or NULL when none failed: of the failing ones
 * the first of safety, else of the claim, else of the requirement. */
const struct lf_assertion *lf_judgement_decisive(const struct lf_judgement *j);

struct lf_cell;

/* On `sim` a bound holds with margin when the value keeps this part of it (of the
 * way from it to 1, for an index that is at most 1) in reserve. Counts need none. */
#define LF_MARGIN_PERCENT 10

/* It holds, and not with margin. */
bool lf_assertion_is_near(const struct lf_assertion *a);

/* The whole judgement of one observation: safety first, then preconditions,
 * then what the scenario asserts. */
void lf_judge(const struct lf_cell *cell, const struct lf_observation *o,
	      struct lf_judgement *ret_judgement);

/*
 * Metrics from observations. `role` NULL means every thread. lead: in rounds of
 * steps_per_round steps. confirmed: waits that were confirmed to be queued.
 * overtakes: the most of one such wait. waits: all waits in ns, an open one with
 * the time that it lasted at least. window_share: of the thread that got the fewest of
 * any `window` grants in a row, × threads; 1 is an equal share. Runs with fewer grants
 * are one window. delayed: did any thread want a CPU and have none?
 */
double lf_metric_jain(const uint64_t value[], unsigned n);
uint64_t lf_metric_lead(const struct lf_observation *o, unsigned steps_per_round);
uint64_t lf_metric_confirmed(const struct lf_observation *o, const char *role);
uint64_t lf_metric_overtakes(const struct lf_observation *o, const char *role);
double lf_metric_window_share(const struct lf_observation *o, unsigned window);
bool lf_metric_delayed(const struct lf_observation *o);
/* How long threads of the run wanted a CPU and had none, by its duration: above 1 where
 * several did. 0 in virtual time; infinite where the kernel does not tell. */
double lf_metric_delay_part(const struct lf_observation *o);
/* Threads that never came back from acquire, or from waiting for a token; and the first
 * of them, if there is one. */
unsigned lf_metric_stuck(const struct lf_observation *o, unsigned *ret_first);
/* Tokens that came out of turn, and one that was waited for in vain. */
uint64_t lf_metric_tokens_lost(const struct lf_observation *o);
void lf_metric_waits(const struct lf_observation *o, const char *role,
		     struct lf_histogram *ret_waits);
/* What a list of samples comes to; all 0 when it is empty. cv: standard deviation
 * over mean. harmonic: the mean of rates over equal amounts; of no use unless all
 * samples are above 0. */
struct lf_spread {
	double low, high, mean, harmonic, median, cv;
};
struct lf_spread lf_metric_spread(const struct lf_series *series);
/* Loops per second of the time that no end of the channel waited for a CPU; 0 where
 * some repetition had none. */
double lf_metric_undelayed(const struct lf_observation *o);
bool lf_has_role(const struct lf_thread_observation *t, const char *role);

#endif
