/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records in files, and what a record comes to. */
#include "report/record.h"

#include "report/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *lf_record_text(const json_t *record)
{
	return json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(9));
}

/* --- Writing --- */

static int write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Where a file ends, so that it can end there again; -1 for what is none. */
static off_t end_of_file(int fd)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return -1;
	return status.st_size;
}

/* Pipes and terminals have no disk to wait for. */
static int reach_disk(int fd)
{
	if (fdatasync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
		return 0;
	return -errno;
}

int lf_record_append(int fd, const char *name, const json_t *record,
		     struct lf_error *error)
{
	char *line = lf_record_text(record);
	if (!line)
		return lf_error_set(error, -ENOMEM, "%s: no memory for a record", name);
	size_t length = strlen(line);
	line[length] = '\n'; /* in the place of its end: the length is known */

	off_t before = end_of_file(fd);
	int code = write_all(fd, line, length + 1);
	if (code == 0)
		code = reach_disk(fd);
	free(line);
	if (code == 0)
		return 0;
	if (before >= 0 && ftruncate(fd, before) != 0)
		return lf_error_set(error, code,
				    "%s: cannot write a record: %s; its last "
				    "line is torn, which --resume mends",
				    name, strerror(-code));
	return lf_error_set(error, code,
			    "%s: cannot write a record: %s; make room or "
			    "choose another file",
			    name, strerror(-code));
}

/* --- Reading --- */

/* What every report relies on, and the type it must have. */
static const struct field {
	const char *key;
	json_type type;
} fields[] = {
	{ "scenario", JSON_STRING }, { "backend", JSON_STRING },
	{ "claim", JSON_OBJECT },    { "params", JSON_OBJECT },
	{ "engine", JSON_STRING },   { "machine", JSON_STRING },
	{ "seeds", JSON_ARRAY },     { "verdict", JSON_STRING },
	{ "expected", JSON_OBJECT }, { "reason", JSON_STRING },
	{ "control", JSON_OBJECT },  { "assertions", JSON_ARRAY },
	{ "metrics", JSON_OBJECT },  { "histograms", JSON_OBJECT },
	{ "evidence", JSON_OBJECT }, { "rerun", JSON_STRING },
	{ "volatile", JSON_OBJECT },
};

static int check(const json_t *record, const char *path, size_t number,
		 struct lf_error *error)
{
	const json_t *schema = json_object_get(record, "schema");
	if (!json_is_integer(schema))
		return lf_error_set(error, -EBADMSG,
				    "%s:%zu: not a record: it has no "
				    "schema number",
				    path, number);
	if (json_integer_value(schema) != LF_RECORD_SCHEMA)
		return lf_error_set(error, -EPROTO,
				    "%s:%zu: a record of schema %" PRIdMAX
				    ", and this program reads schema %d; use the version "
				    "that wrote it",
				    path, number, (intmax_t)json_integer_value(schema),
				    LF_RECORD_SCHEMA);
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		const json_t *value = json_object_get(record, fields[i].key);
		if (!value || json_typeof(value) != fields[i].type)
			return lf_error_set(error, -EBADMSG,
					    "%s:%zu: not a record: \"%s\" "
					    "is missing or of the wrong type",
					    path, number, fields[i].key);
	}
	return 0;
}

static int read_line(const char *line, size_t length, const char *path, size_t number,
		     json_t *records, struct lf_error *error)
{
	json_error_t why;
	if (line[length - 1] != '\n')
		return lf_error_set(
			error, -ENODATA,
			"%s:%zu: the line is torn: its writer "
			"was stopped in the middle of it; \"lockfair run --resume=%s\" cuts "
			"it off and runs what is missing, a gate is run again",
			path, number, path);
	json_t *record = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
	if (!record)
		return lf_error_set(error, -EBADMSG, "%s:%zu: not JSON: %s at byte %d",
				    path, number, why.text, why.position);
	int code = check(record, path, number, error);
	if (code == 0 && json_array_append(records, record) != 0)
		code = lf_error_set(error, -ENOMEM, "%s:%zu: no memory for the record",
				    path, number);
	json_decref(record);
	return code;
}

int lf_records_read(const char *path, json_t *records, struct lf_error *error)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return lf_error_set(error, -errno, "%s: cannot read records: %s", path,
				    strerror(errno));
	char *line = NULL;
	size_t size = 0, number = 0;
	ssize_t length;
	int code = 0;
	while (code == 0 && (length = getline(&line, &size, file)) > 0)
		code = read_line(line, (size_t)length, path, ++number, records, error);
	if (code == 0 && ferror(file))
		code = lf_error_set(error, -EIO, "%s:%zu: cannot read on: %s", path,
				    number + 1, strerror(errno));
	free(line);
	fclose(file);
	return code;
}

/* --- What a record comes to --- */

/* Is an assertion violated whose `key` is `value`? */
static bool violates(const json_t *record, const char *key, const char *value)
{
	size_t i;
	json_t *a;
	json_array_foreach(lf_json_get(record, "assertions"), i, a)
		if (!lf_json_true(a, "holds") &&
		    strcmp(lf_json_string(a, key), value) == 0)
			return true;
	return false;
}

void lf_record_recall(const json_t *record, struct lf_result *result)
{
	struct lf_judgement *j = &result->judgement;
	const char *reason = lf_json_string(record, "reason");
	int verdict = lf_verdict_find(lf_json_string(record, "verdict"));

	j->verdict = verdict < 0 ? LF_VERDICT_ERROR : (enum lf_verdict)verdict;
	snprintf(j->reason, sizeof j->reason, "%s", reason);
	if (j->verdict == LF_VERDICT_ERROR)
		snprintf(result->error, sizeof result->error, "%s", reason);
	if (violates(record, "metric", lf_metric_name(LF_METRIC_SURVIVES)))
		lf_judge_at_most(j, LF_METRIC_SURVIVES, LF_ORIGIN_SAFETY, 1, 0, 1, NULL);
	atomic_store(&result->state, LF_RESULT_JUDGED);
}

const struct lf_shown *lf_record_shown(const json_t *record)
{
	int verdict = lf_verdict_find(lf_json_string(record, "verdict"));
	int expected = lf_expect_find(
		lf_json_string(lf_json_get(record, "expected"), "verdict"));
	int as = lf_control_find(lf_json_string(lf_json_get(record, "control"), "as"));
	bool safety = violates(record, "origin", lf_origin_name(LF_ORIGIN_SAFETY));
	bool died = violates(record, "metric", lf_metric_name(LF_METRIC_SURVIVES));

	/* A word of a later version is none that this table could pass. */
	if (verdict < 0 || expected < 0 || as < 0)
		return lf_shown(LF_VERDICT_ERROR, LF_EXPECT_NOTHING, false);
	if (as != LF_CONTROL_NONE)
		return lf_shown_control((enum lf_verdict)verdict, (enum lf_control)as,
					died);
	return lf_shown((enum lf_verdict)verdict, (enum lf_expect)expected, safety);
}

enum lf_exit lf_records_exit(const json_t *records)
{
	enum lf_exit code = LF_EXIT_OK;
	size_t i;
	json_t *record;
	if (json_array_size(records) == 0)
		return LF_EXIT_USAGE;
	json_array_foreach(records, i, record)
		code = lf_exit_worse(code, lf_record_shown(record)->exit);
	return code;
}
