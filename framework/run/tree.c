/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROCESSES_MAX 4096
#define DESCENDANTS_MAX 256

/* Looks that killing takes at most: a bomb of forks must not hold us for ever. */
#define KILL_LOOKS 200

struct link {
	pid_t pid, parent;
};

/* The parent of a living process; 0: it is gone, or a zombie. */
static pid_t parent_of(pid_t pid)
{
	char path[48], text[512], state;
	const char *after;
	int parent = 0;
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	/* The name stands in parentheses and may hold any character. */
	after = strrchr(text, ')');
	if (!after || sscanf(after + 1, " %c %d", &state, &parent) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? 0 : (pid_t)parent;
}

static size_t all_processes(struct link link[])
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;

	if (!proc)
		return 0;
	while (n < PROCESSES_MAX && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0])) {
			link[n].pid = (pid_t)atoi(entry->d_name);
			link[n].parent = parent_of(link[n].pid);
			n += link[n].parent > 0;
		}
	closedir(proc);
	return n;
}

static bool has(const pid_t pid[], size_t n, pid_t one)
{
	for (size_t i = 0; i < n; i++)
		if (pid[i] == one)
			return true;
	return false;
}

size_t lf_tree_below(pid_t root, pid_t ret_pid[], size_t max)
{
	struct link *link = malloc(PROCESSES_MAX * sizeof *link);
	size_t all = link ? all_processes(link) : 0, n = 0, before;

	/* One generation each time round. */
	do {
		before = n;
		for (size_t i = 0; i < all && n < max; i++)
			if (!has(ret_pid, n, link[i].pid) &&
			    (link[i].parent == root ||
			     has(ret_pid, before, link[i].parent)))
				ret_pid[n++] = link[i].pid;
	} while (n > before);
	free(link);
	return n;
}

size_t lf_tree_kill_below(pid_t root, pid_t keep)
{
	pid_t pid[DESCENDANTS_MAX];
	size_t killed = 0;

	for (unsigned look = 0; look < KILL_LOOKS; look++) {
		size_t n = lf_tree_below(root, pid, DESCENDANTS_MAX), hit = 0;
		for (size_t i = 0; i < n; i++)
			if (pid[i] != keep)
				hit += kill(pid[i], SIGKILL) == 0;
		if (look == 0)
			killed = hit;
		if (hit == 0)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return killed;
}
