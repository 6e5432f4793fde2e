/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of descriptors, and the calls that work on any of them. */
#include "engine/sim/rename.h"

#include "engine/sim/kernel.h"
#include "engine/sim/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first ones are the standard streams, which nobody has here. */
#define FIRST 3

static struct lf_sim_file *table[LF_SIM_FILES];

void lf_sim_files_reset(void)
{
	memset(table, 0, sizeof table);
}

int lf_sim_file_open(struct lf_sim_file *f, const struct lf_sim_file_type *type, int flags)
{
	int fd = FIRST;
	while (fd < LF_SIM_FILES && table[fd])
		fd++;
	if (fd == LF_SIM_FILES)
		return -EMFILE;
	f->type = type;
	f->flags = flags;
	f->number = fd;
	table[fd] = f;
	return fd;
}

int lf_sim_file_open_two(struct lf_sim_file *f[2], const struct lf_sim_file_type *type,
			 const int flags[2], int ret_fd[2])
{
	int a = lf_sim_file_open(f[0], type, flags[0]);
	int b = lf_sim_file_open(f[1], type, flags[1]);
	if (b < 0) {
		if (a >= 0)
			table[a] = NULL;
		return -EMFILE;
	}
	ret_fd[0] = a;
	ret_fd[1] = b;
	return 0;
}

struct lf_sim_file *lf_sim_file_find(int fd)
{
	return fd >= 0 && fd < LF_SIM_FILES ? table[fd] : NULL;
}

struct lf_sim_file *lf_sim_file_of(int fd, const struct lf_sim_file_type *type)
{
	struct lf_sim_file *f = lf_sim_file_find(fd);
	return f && f->type == type ? f : NULL;
}

void lf_sim_file_changed(struct lf_sim_file *f)
{
	lf_sim_watch_changed(f);
	lf_sim_poll_changed();
}

static bool waits(const struct lf_sim_file *f)
{
	return !(f->flags & O_NONBLOCK);
}

static long get(int fd, void *data, size_t size, int flags)
{
	struct lf_sim_file *f = lf_sim_file_find(fd);
	if (!f || (f->flags & O_ACCMODE) == O_WRONLY) {
		lf_sim_system_call();
		return -EBADF;
	}
	if (!f->type->get)
		return -EINVAL;
	return f->type->get(f, data, size, waits(f) && !(flags & MSG_DONTWAIT));
}

static long put(int fd, const void *data, size_t size, int flags)
{
	struct lf_sim_file *f = lf_sim_file_find(fd);
	if (!f || (f->flags & O_ACCMODE) == O_RDONLY) {
		lf_sim_system_call();
		return -EBADF;
	}
	if (!f->type->put)
		return -EINVAL;
	return f->type->put(f, data, size, waits(f) && !(flags & MSG_DONTWAIT));
}

ssize_t lf_sim_read(int fd, void *data, size_t size)
{
	return lf_sim_result(get(fd, data, size, 0));
}

ssize_t lf_sim_write(int fd, const void *data, size_t size)
{
	return lf_sim_result(put(fd, data, size, 0));
}

ssize_t lf_sim_recv(int fd, void *data, size_t size, int flags)
{
	if (flags & ~MSG_DONTWAIT)
		lf_sim_abort("recv() with flags %#x is not simulated: MSG_DONTWAIT is the "
			     "only one that is", (unsigned)flags);
	return lf_sim_result(get(fd, data, size, flags));
}

ssize_t lf_sim_send(int fd, const void *data, size_t size, int flags)
{
	if (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL))
		lf_sim_abort("send() with flags %#x is not simulated: MSG_DONTWAIT and "
			     "MSG_NOSIGNAL are", (unsigned)flags);
	return lf_sim_result(put(fd, data, size, flags));
}

int lf_sim_close(int fd)
{
	struct lf_sim_file *f = lf_sim_file_find(fd);
	lf_sim_system_call();
	if (!f || lf_sim_file_find(fd) != f)
		return (int)lf_sim_result(-EBADF);
	table[fd] = NULL;
	lf_sim_watch_forget(f);
	if (f->type->closed)
		f->type->closed(f);
	return 0;
}

static int set_flags(struct lf_sim_file *f, int flags)
{
	if (flags & (O_ASYNC | O_DIRECT))
		lf_sim_abort("fcntl(F_SETFL, %#x) is not simulated: O_NONBLOCK is the only "
			     "flag that is", (unsigned)flags);
	f->flags = (f->flags & O_ACCMODE) | (flags & O_NONBLOCK);
	return 0;
}

int lf_sim_fcntl(int fd, int command, ...)
{
	va_list arguments;
	va_start(arguments, command);
	int value = va_arg(arguments, int);
	va_end(arguments);
	struct lf_sim_file *f = lf_sim_file_find(fd);
	lf_sim_system_call();
	if (!f)
		return (int)lf_sim_result(-EBADF);
	switch (command) {
	case F_GETFL:
		return f->flags;
	case F_SETFL:
		return set_flags(f, value);
	case F_GETFD: /* nobody executes another program */
		return FD_CLOEXEC;
	case F_SETFD:
		return 0;
	default:
		lf_sim_abort("fcntl command %d is not simulated; declare the backend for "
			     "engine threads only", command);
		return (int)lf_sim_result(-EINVAL);
	}
}

/* For the world: a pipe's end to read from, with a byte in it or not. */
int lf_sim_descriptor(struct lf_actor *a, bool readable)
{
	int fd[2];
	(void)a;
	if (lf_sim_pipe(fd) != 0)
		return -errno;
	if (readable && lf_sim_write(fd[1], "x", 1) != 1)
		return -errno;
	return fd[0];
}
