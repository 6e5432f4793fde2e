/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair machines: the machine models of the simulator, and what their numbers
 * mean. */
#include "cli/cli.h"

#include "engine/sim/machine.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

struct machines_options {
	const char *command, *file, *name[16];
	size_t names;
	bool keys;
};

static const struct argp_option options[] = {
	{ "file", 'f', "FILE", 0, "the models of this file, not the shipped ones", 0 },
	{ "keys", 'k', NULL, 0, "what a model's file may say, with the defaults", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct machines_options *o = state->input;
	switch (key) {
	case 'f':
		o->file = arg;
		return 0;
	case 'k':
		o->keys = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->names == sizeof o->name / sizeof o->name[0])
			argp_error(state, "too many names");
		o->name[o->names++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "[NAME]...",
	"Lists the machine models of the simulator; of each NAME, shows every number "
	"with what it means. `lockfair run --machine NAME' judges on one of them, "
	"--machine ./FILE on those of a file.",
	NULL, NULL, NULL,
};

static void print_value(uint64_t value, bool yes_or_no)
{
	if (yes_or_no)
		printf("%s", value ? "yes" : "no");
	else
		printf("%llu", (unsigned long long)value);
}

static void show_keys(void)
{
	const char *last = "machine";
	printf("[machine]\n  name = NAME\n      starts a model\n"
	       "  summary = TEXT\n      one line\n");
#define X(section, key, value, least, most, text)                              \
	if (strcmp(last, #section) != 0)                                       \
		printf("[%s]\n", #section);                                    \
	last = #section;                                                       \
	printf("  %s = ", #key);                                               \
	print_value(value, (least) == 0 && (most) == 1);                       \
	printf("\n      %s\n", text);
	LF_MACHINE_MAP(X)
#undef X
}

static void explain(const struct lf_machine *m)
{
	printf("%s, version %llu: %s\n", m->name, (unsigned long long)m->machine_version,
	       m->summary);
#define X(section, key, value, least, most, text)                              \
	printf("  %-28s %12llu%s  %s\n", #section "." #key,                    \
	       (unsigned long long)m->section##_##key,                         \
	       m->section##_##key != (value) ? " *" : "  ", text);
	LF_MACHINE_MAP(X)
#undef X
	printf("  (* not the default)\n\n");
}

static void list(const struct lf_machines *all)
{
	printf("%-16s %7s %4s %5s %12s %13s  %s\n", "NAME", "VERSION", "CPUS", "JUDGED",
	       "WAKE LATENCY", "QUANTUM", "WHAT IT IS");
	for (size_t i = 0; i < all->n; i++) {
		const struct lf_machine *m = &all->machine[i];
		printf("%-16s %7llu %4llu %6s %9.1f us %10.1f ms  %s\n", m->name,
		       (unsigned long long)m->machine_version,
		       (unsigned long long)m->machine_cpus,
		       m->machine_standard ? "yes" : "-",
		       (double)m->wake_latency_ns / 1e3,
		       (double)m->scheduler_quantum_ns / 1e6, m->summary);
	}
	printf("\nWithout --machine, cells of engine sim are judged on those marked "
	       "\"yes\".\n");
}

static int show(const struct machines_options *o, const struct lf_machines *all)
{
	if (o->names == 0)
		list(all);
	for (size_t i = 0; i < o->names; i++) {
		const struct lf_machine *m = lf_machine_find(all, o->name[i]);
		if (!m)
			return lf_cli_error(o->command, "no machine model is named %s; "
					    "`lockfair machines` lists them", o->name[i]);
		explain(m);
	}
	return LF_EXIT_OK;
}

int lf_cli_machines(int argc, char **argv)
{
	struct machines_options o = { .command = argv[0] };
	struct lf_machines from_file = { 0 };
	const struct lf_machines *all = &from_file;
	struct lf_error error;

	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o) != 0)
		return LF_EXIT_USAGE;
	if (o.keys) {
		show_keys();
		return LF_EXIT_OK;
	}
	if (o.file && lf_machines_read(&from_file, o.file, &error))
		return lf_cli_error(o.command, "%s", error.text);
	if (!o.file)
		all = lf_machines_builtin(&error);
	if (!all)
		return lf_cli_error(o.command, "%s", error.text);
	int status = show(&o, all);
	lf_machines_free(&from_file);
	return status;
}
