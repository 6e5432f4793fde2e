# SPDX-License-Identifier: LGPL-2.1-or-later
# The built-in backends once more, compiled for the simulator: their objects go
# into the same archive. fixtures.c is the list of backends, and none itself;
# workloads are modelled.
if HAVE_SIM
lf_twin_sources = $(filter-out fixtures/fixtures.c fixtures/workloads/%, \
	$(filter %.c,$(libfixtures_a_SOURCES)))
lf_twins = $(lf_twin_sources:.c=.twin.o)
libfixtures_a_LIBADD += $(lf_twins)
EXTRA_libfixtures_a_DEPENDENCIES = $(lf_twins)
CLEANFILES += $(lf_twins) $(lf_twins:.o=.d)

# Sanitizers of the build are left out: a twin has its own use for them.
%.twin.o: %.c framework/engine/sim/rename.h framework/engine/sim/twin.sh
	$(AM_V_CC)$(MKDIR_P) $(@D) && OBJCOPY="$(OBJCOPY)" NM="$(NM)" $(SHELL) \
		$(srcdir)/framework/engine/sim/twin.sh $@ $< $(CC) $(DEFS) \
		$(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(WARN_CFLAGS) \
		$(PTHREAD_CFLAGS) $(CFLAGS) -MMD -MP -MF $*.twin.d -MT $@
-include $(lf_twins:.o=.d)

# Plug-ins compiled for the simulator find it in the program.
lockfair_LDFLAGS += -export-dynamic
endif

# The twins must do no atomic operation behind the hooks' back.
check-local: check-twins
check-twins: libfixtures.a
	$(AM_V_at)$(SHELL) $(srcdir)/framework/engine/sim/check-twins.sh $(lf_twins)
.PHONY: check-twins
