/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/point.h"

#include "core/buffer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static unsigned axes_of(const struct lf_scenario *s)
{
	unsigned n = 0;

	while (s->axes && n < LF_MAX_AXES && s->axes[n].name)
		n++;
	return n;
}

struct lf_point lf_point_default(const struct lf_scenario *s)
{
	return (struct lf_point){
		.sweep = s->sweep.n ? s->sweep.value[s->sweep.n - 1] : 0,
	};
}

struct lf_point lf_point_first(const struct lf_scenario *s)
{
	return (struct lf_point){ .sweep = s->sweep.n ? s->sweep.value[0] : 0 };
}

/* Turns the sweep by one. False: it is at its beginning again. */
static bool turn_sweep(const struct lf_sweep *sweep, unsigned *value)
{
	for (unsigned i = 0; i + 1 < sweep->n; i++) {
		if (sweep->value[i] == *value) {
			*value = sweep->value[i + 1];
			return true;
		}
	}
	*value = sweep->n ? sweep->value[0] : 0;
	return false;
}

bool lf_point_next(const struct lf_scenario *s, struct lf_point *point)
{
	if (turn_sweep(&s->sweep, &point->sweep))
		return true;
	for (unsigned i = axes_of(s); i-- > 0;) {
		if (s->axes[i].values[++point->axis[i]])
			return true;
		point->axis[i] = 0;
	}
	return false;
}

static bool take_value(const struct lf_axis *axis, const char **text, unsigned *ret_index)
{
	size_t length = **text == '/' ? strcspn(*text + 1, "/") : 0;

	for (unsigned i = 0; length && axis->values[i]; i++) {
		if (strlen(axis->values[i]) == length &&
		    strncmp(axis->values[i], *text + 1, length) == 0) {
			*ret_index = i;
			*text += 1 + length;
			return true;
		}
	}
	return false;
}

static bool take_sweep(const char **text, unsigned *ret_value)
{
	char *end;
	unsigned long n;

	if (**text != '/' || !isdigit((unsigned char)(*text)[1]))
		return false;
	n = strtoul(*text + 1, &end, 10);
	*ret_value = (unsigned)n;
	*text = end;
	return n <= LF_MAX_THREADS;
}

bool lf_point_parse(const struct lf_scenario *s, const char *text,
		    struct lf_point *ret_point)
{
	*ret_point = lf_point_first(s);
	for (unsigned i = 0; i < axes_of(s); i++)
		if (!take_value(&s->axes[i], &text, &ret_point->axis[i]))
			return false;
	if (s->sweep.n && !take_sweep(&text, &ret_point->sweep))
		return false;
	return *text == '\0';
}

const char *lf_point_form(const struct lf_scenario *s, char *buffer, size_t size)
{
	struct lf_buffer t = { buffer, size, 0 };

	lf_put(&t, "%s", s->name);
	for (unsigned i = 0; i < axes_of(s); i++) {
		lf_put(&t, "/");
		for (const char *c = s->axes[i].name; *c; c++)
			lf_put(&t, "%c", toupper((unsigned char)*c));
	}
	if (s->sweep.n)
		lf_put(&t, "/N");
	return buffer;
}
