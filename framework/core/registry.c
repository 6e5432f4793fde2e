/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lf_entry *entries;
static size_t entries_n;

int lf_registry_add(const struct lf_entry *entry, size_t n)
{
	struct lf_entry *grown;

	if (n == 0)
		return 0;
	grown = realloc(entries, (entries_n + n) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + entries_n, entry, n * sizeof *entry);
	entries = grown;
	entries_n += n;
	return 0;
}

const struct lf_entry *lf_registry(size_t *ret_n)
{
	*ret_n = entries_n;
	return entries;
}

const struct lf_entry *lf_registry_find(const char *name)
{
	for (size_t i = 0; i < entries_n; i++)
		if (strcmp(entries[i].backend->name, name) == 0)
			return &entries[i];
	return NULL;
}

const char *lf_plain_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

const char *lf_side_name(const char *side, const char *name,
			 char buffer[static LF_NAME_MAX])
{
	snprintf(buffer, LF_NAME_MAX, "%s%s%s", side ? side : "", side ? ":" : "", name);
	return buffer;
}
