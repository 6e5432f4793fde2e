/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plays of up to three threads, a, b and c, that show in which order the C library's
 * objects serve who waits for them. orders_roles.h is compiled twice, as it is and
 * with rename.h in front, so that the real objects and the simulator's models of them
 * are asked the same.
 */
#ifndef LF_UNIT_ORDERS_H
#define LF_UNIT_ORDERS_H

#include <lockfair/scenario.h>

struct lf_order_play {
	const char *name;
	void (*init)(void);
	void (*role[3])(struct lf_thread *t);
	const char *order;
	/* No race decides: the real one gives this order each time. */
	bool always;
};

/* Both end with a NULL name. */
extern const struct lf_order_play lf_orders_real[], lf_orders_sim[];

/* For the roles. First of all a thread says that it is there. note: one letter of the
 * order. settle: waits until thread `who` sleeps or is gone. */
void lf_order_here(struct lf_thread *t);
void lf_order_note(char c);
void lf_order_settle(struct lf_thread *t, unsigned who);

#endif
