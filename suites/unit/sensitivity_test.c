/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/sensitivity.h"
#include "suites/unit/suites.h"

#include <stdio.h>
#include <string.h>

/*
 * Verdicts as text: one letter a seed, models separated by blanks. P pass,
 * I inconclusive, S, C and R a failing assertion of safety, claim, requirement.
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
			.verdict = *c == 'P' ? LF_VERDICT_PASS :
				*c == 'I' ? LF_VERDICT_INCONCLUSIVE : LF_VERDICT_FAIL,
			.origin = *c == 'S' ? LF_ORIGIN_SAFETY :
				*c == 'C' ? LF_ORIGIN_CLAIM : LF_ORIGIN_REQUIREMENT,
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
