# SPDX-License-Identifier: LGPL-2.1-or-later
# The simulator. It is never instrumented by a sanitizer: it is what the hooks of
# one call.
liblockfair_la_SOURCES += \
	%reldir%/machine.c \
	%reldir%/machine.h

if HAVE_SIM
AM_CPPFLAGS += -DLF_HAVE_SIM=1

noinst_LTLIBRARIES = %reldir%/libsim.la
liblockfair_la_LIBADD += %reldir%/libsim.la
%canon_reldir%_libsim_la_CFLAGS = $(WARN_CFLAGS) $(PTHREAD_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_libsim_la_SOURCES = \
	%reldir%/box.c \
	%reldir%/box.h \
	%reldir%/c11.c \
	%reldir%/carrier.h \
	%reldir%/choose.c \
	%reldir%/cond.c \
	%reldir%/epoll.c \
	%reldir%/eventfd.c \
	%reldir%/events.c \
	%reldir%/fiber.c \
	%reldir%/event.h \
	%reldir%/files.c \
	%reldir%/hooks.c \
	%reldir%/inherit.c \
	%reldir%/kernel.c \
	%reldir%/kernel.h \
	%reldir%/kqueue.c \
	%reldir%/lines.c \
	%reldir%/loop.c \
	%reldir%/memory.c \
	%reldir%/messages.c \
	%reldir%/mutex.c \
	%reldir%/objects.c \
	%reldir%/objects.h \
	%reldir%/pipe.c \
	%reldir%/ports.c \
	%reldir%/queued.c \
	%reldir%/refused.c \
	%reldir%/rwlock.c \
	%reldir%/schedule.c \
	%reldir%/select.c \
	%reldir%/sem.c \
	%reldir%/semaphores.c \
	%reldir%/signals.c \
	%reldir%/sim.c \
	%reldir%/sim.h \
	%reldir%/system.c \
	%reldir%/threads.c \
	%reldir%/token.c \
	%reldir%/waits.c \
	%reldir%/watch.c \
	%reldir%/watchdog.c \
	%reldir%/watch.h \
	%reldir%/world.c

# What it costs.
noinst_PROGRAMS += bench/sim_cost
bench_sim_cost_SOURCES = bench/sim_cost.c
bench_sim_cost_LDADD = $(lf_program_libs)
bench_sim_cost_LDFLAGS = $(AM_LDFLAGS) -static
else
liblockfair_la_SOURCES += %reldir%/absent.c
endif

# What `lockfair cc` needs, installed beside each other.
AM_CPPFLAGS += -DLF_PKGDATADIR='"$(pkgdatadir)"' -DLF_INCLUDEDIR='"$(includedir)"' \
	-DLF_PKGLIBDIR='"$(pkglibdir)"'
pkgdata_DATA = %reldir%/rename.h %reldir%/event.h
pkgdata_SCRIPTS = %reldir%/twin.sh %reldir%/plugin.sh %reldir%/check-twins.sh
EXTRA_DIST += \
	%reldir%/absent.c \
	$(pkgdata_DATA) \
	$(pkgdata_SCRIPTS) \
	$(lf_machine_files)

# The machine models, in the order in which they are shown: built in, and
# installed as examples for --machine FILE.
lf_machine_files = \
	machines/1cpu.ini \
	machines/1cpu-nopreempt.ini \
	machines/2cpu-fastwake.ini \
	machines/2cpu.ini \
	machines/2cpu-slowwake.ini \
	machines/over2x.ini \
	machines/smp4.ini \
	machines/q9400-2009.ini \
	machines/core2duo-2010.ini \
	machines/celeron-uni.ini \
	machines/celeron-nosmp.ini \
	machines/celeron-smp.ini \
	machines/coarse-timer.ini
machinesdir = $(pkgdatadir)/machines
machines_DATA = $(lf_machine_files)

nodist_liblockfair_la_SOURCES += %reldir%/machines_text.c
CLEANFILES += %reldir%/machines_text.c
%reldir%/machines_text.c: $(lf_machine_files) build-aux/embed.awk
	$(call lf_embed,lf_machines_shipped,$(lf_machine_files:%=$(srcdir)/%))

# The simulator from outside.
dist_check_SCRIPTS += suites/cli/sim.t
TESTS += suites/cli/sim.t
suites/cli/sim.log: lockfair$(EXEEXT)
