/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel of the simulated machine, as far as channels and pollers ask for it:
 * descriptors, message queues, semaphores, signals. Each call first takes its time
 * (entering the kernel, its work on the object, copying) and then happens at once;
 * who must wait does so in the queues of waits.c, as for a futex. What a function
 * returns inside is a result or a negative errno.
 *
 * Objects live to the end of the run, whoever closes them: somebody may still be on
 * the way out of a call on them.
 */
#ifndef LF_SIM_KERNEL_H
#define LF_SIM_KERNEL_H

#include "engine/sim/objects.h"

#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

#define LF_SIM_FILES 128

/* First member of each object. */
struct lf_sim_object {
	struct lf_sim_object *next; /* all of the run's */
	void *line; /* its state, which moves between the caches of CPUs */
};

/* Zeroed; NULL: the run was aborted for lack of memory. */
void *lf_sim_object_new(size_t size);
/* A system call that does so much work on the object and copies so many bytes. The
 * calling thread may be the host, for whom nothing takes time. */
void lf_sim_enter(const struct lf_sim_object *o, uint64_t work_ns, size_t bytes);
/* More bytes, once their number is known. */
void lf_sim_copy(size_t bytes);
/* For a wait of a call that may be called with or without one. 0: go and wait, and
 * look again. -EAGAIN: do not. */
int lf_sim_may_wait(bool wait, const char *what);

/* --- descriptors: files.c ------------------------------------------------------- */

struct lf_sim_file;

struct lf_sim_file_type {
	const char *name;
	/* Which of EPOLLIN, … hold now. */
	unsigned (*events)(const struct lf_sim_file *f);
	long (*get)(struct lf_sim_file *f, void *data, size_t size, bool wait);
	long (*put)(struct lf_sim_file *f, const void *data, size_t size, bool wait);
	void (*closed)(struct lf_sim_file *f);
};

/* An open file; it has one descriptor. */
struct lf_sim_file {
	struct lf_sim_object object;
	const struct lf_sim_file_type *type;
	int flags; /* O_NONBLOCK and the access mode */
	int number;
	struct lf_sim_watch *watches; /* epoll and kqueue, see watch.h */
};

/* The lowest free descriptor; -EMFILE. */
int lf_sim_file_open(struct lf_sim_file *f, const struct lf_sim_file_type *type, int flags);
/* Both or none. */
int lf_sim_file_open_two(struct lf_sim_file *f[2], const struct lf_sim_file_type *type,
			 const int flags[2], int ret_fd[2]);
/* NULL: no such descriptor. */
struct lf_sim_file *lf_sim_file_find(int fd);
/* … or one of another type. */
struct lf_sim_file *lf_sim_file_of(int fd, const struct lf_sim_file_type *type);
/* Its events may be others now: whoever waits for them goes on. */
void lf_sim_file_changed(struct lf_sim_file *f);

/* --- readiness: select.c, watch.c ---------------------------------------------------- */

/* A descriptor's events changed: those in select() and poll() look again. */
void lf_sim_poll_changed(void);
/* A wait for events with a mask of signals ends the run: it is not simulated. */
void lf_sim_refuse_mask(const void *mask);

/* --- what there is for each run ------------------------------------------------------- */

void lf_sim_files_reset(void);
void lf_sim_messages_reset(void);
void lf_sim_semaphores_reset(void);
void lf_sim_signals_reset(void);
/* Sends a thread a signal; a negative errno. */
int lf_sim_signal_thread(pid_t tid, int number, int code);

#pragma GCC visibility pop

#endif
