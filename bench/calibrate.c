/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures the workloads and prints fixtures/workloads/calibrated.h, from which
 * the simulator's models take their numbers; `make calibrate` puts it into its
 * place. CPU time of a unit is the least of many, because whatever disturbs makes
 * it longer; it is divided by what a step of dependent arithmetic takes here, so
 * that the numbers do not depend on the clock of the machine that measured them.
 */
#include "engine/threads/threads.h"
#include "fixtures/fixtures.h"

#include <lockfair/workload.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define UNITS 300

struct measured {
	double unit_ns; /* here */
	unsigned polls;
};

static void count(void *polls)
{
	++*(unsigned *)polls;
}

static double cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int measure(const struct lf_workload *w, struct measured *ret_measured)
{
	void *state = w->missing ? NULL : w->create();

	if (!state) {
		fprintf(stderr, "calibrate: %s: %s\n", w->name,
			w->missing ? w->missing : "no memory");
		return 1;
	}
	for (unsigned i = 0; i < UNITS; i++) {
		unsigned polls = 0;
		double begin = cpu_ns();
		w->run(state, count, &polls);
		double took = cpu_ns() - begin;
		if (i == 0 || took < ret_measured->unit_ns)
			*ret_measured = (struct measured){ took, polls };
	}
	w->destroy(state);
	return 0;
}

/* "AMD EPYC …" */
static void processor(char *name, size_t size)
{
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "re");

	snprintf(name, size, "a processor without a name");
	while (f && fgets(line, sizeof line, f)) {
		const char *colon = strchr(line, ':');
		if (!colon || strncmp(line, "model name", 10) != 0)
			continue;
		snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
		break;
	}
	if (f)
		fclose(f);
}

static void print_head(double step_ns)
{
	char name[128], day[16];
	struct utsname u = { 0 };
	time_t now = time(NULL);

	processor(name, sizeof name);
	uname(&u);
	strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
	printf("/* SPDX-License-Identifier: LGPL-2.1-or-later */\n/*\n"
	       " * Written by `make calibrate` on %s: %s,\n * %s %s; a step of the "
	       "reference takes %.2f ns there. Not to be edited.\n */\n"
	       "#ifndef LF_FIXTURES_WORKLOADS_CALIBRATED_H\n"
	       "#define LF_FIXTURES_WORKLOADS_CALIBRATED_H\n\n"
	       "#include <lockfair/workload.h>\n\n",
	       day, name, u.sysname, u.release, step_ns);
}

static void print_model(const struct lf_workload *w, const struct measured *m,
			double step_ns)
{
	char name[64];
	size_t i;

	for (i = 0; w->name[i] && i < sizeof name - 1; i++)
		name[i] = (char)toupper((unsigned char)w->name[i]);
	name[i] = '\0';
	printf("/* %.1f us there */\n#define LF_CALIBRATED_%s { .unit_ns = %.0f, "
	       ".polls = %u }\n", m->unit_ns / 1e3, name, m->unit_ns / step_ns, m->polls);
}

int main(void)
{
	struct measured m[16];
	struct lf_error error;
	size_t n;
	int failed = 0;

	if (lf_fixtures_register(&error)) {
		fprintf(stderr, "calibrate: %s\n", error.text);
		return 1;
	}
	const struct lf_workload *const *w = lf_workloads(&n);
	lf_clock_init();
	double step_ns = lf_clock_step_ns();
	for (size_t i = 0; i < n && i < sizeof m / sizeof m[0]; i++)
		failed |= measure(w[i], &m[i]);
	if (failed)
		return 1;
	print_head(step_ns);
	for (size_t i = 0; i < n; i++)
		print_model(w[i], &m[i], step_ns);
	printf("\n#endif\n");
	return 0;
}
