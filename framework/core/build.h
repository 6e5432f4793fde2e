/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which build this is: runs of the simulator repeat to the byte only within one. */
#ifndef LF_CORE_BUILD_H
#define LF_CORE_BUILD_H

/* Version of lockfair, compiler, and a digest of the flags with which the locks
 * were compiled: "0.1.0-gcc-12.2.0-5f3a09c1". One word; for the main thread. */
const char *lf_build_id(void);

#endif
