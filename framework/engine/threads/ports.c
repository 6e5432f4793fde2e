/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ports: UDP sockets of the loopback interface, opened before any process or
 * thread of the run starts, so that foreign processes inherit them. */
#include "engine/threads/threads.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

static struct sockaddr_in loopback(uint16_t number)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = number,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

static int open_port(struct lf_os_run *os, unsigned port)
{
	struct sockaddr_in address = loopback(0);
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	os->port[port] = fd;
	if (bind(fd, (struct sockaddr *)&address, sizeof address) ||
	    getsockname(fd, (struct sockaddr *)&address, &length))
		return -errno;
	os->port_number[port] = address.sin_port;
	return 0;
}

int lf_ports_open(struct lf_os_run *os, struct lf_error *error)
{
	int rc = 0;
	for (unsigned i = 0; i < LF_PORTS; i++)
		os->port[i] = -1;
	os->sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (os->sender < 0)
		rc = -errno;
	for (unsigned i = 0; i < LF_PORTS && rc == 0; i++)
		rc = open_port(os, i);
	if (rc == 0)
		return 0;
	lf_ports_close(os);
	return lf_error_set(error, rc, "no UDP socket on 127.0.0.1: %s; the threads "
			    "engine needs the loopback interface", strerror(-rc));
}

static uint64_t dropped_by(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t length = sizeof info;
	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &length))
		return 0;
	return info[SK_MEMINFO_DROPS];
}

uint64_t lf_ports_close(struct lf_os_run *os)
{
	uint64_t dropped = 0;
	for (unsigned i = 0; i < LF_PORTS; i++) {
		if (os->port[i] < 0)
			continue;
		dropped += dropped_by(os->port[i]);
		close(os->port[i]);
		os->port[i] = -1;
	}
	if (os->sender >= 0)
		close(os->sender);
	os->sender = -1;
	return dropped;
}

int lf_ports_send(struct lf_actor *a, unsigned port, const void *data, size_t size)
{
	struct lf_os_run *os = lf_os_run_of(a);
	if (port >= LF_PORTS || size > LF_PORT_MESSAGE_MAX)
		return -EINVAL;
	struct sockaddr_in to = loopback(os->port_number[port]);
	ssize_t sent = sendto(os->sender, data, size, MSG_DONTWAIT,
			      (struct sockaddr *)&to, sizeof to);
	if (sent >= 0)
		return (int)sent;
	/* A full queue is a property of datagrams, not an error. */
	__atomic_fetch_add(&a->rec.o->lost_datagrams, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Datagrams of no length wake the receivers of a stopped run. */
void lf_ports_wake(struct lf_os_run *os)
{
	for (unsigned i = 0; i < LF_PORTS; i++) {
		struct sockaddr_in to = loopback(os->port_number[i]);
		for (unsigned n = 0; n < os->run->observation->threads; n++)
			sendto(os->sender, "", 0, MSG_DONTWAIT,
			       (struct sockaddr *)&to, sizeof to);
	}
}

int lf_ports_receive(struct lf_actor *a, unsigned port, void *data, size_t size,
		     uint64_t timeout_ns)
{
	struct lf_os_run *os = lf_os_run_of(a);
	if (port >= LF_PORTS)
		return -EINVAL;
	struct pollfd ready = { .fd = os->port[port], .events = POLLIN };
	struct timespec timeout = { (time_t)(timeout_ns / 1000000000u),
				    (long)(timeout_ns % 1000000000u) };
	if (lf_stopped(&a->thread) || ppoll(&ready, 1, &timeout, NULL) <= 0)
		return -ETIMEDOUT;
	ssize_t length = recv(os->port[port], data, size, MSG_DONTWAIT);
	return length > 0 ? (int)length : -ETIMEDOUT;
}
