/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/expectation.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const expect_names[] = {
#define X(id, name) name,
	LF_EXPECT_MAP(X)
#undef X
};

const char *lf_expect_name(enum lf_expect e)
{
	return (unsigned)e < LF_EXPECT_COUNT ? expect_names[e] : "unknown";
}

int lf_expect_find(const char *name)
{
	for (int i = 0; i < LF_EXPECT_COUNT; i++)
		if (strcmp(expect_names[i], name) == 0)
			return i;
	return -1;
}

/*
 * inih calls back for every "name = value" but neither for a section without
 * any nor with the whole of a long section name, and it splits lines that are
 * longer than its buffer without a word. The reader below is ours, so it is
 * there that lines are counted, headers noted and long lines refused.
 */
struct parser {
	struct lf_expectations *to;
	const char *name;   /* of the file */
	const char *at;     /* text not yet read */
	unsigned line;      /* being read */
	unsigned open;      /* line of the header of the entry being filled; 0: none */
	struct lf_expectation entry;
	struct lf_error *error;
	int failure;
};

__attribute__((format(printf, 3, 4)))
static int fail(struct parser *p, unsigned line, const char *format, ...)
{
	char text[320];
	va_list arguments;

	if (p->failure)
		return 0;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	p->failure = lf_error_set(p->error, -EINVAL, "%s:%u: %s", p->name, line, text);
	return 0;
}

static int append_entry(struct parser *p)
{
	struct lf_expectations *to = p->to;
	struct lf_expectation *grown =
		realloc(to->entry, (to->n + 1) * sizeof *to->entry);

	if (!grown) {
		p->failure = lf_error_set(p->error, -ENOMEM, "%s: out of memory",
					  p->name);
		return 0;
	}
	to->entry = grown;
	to->entry[to->n++] = p->entry;
	return 1;
}

static int close_entry(struct parser *p)
{
	if (p->open == 0)
		return 1;
	if (p->entry.expect == LF_EXPECT_NOTHING)
		return fail(p, p->open, "this section has no \"expect\"; add expect = "
			    "fail, sensitive or varies");
	if (p->entry.reason[0] == '\0')
		return fail(p, p->open, "this section has no \"reason\"; say in a line "
			    "why the cell gives that");
	p->open = 0;
	return append_entry(p);
}

/* A header is three globs between brackets. */
static int open_entry(struct parser *p, const char *line)
{
	struct lf_expectation *e = &p->entry;
	char inside[160], rest[2];
	const char *end = strchr(line, ']');
	int length = end ? (int)(end - line) - 1 : -1;

	if (!close_entry(p))
		return 0;
	*e = (struct lf_expectation){ 0 };
	p->open = p->line;
	snprintf(inside, sizeof inside, "%.*s", length < 0 ? 0 : length, line + 1);
	if (length >= (int)sizeof inside ||
	    sscanf(inside, "%63s %63s %31s %1s", e->scenario, e->backend, e->engine,
		   rest) != 3)
		return fail(p, p->line, "a section is [SCENARIO BACKEND ENGINE], three "
			    "patterns between brackets");
	return 1;
}

/* fgets() for inih. */
static char *read_line(char *to, int size, void *context)
{
	struct parser *p = context;
	size_t n = strcspn(p->at, "\n");

	if (p->failure || p->at[0] == '\0')
		return NULL;
	p->line++;
	if (n + 2 > (size_t)size) {
		fail(p, p->line, "the line is longer than %d bytes; continue it on the "
		     "next one, indented", size - 2);
		return NULL;
	}
	memcpy(to, p->at, n);
	memcpy(to + n, "\n", 2);
	p->at += n + (p->at[n] == '\n');
	if (to[0] == '[' && !open_entry(p, to))
		return NULL;
	return to;
}

static bool is_day(const char *s)
{
	struct tm day = { 0 }, same;
	int n = 0;

	if (strlen(s) != 10 || strspn(s, "0123456789-") != 10 ||
	    sscanf(s, "%4d-%2d-%2d%n",
		   &day.tm_year, &day.tm_mon, &day.tm_mday, &n) != 3 ||
	    n != 10)
		return false;
	day.tm_year -= 1900;
	day.tm_mon--;
	same = day;
	/* timegm() turns 31 June into 1 July. */
	return timegm(&same) != -1 && same.tm_mday == day.tm_mday &&
	       same.tm_mon == day.tm_mon;
}

static int set_expect(struct parser *p, const char *value)
{
	int e = lf_expect_find(value);

	if (e <= LF_EXPECT_NOTHING)
		return fail(p, p->line, "expect = \"%.40s\" is unknown; use fail, "
			    "sensitive or varies", value);
	p->entry.expect = (enum lf_expect)e;
	return 1;
}

/* inih calls once for each line of a value that goes on over several. */
static int add_reason(struct parser *p, const char *value)
{
	char *reason = p->entry.reason;
	size_t n = strlen(reason), size = sizeof p->entry.reason;

	if (n + strlen(value) + 2 > size)
		return fail(p, p->line, "the reason is longer than %zu bytes; shorten it",
			    size - 2);
	snprintf(reason + n, size - n, "%s%s", n ? " " : "", value);
	return 1;
}

static int set_until(struct parser *p, const char *value)
{
	if (!is_day(value))
		return fail(p, p->line, "until = \"%.40s\" is no day; write YYYY-MM-DD",
			    value);
	memcpy(p->entry.until, value, sizeof p->entry.until);
	return 1;
}

static int take_value(void *context, const char *section, const char *name,
		      const char *value)
{
	struct parser *p = context;

	(void)section; /* cut after 49 characters; open_entry() has it whole */
	if (p->open == 0)
		return fail(p, p->line, "\"%.40s\" stands before the first section; "
			    "begin with [SCENARIO BACKEND ENGINE]", name);
	if (strcmp(name, "expect") == 0)
		return set_expect(p, value);
	if (strcmp(name, "reason") == 0)
		return add_reason(p, value);
	if (strcmp(name, "until") == 0)
		return set_until(p, value);
	return fail(p, p->line, "\"%.40s\" is unknown; use expect, reason or until",
		    name);
}

int lf_expectations_parse(struct lf_expectations *expectations, const char *name,
			  const char *text, struct lf_error *error)
{
	struct parser p = {
		.to = expectations, .name = name, .at = text, .error = error,
	};
	size_t before = expectations->n;
	int bad = ini_parse_stream(read_line, &p, take_value, &p);

	if (p.failure == 0 && bad > 0)
		fail(&p, (unsigned)bad,
		     "neither a section, a comment nor \"name = value\"");
	if (p.failure == 0 && bad < 0)
		p.failure = lf_error_set(error, -ENOMEM, "%s: out of memory", name);
	if (p.failure == 0)
		close_entry(&p);
	if (p.failure)
		expectations->n = before;
	return p.failure;
}

/* The whole of a file as a string, to be freed. */
static int read_text(const char *path, char **ret_text)
{
	struct stat st;
	char *text = NULL;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0)
		text = calloc(1, (size_t)st.st_size + 1);
	if (text)
		n = read(fd, text, (size_t)st.st_size);
	if (n < 0) {
		int code = errno ? -errno : -EIO;
		free(text);
		close(fd);
		return code;
	}
	close(fd);
	*ret_text = text;
	return 0;
}

int lf_expectations_read(struct lf_expectations *expectations, const char *path,
			 struct lf_error *error)
{
	char *text = NULL;
	int r = read_text(path, &text);

	if (r < 0)
		return lf_error_set(error, r,
				    "cannot read the expectations %s: %s; give a "
				    "readable file", path, strerror(-r));
	r = lf_expectations_parse(expectations, path, text, error);
	free(text);
	return r;
}

void lf_expectations_free(struct lf_expectations *expectations)
{
	free(expectations->entry);
	*expectations = (struct lf_expectations){ 0 };
}

/* "drain" speaks of drain/1, drain/2, … too. */
static bool matches_scenario(const char *pattern, const char *id)
{
	char name[64];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(id, "/"), id);
	return fnmatch(pattern, id, 0) == 0 || fnmatch(pattern, name, 0) == 0;
}

const struct lf_expectation *
lf_expectations_find(const struct lf_expectations *expectations,
		     const char *scenario, const char *backend, const char *engine,
		     const char *today, const struct lf_expectation **ret_expired)
{
	if (ret_expired)
		*ret_expired = NULL;
	for (size_t i = expectations->n; i-- > 0;) {
		const struct lf_expectation *e = &expectations->entry[i];
		if (!matches_scenario(e->scenario, scenario) ||
		    fnmatch(e->backend, backend, 0) != 0 ||
		    fnmatch(e->engine, engine, 0) != 0)
			continue;
		/* Days in this form compare as text. */
		if (e->until[0] == '\0' || strcmp(today, e->until) <= 0)
			return e;
		if (ret_expired && !*ret_expired)
			*ret_expired = e;
	}
	return NULL;
}
