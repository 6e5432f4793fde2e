# SPDX-License-Identifier: LGPL-2.1-or-later
lf_house_tests = %reldir%/test-manual %reldir%/test-symbols
dist_check_SCRIPTS += $(lf_house_tests)
TESTS += $(lf_house_tests)
EXTRA_DIST += %reldir%/check %reldir%/deps %reldir%/fetch-uplot %reldir%/engines-table \
	%reldir%/gate %reldir%/gate-soak %reldir%/paste \
	%reldir%/installcheck %reldir%/installed.sh %reldir%/journey %reldir%/quickstart \
	%reldir%/soak %reldir%/steps.sh %reldir%/totals

# Templates for the CI of others, which copy them or call them where they are installed.
lf_template_scripts = %reldir%/templates/gate.sh %reldir%/templates/cluster.sh
cidir = $(pkgdatadir)/ci
ci_SCRIPTS = $(lf_template_scripts)
dist_ci_DATA = %reldir%/templates/README.md
cigithubdir = $(cidir)/github
dist_cigithub_DATA = %reldir%/templates/github/action.yml \
	%reldir%/templates/github/example.yml
cigitlabdir = $(cidir)/gitlab
dist_cigitlab_DATA = %reldir%/templates/gitlab/lockfair.yml
EXTRA_DIST += $(lf_template_scripts)

# What makes the measured tables in doc/.
EXTRA_DIST += %reldir%/gil-ratios %reldir%/measures.py %reldir%/pages.py \
	%reldir%/places.py %reldir%/seeds-page
