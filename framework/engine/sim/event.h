/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kqueue(2) of the simulated machine, for sources that are compiled for it where the
 * host has none: what <sys/event.h> declares on BSD and macOS, as far as it is
 * simulated. That is readiness to read and to write, by level, by edge (EV_CLEAR), and
 * once (EV_ONESHOT, EV_DISPATCH). `fflags` and the returned `data` are not filled in.
 * rename.h comes before it.
 */
#ifndef LF_SIM_EVENT_H
#define LF_SIM_EVENT_H

#include <stdint.h>
#include <time.h>

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)

#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_ONESHOT 0x0010
#define EV_CLEAR 0x0020
#define EV_DISPATCH 0x0080
#define EV_EOF 0x8000

struct kevent {
	uintptr_t ident; /* the descriptor */
	int16_t filter;
	uint16_t flags;
	uint32_t fflags;
	intptr_t data;
	void *udata;
};

#define EV_SET(event, ident_, filter_, flags_, fflags_, data_, udata_)         \
	(*(event) = (struct kevent){ .ident = (uintptr_t)(ident_),             \
				     .filter = (filter_), .flags = (flags_),   \
				     .fflags = (fflags_), .data = (data_),     \
				     .udata = (udata_) })

int kqueue(void);
/* First the changes are made, then it waits; how many events there are. */
int kevent(int kq, const struct kevent *change, int changes, struct kevent *ret_event,
	   int most, const struct timespec *timeout);

#endif
