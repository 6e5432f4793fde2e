/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

int lf_error_set(struct lf_error *error, int code, const char *format, ...)
{
	if (error) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(error->text, sizeof error->text, format, arguments);
		va_end(arguments);
	}
	return code;
}
