/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/inputs.h"

#include "report/record.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

error_t lf_inputs_parse(struct lf_inputs *inputs, int key, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_ARGS:
		inputs->path = state->argv + state->next;
		inputs->n = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which files of records?");
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

json_t *lf_inputs_read(const struct lf_inputs *inputs, struct lf_error *error)
{
	json_t *records = json_array();
	int r = records ? 0 : lf_error_set(error, -ENOMEM, "out of memory");

	for (size_t i = 0; r == 0 && i < inputs->n; i++)
		r = lf_records_read(strcmp(inputs->path[i], "-") == 0 ? "/dev/stdin" :
				    inputs->path[i], records, error);
	if (r == 0 && json_array_size(records) == 0)
		r = lf_error_set(error, -ENODATA, "%s holds no record; \"lockfair run "
				 "--record FILE\" writes some", inputs->path[0]);
	if (r == 0)
		return records;
	json_decref(records);
	return NULL;
}

int lf_inputs_spare(const struct lf_inputs *inputs, const char *path,
		    struct lf_error *error)
{
	struct stat out, in;

	if (!path || strcmp(path, "-") == 0 || stat(path, &out) < 0 || !S_ISREG(out.st_mode))
		return 0;
	for (size_t i = 0; i < inputs->n; i++)
		if (stat(inputs->path[i], &in) == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return lf_error_set(error, -EEXIST, "%s: it is read as well, and "
					    "would be lost; write to another file", path);
	return 0;
}
