/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and short texts of what backends are and claim. */
#include "core/registry.h"

#include <stdarg.h>
#include <stdio.h>

const char *lf_kind_name(enum lf_kind kind)
{
	static const char *const name[] = {
#define X(id, text, help) text,
		LF_KIND_MAP(X)
#undef X
	};
	return (unsigned)kind < LF_KIND_COUNT ? name[kind] : "unknown";
}

struct text {
	char *at;
	size_t size, length;
};

__attribute__((format(printf, 2, 3)))
static void append(struct text *t, const char *format, ...)
{
	va_list arguments;
	int n;

	if (t->length >= t->size)
		return;
	va_start(arguments, format);
	n = vsnprintf(t->at + t->length, t->size - t->length, format, arguments);
	va_end(arguments);
	if (n > 0)
		t->length += (size_t)n;
}

/* A time in the largest unit in which it is a whole number. */
static void append_time(struct text *t, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} unit[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" },
	};
	size_t i = 0;

	while (ns % unit[i].ns != 0)
		i++;
	append(t, "%llu %s", (unsigned long long)(ns / unit[i].ns), unit[i].name);
}

static void append_eventual(struct text *t, const struct lf_claim *claim)
{
	append(t, " (hand-off after ");
	if (claim->overtakes)
		append(t, "%u overtakes", claim->overtakes);
	if (claim->overtakes && claim->handoff_ns)
		append(t, " or ");
	if (claim->handoff_ns)
		append_time(t, claim->handoff_ns);
	append(t, ")");
}

static void append_numbers(struct text *t, unsigned bit, const struct lf_claim *claim)
{
	if (bit == LF_CLAIM_BYPASS)
		append(t, " (at most %u overtakes)", claim->overtakes);
	if (bit == LF_CLAIM_EVENTUAL)
		append_eventual(t, claim);
	if (bit == LF_CLAIM_QUANTUM) {
		append(t, " (");
		append_time(t, claim->quantum_ns);
		append(t, ")");
	}
}

const char *lf_claim_text(const struct lf_claim *claim, char *buffer, size_t size)
{
	static const char *const name[] = {
#define X(id, text, help) text,
		LF_CLAIM_MAP(X)
#undef X
	};
	const unsigned order = ~(unsigned)LF_CLAIM_SLEEPS;
	struct text t = { buffer, size, 0 };

	if (size)
		buffer[0] = '\0';
	if ((claim->set & order) == 0)
		append(&t, "none (barging)");
	for (unsigned i = 0; i < LF_CLAIM_COUNT; i++) {
		if ((claim->set & 1u << i) == 0)
			continue;
		append(&t, "%s%s", t.length ? ", " : "", name[i]);
		append_numbers(&t, 1u << i, claim);
	}
	return buffer;
}
