/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The `threads` engine: pthreads on this machine's kernel. Its parts:
 * clock.c (time stamps and calibrated work), phase.c (the phase counter),
 * confirm.c (who is queued), ports.c (datagrams), threads.c (the run itself).
 */
#ifndef LF_ENGINE_THREADS_H
#define LF_ENGINE_THREADS_H

#include "engine/engine.h"

#include <pthread.h>
#include <sys/types.h>

/* Two looks at a waiter must lie that far apart to prove that it is queued. */
#define LF_CONFIRM_NS 200000

/* Pollers watch at most so many. */
#define LF_DESCRIPTORS 64

/* What the last look at a waiter saw; see confirm.c. */
struct lf_look {
	uint64_t at_ns;
	uint64_t grants; /* length of the grant log then; 0 … : nothing seen */
	uint64_t futex;  /* address it slept on; 0: it did not */
	uint64_t cpu_ns;
	uint64_t voluntary;
	bool asleep;
	bool seen;
};

/* One thread (or foreign process) of a run. */
struct lf_os_thread {
	struct lf_actor *actor;
	pthread_t thread;            /* none when an interpreter started it */
	bool spawned;                /* … which it did */
	pid_t tid;                   /* of the process when foreign */
	clockid_t cpu_clock;
	_Atomic bool done;
	struct lf_look look;         /* written by whoever holds the lock */
};

/* The state of one run, in memory shared with foreign processes. */
struct lf_os_run {
	struct lf_run *run;
	_Atomic uint32_t phase;      /* futex word, see phase.c */
	_Atomic uint32_t go;         /* futex word: the start gate */
	_Atomic uint32_t ready;
	int port[LF_PORTS];          /* sockets; -1: closed */
	int sender;
	uint16_t port_number[LF_PORTS];
	int descriptor[2 * LF_DESCRIPTORS]; /* both ends of pipes */
	_Atomic unsigned descriptors;
	struct lf_os_thread thread[LF_MAX_THREADS];
};

struct lf_os_run *lf_os_run_of(const struct lf_actor *a);

/* clock.c. Time stamps from the invariant cycle counter where there is one,
 * from the kernel's clock elsewhere. init calibrates, once per process; start
 * sets run time 0. One run at a time. */
void lf_clock_init(void);
void lf_clock_start(void);
uint64_t lf_clock_ns(void);
uint64_t lf_clock_now(struct lf_actor *a);
void lf_clock_work_ns(uint64_t ns); /* a calibrated amount of computation */
double lf_clock_step_ns(void);      /* of one step of it: see clock.c */

/* phase.c */
void lf_phase_advance(struct lf_actor *a);
bool lf_phase_await(struct lf_actor *a, uint64_t phase);
void lf_phase_wake(struct lf_os_run *os);
void lf_gate_wait(struct lf_os_run *os);
void lf_gate_open(struct lf_os_run *os);

/* confirm.c */
unsigned lf_confirm_look(struct lf_actor *holder);
bool lf_confirm_await(struct lf_actor *holder, unsigned n);

/* place.c. init: which CPUs there are, before threads are placed. */
void lf_place_init(void);
int lf_place_thread(struct lf_actor *a, enum lf_placement placement);
int lf_place_schedule(struct lf_actor *a, enum lf_policy policy);
uint64_t lf_place_slice_ns(struct lf_actor *a);
const char *lf_place_cannot(enum lf_placement placement, enum lf_policy policy);

/* ports.c. open: 0 or a negative errno with the reason. */
int lf_ports_open(struct lf_os_run *os, struct lf_error *error);
void lf_ports_wake(struct lf_os_run *os);
uint64_t lf_ports_close(struct lf_os_run *os); /* returns datagrams dropped */
int lf_ports_send(struct lf_actor *a, unsigned port, const void *data, size_t size);
int lf_ports_receive(struct lf_actor *a, unsigned port, void *data, size_t size,
		     uint64_t timeout_ns);

/* descriptors.c. A pipe's end to read from; close: all of the run's. */
int lf_descriptor_open(struct lf_actor *a, bool readable);
void lf_descriptors_close(struct lf_os_run *os);

#endif
