/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair gate: a change of a lock judged, layer by layer, the cheapest first. */
#include "cli/gate.h"

#include "cli/cells.h"
#include "cli/choose.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/writable.h"
#include "core/clock.h"
#include "gate/child.h"
#include "core/buffer.h"
#include "engine/engine.h"
#include "report/baseline.h"
#include "report/json.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct layer {
	unsigned bit;
	const char *name;
	int (*run)(struct lf_gate *gate);
} layers[] = {
	{ LF_GATE_A, "A", lf_gate_claims },
	{ LF_GATE_B, "B", lf_gate_waits },
	{ LF_GATE_C, "C", lf_gate_changes },
};

json_t *lf_gate_key(const char *layer, const char *lock, unsigned attempt, json_t *earlier)
{
	json_t *key = json_object();

	lf_json_put(&key, "layer", json_string(layer));
	lf_json_put(&key, "lock", json_string(lock));
	lf_json_put(&key, "attempt", json_integer(attempt));
	lf_json_put(&key, "earlier", earlier ? earlier : json_array());
	return key;
}

int lf_gate_keep(struct lf_gate *gate, json_t *record, json_t *key)
{
	lf_json_put(&record, "gate", key);
	if (record && json_array_append_new(gate->records, record) == 0)
		return 0;
	return lf_error_set(&gate->error, -ENOMEM, "out of memory");
}

void lf_gate_skip(struct lf_result *result, const char *reason)
{
	result->judgement.verdict = LF_VERDICT_SKIP;
	snprintf(result->judgement.reason, sizeof result->judgement.reason, "%s", reason);
}

const struct lf_expectation *lf_gate_known(enum lf_verdict head, const char *base)
{
	static const struct lf_expectation
		fails = { .expect = LF_EXPECT_FAIL,
			  .reason = "broken before: base fails it as well" },
		depends = { .expect = LF_EXPECT_SENSITIVE,
			    .reason = "as before: base is no better" };
	bool failed = strcmp(base, "fail") == 0;

	if (head == LF_VERDICT_FAIL && failed)
		return &fails;
	if (head == LF_VERDICT_SENSITIVE && (failed || strcmp(base, "sensitive") == 0))
		return &depends;
	return NULL;
}

int lf_gate_params(const struct lf_gate *gate, const struct lf_entry *e,
		   int64_t param[static LF_MAX_PARAMS], struct lf_error *error)
{
	struct lf_cell cell;
	int r = 0;

	lf_cell_init(&cell, e, lf_scenarios[0], &lf_engine_threads);
	for (size_t i = 0; r == 0 && i < gate->options->run.param.n; i++) {
		bool used = false;
		r = lf_cells_param(gate->options->run.param.at[i], &cell, &used, error);
	}
	memcpy(param, cell.param, sizeof cell.param);
	return r;
}

/* The command that repeats a lock's part of a layer. */
static const char *repeat(const struct lf_gate *gate, const struct lf_gate_lock *lock,
			  const char *layer, char *buffer, size_t size)
{
	const struct lf_gate_options *o = gate->options;
	struct lf_buffer b = { buffer, size, 0 };

	lf_put(&b, "lockfair gate --layers %c --base ", layer[0] | 0x20);
	lf_put_selector(&b, lock->base.backend ? &lock->base : &lock->head);
	lf_put(&b, " --head ");
	lf_put_selector(&b, &lock->head);
	for (size_t i = 0; i < o->run.param.n; i++)
		lf_put(&b, " --param %s", o->run.param.at[i]);
	if (o->threads != LF_GATE_THREADS)
		lf_put(&b, " --threads %u", o->threads);
	if (o->wait_limit_ns && layer[0] == 'B')
		lf_put(&b, " --wait-limit p%g:%" PRIu64 "ns", o->wait_part * 100,
		       o->wait_limit_ns);
	if (layer[0] == 'C')
		lf_put(&b, " --tolerate %g --detect %g", o->rule.tolerate * 100,
		       o->rule.detect * 100);
	if (o->no_realtime && layer[0] == 'C')
		lf_put(&b, " --no-realtime");
	lf_put(&b, " --seed %" PRIu64, o->run.seed);
	return buffer;
}

json_t *lf_gate_record(struct lf_gate *gate, const struct lf_gate_lock *lock,
		       const struct lf_scenario *scenario, struct lf_result *result,
		       const struct lf_expectation *known, const char *layer)
{
	struct lf_cell cell;
	char text[8192];

	lf_cell_init(&cell, &lock->head, scenario, &lf_engine_threads);
	cell.seed = gate->options->run.seed;
	if (scenario->sweep.n)
		cell.point.sweep = gate->options->threads;
	lf_gate_params(gate, &lock->head, cell.param, NULL);
	lf_cell_refine(&cell);
	/* Witnesses that nobody asked. */
#define X(name, unit) result->observation.noise.name = LF_UNKNOWN;
	LF_WITNESS_MAP(X)
#undef X
	atomic_store(&result->state, LF_RESULT_JUDGED);
	return lf_record_make(&cell, result, known ? known :
			      lf_expected_of(&gate->expected, &cell,
					     gate->options->run.command),
			      "", NULL, repeat(gate, lock, layer, text, sizeof text));
}

bool lf_gate_again(const struct lf_gate *gate, unsigned attempt)
{
	const struct lf_gate_options *o = gate->options;
	uint64_t until_ns = lf_monotonic_ns() + o->pause_ns;
	const struct timespec nap = { .tv_nsec = 50000000 };

	if (attempt >= o->attempts || until_ns - gate->start_ns > o->limit_ns)
		return false;
	while (lf_monotonic_ns() < until_ns && !*gate->interrupted)
		nanosleep(&nap, NULL);
	return !*gate->interrupted;
}

int lf_gate_write(struct lf_gate *gate, json_t *record)
{
	size_t i;
	json_t *r;

	if (gate->fd < 0 || !record)
		return 0;
	json_array_foreach(gate->written, i, r)
		if (r == record)
			return 0;
	json_array_append(gate->written, record);
	return lf_record_append(gate->fd, gate->options->run.record, record, &gate->error);
}

static int write_records(struct lf_gate *gate, size_t from)
{
	int r = 0;

	for (size_t i = from; r == 0 && i < json_array_size(gate->records); i++)
		r = lf_gate_write(gate, json_array_get(gate->records, i));
	return r;
}

static bool has_failed(const struct lf_gate *gate)
{
	enum lf_exit code = lf_records_exit(gate->records);

	return code == LF_EXIT_FAIL || code == LF_EXIT_HARNESS;
}

static int run_layers(struct lf_gate *gate, const char **ret_left_out)
{
	const struct lf_gate_options *o = gate->options;
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof layers / sizeof layers[0]; i++) {
		size_t from = json_array_size(gate->records);
		int written;
		if (!(o->layers & layers[i].bit))
			continue;
		if (has_failed(gate) && !o->keep_going) {
			*ret_left_out = layers[i].name;
			break;
		}
		r = layers[i].run(gate);
		written = write_records(gate, from);
		r = r == 0 ? written : r;
	}
	return r;
}

/* What was asked for was judged, one way or the other. */
static bool is_decided(const struct lf_gate *gate)
{
	size_t i;
	json_t *r;

	json_array_foreach(gate->records, i, r) {
		const char *verdict = lf_json_string(r, "verdict");
		if (!lf_json_string(lf_json_get(r, "control"), "as")[0] &&
		    (strcmp(verdict, "pass") == 0 || strcmp(verdict, "fail") == 0))
			return true;
	}
	return false;
}

static int conclude(struct lf_gate *gate, int r)
{
	const char *command = gate->options->run.command;
	enum lf_exit code = lf_records_exit(gate->records);

	if (r == -EINTR) {
		lf_cli_error(command, "interrupted: what it says above is not all");
		return 128 + *gate->interrupted;
	}
	if (r < 0) {
		lf_cli_error(command, "%s", gate->error.text);
		return LF_EXIT_HARNESS;
	}
	if (!is_decided(gate) && code != LF_EXIT_HARNESS) {
		lf_cli_error(command, "nothing could be decided; see above, and \"lockfair "
			     "doctor\" for what this machine can judge");
		return LF_EXIT_HARNESS;
	}
	if (code == LF_EXIT_INCONCLUSIVE && gate->options->warn) {
		lf_cli_error(command, "inconclusive, and let pass because of "
			     "--inconclusive=warn");
		return LF_EXIT_OK;
	}
	return (int)code;
}

static int judge(struct lf_gate *gate)
{
	const struct lf_gate_options *o = gate->options;
	const char *left_out = NULL;
	struct lf_text_style style = {
		.colour = lf_may_colour(stdout), .quiet = o->run.quiet,
		.width = lf_terminal_width(stdout),
	};
	int r;

	/* At once, so that a log shows what it waits for. */
	printf("lockfair gate: %s against %s\n\n", o->head, o->base);
	fflush(stdout);
	lf_progress_start(&gate->progress, o->run.quiet);
	r = run_layers(gate, &left_out);
	lf_progress_clear(&gate->progress);
	style.cut_short = r < 0;
	if (lf_report_gate(stdout, gate->records, &style) < 0 && r == 0)
		r = lf_error_set(&gate->error, -ENOMEM, "out of memory");
	if (left_out)
		printf("Layer %s and what else there is were not run after that; --keep-going "
		       "runs all.\n", left_out);
	printf("%.1f s\n", (double)(lf_monotonic_ns() - gate->start_ns) / 1e9);
	if (fflush(stdout) != 0 && r == 0)
		r = lf_error_set(&gate->error, -EIO, "cannot write the report");
	return conclude(gate, r);
}

static int open_record(struct lf_gate *gate)
{
	const char *path = gate->options->run.record;
	const char *side[] = { gate->options->base, gate->options->head };
	const struct lf_strings sides = { side, 2 };

	if (!path)
		return 0;
	if (lf_selectors_spare(&sides, path, &gate->error) < 0)
		return -EEXIST;
	gate->written = json_array();
	gate->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC | O_APPEND, 0666);
	if (gate->fd >= 0)
		return 0;
	return lf_cannot_write("record", path, &gate->error);
}

int lf_cli_gate(int argc, char **argv)
{
	struct lf_gate_options options;
	struct lf_gate gate = {
		.options = &options, .interrupted = lf_catch_interrupts(),
		.start_ns = lf_monotonic_ns(), .fd = -1,
	};
	int code = lf_gate_options_parse(&options, argc, argv), r = 0;

	if (code == 0) {
		gate.records = json_array();
		r = lf_expected_read(&gate.expected, options.run.expectations,
				     !options.run.no_expectations, &gate.error);
		if (r == 0 && options.baseline)
			r = lf_baseline_read(options.baseline, &gate.baseline, &gate.error);
		if (r == 0)
			r = lf_gate_load(&gate);
		if (r == 0)
			r = open_record(&gate);
		code = r < 0 ? lf_cli_error(argv[0], "%s", gate.error.text) :
			judge(&gate);
	}
	if (gate.fd >= 0)
		close(gate.fd);
	json_decref(gate.written);
	json_decref(gate.records);
	json_decref(gate.baseline);
	lf_expected_free(&gate.expected);
	lf_gate_unload(&gate);
	lf_gate_options_free(&options);
	return code;
}
