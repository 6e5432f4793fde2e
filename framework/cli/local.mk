# SPDX-License-Identifier: LGPL-2.1-or-later
lockfair_SOURCES += \
	%reldir%/cc.c \
	%reldir%/cells.c \
	%reldir%/cells.h \
	%reldir%/choose.c \
	%reldir%/choose.h \
	%reldir%/cli.h \
	%reldir%/inputs.c \
	%reldir%/inputs.h \
	%reldir%/list.c \
	%reldir%/machines.c \
	%reldir%/main.c \
	%reldir%/merge.c \
	%reldir%/options.c \
	%reldir%/options.h \
	%reldir%/progress.c \
	%reldir%/progress.h \
	%reldir%/replay.c \
	%reldir%/resume.c \
	%reldir%/resume.h \
	%reldir%/run.c
