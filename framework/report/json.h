/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Building JSON with one check at the end: once a container could not be
 * extended it becomes NULL and stays it, and what is put into it is freed.
 * Reading JSON that somebody else wrote: what is missing or of another type
 * reads as "", 0, false or an empty container, never as a crash.
 */
#ifndef LF_REPORT_JSON_H
#define LF_REPORT_JSON_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* object[key] = value; takes the reference of `value`. */
static inline void lf_json_put(json_t **object, const char *key, json_t *value)
{
	if (*object == NULL) {
		json_decref(value);
	} else if (json_object_set_new(*object, key, value) != 0) {
		json_decref(*object);
		*object = NULL;
	}
}

/* Appends to an array; takes the reference of `value`. */
static inline void lf_json_add(json_t **array, json_t *value)
{
	if (*array == NULL) {
		json_decref(value);
	} else if (json_array_append_new(*array, value) != 0) {
		json_decref(*array);
		*array = NULL;
	}
}

/* JSON integers of ours are signed: what is larger is shown as the largest. */
static inline json_t *lf_json_count(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

/* Whole numbers without a fraction; null for what is not a finite number. */
static inline json_t *lf_json_number(double x)
{
	if (!isfinite(x))
		return json_null();
	if (x == nearbyint(x) && fabs(x) < 9007199254740992.0 /* 2^53 */)
		return json_integer((json_int_t)x);
	return json_real(x);
}

/* Bytes from elsewhere (stacks, error texts): at most `max` of them; control
 * characters, and every byte beyond ASCII in text that is not UTF-8, become
 * '?'. */
json_t *lf_json_text(const char *text, size_t max);

static inline const json_t *lf_json_get(const json_t *object, const char *key)
{
	return json_object_get(object, key); /* NULL for what is no object */
}

static inline const char *lf_json_string(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));
	return s ? s : "";
}

static inline uint64_t lf_json_uint(const json_t *object, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(object, key));
	return n < 0 ? 0 : (uint64_t)n;
}

static inline double lf_json_double(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static inline bool lf_json_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

#endif
