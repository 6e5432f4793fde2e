/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ports: queues of datagrams with limited room. A datagram arrives at once; what
 * a network would add belongs to another machine than this one. */
#include "engine/sim/sim.h"

#include <errno.h>
#include <string.h>

#define ROOM 128 /* datagrams a port */

struct datagram {
	unsigned size;
	char data[LF_PORT_MESSAGE_MAX];
};

static struct port {
	unsigned first, n;
	struct datagram datagram[ROOM];
} ports[LF_PORTS];

void lf_sim_ports_reset(void)
{
	for (unsigned i = 0; i < LF_PORTS; i++)
		ports[i].first = ports[i].n = 0;
}

static void spend(void)
{
	lf_sim_advance(lf_sim_jitter(lf_sim.machine.cost_syscall_ns +
				     lf_sim.machine.ipc_datagram_ns));
}

int lf_sim_port_send(struct lf_actor *a, unsigned port, const void *data, size_t size)
{
	if (port >= LF_PORTS || size > LF_PORT_MESSAGE_MAX)
		return -EINVAL;
	struct port *p = &ports[port];
	spend();
	if (p->n == ROOM) {
		a->rec.o->lost_datagrams++;
		return 0;
	}
	struct datagram *d = &p->datagram[(p->first + p->n++) % ROOM];
	d->size = (unsigned)size;
	memcpy(d->data, data, size);
	lf_sim_wake_first(p, 1, UINT32_MAX);
	return (int)size;
}

int lf_sim_port_receive(struct lf_actor *a, unsigned port, void *data, size_t size,
			uint64_t timeout_ns)
{
	if (port >= LF_PORTS)
		return -EINVAL;
	struct port *p = &ports[port];
	uint64_t deadline = lf_sim.now_ns + timeout_ns;
	spend();
	while (p->n == 0) {
		if (lf_stopped(&a->thread) ||
		    lf_sim_wait_in_world(p, "port", deadline) == ETIMEDOUT)
			return -ETIMEDOUT;
	}
	const struct datagram *d = &p->datagram[p->first];
	size_t length = d->size < size ? d->size : size;
	memcpy(data, d->data, length);
	p->first = (p->first + 1) % ROOM;
	p->n--;
	return (int)length;
}
