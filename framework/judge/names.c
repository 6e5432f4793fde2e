/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/judge.h"

#include <string.h>

static const char *const verdict_name[] = {
#define X(id, name) name,
	LF_VERDICT_MAP(X)
#undef X
};

static const char *const origin_name[] = {
#define X(id, name) name,
	LF_ORIGIN_MAP(X)
#undef X
};

static const struct {
	const char *name, *unit, *text;
	enum lf_metric_class class;
} metric[] = {
#define X(id, name, unit, class, text) { name, unit, text, LF_CLASS_##class },
	LF_METRIC_MAP(X)
#undef X
};

const char *lf_verdict_name(enum lf_verdict v)
{
	return verdict_name[v];
}

int lf_verdict_find(const char *name)
{
	for (int v = 0; v < LF_VERDICT_COUNT; v++)
		if (strcmp(verdict_name[v], name) == 0)
			return v;
	return -1;
}

const char *lf_origin_name(enum lf_origin o)
{
	return origin_name[o];
}

const char *lf_metric_name(enum lf_metric m)
{
	return metric[m].name;
}

const char *lf_metric_unit(enum lf_metric m)
{
	return metric[m].unit;
}

const char *lf_metric_text(enum lf_metric m)
{
	return metric[m].text;
}

enum lf_metric_class lf_metric_class(enum lf_metric m)
{
	return metric[m].class;
}

int lf_metric_find(const char *name)
{
	for (int i = 0; i < LF_METRIC_COUNT; i++)
		if (strcmp(metric[i].name, name) == 0)
			return i;
	return -1;
}
