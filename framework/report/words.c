/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/words.h"

#include "report/json.h"
#include "report/record.h"

#include <inttypes.h>
#include <string.h>

const struct lf_legend lf_legend[] = {
	{ "pass", "what is claimed and required holds" },
	{ "~ N", "nothing is claimed about the order; N is what was seen" },
	{ "fail", "known not to hold, the reason is given" },
	{ "FAIL", "does not hold" },
	{ "PASS!", "was expected to fail" },
	{ "sens", "known to depend on the machine" },
	{ "SENS", "depends on the machine" },
	{ "UNCLEAR", "the machine decided, not the lock" },
	{ "skip", "cannot run here" },
	{ "ERROR", "the test itself failed" },
	{ NULL, NULL },
};

const char lf_words_of_report[] =
	"Overtaken: a later request was granted while the thread was known to be queued. "
	"A claim is what the lock promises, a requirement what the scenario asks of any "
	"lock of its kind.";

static const char *duration_text(double ns, char *buffer, size_t size)
{
	if (ns < 1e3)
		snprintf(buffer, size, "%.0f ns", ns);
	else if (ns < 1e6)
		snprintf(buffer, size, "%.3g us", ns / 1e3);
	else if (ns < 1e9)
		snprintf(buffer, size, "%.3g ms", ns / 1e6);
	else
		snprintf(buffer, size, "%.3g s", ns / 1e9);
	return buffer;
}

const char *lf_value_text(double value, const char *unit, char *buffer, size_t size)
{
	if (strcmp(unit, "ns") == 0)
		return duration_text(value, buffer, size);
	if (strcmp(unit, "ratio") == 0 || strcmp(unit, "index") == 0) {
		snprintf(buffer, size, "%.3g", value);
		return buffer;
	}
	size_t length = strlen(unit);
	if (value == 1 && length > 1 && unit[length - 1] == 's')
		length--;
	if (value == nearbyint(value))
		snprintf(buffer, size, "%.0f %.*s", value, (int)length, unit);
	else
		snprintf(buffer, size, "%.3g %.*s", value, (int)length, unit);
	return buffer;
}

bool lf_assertion_exceeds(const json_t *a)
{
	double value = lf_json_double(a, "value"), bound = lf_json_double(a, "bound");
	if (!json_is_number(lf_json_get(a, "value")) ||
	    !json_is_number(lf_json_get(a, "bound")))
		return !lf_json_true(a, "holds");
	return lf_json_true(a, "at_least") ? value < bound : value > bound;
}

/* The verb that says who set the bound. */
static const char *verb(const char *origin)
{
	if (strcmp(origin, "claim") == 0)
		return "claimed";
	if (strcmp(origin, "requirement") == 0)
		return "required";
	return strcmp(origin, "safety") == 0 ? "allowed" : "when required";
}

/* A change of speed is measured as an interval, and drawn as one; what is held against
 * the bound is its lower end and not the middle that a picture shows. */
static const char *measured(const json_t *a, char *buffer, size_t size)
{
	const char *metric = lf_json_string(a, "metric"), *unit = lf_json_string(a, "unit");
	char value[64];

	if (!json_is_number(lf_json_get(a, "value")))
		return "without limit";
	lf_value_text(lf_json_double(a, "value"), unit, value, sizeof value);
	if (strncmp(metric, "change-", strlen("change-")) != 0)
		snprintf(buffer, size, "%s", value);
	else
		snprintf(buffer, size, "surely %s times as bad (lower end of its interval)",
			 value);
	return buffer;
}

const char *lf_assertion_text(const json_t *a, char *buffer, size_t size)
{
	const char *unit = lf_json_string(a, "unit"), *role = lf_json_string(a, "role");
	char value[128], bound[96] = "";

	if (json_is_number(lf_json_get(a, "bound"))) {
		char number[48];
		bool time = strcmp(unit, "ns") == 0;
		lf_value_text(lf_json_double(a, "bound"), time ? unit : "ratio", number,
			      sizeof number);
		snprintf(bound, sizeof bound, ", at %s %s %s",
			 lf_json_true(a, "at_least") ? "least" : "most", number,
			 verb(lf_json_string(a, "origin")));
	}
	snprintf(buffer, size, "%s%s%s: %s%s (n = %" PRIu64 ")",
		 lf_json_string(a, "metric"), role[0] ? " of " : "", role,
		 measured(a, value, sizeof value), bound, lf_json_uint(a, "n"));
	return buffer;
}

const json_t *lf_record_assertion(const json_t *record, enum lf_metric metric)
{
	size_t i;
	json_t *a;
	json_array_foreach(lf_json_get(record, "assertions"), i, a)
		if (strcmp(lf_json_string(a, "metric"), lf_metric_name(metric)) == 0)
			return a;
	return NULL;
}

const char *lf_record_violated(const json_t *record)
{
	size_t i;
	json_t *a;
	json_array_foreach(lf_json_get(record, "assertions"), i, a)
		if (!lf_json_true(a, "holds"))
			return lf_json_string(a, "metric");
	return "";
}

const char *lf_record_word(const json_t *record, char *buffer, size_t size)
{
	const struct lf_shown *shown = lf_record_shown(record);
	const char *reason = lf_json_string(record, "reason");

	if (shown->with_reason)
		snprintf(buffer, size, "%s (expected: %s)", shown->word,
			 lf_json_string(lf_json_get(record, "expected"), "reason"));
	else if (shown->tap == LF_TAP_SKIP && reason[0])
		snprintf(buffer, size, "%s: %s", shown->word, reason);
	else
		snprintf(buffer, size, "%s", shown->word);
	return buffer;
}

static bool is_order_count(const char *metric)
{
	static const enum lf_metric counts[] = {
		LF_METRIC_OVERTAKES,
		LF_METRIC_INVERSIONS,
		LF_METRIC_STARVED,
		LF_METRIC_LEAD,
	};
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		if (strcmp(metric, lf_metric_name(counts[i])) == 0)
			return true;
	return false;
}

/* The largest count of disorder in a cell where nothing is claimed or required
 * of the order: it passes, but not because it is orderly. */
static double unclaimed(const json_t *record)
{
	double most = 0;
	size_t i;
	json_t *a;
	json_array_foreach(lf_json_get(record, "assertions"), i, a) {
		const char *origin = lf_json_string(a, "origin");
		if (!is_order_count(lf_json_string(a, "metric")))
			continue;
		if (strcmp(origin, "information") != 0)
			return 0;
		if (lf_json_double(a, "value") > most)
			most = lf_json_double(a, "value");
	}
	return most;
}

const char *lf_record_cell(const json_t *record, char *buffer, size_t size)
{
	const struct lf_shown *shown = lf_record_shown(record);
	double count = unclaimed(record);
	bool pass = strcmp(lf_json_string(record, "verdict"), "pass") == 0;

	if (pass && shown->exit == LF_EXIT_OK && count > 0)
		snprintf(buffer, size, "~ %.0f", count);
	else
		snprintf(buffer, size, "%s", shown->brief);
	return buffer;
}

const char *lf_record_title(const json_t *record, char *buffer, size_t size)
{
	const char *as = lf_json_string(lf_json_get(record, "control"), "as");
	snprintf(buffer, size, "%s on %s (%s%s%s%s)", lf_json_string(record, "scenario"),
		 lf_json_string(record, "backend"), lf_json_string(record, "engine"),
		 as[0] ? ", " : "", as, as[0] ? " control" : "");
	return buffer;
}

const char *lf_record_claims(const json_t *record, char *buffer, size_t size)
{
	size_t i, used = 0;
	json_t *name;
	snprintf(buffer, size, "nothing");
	json_array_foreach(lf_json_get(lf_json_get(record, "claim"), "set"), i, name) {
		const char *text = json_string_value(name);
		/* How a thread waits says nothing about its turn. */
		if (!text || strcmp(text, "sleeps") == 0 ||
		    used + strlen(text) + 3 > size)
			continue;
		used += (size_t)snprintf(buffer + used, size - used, "%s%s",
					 used ? ", " : "", text);
	}
	return buffer;
}

size_t lf_scenario_base(const char *scenario)
{
	return strcspn(scenario, "/");
}

const char *lf_starved_text(const json_t *entry, char *buffer, size_t size)
{
	const char *what = lf_json_string(entry, "what"),
		   *by = lf_json_string(entry, "by");
	const char *thread = lf_json_string(entry, "thread");
	uint64_t times = lf_json_uint(entry, "times");
	uint64_t by_times = lf_json_uint(entry, "by_times");
	uint64_t wait_ns = lf_json_uint(entry, "wait_ns");
	char wait[64] = "", theirs[96] = "", duration[48];

	if (wait_ns)
		snprintf(wait, sizeof wait, ", and waited for at least %s",
			 duration_text((double)wait_ns, duration, sizeof duration));
	if (strcmp(what, "overtaken") == 0) {
		if (by[0])
			snprintf(theirs, sizeof theirs, ", %" PRIu64 " of them by %s",
				 by_times, by);
		snprintf(buffer, size,
			 "%s was overtaken %" PRIu64 " time%s while it was "
			 "queued%s",
			 thread, times, times == 1 ? "" : "s", theirs);
	} else if (strcmp(what, "behind") == 0) {
		snprintf(buffer, size, "%s did %" PRIu64 " round%s while %s did %" PRIu64,
			 thread, times, times == 1 ? "" : "s", by, by_times);
	} else {
		if (by[0])
			snprintf(theirs, sizeof theirs, "; %s got it %" PRIu64 " time%s",
				 by, by_times, by_times == 1 ? "" : "s");
		snprintf(buffer, size,
			 "%s was still waiting at the end, after %" PRIu64 " grant%s%s%s",
			 thread, times, times == 1 ? "" : "s", wait, theirs);
	}
	return buffer;
}
