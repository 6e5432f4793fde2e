/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Built for another ABI: nothing else in it may be believed. */
#include "flag.h"

LF_BACKEND(flag) = {
	.abi = LF_ABI + 6, .name = (const char *)8, .kind = LF_MUTEX, .mutex = &flag_ops,
};
LF_PLUGIN(flag);
