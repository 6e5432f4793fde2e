/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pollers watch: pipes that have something to read, or never anything. */
#include "engine/threads/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int open_pipe(int fd[2], bool readable)
{
	if (pipe2(fd, O_CLOEXEC) != 0)
		return -errno;
	if (!readable || write(fd[1], "x", 1) == 1)
		return 0;
	int rc = -errno;
	close(fd[0]);
	close(fd[1]);
	return rc;
}

int lf_descriptor_open(struct lf_actor *a, bool readable)
{
	struct lf_os_run *os = lf_os_run_of(a);
	unsigned n = atomic_fetch_add(&os->descriptors, 1);
	if (n < LF_DESCRIPTORS) {
		int *fd = &os->descriptor[2 * n];
		int rc = open_pipe(fd, readable);
		if (rc == 0)
			return fd[0];
		fd[0] = fd[1] = -1;
		return rc;
	}
	atomic_store(&os->descriptors, LF_DESCRIPTORS);
	return -EMFILE;
}

void lf_descriptors_close(struct lf_os_run *os)
{
	for (unsigned i = 0; i < 2 * os->descriptors; i++)
		if (os->descriptor[i] >= 0)
			close(os->descriptor[i]);
}
