/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "core/build.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif
#ifndef LF_BUILD_FLAGS
#define LF_BUILD_FLAGS ""
#endif

#ifdef __clang__
#define COMPILER "clang"
#define MAJOR __clang_major__
#define MINOR __clang_minor__
#define PATCH __clang_patchlevel__
#else
#define COMPILER "gcc"
#define MAJOR __GNUC__
#define MINOR __GNUC_MINOR__
#define PATCH __GNUC_PATCHLEVEL__
#endif

/* FNV-1a */
static uint32_t digest(const char *text)
{
	uint32_t hash = UINT32_C(2166136261);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
	return hash;
}

const char *lf_build_id(void)
{
	static char id[80];

	snprintf(id, sizeof id, PACKAGE_VERSION "-" COMPILER "-%d.%d.%d-%08" PRIx32,
		 MAJOR, MINOR, PATCH, digest(LF_BUILD_FLAGS));
	return id;
}
