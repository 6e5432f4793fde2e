/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loading backends from shared objects. A shared object is foreign code: its
 * constructors run in dlopen(), its descriptors may be rubbish. Both are tried
 * first in a process that may die of it; only what came through alive there is
 * loaded here.
 */
#include "core/registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* More backends than this in one object are taken for a list without its NULL. */
#define PLUGIN_BACKENDS_MAX 256

/* Seconds that loading may take. */
#define PROBE_LIMIT_S 10

struct object {
	void *handle;
	const struct lf_backend *const *backend;
	const struct lf_backend *const *twin; /* may be NULL */
	size_t n;
};

static const struct lf_backend *find_in(const struct lf_backend *const *list,
					const char *name)
{
	for (; list && *list; list++)
		if (strcmp((*list)->name, name) == 0)
			return *list;
	return NULL;
}

/* Puts the path in front of what is said about a backend. */
static int say_where(const char *path, const struct lf_error *inner, int code,
		     struct lf_error *error)
{
	return lf_error_set(error, code, "%s: %.380s", path, inner->text);
}

static int check_list(const char *path, const struct lf_backend *const *list,
		      size_t *ret_n, struct lf_error *error)
{
	struct lf_error inner;
	size_t n = 0;

	for (; list[n]; n++) {
		int r = n < PLUGIN_BACKENDS_MAX ? lf_backend_check(list[n], &inner) :
			lf_error_set(&inner, -EINVAL, "its list of backends has no NULL "
				     "at its end; use LF_PLUGIN or LF_PLUGINS");
		if (r < 0)
			return say_where(path, &inner, r, error);
		for (size_t i = 0; i < n; i++)
			if (strcmp(list[i]->name, list[n]->name) == 0)
				return lf_error_set(error, -EEXIST,
						    "%s: two of its backends are named "
						    "\"%s\"; rename one", path,
						    list[n]->name);
	}
	*ret_n = n;
	return 0;
}

static int check_twins(const char *path, const struct object *o, struct lf_error *error)
{
	size_t n;
	int r = o->twin ? check_list(path, o->twin, &n, error) : 0;

	for (size_t i = 0; r == 0 && o->twin && i < n; i++)
		if (!find_in(o->backend, o->twin[i]->name))
			r = lf_error_set(error, -EINVAL,
					 "%s: \"%s\" is in lf_sim_backends only; name it "
					 "in lf_backends too", path, o->twin[i]->name);
	return r;
}

static int check_object(const char *path, struct object *o, struct lf_error *error)
{
	int r = check_list(path, o->backend, &o->n, error);

	if (r == 0 && o->n == 0)
		r = lf_error_set(error, -EINVAL,
				 "%s: its list of backends is empty; name one with "
				 "LF_PLUGIN", path);
	for (size_t i = 0; r == 0 && i < o->n; i++)
		if (lf_registry_find(o->backend[i]->name))
			r = lf_error_set(error, -EEXIST,
					 "%s: the name \"%s\" is taken by another "
					 "backend; rename it", path, o->backend[i]->name);
	return r == 0 ? check_twins(path, o, error) : r;
}

static int open_object(const char *path, struct object *ret_object,
		       struct lf_error *error)
{
	struct object o = { .handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) };
	int r;

	if (!o.handle)
		return lf_error_set(error, -ENOENT, "cannot load the plug-in: %.400s",
				    dlerror());
	o.backend = dlsym(o.handle, "lf_backends");
	o.twin = dlsym(o.handle, "lf_sim_backends");
	if (!o.backend)
		r = lf_error_set(error, -ENOEXEC,
				 "%s: has no symbol lf_backends; end its source with "
				 "LF_PLUGIN(your_lock);", path);
	else
		r = check_object(path, &o, error);
	if (r < 0)
		dlclose(o.handle);
	*ret_object = o;
	return r;
}

struct probe {
	int code;
	struct lf_error error;
};

static _Noreturn void probe_child(const char *path, int fd)
{
	struct probe p = { 0 };
	struct object o;

	signal(SIGALRM, SIG_DFL);
	alarm(PROBE_LIMIT_S);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	p.code = open_object(path, &o, &p.error);
	_exit(write(fd, &p, sizeof p) == (ssize_t)sizeof p ? 0 : 1);
}

static int explain_death(const char *path, int status, struct lf_error *error)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return lf_error_set(error, -ETIMEDOUT,
				    "%s: loading it did not end within %d s; look at its "
				    "constructors", path, PROBE_LIMIT_S);
	if (WIFSIGNALED(status))
		return lf_error_set(error, -EFAULT,
				    "%s: loading it crashed with signal %d (%s); look at "
				    "its constructors and at the pointers in its backend",
				    path, WTERMSIG(status), strsignal(WTERMSIG(status)));
	return lf_error_set(error, -EFAULT,
			    "%s: loading it ended the process with status %d; look at "
			    "its constructors", path, WEXITSTATUS(status));
}

/* What open_object() will say, found out at no risk. */
static int probe(const char *path, struct lf_error *error)
{
	struct probe p;
	int fd[2], status;
	ssize_t n;
	pid_t child;

	if (pipe(fd) < 0)
		return lf_error_set(error, -errno, "%s: cannot be tried: pipe: %s", path,
				    strerror(errno));
	fflush(NULL);
	child = fork();
	if (child == 0)
		probe_child(path, fd[1]);
	close(fd[1]);
	do
		n = child < 0 ? -1 : read(fd[0], &p, sizeof p);
	while (n < 0 && child > 0 && errno == EINTR);
	close(fd[0]);
	if (child < 0)
		return lf_error_set(error, -EAGAIN, "%s: cannot be tried: fork failed",
				    path);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof p)
		return explain_death(path, status, error);
	return p.code < 0 ? lf_error_set(error, p.code, "%s", p.error.text) : 0;
}

static int add_object(const char *path, const struct object *o, struct lf_error *error)
{
	/* As long as the program: the entries refer to both. */
	struct lf_entry *entry = calloc(o->n, sizeof *entry);
	char *plugin = strdup(path);
	int r = entry && plugin ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < o->n; i++)
		entry[i] = (struct lf_entry){ o->backend[i],
					      find_in(o->twin, o->backend[i]->name),
					      plugin };
	if (r == 0)
		r = lf_registry_add(entry, o->n);
	free(entry);
	if (r < 0) {
		free(plugin);
		lf_error_set(error, r, "%s: out of memory", path);
	}
	return r;
}

int lf_registry_load(const char *path, struct lf_error *error)
{
	struct object o;
	int r = probe(path, error);

	if (r == 0)
		r = open_object(path, &o, error);
	if (r < 0)
		return r;
	r = add_object(path, &o, error);
	if (r < 0)
		dlclose(o.handle);
	return r;
}
