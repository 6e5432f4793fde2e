/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What this machine is, as far as it matters to what locks do on it; and what the
 * kernel lets an ordinary process find out. Linux-only, and behind this one file.
 *
 * Thread rule: the main thread.
 */
#ifndef LF_OBSERVE_HOST_H
#define LF_OBSERVE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Facts that make a machine another one when they change: name, what it is. */
#define LF_FACT_MAP(X)                                                         \
	X(cpu, "processor")                                                    \
	X(cpus, "CPUs that are online")                                        \
	X(allowed, "CPUs that this process may use")                           \
	X(siblings, "threads a core")                                          \
	X(limit, "CPU time that the control group grants")                     \
	X(virtual, "a virtual machine?")                                       \
	X(clock, "clock of the kernel")                                        \
	X(tsc, "cycle counter")                                                \
	X(governor, "frequency governor")                                      \
	X(kernel, "kernel")                                                    \
	X(preemption, "preemption and build of the kernel")                    \
	X(autogroup, "does the scheduler group by terminal session?")          \
	X(libc, "C library")

struct lf_host {
#define X(name, text) char name[128];
	LF_FACT_MAP(X)
#undef X
	unsigned cpus_allowed;
	/* Of the first processor; "" and 0 where the system does not tell. Its frequency
	 * of this moment, and the kernel's tick. */
	char type[96];
	double mhz;
	unsigned hz;
	char affinity[128];   /* the CPUs that this process may use: "0-3,6" */
	char fingerprint[17]; /* of all facts: another one, another series */
};

void lf_host_read(struct lf_host *host);

/* What an ordinary process can find out here, and do. */
struct lf_host_means {
	bool schedstat;    /* how long a thread waited for a CPU */
	bool pressure;     /* whether anybody did */
	bool steal;        /* whether the host took time; a kernel may say 0 always */
	bool futex;        /* on which futex another thread sleeps */
	bool realtime;     /* SCHED_FIFO may be asked for */
	bool counter;      /* a cycle counter with one rate */
};

void lf_host_probe(struct lf_host_means *means);

/* How the machine is right now; takes about 300 ms. */
struct lf_host_noise {
	uint64_t clock_step_ns;    /* smallest step of the clock */
	uint64_t gap_p50_ns, gap_max_ns; /* interruptions of a spinning thread > 1 us … */
	double gaps_per_s, lost;   /* … how many, and which part of the time they took */
	uint64_t overshoot_p50_ns, overshoot_max_ns; /* of sleeps of 100 us */
	double delay;              /* part of the time without a CPU though ready; < 0: ? */
	double load;               /* average of a minute */
};

void lf_host_listen(struct lf_host_noise *noise);

#endif
