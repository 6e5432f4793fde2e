/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Suite `handoff` as ctxbench prints it (W. Davidsen, 2002): what is known of each run,
 * then a table for each way of passing the token, in loops per second. From 2003 on
 * there was a column for the average per MHz, to compare machines; it is there where
 * the speed is known. Below the five keys of then stands what else decides a rate.
 */
#include "report/seed.h"

#include "core/buffer.h"
#include "report/json.h"
#include "report/record.h"
#include "report/text_parts.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

#define LABEL_WIDTH 19
#define LABEL_MAX 64

/* What the six were called. */
static const struct {
	const char *backend, *title;
} titles[] = {
	{ "sigusr1", "SIGUSR1" },       { "message-queue", "message queue" },
	{ "pipes", "pipes" },           { "semaphore", "semiphore" },
	{ "spin-yield", "spin+yield" }, { "spinlock", "spinlock" },
};

static bool concerns(const json_t *record, const char *engine)
{
	return lf_text_is_asked(record) && lf_text_is_of(record, engine) &&
	       lf_record_loops(record);
}

/* What the run was called, or else what makes it one: its values on the axes; on `sim`
 * the machine in the place of the placement. */
static const char *label_of(const json_t *record, char text[LABEL_MAX])
{
	const json_t *axes = lf_json_get(record, "axes");
	const char *given = lf_json_string(lf_json_get(record, "volatile"), "label");
	const char *machine = lf_json_string(record, "machine");
	struct lf_buffer t = { text, LABEL_MAX, 0 };

	text[0] = '\0';
	if (given[0])
		lf_put(&t, "%s", given);
	else if (strcmp(machine, "here") != 0)
		lf_put(&t, "%s-%s", machine, lf_json_string(axes, "ends"));
	else
		lf_put(&t, "%s-%s-%s", lf_json_string(axes, "placement"),
		       lf_json_string(axes, "policy"), lf_json_string(axes, "ends"));
	return text;
}

/* Is the i-th record the first with its label (or, `by_backend`, of its backend)? */
static bool is_first(const json_t *records, size_t i, const char *engine, bool by_backend)
{
	const json_t *record = json_array_get(records, i);
	char mine[LABEL_MAX], other[LABEL_MAX];

	for (size_t k = 0; k < i; k++) {
		const json_t *r = json_array_get(records, k);
		if (!concerns(r, engine))
			continue;
		if (by_backend ? strcmp(lf_json_string(r, "backend"),
					lf_json_string(record, "backend")) == 0 :
		    strcmp(label_of(r, other), label_of(record, mine)) == 0)
			return false;
	}
	return true;
}

static void say_title(FILE *out, const char *title)
{
	static const char line[] = "========================================"
				   "========================";

	fprintf(out, "%s\n    %s\n%s\n", line, title, line);
}

/* --- Run information ------------------------------------------------------------- */

static void say_text(FILE *out, const char *key, const char *value)
{
	if (value[0])
		fprintf(out, "  %-20s %s\n", key, value);
}

static void say_count(FILE *out, const char *key, const json_t *object, const char *name)
{
	if (json_is_integer(lf_json_get(object, name)))
		fprintf(out, "  %-20s %" PRIu64 "\n", key, lf_json_uint(object, name));
}

static void say_part(FILE *out, const char *key, double part, double whole)
{
	if (whole > 0)
		fprintf(out, "  %-20s %.1f %%\n", key, 100 * part / whole);
}

/* Of all records of the run: what the machine did beside them. */
static void say_noise(FILE *out, const json_t *records, const char *engine,
		      const char *label)
{
	double pressure = 0, steal = 0, whole = 0, gap = 0;
	char other[LABEL_MAX];
	size_t i;
	json_t *r;

	json_array_foreach(records, i, r) {
		const json_t *noise = lf_json_get(lf_json_get(r, "volatile"), "noise");
		if (!concerns(r, engine) || strcmp(label_of(r, other), label) != 0 ||
		    !json_is_integer(lf_json_get(noise, "pressure_ns")))
			continue;
		pressure += lf_json_double(noise, "pressure_ns");
		steal += lf_json_double(noise, "steal_ns");
		whole += lf_json_double(lf_json_get(r, "metrics"), "engine_ns");
		if (lf_json_double(noise, "spin_gap_ns") > gap)
			gap = lf_json_double(noise, "spin_gap_ns");
	}
	say_part(out, "CPUpressure", pressure, whole);
	say_part(out, "CPUstolen", steal, whole);
	if (whole > 0)
		fprintf(out, "  %-20s %.0f us\n", "LongestGap", gap / 1000);
}

static void say_run(FILE *out, const json_t *records, const json_t *record,
		    const char *engine)
{
	const json_t *host = lf_json_get(lf_json_get(record, "volatile"), "host");
	char label[LABEL_MAX];
	bool model = strcmp(lf_json_string(record, "machine"), "here") != 0;

	fprintf(out, "Run: %s\n", label_of(record, label));
	if (model) {
		say_text(out, "Machine", lf_json_string(record, "machine"));
		return;
	}
	if (json_is_number(lf_json_get(host, "cpu_mhz")))
		fprintf(out, "  %-20s %.3f\n", "CPU_MHz", lf_json_double(host, "cpu_mhz"));
	say_text(out, "CPUtype", lf_json_string(host, "cpu_type"));
	say_text(out, "HostName", lf_json_string(host, "name"));
	say_text(out, "KernelName", lf_json_string(host, "kernel"));
	say_count(out, "Ncpu", host, "cpus");
	if (!lf_json_string(host, "affinity")[0])
		return;
	say_text(out, "Policy", lf_json_string(lf_json_get(record, "axes"), "policy"));
	say_text(out, "Affinity", lf_json_string(host, "affinity"));
	say_count(out, "HZ", host, "hz");
	say_text(out, "Governor", lf_json_string(host, "governor"));
	say_text(out, "Version", lf_json_string(host, "lockfair"));
	say_noise(out, records, engine, label);
}

/* --- Results ----------------------------------------------------------------------- */

/* A lock in a channel's place delivers nothing. */
static const char *title_of(const json_t *record, char *text, size_t size)
{
	const char *backend = lf_json_string(record, "backend");
	const json_t *set = lf_json_get(lf_json_get(record, "claim"), "set");
	bool channel = false;
	size_t i;
	json_t *bit;

	json_array_foreach(set, i, bit)
		channel |= strcmp(json_string_value(bit), "delivers") == 0;
	snprintf(text, size, "%s%s", channel ? "" : "lock:", backend);
	for (i = 0; i < sizeof titles / sizeof titles[0]; i++)
		if (strcmp(titles[i].backend, backend) == 0)
			return titles[i].title;
	return text;
}

static int label_width(const json_t *records, const char *engine)
{
	char label[LABEL_MAX];
	size_t widest = LABEL_WIDTH, i;
	json_t *r;

	json_array_foreach(records, i, r)
		if (concerns(r, engine) && strlen(label_of(r, label)) > widest)
			widest = strlen(label);
	return (int)widest;
}

/* As then: whole numbers, cut off. */
static void say_row(FILE *out, const json_t *record, int width)
{
	const json_t *host = lf_json_get(lf_json_get(record, "volatile"), "host");
	const json_t *loops = lf_record_loops(record);
	double mhz = lf_json_double(host, "cpu_mhz");
	double average = lf_json_double(loops, "average");
	bool here = strcmp(lf_json_string(record, "machine"), "here") == 0;
	char label[LABEL_MAX];

	fprintf(out, "  %-*s%10.0f%11.0f%11.0f", width, label_of(record, label),
		floor(lf_json_double(loops, "low")), floor(lf_json_double(loops, "high")),
		floor(average));
	if (here && mhz > 0)
		fprintf(out, "%11.3f", average / mhz);
	fputc('\n', out);
}

static bool has_speed(const json_t *records, const char *engine)
{
	size_t i;
	json_t *r;

	json_array_foreach(records, i, r)
		if (concerns(r, engine) && strcmp(lf_json_string(r, "machine"), "here") == 0 &&
		    lf_json_double(lf_json_get(lf_json_get(r, "volatile"), "host"),
				   "cpu_mhz") > 0)
			return true;
	return false;
}

static void say_table(FILE *out, const json_t *records, const json_t *first,
		      const char *engine)
{
	int width = label_width(records, engine);
	char title[80];
	size_t i;
	json_t *r;

	fprintf(out, "\n%*sloops/sec\n%-*s%10s%11s%11s%s\n", width + 16, "", width + 2,
		title_of(first, title, sizeof title), "low", "high", "average",
		has_speed(records, engine) ? "    avg/MHz" : "");
	json_array_foreach(records, i, r)
		if (concerns(r, engine) && strcmp(lf_json_string(r, "backend"),
						  lf_json_string(first, "backend")) == 0)
			say_row(out, r, width);
}

void lf_seed_handoff(FILE *out, const json_t *records, const char *engine)
{
	size_t i;
	json_t *r;

	say_title(out, "Run information");
	fputc('\n', out);
	json_array_foreach(records, i, r)
		if (concerns(r, engine) && is_first(records, i, engine, false))
			say_run(out, records, r, engine);
	fputc('\n', out);
	say_title(out, "Results by IPC type");
	json_array_foreach(records, i, r)
		if (concerns(r, engine) && is_first(records, i, engine, true))
			say_table(out, records, r, engine);
}
