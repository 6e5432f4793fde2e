/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/outputs.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

static int cannot_write(const char *path, int code, struct lf_error *error)
{
	return lf_error_set(error, code, "cannot write %s: %s; make room or give another "
			    "path", path, strerror(-code));
}

int lf_output_write(const char *path, int (*report)(FILE *out, const json_t *records),
		    const json_t *records, struct lf_error *error)
{
	bool to_stdout = strcmp(path, "-") == 0;
	FILE *out = to_stdout ? stdout : fopen(path, "we");
	int r;

	if (!out)
		return cannot_write(path, -errno, error);
	/* A file that may not grow is an error of write(2) like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	errno = 0;
	r = report(out, records);
	if (r == -EIO && errno)
		r = -errno; /* which says more */
	if ((to_stdout ? fflush(out) : fclose(out)) != 0 && r == 0)
		r = -errno;
	return r < 0 ? cannot_write(to_stdout ? "standard output" : path, r, error) : 0;
}
