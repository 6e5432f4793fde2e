/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets of watched descriptors: what epoll and kqueue have in common. A watch whose
 * descriptor becomes ready joins the end of its set's list; who waits takes watches
 * from the front, and those that are to be reported again go to the end. So a full
 * list is served in turn. After Linux's fs/eventpoll.c.
 */
#ifndef LF_SIM_WATCH_H
#define LF_SIM_WATCH_H

#include "engine/sim/kernel.h"

#pragma GCC visibility push(hidden)

enum lf_sim_watch_mode {
	LF_SIM_LEVEL,   /* as long as it is ready */
	LF_SIM_EDGE,    /* whenever something happens to it */
	LF_SIM_DISARM,  /* once, until it is armed again */
	LF_SIM_DELETE,  /* once, and it is forgotten */
};

struct lf_sim_watch_set;

struct lf_sim_watch {
	struct lf_sim_object object;
	struct lf_sim_watch_set *set;
	struct lf_sim_file *file;
	unsigned events; /* EPOLLIN, … that are wanted; 0: disarmed */
	enum lf_sim_watch_mode mode;
	int filter;      /* tells watches of one file from each other */
	uint64_t data;   /* of the caller */
	bool queued;
	struct lf_sim_watch *next_of_file, *next_ready;
};

struct lf_sim_watch_set {
	struct lf_sim_file file; /* can be waited for itself */
	const char *name;
	struct lf_sim_watch *first, *last; /* the list of those that may be ready */
	struct lf_sim_watch *unused;
	bool poked;
	char waiters; /* key of the queue */
};

/* `watch` may be another one as soon as time passes. */
struct lf_sim_happening {
	const struct lf_sim_watch *watch;
	unsigned events;
};

/* A new set and its descriptor, or a negative errno. */
int lf_sim_watch_set_new(const struct lf_sim_file_type *type, const char *name);
/* What its type answers: readable when one of its watches is ready. */
unsigned lf_sim_watch_set_events(const struct lf_sim_file *set);
/* That set's watch of that file; NULL: none. */
struct lf_sim_watch *lf_sim_watch_find(const struct lf_sim_watch_set *s,
				       const struct lf_sim_file *f, int filter);
/* A watch that wants nothing yet; NULL: the run was aborted. */
struct lf_sim_watch *lf_sim_watch_new(struct lf_sim_watch_set *s, struct lf_sim_file *f,
				      int filter);
/* Says what it wants; it counts at once if that is so. */
void lf_sim_watch_arm(struct lf_sim_watch *w, unsigned events, enum lf_sim_watch_mode mode,
		      uint64_t data);
void lf_sim_watch_delete(struct lf_sim_watch *w);
/* Waits for up to `most` events; how many there were. */
int lf_sim_watch_wait(struct lf_sim_watch_set *s, struct lf_sim_happening ret[], int most,
		      uint64_t deadline_ns);
/* For files.c. */
void lf_sim_watch_changed(struct lf_sim_file *f);
void lf_sim_watch_forget(struct lf_sim_file *f);

#pragma GCC visibility pop

#endif
