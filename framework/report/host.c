/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a record says of its machine; what the system does not tell is null. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "report/host.h"

#include "observe/host.h"
#include "report/json.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

/* Read once: it costs a few files, and there are many records. */
static const struct lf_host *here(void)
{
	static struct lf_host host;

	if (host.fingerprint[0] == '\0')
		lf_host_read(&host);
	return &host;
}

/* "": the system does not tell; "?" are such facts. */
static json_t *text_or_null(const char *text, size_t size)
{
	return text[0] && strcmp(text, "?") != 0 ? lf_json_text(text, size) : json_null();
}

json_t *lf_record_host(void)
{
	const struct lf_host *h = here();
	struct utsname u;
	json_t *o = json_object();

	if (uname(&u) != 0)
		memset(&u, 0, sizeof u);
	lf_json_put(&o, "name", lf_json_text(u.nodename, sizeof u.nodename));
	lf_json_put(&o, "kernel", json_sprintf("%s %s", u.sysname, u.release));
	lf_json_put(&o, "arch", lf_json_text(u.machine, sizeof u.machine));
	lf_json_put(&o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	lf_json_put(&o, "fingerprint", json_string(h->fingerprint));
	lf_json_put(&o, "cpu_mhz", h->mhz > 0 ? json_real(h->mhz) : json_null());
	lf_json_put(&o, "cpu_type", text_or_null(h->type, sizeof h->type));
	lf_json_put(&o, "affinity", text_or_null(h->affinity, sizeof h->affinity));
	lf_json_put(&o, "hz", h->hz ? json_integer(h->hz) : json_null());
	lf_json_put(&o, "governor", text_or_null(h->governor, sizeof h->governor));
	lf_json_put(&o, "lockfair", json_string(PACKAGE_VERSION));
	return o;
}
