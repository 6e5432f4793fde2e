/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and short texts of what backends are and claim. */
#include "core/registry.h"

#include "core/buffer.h"

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

/* A time in the largest unit in which it is a whole number. */
static void append_time(struct lf_buffer *t, uint64_t ns)
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
	lf_put(t, "%llu %s", (unsigned long long)(ns / unit[i].ns), unit[i].name);
}

static void append_eventual(struct lf_buffer *t, const struct lf_claim *claim)
{
	lf_put(t, " (hand-off after ");
	if (claim->overtakes)
		lf_put(t, "%u overtakes", claim->overtakes);
	if (claim->overtakes && claim->handoff_ns)
		lf_put(t, " or ");
	if (claim->handoff_ns)
		append_time(t, claim->handoff_ns);
	lf_put(t, ")");
}

static void append_numbers(struct lf_buffer *t, unsigned bit, const struct lf_claim *claim)
{
	if (bit == LF_CLAIM_BYPASS)
		lf_put(t, " (at most %u overtakes)", claim->overtakes);
	if (bit == LF_CLAIM_EVENTUAL)
		append_eventual(t, claim);
	if (bit == LF_CLAIM_IO_FIRST && claim->io_threads)
		lf_put(t, " (beside at most %u)", claim->io_threads);
	if (bit == LF_CLAIM_QUANTUM) {
		lf_put(t, " (");
		append_time(t, claim->quantum_ns);
		lf_put(t, ")");
	}
}

const char *lf_claim_text(const struct lf_claim *claim, char *buffer, size_t size)
{
	static const char *const name[] = {
#define X(id, text, help) text,
		LF_CLAIM_MAP(X)
#undef X
	};
	const unsigned order = ~(unsigned)(LF_CLAIM_SLEEPS | LF_CLAIM_SPINS);
	struct lf_buffer t = { buffer, size, 0 };

	if (size)
		buffer[0] = '\0';
	if ((claim->set & order) == 0)
		lf_put(&t, "none (barging)");
	for (unsigned i = 0; i < LF_CLAIM_COUNT; i++) {
		if ((claim->set & 1u << i) == 0)
			continue;
		lf_put(&t, "%s%s", t.length ? ", " : "", name[i]);
		append_numbers(&t, 1u << i, claim);
	}
	return buffer;
}
