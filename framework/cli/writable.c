/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/writable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lf_cannot_write(const char *option, const char *path, struct lf_error *error)
{
	return lf_error_set(error, -errno, "cannot write --%s=%s: %s; give a path that can "
			    "be written", option, path, strerror(errno));
}

int lf_check_writable(const char *option, const char *path, struct lf_error *error)
{
	struct stat status;
	int fd;

	if (!path || strcmp(path, "-") == 0)
		return 0;
	/* Who reads a pipe would take its closing for the end. */
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return access(path, W_OK) == 0 ? 0 : lf_cannot_write(option, path, error);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return lf_cannot_write(option, path, error);
	close(fd);
	return 0;
}
