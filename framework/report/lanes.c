/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in which threads finished their rounds, drawn as lanes. */
#include "report/json.h"
#include "report/words.h"

#include <inttypes.h>
#include <lockfair/observation.h>
#include <string.h>

#define LANE_MAX 200

struct lanes {
	unsigned threads, columns;
	const char *name[LF_MAX_THREADS];
	uint64_t rounds[LF_MAX_THREADS]; /* in all */
	char lane[LF_MAX_THREADS][LANE_MAX + 1];
	bool cut;
};

static int find(const struct lanes *l, const char *name)
{
	for (unsigned i = 0; i < l->threads; i++)
		if (strcmp(l->name[i], name) == 0)
			return (int)i;
	return -1;
}

static void name_lanes(struct lanes *l, const json_t *threads, uint64_t per_round)
{
	size_t i;
	json_t *thread;
	json_array_foreach(threads, i, thread) {
		if (i == LF_MAX_THREADS)
			break;
		l->name[i] = lf_json_string(thread, "thread");
		l->rounds[i] = lf_json_uint(thread, "steps") / per_round;
		l->threads = (unsigned)i + 1;
	}
}

/* One column a round, in the lane of its thread; in it the last digit of the
 * thread's own number of it, or 'o' where the start is not known. */
static void fill_lanes(struct lanes *l, const json_t *rounds, unsigned columns)
{
	bool whole = lf_json_true(rounds, "whole");
	uint64_t number[LF_MAX_THREADS] = { 0 };
	size_t i;
	json_t *round;
	json_array_foreach(lf_json_get(rounds, "order"), i, round) {
		const char *name = json_string_value(round);
		int who = name ? find(l, name) : -1;
		if (who < 0 || l->columns == columns)
			continue;
		l->lane[who][l->columns++] =
			whole ? (char)('0' + number[who]++ % 10) : 'o';
	}
	l->cut = lf_json_uint(rounds, "total") > l->columns;
}

static size_t widest(const struct lanes *l)
{
	size_t width = 0;
	for (unsigned i = 0; i < l->threads; i++)
		if (strlen(l->name[i]) > width)
			width = strlen(l->name[i]);
	return width;
}

void lf_record_lanes(FILE *out, const json_t *record, const char *indent, unsigned width)
{
	const json_t *rounds = lf_json_get(lf_json_get(record, "evidence"), "rounds");
	uint64_t per_round = lf_json_uint(rounds, "steps_per_round");
	struct lanes l = { .threads = 0 };

	memset(l.lane, ' ', sizeof l.lane);
	name_lanes(&l, lf_json_get(lf_json_get(record, "metrics"), "threads"),
		   per_round ? per_round : 1);
	size_t head = strlen(indent) + widest(&l) + strlen("  123456 | ...");
	unsigned columns = width > head + 20 ? width - (unsigned)head : 20;
	fill_lanes(&l, rounds, columns < LANE_MAX ? columns : LANE_MAX);
	if (l.columns == 0)
		return;
	for (unsigned i = 0; i < l.threads; i++) {
		unsigned end = l.columns;
		while (!l.cut && end > 0 && l.lane[i][end - 1] == ' ')
			end--;
		fprintf(out, "%s%-*s %6" PRIu64 " |%s%.*s%s\n", indent, (int)widest(&l),
			l.name[i], l.rounds[i], end ? " " : "", (int)end, l.lane[i],
			l.cut ? "..." : "");
	}
}
