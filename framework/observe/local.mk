# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/histogram.c \
	%reldir%/host.c \
	%reldir%/host.h \
	%reldir%/log.c \
	%reldir%/log.h \
	%reldir%/noise.c \
	%reldir%/noise.h \
	%reldir%/recorder.c \
	%reldir%/recorder.h \
	%reldir%/series.c
