/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/inputs.h"

#include "report/record.h"

#include <errno.h>
#include <string.h>

json_t *lf_inputs_read(const char *const path[], size_t n, struct lf_error *error)
{
	json_t *records = json_array();
	int r = records ? 0 : lf_error_set(error, -ENOMEM, "out of memory");

	for (size_t i = 0; r == 0 && i < n; i++)
		r = lf_records_read(strcmp(path[i], "-") == 0 ? "/dev/stdin" : path[i],
				    records, error);
	if (r == 0 && json_array_size(records) == 0)
		r = lf_error_set(error, -ENODATA, "%s holds no record; \"lockfair run "
				 "--record FILE\" writes some", n ? path[0] : "nothing");
	if (r == 0)
		return records;
	json_decref(records);
	return NULL;
}
