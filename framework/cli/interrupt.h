/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LF_CLI_INTERRUPT_H
#define LF_CLI_INTERRUPT_H

#include <signal.h>

/* From now on SIGINT, SIGTERM and SIGHUP end nothing, unless they are ignored: they set
 * what is returned to their number, which is 0 until then, and cut a sleep short. A
 * write beyond a limit becomes an error. */
const volatile sig_atomic_t *lf_catch_interrupts(void);

#endif
