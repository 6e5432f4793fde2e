# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/buffer.c \
	%reldir%/buffer.h \
	%reldir%/build.c \
	%reldir%/build.h \
	%reldir%/cell.c \
	%reldir%/cell.h \
	%reldir%/clock.h \
	%reldir%/descriptor.c \
	%reldir%/error.c \
	%reldir%/error.h \
	%reldir%/names.c \
	%reldir%/plugin.c \
	%reldir%/point.c \
	%reldir%/point.h \
	%reldir%/plugin.h \
	%reldir%/registry.c \
	%reldir%/registry.h \
	%reldir%/select.c \
	%reldir%/select.h \
	%reldir%/sort.c \
	%reldir%/sort.h \
	%reldir%/workloads.c \
	%reldir%/workloads.h

# Part of what identifies a build; see build.h.
%reldir%/build.lo %reldir%/build.o: AM_CPPFLAGS += \
	-DLF_BUILD_FLAGS='"$(CFLAGS) $(SANITIZER_FLAGS)"'
