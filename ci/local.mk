# SPDX-License-Identifier: LGPL-2.1-or-later
lf_house_tests = %reldir%/test-manual %reldir%/test-symbols
dist_check_SCRIPTS += $(lf_house_tests)
TESTS += $(lf_house_tests)
EXTRA_DIST += %reldir%/check %reldir%/deps %reldir%/engines-table %reldir%/gate \
	%reldir%/gate-soak \
	%reldir%/installcheck %reldir%/quickstart \
	%reldir%/soak %reldir%/steps.sh %reldir%/totals
