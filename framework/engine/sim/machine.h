/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A machine model: CPUs, what things cost on them, and the scheduler that shares
 * them out. Models are text files (see machines/), one or more to a file:
 *
 *	[machine]
 *	name = 2cpu                 starts a model; its keys follow
 *	summary = two CPUs, …
 *	version = 1                 raised whenever a number below changes
 *	cpus = 2
 *	[scheduler]
 *	quantum_ns = 3000000
 *
 * A key that is left out has its default, which the table below gives.
 */
#ifndef LF_SIM_MACHINE_H
#define LF_SIM_MACHINE_H

#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LF_SIM_CPUS 64

/* section, key, default, least, most, what it is */
#define LF_MACHINE_MAP(X)                                                      \
	X(machine, version, 1, 1, 1000000, "of the model: part of every verdict") \
	X(machine, standard, 0, 0, 1, "yes: judged unless told otherwise")     \
	X(machine, cpus, 1, 1, LF_SIM_CPUS, "number of CPUs")                  \
	X(machine, sockets, 1, 1, 8, "CPUs are dealt out over that many sockets") \
	X(scheduler, virtual_runtime, 1, 0, 1,                                 \
	  "yes: who ran least goes next; no: first in, first out")             \
	X(scheduler, quantum_ns, 3000000, 10000, 1000000000,                   \
	  "how long a thread may run while others are ready")                  \
	X(scheduler, tick_ns, 4000000, 100000, 100000000,                      \
	  "period of the tick, which ends quanta")                             \
	X(scheduler, tick_cost_ns, 3000, 0, 100000, "what a tick takes")       \
	X(scheduler, wakeup_preemption, 1, 0, 1,                               \
	  "a thread that wakes up may take the CPU from one that runs")        \
	X(scheduler, granularity_ns, 1000000, 0, 100000000,                    \
	  "… if that one is ahead by more than this in virtual runtime")       \
	X(scheduler, sleeper_credit_ns, 3000000, 0, 100000000,                 \
	  "how far behind a long sleep puts a thread, at most")                \
	X(scheduler, switch_ns, 1500, 1, 1000000, "change from one thread to another") \
	X(wake, latency_ns, 5000, 1, 10000000,                                 \
	  "median time until a woken thread runs on an idle CPU")              \
	X(wake, tail_percent, 70, 0, 200,                                      \
	  "standard deviation of its logarithm to the base 2, in hundredths")  \
	X(wake, waker_ns, 800, 1, 1000000, "what waking a thread costs the waker") \
	X(timer, slack_ns, 50000, 0, 10000000, "a timer may be late by up to this") \
	X(timer, granularity_ns, 0, 0, 100000000,                              \
	  "timers end at multiples of this; 0: at any time")                   \
	X(cost, hit_ns, 2, 1, 1000, "load of a line that the CPU has")         \
	X(cost, store_ns, 1, 1, 1000, "store to a line that it owns")          \
	X(cost, rmw_ns, 5, 1, 1000, "atomic read-modify-write of a line that it owns") \
	X(cost, transfer_ns, 50, 1, 100000, "fetching a line from another CPU") \
	X(cost, far_transfer_ns, 120, 1, 100000, "… of another socket")        \
	X(cost, fence_ns, 15, 1, 1000, "memory fence")                         \
	X(cost, pause_ns, 10, 1, 1000, "the spin loop hint")                   \
	X(cost, clock_ns, 25, 1, 10000, "reading the clock")                   \
	X(cost, speed_percent, 100, 1, 1000,                                   \
	  "speed at workloads; 100: a multiply and add takes 1 ns")            \
	X(cost, syscall_ns, 200, 1, 100000, "entering and leaving the kernel") \
	X(ipc, pipe_ns, 300, 0, 100000,                                        \
	  "reading or writing a pipe, a socket or an event counter, beside the call") \
	X(ipc, message_ns, 400, 0, 100000, "sending or receiving a message")   \
	X(ipc, datagram_ns, 800, 0, 100000,                                    \
	  "sending or receiving a datagram of UDP, beside the call")           \
	X(ipc, semaphore_ns, 250, 0, 100000, "an operation on a System V semaphore") \
	X(ipc, signal_ns, 500, 0, 100000, "sending or accepting a signal")     \
	X(ipc, copy_ns, 100, 0, 100000, "moving 1024 bytes into or out of the kernel") \
	X(ipc, descriptor_ns, 40, 0, 100000,                                   \
	  "looking whether a descriptor is ready, in select, poll, epoll and kqueue") \
	X(noise, jitter_percent, 10, 1, 90,                                    \
	  "everything but cache hits takes up to that much more or less")

#define LF_MACHINE_NAME 32

struct lf_machine {
	char name[LF_MACHINE_NAME];
	char summary[192];
#define X(section, key, value, least, most, text) uint64_t section##_##key;
	LF_MACHINE_MAP(X)
#undef X
};

/* A growing list of models. */
struct lf_machines {
	size_t n;
	struct lf_machine *machine;
};

/*
 * Appends the models of a text or a file. `name` stands in errors. 0, -EINVAL
 * (what is wrong, and in which line), -ENOENT or -ENOMEM.
 */
int lf_machines_parse(struct lf_machines *machines, const char *name, const char *text,
		      struct lf_error *error);
int lf_machines_read(struct lf_machines *machines, const char *path,
		     struct lf_error *error);
void lf_machines_free(struct lf_machines *machines);

/* The models that ship with lockfair, as text (machines/, built in). */
extern const char lf_machines_shipped[];

/* The shipped models, parsed once; NULL with the reason in *error if there is
 * no memory. Not for two threads at once. */
const struct lf_machines *lf_machines_builtin(struct lf_error *error);
const struct lf_machine *lf_machine_find(const struct lf_machines *machines,
					 const char *name);

#endif
