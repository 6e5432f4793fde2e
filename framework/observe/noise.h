/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Noise witnesses: what the machine did while a run was going on. Each is
 * optional; LF_UNKNOWN where the kernel does not tell. Linux-only, and behind
 * this one file. Called by the thread that starts and ends the run.
 */
#ifndef LF_OBSERVE_NOISE_H
#define LF_OBSERVE_NOISE_H

#include <lockfair/observation.h>

#include <sys/types.h>

struct lf_noise_meter {
	uint64_t steal_ticks, pressure_us;
	struct lf_noise *noise;
};

/* Takes the start values, and probes how long this machine interrupts a
 * spinning thread (spin_gap_ns; takes 2 ms). */
void lf_noise_begin(struct lf_noise_meter *m, struct lf_noise *noise);
/* A sleep of asked_ns that took took_ns. */
void lf_noise_slept(struct lf_noise_meter *m, uint64_t asked_ns, uint64_t took_ns);
/* Fills in the rest; sums the threads' own witnesses from the observation. */
void lf_noise_end(struct lf_noise_meter *m, const struct lf_observation *o);

/* How long the calling thread was ready to run and had no CPU, since its start.
 * LF_UNKNOWN where the kernel does not tell. The same for another thread, or a
 * process's first one. */
uint64_t lf_noise_run_delay_ns(void);
uint64_t lf_noise_run_delay_of(pid_t tid);

/* The calling thread's switches, run delay and CPU time, into `mine`. */
void lf_noise_of_thread(struct lf_thread_observation *mine);

#endif
