/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A box of messages with limited room: what System V's and POSIX's queues have in
 * common. As in Linux (ipc/msg.c, ipc/mqueue.c) a message goes to a receiver that
 * waits for such a one at once, in the order in which they came, and not to whoever
 * looks next; and the message of a waiting sender goes in as soon as there is room.
 */
#ifndef LF_SIM_BOX_H
#define LF_SIM_BOX_H

#include "engine/sim/kernel.h"

#pragma GCC visibility push(hidden)

struct lf_sim_box {
	struct lf_sim_object object;
	void (*changed)(struct lf_sim_box *b); /* may be NULL */
	const char *name;
	size_t room, most;  /* bytes of data and messages that it holds at most */
	size_t used, n;
	bool removed;
	char receivers, senders; /* keys of queues */
	char *record; /* each: a struct header and its data */
	size_t records;
};

/* Which message is wanted. */
enum lf_sim_choice {
	LF_SIM_FIRST,
	LF_SIM_FIRST_OF_TYPE, /* the first whose type is `type` */
	LF_SIM_LEAST_UP_TO,   /* the first of the least type that is not above it */
	LF_SIM_HIGHEST,       /* the first of the highest type */
};

struct lf_sim_receipt {
	enum lf_sim_choice choice;
	long type;      /* in: see above; out: of the message */
	bool cut;       /* a message that is longer than `size` is cut, else stays */
	void *data;
	size_t size;
	long result;    /* its length, or a negative errno */
};

/* Makes an empty box of a zeroed one; 0 or -ENOMEM. */
int lf_sim_box_init(struct lf_sim_box *b, const char *name, size_t room, size_t most);
/* Without a deadline (0) they do not wait: -EAGAIN. Else -ETIMEDOUT at its end. -EIDRM:
 * the box was taken away. */
long lf_sim_box_put(struct lf_sim_box *b, long type, const void *data, size_t size,
		    uint64_t deadline_ns);
long lf_sim_box_get(struct lf_sim_box *b, struct lf_sim_receipt *r, uint64_t deadline_ns);
/* Nobody waits for it any longer. */
void lf_sim_box_remove(struct lf_sim_box *b);

#pragma GCC visibility pop

#endif
