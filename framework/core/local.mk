# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/cell.c \
	%reldir%/cell.h \
	%reldir%/descriptor.c \
	%reldir%/error.c \
	%reldir%/error.h \
	%reldir%/names.c \
	%reldir%/plugin.c \
	%reldir%/registry.c \
	%reldir%/registry.h \
	%reldir%/select.c \
	%reldir%/select.h
