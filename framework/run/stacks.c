/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/stacks.h"

#include "core/buffer.h"
#include "core/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EU_STACK_LIMIT_MS 8000

/* The first line of a file of the thread, or "?". */
static void read_word(pid_t pid, const char *thread, const char *file, char *word,
		      size_t size)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%.20s/%s", (int)pid, thread, file);
	f = fopen(path, "re");
	if (!f || !fgets(word, (int)size, f))
		snprintf(word, size, "?");
	if (f)
		fclose(f);
	word[strcspn(word, "\n")] = '\0';
}

static void append_thread(struct lf_buffer *t, pid_t pid, const char *thread)
{
	char stat[256], where[64], name[32];
	const char *after;

	read_word(pid, thread, "stat", stat, sizeof stat);
	read_word(pid, thread, "wchan", where, sizeof where);
	read_word(pid, thread, "comm", name, sizeof name);
	after = strrchr(stat, ')');
	lf_put(t, "thread %s (%s) state %c in %s\n", thread, name,
	       after && after[1] ? after[2] : '?', strcmp(where, "0") == 0 ? "-" : where);
}

static void append_threads(struct lf_buffer *t, pid_t pid)
{
	char path[48];
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads) {
		lf_put(t, "process %d: its threads cannot be read: %s\n", (int)pid,
		       strerror(errno));
		return;
	}
	while ((entry = readdir(threads)))
		if (isdigit((unsigned char)entry->d_name[0]))
			append_thread(t, pid, entry->d_name);
	closedir(threads);
}

/* Our environment without the servers of debugging symbols, which eu-stack
 * would wait for. To be freed. */
static char **environment_offline(void)
{
	size_t n = 0, kept = 0;
	char **copy;

	while (environ[n])
		n++;
	copy = calloc(n + 1, sizeof *copy);
	for (size_t i = 0; copy && i < n; i++)
		if (strncmp(environ[i], "DEBUGINFOD_URLS=", 16) != 0)
			copy[kept++] = environ[i];
	return copy;
}

static int spawn_eu_stack(pid_t pid, int out, pid_t *ret_child)
{
	char number[16];
	char *argv[] = { (char[]){ "eu-stack" }, (char[]){ "-p" }, number, NULL };
	char **envp = environment_offline();
	posix_spawn_file_actions_t actions;
	int r;

	if (!envp)
		return ENOMEM;
	snprintf(number, sizeof number, "%d", (int)pid);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	r = posix_spawnp(ret_child, argv[0], &actions, NULL, argv, envp);
	posix_spawn_file_actions_destroy(&actions);
	free(envp);
	return r;
}

static long now_ms(void)
{
	return (long)(lf_monotonic_ns() / 1000000);
}

static void append_pipe(struct lf_buffer *t, int fd)
{
	long end = now_ms() + EU_STACK_LIMIT_MS;
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	char block[1024];

	for (;;) {
		long left = end - now_ms();
		ssize_t n;
		int r = poll(&ready, 1, left > 0 ? (int)left : 0);
		if (r < 0 && errno == EINTR)
			continue;
		n = r > 0 ? read(fd, block, sizeof block) : 0;
		if (n <= 0)
			return;
		lf_put(t, "%.*s", (int)n, block);
	}
}

/*
 * The first thread only waits for the others, which are those of interest; a
 * reader, and whoever cuts the text, gets to it last.
 */
static void move_first_to_end(struct lf_buffer *t, size_t from)
{
	char *first = strstr(t->at + from, "TID "), *second, *copy;
	size_t length;

	second = first ? strstr(first + 1, "\nTID ") : NULL;
	if (!second)
		return;
	length = (size_t)(++second - first);
	copy = strndup(first, length);
	if (!copy)
		return;
	memmove(first, second, strlen(second));
	memcpy(t->at + t->length - length, copy, length);
	free(copy);
}

static void append_eu_stack(struct lf_buffer *t, pid_t pid)
{
	size_t before = t->length;
	int fd[2], status = 0, r;
	pid_t child;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return;
	r = spawn_eu_stack(pid, fd[1], &child);
	close(fd[1]);
	if (r == 0) {
		append_pipe(t, fd[0]);
		kill(child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(fd[0]);
	move_first_to_end(t, before);
	if (t->length == before)
		lf_put(t, "no stacks: %s\n", r == 0 || r == ENOENT ?
		       "install eu-stack (package elfutils) and allow ptrace" :
		       strerror(r));
}

void lf_stacks_take(pid_t pid, char *buffer, size_t size)
{
	struct lf_buffer t = { buffer, size, 0 };

	if (size == 0)
		return;
	buffer[0] = '\0';
	append_threads(&t, pid);
	append_eu_stack(&t, pid);
}
