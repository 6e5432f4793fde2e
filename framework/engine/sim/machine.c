/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/sim/machine.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key {
	const char *section, *name;
	size_t offset;
	uint64_t value, least, most;
};

static const struct key keys[] = {
#define X(section, key, value, least, most, text)                              \
	{ #section, #key, offsetof(struct lf_machine, section##_##key),        \
	  value, least, most },
	LF_MACHINE_MAP(X)
#undef X
};

#define KEYS (sizeof keys / sizeof keys[0])

struct parser {
	struct lf_machines *machines;
	const char *name;
	struct lf_error *error;
	int code;
};

static uint64_t *field(struct lf_machine *m, const struct key *key)
{
	return (uint64_t *)((char *)m + key->offset);
}

static int begin_machine(struct parser *p, const char *name)
{
	struct lf_machines *all = p->machines;
	if (name[0] == '\0' || strlen(name) >= LF_MACHINE_NAME)
		return p->code = lf_error_set(p->error, -EINVAL,
			"%s: a machine's name has 1 to %d characters, \"%s\" has not",
			p->name, LF_MACHINE_NAME - 1, name);
	if (lf_machine_find(all, name))
		return p->code = lf_error_set(p->error, -EINVAL,
			"%s: a second machine of the name %s", p->name, name);
	struct lf_machine *grown = realloc(all->machine, (all->n + 1) * sizeof *grown);
	if (!grown)
		return p->code = lf_error_set(p->error, -ENOMEM,
			"%s: no memory for another machine", p->name);
	all->machine = grown;
	struct lf_machine *m = &grown[all->n++];
	*m = (struct lf_machine){ 0 };
	snprintf(m->name, sizeof m->name, "%s", name);
	for (size_t i = 0; i < KEYS; i++)
		*field(m, &keys[i]) = keys[i].value;
	return 0;
}

/* "yes" and "no" for what has two values, else a number. */
static bool parse_value(const struct key *key, const char *text, uint64_t *ret_value)
{
	char *end;
	if (key->least == 0 && key->most == 1) {
		*ret_value = strcmp(text, "yes") == 0;
		return *ret_value || strcmp(text, "no") == 0;
	}
	errno = 0;
	*ret_value = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
		*ret_value >= key->least && *ret_value <= key->most;
}

static int set_key(struct parser *p, struct lf_machine *m, const struct key *key,
		   const char *text)
{
	if (parse_value(key, text, field(m, key)))
		return 0;
	if (key->most == 1 && key->least == 0)
		return p->code = lf_error_set(p->error, -EINVAL,
			"%s: machine %s: %s is yes or no, not \"%s\"",
			p->name, m->name, key->name, text);
	return p->code = lf_error_set(p->error, -EINVAL,
		"%s: machine %s: %s is a number from %llu to %llu, not \"%s\"",
		p->name, m->name, key->name, (unsigned long long)key->least,
		(unsigned long long)key->most, text);
}

static int set(struct parser *p, const char *section, const char *name, const char *text)
{
	if (strcmp(section, "machine") == 0 && strcmp(name, "name") == 0)
		return begin_machine(p, text);
	if (p->machines->n == 0)
		return p->code = lf_error_set(p->error, -EINVAL,
			"%s: a model begins with `name = …` in section [machine]",
			p->name);
	struct lf_machine *m = &p->machines->machine[p->machines->n - 1];
	if (strcmp(section, "machine") == 0 && strcmp(name, "summary") == 0) {
		snprintf(m->summary, sizeof m->summary, "%s", text);
		return 0;
	}
	for (size_t i = 0; i < KEYS; i++)
		if (strcmp(keys[i].section, section) == 0 &&
		    strcmp(keys[i].name, name) == 0)
			return set_key(p, m, &keys[i], text);
	return p->code = lf_error_set(p->error, -EINVAL,
		"%s: machine %s: no such key: %s in section [%s]; `lockfair machines "
		"--keys` lists them", p->name, m->name, name, section);
}

/* For inih, which wants 0 for an error. */
static int handle(void *user, const char *section, const char *name, const char *text)
{
	struct parser *p = user;
	return p->code || set(p, section, name, text) ? 0 : 1;
}

static int conclude(struct parser *p, int line, size_t before)
{
	if (p->code)
		return p->code;
	if (line > 0)
		return lf_error_set(p->error, -EINVAL, "%s: line %d is neither a "
				    "[section], a `key = value` nor a comment", p->name,
				    line);
	if (p->machines->n == before)
		return lf_error_set(p->error, -EINVAL, "%s: no machine model in it",
				    p->name);
	return 0;
}

int lf_machines_parse(struct lf_machines *machines, const char *name, const char *text,
		      struct lf_error *error)
{
	struct parser p = { machines, name, error, 0 };
	size_t before = machines->n;
	return conclude(&p, ini_parse_string(text, handle, &p), before);
}

int lf_machines_read(struct lf_machines *machines, const char *path,
		     struct lf_error *error)
{
	struct parser p = { machines, path, error, 0 };
	size_t before = machines->n;
	FILE *file = fopen(path, "re");
	if (!file)
		return lf_error_set(error, -errno, "%s: cannot be read as a machine model: "
				    "%s; `lockfair machines` lists the models there are",
				    path, strerror(errno));
	int line = ini_parse_file(file, handle, &p);
	fclose(file);
	return conclude(&p, line, before);
}

void lf_machines_free(struct lf_machines *machines)
{
	free(machines->machine);
	*machines = (struct lf_machines){ 0 };
}

const struct lf_machines *lf_machines_builtin(struct lf_error *error)
{
	static struct lf_machines builtin;
	if (builtin.n == 0 &&
	    lf_machines_parse(&builtin, "machines", lf_machines_shipped, error)) {
		lf_machines_free(&builtin);
		return NULL;
	}
	return &builtin;
}

const struct lf_machine *lf_machine_find(const struct lf_machines *machines,
					 const char *name)
{
	for (size_t i = 0; i < machines->n; i++)
		if (strcmp(machines->machine[i].name, name) == 0)
			return &machines->machine[i];
	return NULL;
}
