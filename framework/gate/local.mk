# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/arena.c \
	%reldir%/child.c \
	%reldir%/child.h \
	%reldir%/futex.h \
	%reldir%/realtime.c \
	%reldir%/realtime.h \
	%reldir%/record.c \
	%reldir%/record.h \
	%reldir%/rounds.c \
	%reldir%/rounds.h \
	%reldir%/trial.c \
	%reldir%/trial.h \
	%reldir%/waits.c \
	%reldir%/waits.h
