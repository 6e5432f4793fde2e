# SPDX-License-Identifier: LGPL-2.1-or-later
# Measurements; nothing of them is installed or part of `make check`.
noinst_PROGRAMS += %reldir%/observe_cost
%canon_reldir%_observe_cost_SOURCES = %reldir%/observe_cost.c
%canon_reldir%_observe_cost_LDADD = libfixtures.a liblockfair.la
%canon_reldir%_observe_cost_LDFLAGS = $(AM_LDFLAGS) -static
