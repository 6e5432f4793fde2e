# SPDX-License-Identifier: LGPL-2.1-or-later
include %reldir%/threads/local.mk
include %reldir%/sim/local.mk

liblockfair_la_SOURCES += \
	%reldir%/actor.c \
	%reldir%/engine.h \
	%reldir%/engines.c \
	%reldir%/run.c \
	%reldir%/work.c
