/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

const volatile sig_atomic_t *lf_catch_interrupts(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	/* Without SA_RESTART: the supervisor's sleep is to end at once. */
	struct sigaction action = { .sa_handler = on_signal }, before;

	for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
		sigaction(ending[i], NULL, &before);
		/* nohup(1), and a shell's background jobs. */
		if (before.sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
	/* A file that may not grow is an error of write(2) like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	return &caught;
}
