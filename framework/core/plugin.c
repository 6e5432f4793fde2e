/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loading backends from shared objects. A shared object is foreign code: its
 * constructors run in dlopen(), its descriptors may be rubbish. Both are tried
 * first in a process that may die of it; only what came through alive there is
 * loaded here.
 */
#include "core/plugin.h"

#include "core/registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* More backends than this in one object are taken for a list without its NULL. */
#define PLUGIN_BACKENDS_MAX 256

/* Seconds that loading may take. */
#define PROBE_LIMIT_S 10

const struct lf_backend *lf_plugin_find(const struct lf_backend *const *list,
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

static int check_twins(const char *path, const struct lf_plugin *o, struct lf_error *error)
{
	size_t n;
	int r = o->twin ? check_list(path, o->twin, &n, error) : 0;

	for (size_t i = 0; r == 0 && o->twin && i < n; i++)
		if (!lf_plugin_find(o->backend, o->twin[i]->name))
			r = lf_error_set(error, -EINVAL,
					 "%s: \"%s\" is in lf_sim_backends only; name it "
					 "in lf_backends too", path, o->twin[i]->name);
	return r;
}

/*
 * A name that the program exports as well would be bound to the program's: the
 * object would offer a built-in lock in the place of its own.
 */
static int check_own(const char *path, const struct lf_plugin *o, struct lf_error *error)
{
	Dl_info list, entry;

	for (size_t i = 0; i < o->n; i++)
		if (dladdr(o->backend, &list) && dladdr(o->backend[i], &entry) &&
		    list.dli_fbase != entry.dli_fbase)
			return lf_error_set(error, -EINVAL,
					    "%s: the backend \"%s\" that it names is that "
					    "of %s; give LF_BACKEND() another name, or "
					    "link with -Wl,-Bsymbolic", path,
					    o->backend[i]->name, entry.dli_fname);
	return 0;
}

static int check_object(const char *path, struct lf_plugin *o, struct lf_error *error)
{
	int r = check_list(path, o->backend, &o->n, error);

	if (r == 0 && o->n == 0)
		r = lf_error_set(error, -EINVAL,
				 "%s: its list of backends is empty; name one with "
				 "LF_PLUGIN", path);
	if (r == 0)
		r = check_own(path, o, error);
	return r == 0 ? check_twins(path, o, error) : r;
}

/* A copy in memory, as a file that dlopen() has not seen before. The descriptor
 * stays open: its number is the name by which dlopen() knows the object. */
static int copy_in_memory(const char *path, char *name, size_t size,
			  struct lf_error *error)
{
	struct stat status;
	int from = open(path, O_RDONLY | O_CLOEXEC), to, r = 0;
	const char *slash = strrchr(path, '/');

	if (from < 0)
		return lf_error_set(error, -ENOENT, "%s: cannot be read: %s", path,
				    strerror(errno));
	to = memfd_create(slash ? slash + 1 : path, MFD_CLOEXEC);
	if (to < 0 || fstat(from, &status) != 0)
		r = -errno;
	for (off_t left = r == 0 ? status.st_size : 0; left > 0 && r == 0;) {
		ssize_t n = sendfile(to, from, NULL, (size_t)left);
		r = n > 0 ? 0 : n == 0 ? -EIO : -errno;
		left -= n;
	}
	close(from);
	snprintf(name, size, "/proc/self/fd/%d", to);
	return r < 0 ? lf_error_set(error, r, "%s: cannot be copied into memory: %s",
				    path, strerror(-r)) : 0;
}

/* What dlopen() calls "too short" is as a rule a text, or an object of its own kind. */
static bool is_elf(const char *path)
{
	char magic[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, magic, sizeof magic);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0;
}

static int explain_refusal(const char *path, const char *why, struct lf_error *error)
{
	if (access(path, R_OK) == 0 && !is_elf(path))
		return lf_error_set(error, -ENOEXEC,
				    "cannot load the plug-in: %s: it is no shared object; "
				    "\"lockfair cc -o PLUGIN.so SOURCE.c\" makes one", path);
	return lf_error_set(error, -ENOENT, "cannot load the plug-in: %.360s%s", why,
			    strstr(why, "undefined symbol") ?
			    "; link it with what has that symbol (-Wl,-z,defs tells what is "
			    "missing)" : "");
}

int lf_plugin_open(const char *path, bool own_copy, struct lf_plugin *ret_plugin,
		   struct lf_error *error)
{
	struct lf_plugin o = { 0 };
	char name[64];
	int r = own_copy ? copy_in_memory(path, name, sizeof name, error) : 0;

	if (r < 0)
		return r;
	o.handle = dlopen(own_copy ? name : path, RTLD_NOW | RTLD_LOCAL);
	if (!o.handle)
		return explain_refusal(path, dlerror(), error);
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
	*ret_plugin = o;
	return r;
}

/* The names that a side's backends get; lf_registry_load() gives none. */
static int check_free(const char *path, const char *side, const struct lf_plugin *o,
		      struct lf_error *error)
{
	char name[LF_NAME_MAX];

	for (size_t i = 0; i < o->n; i++)
		if (lf_registry_find(lf_side_name(side, o->backend[i]->name, name)))
			return lf_error_set(error, -EEXIST,
					    "%s: the name \"%s\" is taken by another "
					    "backend; rename it", path, name);
	return 0;
}

struct probe {
	int code;
	struct lf_error error;
};

static _Noreturn void probe_child(const char *path, int fd)
{
	struct probe p = { 0 };
	struct lf_plugin o;

	signal(SIGALRM, SIG_DFL);
	alarm(PROBE_LIMIT_S);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	p.code = lf_plugin_open(path, false, &o, &p.error);
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

int lf_plugin_probe(const char *path, struct lf_error *error)
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

/* A descriptor with another name: "head:ticket". As long as the program. */
static const struct lf_backend *renamed(const char *side, const struct lf_backend *b)
{
	char name[LF_NAME_MAX];
	struct lf_backend *copy;

	if (!side || !b)
		return b;
	copy = malloc(sizeof *copy);
	if (!copy)
		return NULL;
	*copy = *b;
	copy->name = strdup(lf_side_name(side, b->name, name));
	return copy->name ? copy : NULL;
}

static int make_entry(const char *side, const struct lf_backend *b,
		      const struct lf_backend *twin, const char *plugin,
		      struct lf_entry *ret_entry)
{
	*ret_entry = (struct lf_entry){
		.backend = renamed(side, b), .twin = renamed(side, twin),
		.plugin = plugin,
	};
	return ret_entry->backend && (ret_entry->twin || !twin) ? 0 : -ENOMEM;
}

static int add_object(const char *path, const char *side, const struct lf_plugin *o,
		      struct lf_error *error)
{
	/* As long as the program: the entries refer to both. */
	struct lf_entry *entry = calloc(o->n, sizeof *entry);
	char *plugin = strdup(path);
	int r = entry && plugin ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < o->n; i++)
		r = make_entry(side, o->backend[i],
			       lf_plugin_find(o->twin, o->backend[i]->name), plugin,
			       &entry[i]);
	if (r == 0)
		r = lf_registry_add(entry, o->n);
	free(entry);
	if (r < 0) {
		free(plugin);
		lf_error_set(error, r, "%s: out of memory", path);
	}
	return r;
}

int lf_registry_load_as(const char *path, const char *side, struct lf_error *error)
{
	struct lf_plugin o;
	int r = lf_plugin_probe(path, error);

	if (r == 0)
		r = lf_plugin_open(path, false, &o, error);
	if (r < 0)
		return r;
	r = check_free(path, side, &o, error);
	if (r == 0)
		r = add_object(path, side, &o, error);
	if (r < 0)
		dlclose(o.handle);
	return r;
}

int lf_registry_load(const char *path, struct lf_error *error)
{
	return lf_registry_load_as(path, NULL, error);
}

int lf_registry_add_as(const struct lf_entry *entry, const char *side,
		       struct lf_error *error)
{
	struct lf_entry mine;
	int r = make_entry(side, entry->backend, entry->twin, entry->plugin, &mine);

	if (r == 0)
		r = lf_registry_add(&mine, 1);
	return r < 0 ? lf_error_set(error, r, "out of memory") : 0;
}
