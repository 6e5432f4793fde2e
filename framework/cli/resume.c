/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/resume.h"

#include "cli/cli.h"
#include "report/json.h"
#include "report/record.h"
#include "run/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Where the last whole line of the file ends; a negative errno. */
static off_t end_of_lines(int fd)
{
	char buffer[4096];
	off_t at = lseek(fd, 0, SEEK_END);

	while (at > 0) {
		off_t from = at > (off_t)sizeof buffer ? at - (off_t)sizeof buffer : 0;
		ssize_t n = pread(fd, buffer, (size_t)(at - from), from);
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		const char *newline = memrchr(buffer, '\n', (size_t)n);
		if (newline)
			return from + (newline - buffer) + 1;
		at = from;
	}
	return at < 0 ? -errno : 0;
}

static int cut_torn_line(const char *path, struct lf_error *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	off_t end = fd < 0 ? -errno : end_of_lines(fd);

	if (end >= 0 && ftruncate(fd, end) < 0)
		end = -errno;
	if (fd >= 0)
		close(fd);
	if (end < 0)
		return lf_error_set(error, (int)end, "%s: cannot cut off its torn last "
				    "line: %s; make it writable", path,
				    strerror((int)-end));
	return 0;
}

int lf_resume_read(const char *path, const char *command, json_t *records,
		   struct lf_error *error)
{
	int r;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	r = lf_records_read(path, records, error);
	if (r != -ENODATA)
		return r;
	lf_cli_error(command, "%s: the last line is torn; it is cut off, and its cell "
		     "runs again", path);
	return cut_torn_line(path, error);
}

bool lf_resume_find(const json_t *records, size_t n, const struct lf_cell *cell,
		    const char *command, struct lf_result *r)
{
	char object[LF_OBJECT_MAX];

	lf_replay_object(cell, object);
	for (size_t i = 0; i < n; i++) {
		const json_t *record = json_array_get(records, i);
		if (strcmp(lf_json_string(record, "rerun"), command) == 0 &&
		    strcmp(lf_json_string(record, "object"), object) == 0) {
			lf_record_recall(record, r);
			return true;
		}
	}
	return false;
}
