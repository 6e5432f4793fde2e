/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/sensitivity.h"
#include "suites/unit/suites.h"

#include <stdio.h>
#include <string.h>

/*
 * Verdicts as text: one letter a seed, models separated by blanks. P pass,
 * I inconclusive, S, C and R a failing assertion of safety, claim, requirement; N a
 * pass near its bound, X cut off.
 */
static struct lf_judgement combine(const char *text)
{
	static struct lf_variant_result v[64];
	struct lf_judgement j = { .reason = "why" };
	unsigned n = 0, model = 0;

	for (const char *c = text; *c; c++) {
		if (*c == ' ') {
			model++;
			continue;
		}
		v[n] = (struct lf_variant_result){
			.verdict = *c == 'P' || *c == 'N' ? LF_VERDICT_PASS :
				*c == 'I' || *c == 'X' ? LF_VERDICT_INCONCLUSIVE : LF_VERDICT_FAIL,
			.origin = *c == 'S' ? LF_ORIGIN_SAFETY :
				*c == 'C' ? LF_ORIGIN_CLAIM : LF_ORIGIN_REQUIREMENT,
			.metric = *c == 'S' ? LF_METRIC_PROGRESS : LF_METRIC_WAIT_P90,
			.value = 44e6, .bound = 45e6,
			.near = *c == 'N', .cut_off = *c == 'X',
		};
		snprintf(v[n].variant.machine, sizeof v[n].variant.machine, "model-%u", model);
		n++;
	}
	lf_combine_variants(v, n, &j);
	return j;
}

static const struct {
	const char *text;
	enum lf_verdict verdict;
	const char *reason; /* part of it */
} cases[] = {
	{ "PPPP PPPP", LF_VERDICT_PASS, "" },
	{ "PPPI IPPP", LF_VERDICT_PASS, "" },
	{ "PPPP IIII", LF_VERDICT_INCONCLUSIVE, "model-1" },
	{ "PPPS PPPP", LF_VERDICT_FAIL, "why" },
	{ "PPPP CCCP", LF_VERDICT_FAIL, "why" },
	{ "PPPP CCPP", LF_VERDICT_SENSITIVE, "1 of 2 models (model-1), not under model-0" },
	{ "PPPP RRRR", LF_VERDICT_SENSITIVE, "1 of 2 models (model-1), not under model-0" },
	{ "RRRR RRRP", LF_VERDICT_FAIL, "why" },
	{ "RRPP RPPP", LF_VERDICT_SENSITIVE, "seed" },
	{ "RRRR IIII", LF_VERDICT_SENSITIVE, "" },
	{ "PPPP PPPN", LF_VERDICT_SENSITIVE,
	  "wait-p90 44 ms is near its bound of 45 ms (model-1, seed 0); all runs hold, but "
	  "1 with less than 10 % of the bound to spare, under model-1" },
	{ "PPPN PPPR", LF_VERDICT_SENSITIVE, "1 of 2 models (model-1)" },
	{ "CCCN PPPP", LF_VERDICT_FAIL, "why" },
	{ "PPPX PPXX", LF_VERDICT_PASS, "" },
	{ "PPPP PXXX", LF_VERDICT_INCONCLUSIVE, "model-1; 3 of 8 runs were cut off" },
	{ "XXXX PPPP", LF_VERDICT_INCONCLUSIVE, "model-0; 4 of 8 runs were cut off" },
	{ "XXXX CCCP", LF_VERDICT_FAIL, "; 4 of 8 runs were cut off" },
	{ "P", LF_VERDICT_PASS, "" },
	{ "R", LF_VERDICT_FAIL, "why" },
};

START_TEST(verdict_of_variants)
{
	struct lf_judgement j = combine(cases[_i].text);
	ck_assert_msg(j.verdict == cases[_i].verdict, "\"%s\" is %s, not %s", cases[_i].text,
		      lf_verdict_name(j.verdict), lf_verdict_name(cases[_i].verdict));
	ck_assert_msg(strstr(j.reason, cases[_i].reason), "\"%s\" says \"%s\"", cases[_i].text,
		      j.reason);
}
END_TEST

Suite *lf_test_sensitivity(void)
{
	Suite *s = suite_create("sensitivity");
	TCase *t = tcase_create("combine");
	tcase_add_loop_test(t, verdict_of_variants, 0, (int)(sizeof cases / sizeof cases[0]));
	suite_add_tcase(s, t);
	return s;
}
