/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JUnit XML: what Jenkins and the readers of pytest's xunit2 have in common.
 * One testsuite an engine, one testcase a record; numbers and evidence in its
 * text, because properties of a testcase are not read everywhere.
 *
 * libxml2 escapes and encodes, but lets characters through that no XML document
 * may hold; they are replaced here.
 */
#include "report/json.h"
#include "report/report.h"
#include "report/words.h"

#include <errno.h>
#include <inttypes.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <string.h>

#define EVIDENCE_WIDTH 100

/* --- Text --- */

/* The length of the character at the start of `text` if XML allows it, else 0.
 * libxml2's decoder takes a stray continuation byte and overlong forms. */
static size_t allowed(const char *text)
{
	unsigned char first = (unsigned char)text[0];
	int length = (int)strnlen(text, 4);
	int code = xmlGetUTF8Char((const unsigned char *)text, &length);
	int needed = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	if (code < 0 || !IS_CHAR((unsigned)code) || length != needed ||
	    (first >= 0x80 && first < 0xc2))
		return 0;
	return (size_t)length;
}

/* Puts '?' for every byte that is no part of a character that XML allows. */
static const xmlChar *filter(char *text)
{
	for (char *c = text; *c;) {
		size_t length = allowed(c);
		if (length == 0)
			*c = '?';
		c += length ? length : 1;
	}
	return (const xmlChar *)text;
}

/* The writer's functions say -1 once memory is short; `bad` collects that. */
struct xml {
	xmlTextWriterPtr writer;
	bool bad;
};

static void begin(struct xml *x, const char *element)
{
	x->bad |= xmlTextWriterStartElement(x->writer, (const xmlChar *)element) < 0;
}

static void end(struct xml *x)
{
	x->bad |= xmlTextWriterEndElement(x->writer) < 0;
}

static void attribute(struct xml *x, const char *name, const char *value)
{
	char *copy = strdup(value);
	x->bad |= !copy || xmlTextWriterWriteAttribute(x->writer, (const xmlChar *)name,
						       filter(copy)) < 0;
	free(copy);
}

static void attribute_count(struct xml *x, const char *name, size_t n)
{
	char text[24];
	snprintf(text, sizeof text, "%zu", n);
	attribute(x, name, text);
}

/* Seconds with a point whatever the locale. */
static void attribute_time(struct xml *x, uint64_t ns)
{
	char text[40];
	snprintf(text, sizeof text, "%" PRIu64 ".%03u", ns / 1000000000,
		 (unsigned)(ns / 1000000 % 1000));
	attribute(x, "time", text);
}

static void property(struct xml *x, const char *name, const char *value)
{
	begin(x, "property");
	attribute(x, "name", name);
	attribute(x, "value", value);
	end(x);
}

/* --- One record --- */

static uint64_t duration_ns(const json_t *record)
{
	return lf_json_uint(lf_json_get(record, "volatile"), "duration_ns");
}

/* What a person reads: the verdict, every assertion, the evidence. */
static void describe(FILE *out, const json_t *record)
{
	char text[LF_WORDS_MAX];
	size_t i;
	json_t *a;
	fprintf(out, "%s: %s\n", lf_record_title(record, text, sizeof text),
		lf_record_shown(record)->word);
	fprintf(out, "claim: %s\n", lf_json_string(lf_json_get(record, "claim"), "text"));
	json_array_foreach(lf_json_get(record, "assertions"), i, a)
		if (lf_json_true(a, "holds"))
			fprintf(out, "%s: %s\n", lf_json_string(a, "origin"),
				lf_assertion_text(a, text, sizeof text));
	lf_record_evidence(out, record, "", EVIDENCE_WIDTH);
}

static void text_of(struct xml *x, const json_t *record)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out) {
		x->bad = true;
		return;
	}
	describe(out, record);
	if (fclose(out) != 0 || xmlTextWriterWriteString(x->writer, filter(text)) < 0)
		x->bad = true;
	free(text);
}

static const char *const outcome_element[] = {
	[LF_JUNIT_PASSED] = NULL,
	[LF_JUNIT_FAILURE] = "failure",
	[LF_JUNIT_SKIPPED] = "skipped",
	[LF_JUNIT_ERROR] = "error",
};

static void outcome(struct xml *x, const json_t *record, const struct lf_shown *shown)
{
	const char *element = outcome_element[shown->junit];
	char word[LF_WORDS_MAX], message[2 * LF_WORDS_MAX];
	bool told = shown->junit == LF_JUNIT_SKIPPED;
	if (!element)
		return;
	lf_record_word(record, word, sizeof word);
	snprintf(message, sizeof message, "%s%s%s", word, told ? "" : ": ",
		 told ? "" : lf_json_string(record, "reason"));
	begin(x, element);
	attribute(x, "message", message);
	if (!told) {
		attribute(x, "type", shown->word);
		text_of(x, record);
	}
	end(x);
}

static void testcase(struct xml *x, const json_t *record)
{
	const struct lf_shown *shown = lf_record_shown(record);
	const char *as = lf_json_string(lf_json_get(record, "control"), "as");
	char text[LF_WORDS_MAX];

	begin(x, "testcase");
	snprintf(text, sizeof text, "lockfair.%s.%s", lf_json_string(record, "engine"),
		 lf_json_string(record, "backend"));
	attribute(x, "classname", text);
	snprintf(text, sizeof text, "%s%s%s%s", lf_json_string(record, "scenario"),
		 as[0] ? " (" : "", as, as[0] ? " control)" : "");
	attribute(x, "name", text);
	attribute_time(x, duration_ns(record));
	outcome(x, record, shown);
	if (shown->junit == LF_JUNIT_PASSED || shown->junit == LF_JUNIT_SKIPPED) {
		begin(x, "system-out");
		text_of(x, record);
		end(x);
	}
	end(x);
}

/* --- Suites --- */

struct sum {
	size_t outcome[4]; /* enum lf_junit */
	size_t tests;
	uint64_t ns;
};

static bool is_of(const json_t *record, const char *engine)
{
	return !engine || strcmp(lf_json_string(record, "engine"), engine) == 0;
}

static struct sum sum_of(const json_t *records, const char *engine)
{
	struct sum sum = { 0 };
	size_t i;
	json_t *record;
	json_array_foreach(records, i, record) {
		if (!is_of(record, engine))
			continue;
		sum.tests++;
		sum.outcome[lf_record_shown(record)->junit]++;
		sum.ns += duration_ns(record);
	}
	return sum;
}

static void sum_attributes(struct xml *x, const struct sum *sum)
{
	attribute_count(x, "tests", sum->tests);
	attribute_count(x, "failures", sum->outcome[LF_JUNIT_FAILURE]);
	attribute_count(x, "errors", sum->outcome[LF_JUNIT_ERROR]);
}

static void properties(struct xml *x, const json_t *record)
{
	const json_t *host = lf_json_get(lf_json_get(record, "volatile"), "host");
	char cpus[24];
	snprintf(cpus, sizeof cpus, "%" PRIu64, lf_json_uint(host, "cpus"));
	begin(x, "properties");
	property(x, "engine", lf_json_string(record, "engine"));
	property(x, "machine", lf_json_string(record, "machine"));
	property(x, "kernel", lf_json_string(host, "kernel"));
	property(x, "arch", lf_json_string(host, "arch"));
	property(x, "cpus", cpus);
	end(x);
}

/* All records of the engine that `first` is the first record of. */
static void testsuite(struct xml *x, const json_t *records, const json_t *first)
{
	const char *engine = lf_json_string(first, "engine");
	const json_t *changing = lf_json_get(first, "volatile");
	const struct sum sum = sum_of(records, engine);
	char name[64], time[32];
	size_t i;
	json_t *record;

	begin(x, "testsuite");
	snprintf(name, sizeof name, "lockfair.%.40s", engine);
	attribute(x, "name", name);
	sum_attributes(x, &sum);
	attribute_count(x, "skipped", sum.outcome[LF_JUNIT_SKIPPED]);
	attribute_time(x, sum.ns);
	/* The readers want it without the zone. */
	snprintf(time, sizeof time, "%.19s", lf_json_string(changing, "time"));
	attribute(x, "timestamp", time);
	attribute(x, "hostname", lf_json_string(lf_json_get(changing, "host"), "name"));
	properties(x, first);
	json_array_foreach(records, i, record)
		if (is_of(record, engine))
			testcase(x, record);
	end(x);
}

static void document(struct xml *x, const json_t *records)
{
	const struct sum sum = sum_of(records, NULL);
	size_t i, k;
	json_t *record;

	x->bad |= xmlTextWriterSetIndent(x->writer, 1) < 0;
	x->bad |= xmlTextWriterStartDocument(x->writer, NULL, "UTF-8", NULL) < 0;
	begin(x, "testsuites");
	attribute(x, "name", "lockfair");
	sum_attributes(x, &sum);
	attribute_time(x, sum.ns);
	json_array_foreach(records, i, record) {
		const char *engine = lf_json_string(record, "engine");
		for (k = 0; k < i; k++)
			if (is_of(json_array_get(records, k), engine))
				break;
		if (k == i)
			testsuite(x, records, record);
	}
	end(x);
	x->bad |= xmlTextWriterEndDocument(x->writer) < 0;
}

static int write_file(const char *path, const xmlBuffer *buffer, struct lf_error *error)
{
	FILE *file = fopen(path, "we");
	if (!file)
		return lf_error_set(error, -errno, "%s: cannot write JUnit XML: %s", path,
				    strerror(errno));
	size_t size = (size_t)xmlBufferLength(buffer);
	bool bad = fwrite(xmlBufferContent(buffer), 1, size, file) != size;
	if (fclose(file) != 0 || bad)
		return lf_error_set(error, -EIO,
				    "%s: cannot write all of the JUnit XML: "
				    "is the disk full?",
				    path);
	return 0;
}

int lf_report_junit(const char *path, const json_t *records, struct lf_error *error)
{
	xmlBuffer *buffer = xmlBufferCreate();
	struct xml x = { .writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL };

	if (x.writer)
		document(&x, records);
	/* Flushes into the buffer. */
	xmlFreeTextWriter(x.writer);
	int r = x.writer && !x.bad
			? write_file(path, buffer, error)
			: lf_error_set(error, -ENOMEM, "%s: no memory for the JUnit XML",
				       path);
	xmlBufferFree(buffer);
	return r;
}
