# SPDX-License-Identifier: LGPL-2.1-or-later
# Scenarios: part of the library.
liblockfair_la_SOURCES += \
	%reldir%/bandwidth.c \
	%reldir%/barging.c \
	%reldir%/ccbench.c \
	%reldir%/ccbench.h \
	%reldir%/common.c \
	%reldir%/common.h \
	%reldir%/drain.c \
	%reldir%/exclusion.c \
	%reldir%/hog.c \
	%reldir%/interleaving.c \
	%reldir%/io_latency.c \
	%reldir%/latency.c \
	%reldir%/order.c \
	%reldir%/pingpong.c \
	%reldir%/ranking.c \
	%reldir%/scenarios.c \
	%reldir%/scenarios.h \
	%reldir%/select.c \
	%reldir%/select.h \
	%reldir%/select_gain.c \
	%reldir%/single.c \
	%reldir%/throughput.c \
	%reldir%/transfer.c

# The expectations that are built in.
EXTRA_DIST += %reldir%/expectations.ini
nodist_liblockfair_la_SOURCES += %reldir%/expectations.c
CLEANFILES += %reldir%/expectations.c
%reldir%/expectations.c: %reldir%/expectations.ini build-aux/embed.awk
	$(call lf_embed,lf_expectations_shipped,$(srcdir)/%reldir%/expectations.ini)

# Results that others posted, which tests and doc/seeds.md compare with.
lf_results = %reldir%/data/ccbench-2010.json %reldir%/data/patches-2010.json \
	%reldir%/data/ctxbench-2002.json %reldir%/data/io-event-2021.json
EXTRA_DIST += $(lf_results)
CLEANFILES += %reldir%/data/ccbench-2010.c
%reldir%/data/ccbench-2010.c: %reldir%/data/ccbench-2010.json build-aux/embed.awk
	$(call lf_embed,lf_ccbench_2010,$(srcdir)/%reldir%/data/ccbench-2010.json)

include %reldir%/plugins/local.mk

# The unit tests of the framework itself: one runner, one suite a file.
check_PROGRAMS += %reldir%/unit/runner.t
TESTS += %reldir%/unit/runner.t
%canon_reldir%_unit_runner_t_SOURCES = \
	%reldir%/unit/campaign_test.c \
	%reldir%/unit/change_test.c \
	%reldir%/unit/ccbench_report_test.c \
	%reldir%/unit/ccbench_test.c \
	%reldir%/unit/channels_test.c \
	%reldir%/unit/deeds.c \
	%reldir%/unit/deeds.h \
	%reldir%/unit/expectation_test.c \
	%reldir%/unit/fixtures_test.c \
	%reldir%/unit/gate_test.c \
	%reldir%/unit/gils_sim_test.c \
	%reldir%/unit/gils_test.c \
	%reldir%/unit/job_test.c \
	%reldir%/unit/judge_test.c \
	%reldir%/unit/observe_test.c \
	%reldir%/unit/orders.h \
	%reldir%/unit/orders_roles.h \
	%reldir%/unit/orders_sim.c \
	%reldir%/unit/orders_test.c \
	%reldir%/unit/page_test.c \
	%reldir%/unit/paper.c \
	%reldir%/unit/paper.h \
	%reldir%/unit/play.c \
	%reldir%/unit/play.h \
	%reldir%/unit/pingpong_test.c \
	%reldir%/unit/plugin_test.c \
	%reldir%/unit/pollers_test.c \
	%reldir%/unit/ratio_test.c \
	%reldir%/unit/records.c \
	%reldir%/unit/records.h \
	%reldir%/unit/registry_test.c \
	%reldir%/unit/record_test.c \
	%reldir%/unit/replay_test.c \
	%reldir%/unit/record_file_test.c \
	%reldir%/unit/text_test.c \
	%reldir%/unit/tap_test.c \
	%reldir%/unit/junit_test.c \
	%reldir%/unit/seed_test.c \
	%reldir%/unit/sensitivity_test.c \
	%reldir%/unit/runner.c \
	%reldir%/unit/runner_test.c \
	%reldir%/unit/seeds_test.c \
	%reldir%/unit/shown_test.c \
	%reldir%/unit/stand.c \
	%reldir%/unit/stand.h \
	%reldir%/unit/sim_machine_test.c \
	%reldir%/unit/sim_kernel_test.c \
	%reldir%/unit/sim_objects_test.c \
	%reldir%/unit/sim_run_test.c \
	%reldir%/unit/sim_unknown_test.c \
	%reldir%/unit/sim_verdicts_test.c \
	%reldir%/unit/suites.h \
	%reldir%/unit/tap.c \
	%reldir%/unit/tap.h \
	%reldir%/unit/threads_test.c \
	%reldir%/unit/timeline_test.c \
	%reldir%/unit/trial.c \
	%reldir%/unit/trial.h \
	%reldir%/unit/waits_test.c \
	%reldir%/unit/workloads_test.c
nodist_%canon_reldir%_unit_runner_t_SOURCES = %reldir%/data/ccbench-2010.c
%canon_reldir%_unit_runner_t_LDADD = $(lf_program_libs)
%canon_reldir%_unit_runner_t_LDFLAGS = $(AM_LDFLAGS) -static

# The program, from outside. After the unit tests and not beside them: both
# measure.
dist_check_SCRIPTS += %reldir%/cli/cli.t
TESTS += %reldir%/cli/cli.t
%reldir%/cli/cli.log: %reldir%/unit/runner.log lockfair$(EXEEXT) $(lf_plugins)
dist_check_SCRIPTS += %reldir%/cli/formats.t
TESTS += %reldir%/cli/formats.t
%reldir%/cli/formats.log: %reldir%/cli/cli.log
EXTRA_DIST += %reldir%/cli/common.sh %reldir%/cli/browser.py
dist_check_SCRIPTS += %reldir%/cli/interpreters.t
TESTS += %reldir%/cli/interpreters.t
%reldir%/cli/interpreters.log: %reldir%/cli/cli.log
lf_cli_tests = %reldir%/cli/faults.t %reldir%/cli/shards.t %reldir%/cli/html.t \
	%reldir%/cli/completion.t %reldir%/cli/templates.t %reldir%/cli/own.t
dist_check_SCRIPTS += $(lf_cli_tests)
TESTS += $(lf_cli_tests)
%reldir%/cli/faults.log: %reldir%/cli/formats.log %reldir%/cli/interpreters.log
%reldir%/cli/shards.log: %reldir%/cli/faults.log
%reldir%/cli/html.log: %reldir%/cli/shards.log
%reldir%/cli/completion.log: %reldir%/cli/html.log
%reldir%/cli/templates.log: %reldir%/cli/completion.log %reldir%/cli/gate.log
dist_check_SCRIPTS += %reldir%/cli/seeds.t
TESTS += %reldir%/cli/seeds.t
dist_check_SCRIPTS += %reldir%/cli/gate.t
TESTS += %reldir%/cli/gate.t
%reldir%/cli/gate.log: %reldir%/cli/formats.log $(lf_plugins) fixtures/backends.so
%reldir%/cli/own.log: %reldir%/cli/templates.log
dist_check_SCRIPTS += %reldir%/cli/compare.t
TESTS += %reldir%/cli/compare.t
%reldir%/cli/compare.log: lockfair$(EXEEXT)
EXTRA_DIST += \
	%reldir%/data/ctxbench-2.5.50.jsonl \
	%reldir%/data/ctxbench-2.5.52.jsonl \
	%reldir%/data/ctxbench-2002.txt
# Last, because it fills the CPUs.
dist_check_SCRIPTS += %reldir%/cli/repeat.t
TESTS += %reldir%/cli/repeat.t
%reldir%/cli/repeat.log: %reldir%/cli/own.log %reldir%/cli/sim.log
