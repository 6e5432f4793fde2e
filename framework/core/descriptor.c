/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is what a backend says about itself complete and consistent? Everything that
 * the engines and the judge rely on is looked at here, once, so that they need
 * no checks of their own.
 */
#include "core/registry.h"

#include "core/cell.h"

#include <errno.h>
#include <string.h>

#define NAME_MAX_LENGTH 47
#define SIZE_LIMIT ((size_t)1 << 20)

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789._-"

static bool is_name(const char *name, const char *characters)
{
	size_t n = name ? strspn(name, characters) : 0;
	return n > 0 && name[n] == '\0' && n <= NAME_MAX_LENGTH;
}

static int check_identity(const struct lf_backend *b, struct lf_error *error)
{
	if (!b->name)
		return lf_error_set(error, -EINVAL, "a backend's name is missing; set "
				    ".name");
	if (!is_name(b->name, NAME_CHARACTERS "/"))
		return lf_error_set(error, -EINVAL,
				    "a backend's name is empty, too long or has other "
				    "characters; use 1 to %d of a-z 0-9 . / _ -",
				    NAME_MAX_LENGTH);
	if (!b->summary || !b->summary[0] || strpbrk(b->summary, "\n\r"))
		return lf_error_set(error, -EINVAL,
				    "%s: .summary is missing or longer than one line; "
				    "say in one line what the lock is", b->name);
	if ((unsigned)b->kind >= LF_KIND_COUNT)
		return lf_error_set(error, -EINVAL,
				    "%s: .kind is %u, which is no kind; use LF_MUTEX, "
				    "LF_GIL, LF_CHANNEL or LF_POLLER", b->name,
				    (unsigned)b->kind);
	if (b->engines == 0 || b->engines & ~(unsigned)LF_ON_ALL)
		return lf_error_set(error, -EINVAL,
				    "%s: .engines is %u; use LF_ON_THREADS, LF_ON_SIM or "
				    "LF_ON_ALL", b->name, b->engines);
	if (b->lock_size == 0 || b->lock_size > SIZE_LIMIT)
		return lf_error_set(error, -EINVAL,
				    "%s: .lock_size is %zu; give the size of the lock, "
				    "1 to %zu bytes", b->name, b->lock_size, SIZE_LIMIT);
	if (b->thread_size > SIZE_LIMIT)
		return lf_error_set(error, -EINVAL,
				    "%s: .thread_size is %zu; at most %zu bytes",
				    b->name, b->thread_size, SIZE_LIMIT);
	return 0;
}

/* The first op that is missing, or NULL. */
static const char *mutex_lacks(const struct lf_mutex_ops *m)
{
	return !m ? "table (.mutex)" : !m->init ? "init" : !m->acquire ? "acquire" :
	       !m->release ? "release" : NULL;
}

static const char *gil_lacks(const struct lf_gil_ops *g)
{
	return !g ? "table (.gil)" : !g->init ? "init" : !g->acquire ? "acquire" :
	       !g->release ? "release" : !g->poll ? "poll" : NULL;
}

static const char *poller_lacks(const struct lf_poller_ops *p)
{
	return !p ? "table (.poller)" : !p->init ? "init" : !p->watch ? "watch" :
	       !p->wait ? "wait" : NULL;
}

static const char *channel_lacks(const struct lf_channel_ops *c)
{
	return !c ? "table (.channel)" : !c->init ? "init" : !c->send ? "send" :
	       !c->wait ? "wait" : NULL;
}

static int check_ops(const struct lf_backend *b, struct lf_error *error)
{
	const char *op = b->kind == LF_GIL ? gil_lacks(b->gil) :
		b->kind == LF_CHANNEL ? channel_lacks(b->channel) :
		b->kind == LF_POLLER ? poller_lacks(b->poller) : mutex_lacks(b->mutex);
	const char *kind = lf_kind_name(b->kind);

	if (op)
		return lf_error_set(error, -EINVAL, "%s: the %s op %s is missing; set it in "
				    "struct lf_%s_ops", b->name, kind, op, kind);
	if (b->kind == LF_GIL && (b->gil->runtime_start || b->gil->spawn) &&
	    b->engines != LF_ON_THREADS)
		return lf_error_set(error, -EINVAL,
				    "%s: an interpreter with runtime_start or "
				    "spawn cannot be simulated; set .engines to "
				    "LF_ON_THREADS", b->name);
	return 0;
}

static int check_param(const struct lf_backend *b, unsigned i, struct lf_error *error)
{
	const struct lf_param *p = &b->params[i];

	if (!is_name(p->name, NAME_CHARACTERS) || strcmp(p->name, LF_PARAM_POLLS) == 0)
		return lf_error_set(error, -EINVAL,
				    "%s: parameter %u has no usable name; use a-z 0-9 . "
				    "_ -, and not \"" LF_PARAM_POLLS "\"",
				    b->name, i + 1);
	for (unsigned k = 0; k < i; k++)
		if (strcmp(b->params[k].name, p->name) == 0)
			return lf_error_set(error, -EINVAL,
					    "%s: parameter \"%s\" is there twice; "
					    "remove one", b->name, p->name);
	if (p->min > p->max || p->value < p->min || p->value > p->max)
		return lf_error_set(error, -EINVAL,
				    "%s: parameter \"%s\" has the default %lld outside "
				    "its range %lld to %lld", b->name, p->name,
				    (long long)p->value, (long long)p->min,
				    (long long)p->max);
	if (!p->unit || !p->help)
		return lf_error_set(error, -EINVAL,
				    "%s: parameter \"%s\" lacks its %s", b->name, p->name,
				    p->unit ? "help" : "unit");
	return 0;
}

static int check_params(const struct lf_backend *b, int64_t ret_default[],
			struct lf_error *error)
{
	for (unsigned i = 0; b->params && b->params[i].name; i++) {
		int r;
		if (i == LF_MAX_PARAMS)
			return lf_error_set(error, -EINVAL,
					    "%s: more than %u parameters, or a table "
					    "that does not end with { NULL }", b->name,
					    LF_MAX_PARAMS);
		r = check_param(b, i, error);
		if (r < 0)
			return r;
		ret_default[i] = b->params[i].value;
	}
	return 0;
}

/* A claim is checked as it is under the default parameters. */
static int check_claim(const struct lf_backend *b, const int64_t param[],
		       struct lf_error *error)
{
	struct lf_claim c = b->claim;

	if (b->refine_claim)
		b->refine_claim(param, &c);
	if (c.set >> LF_CLAIM_COUNT)
		return lf_error_set(error, -EINVAL,
				    "%s: .claim.set is %#x, which has bits that are no "
				    "LF_CLAIM_*", b->name, c.set);
	if (c.set & LF_CLAIM_EVENTUAL && !c.overtakes && !c.handoff_ns)
		return lf_error_set(error, -EINVAL,
				    "%s: LF_CLAIM_EVENTUAL says when the hand-off comes; "
				    "set .claim.overtakes or .claim.handoff_ns", b->name);
	if (c.set & LF_CLAIM_QUANTUM && !c.quantum_ns)
		return lf_error_set(error, -EINVAL,
				    "%s: LF_CLAIM_QUANTUM needs .claim.quantum_ns",
				    b->name);
	return 0;
}

int lf_backend_check(const struct lf_backend *b, struct lf_error *error)
{
	int64_t param[LF_MAX_PARAMS] = { 0 };
	int r;

	/* First, and alone: under another ABI every other field may be elsewhere. */
	if (b->abi != LF_ABI)
		return lf_error_set(error, -EPROTO,
				    "it was built for ABI %u and this lockfair has ABI "
				    "%u; compile it again with this lockfair's headers",
				    b->abi, LF_ABI);
	r = check_identity(b, error);
	if (r == 0)
		r = check_ops(b, error);
	if (r == 0)
		r = check_params(b, param, error);
	if (r == 0)
		r = check_claim(b, param, error);
	return r;
}
