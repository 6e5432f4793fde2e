/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/unit/records.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

json_t *lf_stand_record(json_t *records, const char *scenario, const char *backend,
			const char *claim)
{
	json_t *r = json_pack(
		"{si ss ss s{ss so si si si} s{} ss ss s[s] ss s{ss ss ss} ss s{ss ss} "
		"s[] s{si si s[]} s{} s{s[]} ss+ s{s{ss ss ss si} s{} sI ss}}",
		"schema", 1, "scenario", scenario, "backend", backend,
		"claim", "text", claim ? claim : "none (barging)",
		"set", claim ? json_pack("[s]", claim) : json_array(),
		"overtakes", 0, "handoff_ns", 0, "quantum_ns", 0,
		"params", "engine", "threads", "machine", "here", "seeds", "1",
		"verdict", "pass",
		"expected", "verdict", "nothing", "reason", "", "until", "",
		"reason", "", "control", "as", "", "note", "",
		"assertions", "metrics", "rounds", 50, "overtakes_max", 0, "threads",
		"histograms", "evidence", "starved",
		"rerun", "lockfair run ", backend,
		"volatile", "host", "name", "box", "kernel", "Linux 6.1", "arch",
		"x86_64", "cpus", 2, "noise", "duration_ns", (json_int_t)500000000,
		"time", "2026-01-31T12:00:00Z");
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(json_array_append_new(records, r), 0);
	return r;
}

json_t *lf_stand_verdict(json_t *record, const char *verdict, const char *reason)
{
	json_object_set_new(record, "verdict", json_string(verdict));
	json_object_set_new(record, "reason", json_string(reason));
	return record;
}

void lf_stand_expect(json_t *record, const char *expected, const char *reason)
{
	json_t *e = json_object_get(record, "expected");
	json_object_set_new(e, "verdict", json_string(expected));
	json_object_set_new(e, "reason", json_string(reason));
}

void lf_stand_control(json_t *record, const char *as, const char *note)
{
	json_t *c = json_object_get(record, "control");
	json_object_set_new(c, "as", json_string(as));
	json_object_set_new(c, "note", json_string(note));
}

void lf_stand_assert(json_t *record, const char *metric, const char *unit,
		     const char *origin, double value, double bound)
{
	bool counts = strcmp(origin, "information") != 0;
	json_t *a = json_pack("{ss ss ss sf sf sb ss si sb}", "metric", metric,
			      "role", "", "origin", origin, "value", value, "bound", bound,
			      "at_least", 0, "unit", unit, "n", 50,
			      "holds", !counts || value <= bound);
	json_array_append_new(json_object_get(record, "assertions"), a);
}

void lf_stand_overtaken(json_t *record, int times)
{
	json_t *metrics = json_object_get(record, "metrics");
	json_t *evidence = json_object_get(record, "evidence");
	json_object_set_new(metrics, "overtakes_max", json_integer(times));
	json_object_set_new(metrics, "overtaken_rounds", json_integer(5));
	json_object_set_new(evidence, "starved", json_pack(
		"[{ss ss si ss si}]", "thread", "waiter", "what", "overtaken",
		"times", times, "by", "holder", "by_times", times));
	json_object_set_new(evidence, "grants", json_pack(
		"{si si si ss s[[si] [si] [si]]}", "total", times + 4, "from", 0,
		"decisive", times + 3, "waiting", "waiter",
		"order", "waiter", 3, "holder", times, "waiter", 1));
}

void lf_stand_rounds(json_t *record, const char *order)
{
	int count[3] = { 0 };
	json_t *list = json_array();
	for (const char *c = order; *c; c++) {
		count[*c == 'c' ? 0 : *c == 'd' ? 1 : 2]++;
		json_array_append_new(list, json_string(*c == 'c' ? "cpu.0" :
							*c == 'd' ? "cpu.1" :
							"interactive"));
	}
	json_object_set_new(json_object_get(record, "evidence"), "rounds", json_pack(
		"{si si sb so}", "steps_per_round", 1, "total", (int)strlen(order),
		"whole", 1, "order", list));
	json_object_set_new(json_object_get(record, "metrics"), "threads", json_pack(
		"[{ss si} {ss si} {ss si}]", "thread", "cpu.0", "steps", count[0],
		"thread", "cpu.1", "steps", count[1],
		"thread", "interactive", "steps", count[2]));
}

static json_t *add(json_t *all, const char *scenario, const char *backend,
		   const char *verdict, const char *reason)
{
	bool fifo = strcmp(backend, "ticket") == 0 || strcmp(backend, "mcs") == 0;
	bool quantum = strcmp(backend, "gil-bfs") == 0;
	json_t *r = lf_stand_record(all, scenario, backend,
				    fifo ? "fifo" : quantum ? "quantum" : NULL);
	return lf_stand_verdict(r, verdict, reason);
}

static void add_barging(json_t *all)
{
	json_t *r = add(all, "barging", "pthread", "pass", "");
	lf_stand_assert(r, "overtakes", "grants", "information", 312, 0);
	lf_stand_overtaken(r, 312);
	r = add(all, "barging", "ticket", "pass", "");
	lf_stand_assert(r, "overtakes", "grants", "claim", 0, 0);
	r = add(all, "barging", "mcs", "inconclusive",
		"the waiter could not be confirmed to be queued");
	json_object_set_new(json_object_get(r, "volatile"), "noise",
			    json_pack("{si sI sn}", "involuntary_switches", 41,
				      "run_delay_ns", (json_int_t)31500000, "steal_ns"));
}

static void add_order(json_t *all)
{
	add(all, "drain/1", "ticket", "pass", "");
	json_t *r = add(all, "drain/2", "ticket", "fail", "");
	lf_stand_assert(r, "served-once", "waiters", "safety", 1, 0);
	lf_stand_expect(r, "fail", "no expectation excuses this");
	json_object_set_new(json_object_get(r, "volatile"), "stack",
			    json_string("TID 7\n#0 futex_wait\n#1 acquire\n"));
	r = add(all, "order", "mcs", "fail", "claim: overtakes");
	lf_stand_assert(r, "overtakes", "grants", "claim", 7, 0);
	lf_stand_overtaken(r, 7);
	lf_stand_expect(r, "sensitive", "");
}

static void add_hog(json_t *all)
{
	json_t *r = add(all, "hog", "pthread", "fail", "");
	lf_stand_assert(r, "starved", "threads", "requirement", 1, 0);
	lf_stand_expect(r, "fail", "a barging lock");
	r = add(all, "hog", "ticket", "pass", "");
	lf_stand_assert(r, "starved", "threads", "information", 0, 0);
	lf_stand_assert(r, "wait-max", "ns", "information", 11.5e6, 0);
	lf_stand_expect(r, "fail", "was broken once");
}

static void add_interleaving(json_t *all)
{
	json_t *r = add(all, "interleaving", "gil-bfs", "pass", "");
	lf_stand_assert(r, "lead", "rounds", "requirement", 1, 2);
	lf_stand_rounds(r, "cdicdicdicdi");
	r = add(all, "interleaving", "gil-ticks", "fail", "requirement: lead");
	lf_stand_assert(r, "lead", "rounds", "requirement", 12, 2);
	lf_stand_rounds(r, "cdiiiiiiiiiiii");
	lf_stand_expect(r, "varies", "depends on who wins the race");
	add(all, "interleaving", "pthread", "skip", "needs 4 CPUs");
	add(all, "interleaving", "mcs", "error", "the worker was lost");
}

static void add_sim(json_t *all)
{
	json_t *r = add(all, "barging", "pthread", "sensitive", "holds on 1 of 2 models");
	json_object_set_new(r, "engine", json_string("sim"));
	json_object_set_new(r, "machine", json_string("desktop-2, server-64"));
	json_object_set_new(
		json_object_get(r, "evidence"), "models",
		json_pack("[{ss si s{si} si si s[]} {ss si s{si si} s[[sssiis]]}]",
			  "machine", "desktop-2", "version", 1, "verdicts", "pass", 3,
			  "near", 2, "cut_off", 4, "runs",
			  "machine", "server-64", "version", 1, "verdicts", "pass", 2,
			  "fail", 1, "runs", "7", "fail", "overtakes", 9, 0,
			  "00000000000000ff"));
	json_object_set_new(json_object_get(r, "evidence"), "states",
			    json_pack("[{ss ss sb} {ss ss sb}]", "thread", "holder", "state",
				      "phase", "inside_acquire", 0, "thread", "waiter",
				      "state", "futex", "inside_acquire", 1));
	r = add(all, "hog", "pthread", "sensitive", "");
	json_object_set_new(r, "engine", json_string("sim"));
	json_object_set_new(r, "machine", json_string("desktop-2, server-64"));
	lf_stand_expect(r, "varies", "by design");
}

json_t *lf_stand_all(void)
{
	json_t *all = json_array();

	add_barging(all);
	add_order(all);
	add_hog(all);
	add_interleaving(all);
	json_t *r = add(all, "barging", "faulty/no_handoff", "fail", "claim: overtakes");
	lf_stand_assert(r, "overtakes", "grants", "claim", 9, 0);
	lf_stand_control(r, "unfair", "");
	add_sim(all);
	return all;
}

void lf_stand_same(const char *actual, const char *expected)
{
	for (int line = 1; *actual || *expected; line++) {
		size_t a = strcspn(actual, "\n"), e = strcspn(expected, "\n");
		ck_assert_msg(a == e && memcmp(actual, expected, a) == 0 &&
			      actual[a] == expected[e], "line %d is\n%.*s\nand not\n%.*s",
			      line, (int)a, actual, (int)e, expected);
		actual += a + (actual[a] == '\n');
		expected += e + (expected[e] == '\n');
	}
}

char *lf_stand_output(int (*report)(FILE *out, const json_t *records),
		      const json_t *records)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(report(out, records), 0);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}
