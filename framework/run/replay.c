/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/replay.h"

#include "core/buffer.h"
#include "core/build.h"
#include "core/point.h"
#include "core/registry.h"
#include "core/select.h"
#include "engine/engine.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const budgets[] = {
#define X(id, name) name,
	LF_BUDGET_MAP(X)
#undef X
};

/* --- The line of a run -------------------------------------------------------- */

static void append_word(struct lf_buffer *t, const char *key, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+./:=,@";

	lf_put(t, "%s%s=", t->length ? " " : "", key);
	for (; *value; value++)
		lf_put(t, strchr(plain, *value) ? "%c" : "%%%02X", (unsigned char)*value);
}

static void append_params(struct lf_buffer *t, const struct lf_cell *cell)
{
	const struct lf_param *p = cell->backend->params;
	const char *before = " params=";

	for (unsigned i = 0; p && p[i].name && i < LF_MAX_PARAMS; i++, before = ",")
		lf_put(t, "%s%s=%" PRId64, before, p[i].name, cell->param[i]);
	if (cell->backend->kind == LF_MUTEX && cell->scenario->polls)
		lf_put(t, "%s" LF_PARAM_POLLS "=%" PRId64, before, cell->polls);
}

/* Another build of a plug-in is another lock: FNV-1a over its file. 0: cannot be
 * read. */
static uint64_t digest_of(const char *path)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	unsigned char block[4096];
	size_t n;
	FILE *f = path ? fopen(path, "rbe") : NULL;

	if (!f)
		return 0;
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		for (size_t i = 0; i < n; i++)
			hash = (hash ^ block[i]) * UINT64_C(1099511628211);
	fclose(f);
	return hash;
}

const char *lf_replay_object(const struct lf_cell *cell, char buffer[static LF_OBJECT_MAX])
{
	buffer[0] = '\0';
	if (cell->plugin)
		snprintf(buffer, LF_OBJECT_MAX, "%016" PRIx64, digest_of(cell->plugin));
	return buffer;
}

/* Models of a file, or NULL for those that ship: their names have no slash. */
static const char *models_of(const struct lf_cell *cell)
{
	return cell->machine && strchr(cell->machine, '/') ? cell->machine : NULL;
}

static bool required_by_default(const struct lf_cell *cell)
{
	return cell->scenario->required_of & 1u << cell->backend->kind;
}

static void append_cell(struct lf_buffer *t, const struct lf_cell *cell,
			const struct lf_variant *v)
{
	char id[96];

	append_word(t, "scenario", lf_cell_scenario_id(cell, id, sizeof id));
	append_word(t, "backend", lf_plain_name(cell->backend->name));
	if (cell->plugin)
		append_word(t, "plugin", cell->plugin);
	if (cell->lock && strcmp(cell->lock->name, LF_POLLER_LOCK) != 0)
		append_word(t, "lock", cell->lock->name);
	append_word(t, "engine", cell->engine->name);
	append_word(t, "machine", v->machine);
	if (models_of(cell))
		append_word(t, "models", models_of(cell));
	lf_put(t, " version=%u seed=%" PRIu64 " budget=%s", v->version, v->seed,
	       budgets[cell->budget]);
	append_params(t, cell);
	if (cell->required != required_by_default(cell))
		lf_put(t, " require=%s", cell->required ? "yes" : "no");
}

const char *lf_replay_line(const struct lf_cell *cell, const struct lf_result *result,
			   char *buffer, size_t size)
{
	unsigned decisive = result->decisive;
	const struct lf_variant *v = &result->variant[decisive].variant;
	struct lf_buffer t = { buffer, size, 0 };
	char object[LF_OBJECT_MAX];

	buffer[0] = '\0';
	if (cell->engine->bit != LF_ON_SIM || decisive >= LF_MAX_VARIANTS ||
	    v->machine[0] == '\0')
		return buffer;
	append_cell(&t, cell, v);
	if (decisive < result->variants)
		lf_put(&t, " trace=%016" PRIx64, v->trace_hash);
	append_word(&t, "build", lf_build_id());
	if (cell->plugin)
		append_word(&t, "object", lf_replay_object(cell, object));
	if (t.length + 1 >= size)
		buffer[0] = '\0';
	return buffer;
}

/* --- Taking a line apart ------------------------------------------------------- */

static const struct key {
	const char *name;
	bool needed;
	size_t offset; /* of the member of struct lf_replay */
} keys[] = {
#define X(key, needed, help) { #key, needed, offsetof(struct lf_replay, key) },
	LF_REPLAY_MAP(X)
#undef X
};

#define KEYS (sizeof keys / sizeof keys[0])

static const char **member(struct lf_replay *r, const struct key *key)
{
	return (const char **)(void *)((char *)r + key->offset);
}

static int unknown_key(const char *name, struct lf_error *error)
{
	const char *known[KEYS];
	char meant[128];

	for (size_t i = 0; i < KEYS; i++)
		known[i] = keys[i].name;
	return lf_error_set(error, -EINVAL, "the line has \"%.60s\", which is no key of "
			    "a replay line%s", name,
			    lf_did_you_mean(name, known, KEYS, meant, sizeof meant));
}

/* %XX becomes its character, in place. False: it is no such thing. */
static bool decode(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		unsigned character = (unsigned char)*from;
		if (*from == '%') {
			if (!isxdigit((unsigned char)from[1]) ||
			    !isxdigit((unsigned char)from[2]) ||
			    sscanf(from + 1, "%2x", &character) != 1 || character == 0)
				return false;
			from += 2;
		}
		*to++ = (char)character;
	}
	*to = '\0';
	return true;
}

static int take_word(struct lf_replay *r, char *word, struct lf_error *error)
{
	char *value = strchr(word, '=');

	if (!value || value == word || value[1] == '\0')
		return lf_error_set(error, -EINVAL, "\"%.80s\" is no KEY=VALUE; give the "
				    "whole replay line, in quotes", word);
	*value++ = '\0';
	if (!decode(value))
		return lf_error_set(error, -EINVAL, "%.40s=%.80s: two hexadecimal digits "
				    "must follow %%", word, value);
	for (size_t i = 0; i < KEYS; i++) {
		if (strcmp(keys[i].name, word) != 0)
			continue;
		if (*member(r, &keys[i]))
			return lf_error_set(error, -EINVAL, "the line has %s twice",
					    word);
		*member(r, &keys[i]) = value;
		return 0;
	}
	return unknown_key(word, error);
}

static int take_number(const char *key, const char *text, int base, uint64_t most,
		       uint64_t *ret_number, struct lf_error *error)
{
	char *end;

	errno = 0;
	*ret_number = strtoull(text, &end, base);
	if (errno || *end != '\0' || text[0] == '-' || text[0] == '+' ||
	    *ret_number > most)
		return lf_error_set(error, -EINVAL, "%s=%.80s is no %snumber of a replay "
				    "line", key, text, base == 16 ? "hexadecimal " : "");
	return 0;
}

static int take_numbers(struct lf_replay *r, struct lf_error *error)
{
	int rc = take_number("version", r->version, 10, UINT32_MAX, &r->version_number,
			     error);
	if (rc == 0)
		rc = take_number("seed", r->seed, 10, UINT64_MAX, &r->seed_number, error);
	if (rc == 0 && r->trace)
		rc = take_number("trace", r->trace, 16, UINT64_MAX, &r->trace_hash,
				 error);
	return rc;
}

int lf_replay_parse(struct lf_replay *replay, const char *line, struct lf_error *error)
{
	char *rest = replay->text, *word;

	memset(replay, 0, sizeof *replay);
	if (strlen(line) >= sizeof replay->text)
		return lf_error_set(error, -EINVAL, "the line is longer than any replay "
				    "line");
	strcpy(replay->text, line);
	while ((word = strsep(&rest, " \t\r\n"))) {
		int rc = word[0] ? take_word(replay, word, error) : 0;
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < KEYS; i++)
		if (keys[i].needed && !*member(replay, &keys[i]))
			return lf_error_set(error, -EINVAL, "the line has no %s=; give "
					    "the whole replay line, in quotes",
					    keys[i].name);
	return take_numbers(replay, error);
}

/* --- The cell of a line ----------------------------------------------------------- */

static int find_backend(const struct lf_replay *r, const struct lf_entry **ret_entry,
			struct lf_error *error)
{
	int rc = r->plugin ? lf_registry_load(r->plugin, error) : 0;

	if (rc < 0)
		return rc;
	*ret_entry = lf_registry_find(r->backend);
	if (!*ret_entry)
		return lf_error_set(error, -ENOENT, "backend=%.80s: there is none of "
				    "that name%s; see \"lockfair list backends\"",
				    r->backend,
				    r->plugin ? "" : " that is built in");
	return 0;
}

/* "drain/3": the scenario and which of its cells. */
static int find_scenario(const struct lf_replay *r,
			 const struct lf_scenario **ret_scenario,
			 struct lf_point *ret_point, struct lf_error *error)
{
	size_t length = strcspn(r->scenario, "/");
	char name[64], form[96];

	snprintf(name, sizeof name, "%.*s", (int)length, r->scenario);
	const struct lf_scenario *s = lf_scenario_find(name);
	if (!s)
		return lf_error_set(error, -ENOENT, "scenario=%.80s: there is none of "
				    "that name; see \"lockfair list scenarios\"",
				    r->scenario);
	if (!lf_point_parse(s, r->scenario + length, ret_point))
		return lf_error_set(error, -EINVAL, "scenario=%.80s: write %s%s",
				    r->scenario, lf_point_form(s, form, sizeof form),
				    s->sweep.n ? ", at most 16 threads" : "");
	*ret_scenario = s;
	return 0;
}

static int set_lock(const struct lf_replay *r, struct lf_cell *cell,
		    struct lf_error *error)
{
	const struct lf_entry *lock = r->lock ? lf_registry_find(r->lock) : NULL;

	if (!r->lock)
		return 0;
	return lock ? lf_cell_set_lock(cell, lock, error) :
		lf_error_set(error, -ENOENT, "lock=%.80s: there is none of that name that is "
			     "built in; see \"lockfair list backends\"", r->lock);
}

static int set_params(const char *params, struct lf_cell *cell, struct lf_error *error)
{
	for (const char *at = params; at && *at;) {
		char name[64];
		int length = (int)strcspn(at, "="), used = 0;
		long long value;

		if (at[length] != '=' || sscanf(at + length + 1, "%lld%n", &value,
						&used) != 1)
			return lf_error_set(error, -EINVAL, "params=%.80s: write "
					    "NAME=NUMBER,NAME=NUMBER", params);
		snprintf(name, sizeof name, "%.*s", length, at);
		int rc = lf_cell_set_param(cell, name, value, error);
		if (rc < 0)
			return rc;
		at += length + 1 + used;
		if (*at && *at++ != ',')
			return lf_error_set(error, -EINVAL, "params=%.80s: a comma must "
					    "separate them", params);
	}
	return 0;
}

static int find_budget(const char *name, enum lf_budget *ret_budget,
		       struct lf_error *error)
{
	for (int i = 0; i < LF_BUDGET_COUNT; i++) {
		if (strcmp(budgets[i], name) != 0)
			continue;
		*ret_budget = (enum lf_budget)i;
		return 0;
	}
	return lf_error_set(error, -EINVAL, "budget=%.80s: it is quick, normal or long",
			    name);
}

static int set_choices(const struct lf_replay *r, struct lf_cell *cell,
		       struct lf_error *error)
{
	if (strcmp(r->engine, lf_engine_sim.name) != 0)
		return lf_error_set(error, -EINVAL, "engine=%.80s: only runs of engine "
				    "sim can be repeated event for event", r->engine);
	if (r->require) {
		cell->required = strcmp(r->require, "yes") == 0;
		if (!cell->required && strcmp(r->require, "no") != 0)
			return lf_error_set(error, -EINVAL, "require=%.80s: it is yes or "
					    "no", r->require);
	}
	return find_budget(r->budget, &cell->budget, error);
}

int lf_replay_cell(const struct lf_replay *replay, struct lf_cell *ret_cell,
		   struct lf_error *error)
{
	const struct lf_scenario *scenario = NULL;
	const struct lf_entry *entry = NULL;
	struct lf_point point;
	int rc = find_scenario(replay, &scenario, &point, error);

	if (rc == 0)
		rc = find_backend(replay, &entry, error);
	if (rc < 0)
		return rc;
	if (!(scenario->kinds & 1u << entry->backend->kind))
		return lf_error_set(error, -EINVAL, "scenario=%s is not for backend=%s",
				    scenario->name, entry->backend->name);
	lf_cell_init(ret_cell, entry, scenario, &lf_engine_sim);
	ret_cell->point = point;
	ret_cell->seed = replay->seed_number;
	ret_cell->seeds = 1;
	ret_cell->machine = replay->models ? replay->models : replay->machine;
	ret_cell->model = replay->models ? replay->machine : NULL;
	rc = set_choices(replay, ret_cell, error);
	if (rc == 0)
		rc = set_lock(replay, ret_cell, error);
	return rc < 0 ? rc : set_params(replay->params, ret_cell, error);
}

/* --- Then and now ------------------------------------------------------------------ */

/* What is not as it was when the line was written. */
static void append_changes(struct lf_buffer *t, const struct lf_replay *r,
			   const struct lf_cell *cell, const struct lf_variant *v)
{
	char object[LF_OBJECT_MAX];
	const char *before = "; ";

	if (v->version != r->version_number) {
		lf_put(t, "%sthe model %s changed: it has version %u, in the line %s",
		       before, v->machine, v->version, r->version);
		before = ", and ";
	}
	if (r->build && strcmp(r->build, lf_build_id()) != 0) {
		lf_put(t, "%sthe build differs: this is %s, the line is of %.80s", before,
		       lf_build_id(), r->build);
		before = ", and ";
	}
	if (r->object && strcmp(r->object, lf_replay_object(cell, object)) != 0)
		lf_put(t, "%sthe plug-in %s was compiled anew", before, cell->plugin);
	else if (before[0] == ';')
		lf_put(t, "; neither model nor compiler and flags changed, so that the "
		       "lock, the scenario, lockfair or the line did");
}

const char *lf_replay_compare(const struct lf_replay *replay, const struct lf_cell *cell,
			      const struct lf_result *result, bool *ret_same,
			      char *buffer, size_t size)
{
	const struct lf_variant *v = &result->variant[0].variant;
	struct lf_buffer t = { buffer, size, 0 };

	*ret_same = true;
	if (result->variants == 0) {
		lf_put(&t, "no trace: the run did not come to its end");
	} else if (!replay->trace) {
		lf_put(&t, "trace %016" PRIx64 "; the line has none to compare it with",
		       v->trace_hash);
	} else if (v->trace_hash == replay->trace_hash) {
		lf_put(&t, "same trace: %016" PRIx64, v->trace_hash);
	} else {
		*ret_same = false;
		lf_put(&t, "another trace: %016" PRIx64 ", in the line %016" PRIx64,
		       v->trace_hash, replay->trace_hash);
		append_changes(&t, replay, cell, v);
	}
	return buffer;
}
