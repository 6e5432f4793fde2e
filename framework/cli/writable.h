/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths that a command is to write to, looked at before it does anything: one that
 * cannot be used is wrong use (exit status 2), and what fails later, a disk that fills
 * up, is not (99).
 */
#ifndef LF_CLI_WRITABLE_H
#define LF_CLI_WRITABLE_H

#include "core/error.h"

/* Sets the error to why --`option`=`path` cannot be written, from errno; returns it
 * as a negative number. */
int lf_cannot_write(const char *option, const char *path, struct lf_error *error);

/* 0, or what lf_cannot_write() returns. Makes the file where there is none, and leaves
 * its content alone where there is one. NULL and "-", standard output, can be written. */
int lf_check_writable(const char *option, const char *path, struct lf_error *error);

#endif
