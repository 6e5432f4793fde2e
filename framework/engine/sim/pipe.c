/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pipes and socket pairs, after Linux's fs/pipe.c: who writes into an empty one wakes
 * one reader, who reads from one that had no room wakes one writer, and who leaves
 * something behind wakes the next of its own side. A reader that comes along takes
 * what is there, woken or not. Writes of up to PIPE_BUF bytes are not divided.
 * Nobody gets a SIGPIPE.
 */
#include "engine/sim/rename.h"

#include "engine/sim/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM 65536

/* Bytes on their way from one end to another. */
struct flow {
	struct lf_sim_object object;
	const char *name;
	bool packets;                  /* each behind its length */
	struct end *reader, *writer;   /* NULL: closed */
	char can_read, can_write;      /* keys of queues */
	size_t first, n;
	char data[ROOM];
};

struct end {
	struct lf_sim_file file;
	struct flow *in, *out;
};

static const struct lf_sim_file_type end_type;

static struct end *end_of(const struct lf_sim_file *f)
{
	return (struct end *)(uintptr_t)f; /* its first member */
}

static void append(struct flow *f, const void *data, size_t size)
{
	size_t at = (f->first + f->n) % ROOM, part = ROOM - at;
	if (part > size)
		part = size;
	memcpy(f->data + at, data, part);
	memcpy(f->data, (const char *)data + part, size - part);
	f->n += size;
}

static void remove_first(struct flow *f, void *data, size_t size)
{
	size_t part = ROOM - f->first;
	if (part > size)
		part = size;
	if (data) {
		memcpy(data, f->data + f->first, part);
		memcpy((char *)data + part, f->data, size - part);
	}
	f->first = (f->first + size) % ROOM;
	f->n -= size;
}

static bool has_room(const struct flow *f)
{
	return ROOM - f->n >= PIPE_BUF;
}

static unsigned end_events(const struct lf_sim_file *file)
{
	const struct end *e = end_of(file);
	bool socket = e->in && e->out;
	unsigned events = 0;
	if (e->in && e->in->n > 0)
		events |= EPOLLIN;
	if (e->in && !e->in->writer)
		events |= socket ? EPOLLIN | EPOLLRDHUP | EPOLLHUP : EPOLLHUP;
	if (e->out && has_room(e->out))
		events |= EPOLLOUT;
	if (e->out && !e->out->reader && !socket)
		events |= EPOLLERR;
	return events;
}

/* --- reading ------------------------------------------------------------------------ */

static size_t take(struct flow *f, void *data, size_t size)
{
	size_t length = f->n;
	if (f->packets)
		remove_first(f, &length, sizeof length);
	size_t taken = length < size ? length : size;
	remove_first(f, data, taken);
	if (f->packets) /* what did not fit is lost */
		remove_first(f, NULL, length - taken);
	return taken;
}

static long flow_get(struct flow *f, void *data, size_t size, bool wait)
{
	lf_sim_enter(&f->object, lf_sim.machine.ipc_pipe_ns, 0);
	while (f->n == 0) {
		if (!f->writer)
			return 0;
		int rc = lf_sim_may_wait(wait, "data in a pipe");
		if (rc)
			return rc;
		lf_sim_wait_on(&f->can_read, f->name, UINT32_MAX, LF_SIM_NEVER);
		lf_sim_touch(f->object.line, LF_SIM_RMW);
	}
	bool was_full = !has_room(f);
	size_t taken = take(f, data, size);
	struct end *writer = f->writer;
	lf_sim_copy(taken);
	if (f->n > 0)
		lf_sim_wake_first(&f->can_read, 1, UINT32_MAX);
	if (was_full && has_room(f)) {
		lf_sim_wake_first(&f->can_write, 1, UINT32_MAX);
		if (writer)
			lf_sim_file_changed(&writer->file);
	}
	return (long)taken;
}

/* --- writing ------------------------------------------------------------------------ */

static size_t room_wanted(const struct flow *f, size_t size)
{
	if (f->packets)
		return size + sizeof size;
	return size <= PIPE_BUF ? size : 1;
}

/* Waits for room. 0, or why there is none. */
static int await_room(struct flow *f, size_t wanted, bool wait)
{
	while (f->reader && ROOM - f->n < wanted) {
		int rc = lf_sim_may_wait(wait, "room in a pipe");
		if (rc)
			return rc;
		lf_sim_wait_on(&f->can_write, f->name, UINT32_MAX, LF_SIM_NEVER);
		lf_sim_touch(f->object.line, LF_SIM_RMW);
	}
	return f->reader ? 0 : -EPIPE;
}

static size_t give(struct flow *f, const void *data, size_t size)
{
	size_t room = ROOM - f->n;
	if (f->packets)
		append(f, &size, sizeof size);
	else if (size > room)
		size = room;
	append(f, data, size);
	return size;
}

/* There is something to read: one reader, and those who wait for readiness. */
static void tell_reader(struct flow *f, bool was_empty)
{
	struct end *reader = f->reader;
	if (was_empty)
		lf_sim_wake_first(&f->can_read, 1, UINT32_MAX);
	if (reader)
		lf_sim_file_changed(&reader->file);
	if (has_room(f))
		lf_sim_wake_first(&f->can_write, 1, UINT32_MAX);
}

static long flow_put(struct flow *f, const void *data, size_t size, bool wait)
{
	size_t done = 0;
	if (f->packets && size + sizeof size > ROOM)
		return -EMSGSIZE;
	lf_sim_enter(&f->object, lf_sim.machine.ipc_pipe_ns, size);
	do {
		int rc = await_room(f, room_wanted(f, size - done), wait);
		if (rc)
			return done > 0 ? (long)done : rc;
		bool was_empty = f->n == 0;
		done += give(f, (const char *)data + done, size - done);
		tell_reader(f, was_empty);
	} while (done < size);
	return (long)done;
}

/* --- both ends ------------------------------------------------------------------------ */

static long end_get(struct lf_sim_file *f, void *data, size_t size, bool wait)
{
	return flow_get(end_of(f)->in, data, size, wait);
}

static long end_put(struct lf_sim_file *f, const void *data, size_t size, bool wait)
{
	return flow_put(end_of(f)->out, data, size, wait);
}

/* Everybody at the other end learns of it. */
static void end_closed(struct lf_sim_file *file)
{
	struct end *e = end_of(file);
	struct end *peer[] = { e->in ? e->in->writer : NULL, e->out ? e->out->reader : NULL };
	if (e->in)
		e->in->reader = NULL;
	if (e->out)
		e->out->writer = NULL;
	if (e->in)
		lf_sim_wake_first(&e->in->can_write, LF_SIM_THREADS, UINT32_MAX);
	if (e->out)
		lf_sim_wake_first(&e->out->can_read, LF_SIM_THREADS, UINT32_MAX);
	for (int i = 0; i < 2; i++)
		if (peer[i])
			lf_sim_file_changed(&peer[i]->file);
}

static const struct lf_sim_file_type end_type = {
	.name = "pipe", .events = end_events, .get = end_get, .put = end_put,
	.closed = end_closed,
};

static struct flow *new_flow(const char *name, bool packets)
{
	struct flow *f = lf_sim_object_new(sizeof *f);
	if (f) {
		f->name = name;
		f->packets = packets;
	}
	return f;
}

static void connect_ends(struct flow *f, struct end *writer, struct end *reader)
{
	f->writer = writer;
	f->reader = reader;
	writer->out = f;
	reader->in = f;
}

/* Two ends with one flow between them, or one for each direction. */
static int open_ends(const char *name, bool both_ways, bool packets, int flags, int ret_fd[2])
{
	lf_sim_system_call();
	struct end *a = lf_sim_object_new(sizeof *a), *b = lf_sim_object_new(sizeof *b);
	struct flow *there = new_flow(name, packets), *back = NULL;
	if (both_ways)
		back = new_flow(name, packets);
	if (!a || !b || !there || (both_ways && !back))
		return -ENOMEM;
	connect_ends(there, b, a);
	if (back)
		connect_ends(back, a, b);
	flags &= O_NONBLOCK;
	const int mode[2] = { flags | (both_ways ? O_RDWR : O_RDONLY),
			      flags | (both_ways ? O_RDWR : O_WRONLY) };
	struct lf_sim_file *file[2] = { &a->file, &b->file };
	return lf_sim_file_open_two(file, &end_type, mode, ret_fd);
}

int lf_sim_pipe2(int fd[2], int flags)
{
	if (flags & ~(O_NONBLOCK | O_CLOEXEC))
		lf_sim_abort("pipe2() with flags %#x is not simulated: O_NONBLOCK and "
			     "O_CLOEXEC are", (unsigned)flags);
	return (int)lf_sim_result(open_ends("pipe", false, false, flags, fd));
}

int lf_sim_pipe(int fd[2])
{
	return lf_sim_pipe2(fd, 0);
}

_Static_assert(SOCK_NONBLOCK == O_NONBLOCK, "as on Linux");

int lf_sim_socketpair(int domain, int type, int protocol, int fd[2])
{
	int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (domain != AF_UNIX || protocol != 0 ||
	    (kind != SOCK_STREAM && kind != SOCK_SEQPACKET && kind != SOCK_DGRAM)) {
		lf_sim_abort("socketpair(%d, %#x, %d) is not simulated: AF_UNIX with "
			     "SOCK_STREAM, SOCK_SEQPACKET or SOCK_DGRAM is", domain,
			     (unsigned)type, protocol);
		return (int)lf_sim_result(-EOPNOTSUPP);
	}
	return (int)lf_sim_result(open_ends("socket", true, kind != SOCK_STREAM, type, fd));
}
