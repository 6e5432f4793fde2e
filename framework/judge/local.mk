# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/change.c \
	%reldir%/change.h \
	%reldir%/expectation.c \
	%reldir%/expectation.h \
	%reldir%/judge.c \
	%reldir%/judge.h \
	%reldir%/metrics.c \
	%reldir%/names.c \
	%reldir%/ratio.c \
	%reldir%/ratio.h \
	%reldir%/sensitivity.c \
	%reldir%/sensitivity.h \
	%reldir%/waits.c \
	%reldir%/waits.h
