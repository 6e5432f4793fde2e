# SPDX-License-Identifier: LGPL-2.1-or-later
dist_check_SCRIPTS += %reldir%/test-symbols
TESTS += %reldir%/test-symbols
EXTRA_DIST += %reldir%/check %reldir%/deps %reldir%/installcheck %reldir%/quickstart \
	%reldir%/soak %reldir%/steps.sh %reldir%/totals
