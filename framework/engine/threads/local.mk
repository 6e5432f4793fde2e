# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/clock.c \
	%reldir%/confirm.c \
	%reldir%/descriptors.c \
	%reldir%/phase.c \
	%reldir%/place.c \
	%reldir%/ports.c \
	%reldir%/threads.c \
	%reldir%/threads.h
