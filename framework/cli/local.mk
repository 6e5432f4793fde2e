# SPDX-License-Identifier: LGPL-2.1-or-later
lockfair_SOURCES += \
	%reldir%/cc.c \
	%reldir%/cells.c \
	%reldir%/cells.h \
	%reldir%/choose.c \
	%reldir%/choose.h \
	%reldir%/cli.h \
	%reldir%/expected.c \
	%reldir%/expected.h \
	%reldir%/gate.c \
	%reldir%/gate.h \
	%reldir%/gate_change.c \
	%reldir%/gate_claims.c \
	%reldir%/gate_options.c \
	%reldir%/gate_sides.c \
	%reldir%/inputs.c \
	%reldir%/inputs.h \
	%reldir%/interpreters.c \
	%reldir%/interpreters.h \
	%reldir%/interrupt.c \
	%reldir%/interrupt.h \
	%reldir%/list.c \
	%reldir%/machines.c \
	%reldir%/main.c \
	%reldir%/merge.c \
	%reldir%/options.c \
	%reldir%/options.h \
	%reldir%/place.c \
	%reldir%/place.h \
	%reldir%/progress.c \
	%reldir%/progress.h \
	%reldir%/replay.c \
	%reldir%/resume.c \
	%reldir%/resume.h \
	%reldir%/run.c
