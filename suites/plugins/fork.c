/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forks when it is made: the child leaves the session, forks once more, and ends, so
 * that the grandchild, which stays for ever, is nobody's. It asks for no CPU. */
#include "flag.h"

#include <sys/wait.h>
#include <unistd.h>

static int init(void *lock, const int64_t param[])
{
	pid_t child = fork();

	if (child == 0) {
		setsid();
		if (fork() == 0)
			for (;;)
				pause();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return flag_init(lock, param);
}

static const struct lf_mutex_ops ops = {
	.init = init, .acquire = flag_acquire, .release = flag_release,
};

LF_BACKEND(flag) = { FLAG, .name = "bad/fork", .mutex = &ops };
LF_PLUGIN(flag);
