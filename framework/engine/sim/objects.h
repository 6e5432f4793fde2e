/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the models of the C library's objects: mutex.c, cond.c, … */
#ifndef LF_SIM_OBJECTS_H
#define LF_SIM_OBJECTS_H

#include "engine/sim/sim.h"

#include <pthread.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* An atomic exchange by the engine itself: costs what a lock's would. */
int lf_sim_exchange(int *p, int value);
int lf_sim_exchange_if(int *p, int expected, int value);
void lf_sim_system_call(void);
/* What a function of the C library returns for a result of ours: a negative errno
 * becomes -1, and goes to errno. */
long lf_sim_result(long rc);
/* Is there a thread that could wait? Aborts the run where there is none. */
bool lf_sim_can_wait(const char *what);
/* An absolute time of the C library in engine time. */
uint64_t lf_sim_deadline(const struct timespec *t);
/* The end of a time that begins now; NULL: never. */
uint64_t lf_sim_deadline_in(const struct timespec *t);
/* Is it a time that calls take for one? NULL is. */
bool lf_sim_is_span(const struct timespec *t);
/* The call that was given another one: takes its time and fails with EINVAL. */
int lf_sim_refuse_span(void);
/* … in milliseconds; negative: never. */
uint64_t lf_sim_deadline_in_ms(int timeout_ms);
/* The numbers by which the simulated kernel knows the host (NULL) and its threads. */
#define LF_SIM_FIRST_TID 1000

static inline int lf_sim_number(const struct lf_sim_thread *t)
{
	return LF_SIM_FIRST_TID + (t ? (int)t->id + 1 : 0);
}

/* Futexes with priority inheritance, without the system call's own cost. 0; EAGAIN
 * (try: taken), EDEADLK, EPERM (not the owner's), ETIMEDOUT. */
int lf_sim_inherit_lock(int *word, const char *what, uint64_t deadline_ns);
int lf_sim_inherit_try(int *word);
int lf_sim_inherit_unlock(int *word);
/* Ends the run: the lock wants something that is not simulated. Returns what the
 * caller is to return where there is no thread that could stop here. */
int lf_sim_unknown(const char *what, int result);
/* For condition variables: takes the mutex again after the wait. */
int lf_sim_mutex_relock(pthread_mutex_t *m);

#pragma GCC visibility pop

#endif
