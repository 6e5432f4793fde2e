# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/campaign.c \
	%reldir%/campaign.h \
	%reldir%/outcome.c \
	%reldir%/plan.c \
	%reldir%/plan.h \
	%reldir%/replay.c \
	%reldir%/replay.h \
	%reldir%/result.h \
	%reldir%/stacks.c \
	%reldir%/stacks.h \
	%reldir%/supervisor.c \
	%reldir%/supervisor.h \
	%reldir%/tree.c \
	%reldir%/tree.h \
	%reldir%/worker.c \
	%reldir%/worker.h
