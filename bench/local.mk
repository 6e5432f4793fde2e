# SPDX-License-Identifier: LGPL-2.1-or-later
EXTRA_DIST += %reldir%/regressions/mutex.c %reldir%/regressions/queue.c \
	%reldir%/regressions/slow.h %reldir%/regressions/ticket.c

# Measurements; nothing of them is installed or part of `make check`.
noinst_PROGRAMS += %reldir%/observe_cost
%canon_reldir%_observe_cost_SOURCES = %reldir%/observe_cost.c
%canon_reldir%_observe_cost_LDADD = $(lf_program_libs)
%canon_reldir%_observe_cost_LDFLAGS = $(AM_LDFLAGS) -static

# The numbers of the workloads' models, measured here.
noinst_PROGRAMS += %reldir%/calibrate
%canon_reldir%_calibrate_SOURCES = %reldir%/calibrate.c
%canon_reldir%_calibrate_LDADD = $(lf_program_libs)
%canon_reldir%_calibrate_LDFLAGS = $(AM_LDFLAGS) -static
.PHONY: calibrate
calibrate: %reldir%/calibrate$(EXEEXT)
	%reldir%/calibrate >calibrated.tmp && \
		mv calibrated.tmp $(srcdir)/fixtures/workloads/calibrated.h

noinst_PROGRAMS += %reldir%/interpreters
%canon_reldir%_interpreters_SOURCES = %reldir%/interpreters.c
%canon_reldir%_interpreters_LDADD = $(lf_program_libs)
%canon_reldir%_interpreters_LDFLAGS = $(AM_LDFLAGS) -static

# Channel `pipes` against perf's, and `lockfair compare` against itself; the exit status
# says whether it holds.
EXTRA_DIST += %reldir%/compare_pairs %reldir%/pipe_parity
