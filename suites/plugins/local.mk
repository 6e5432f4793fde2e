# SPDX-License-Identifier: LGPL-2.1-or-later
# Plug-ins for the tests, most of them with something wrong: a file each. Tests
# find the shared objects in the folder that LF_TEST_PLUGINS names.
lf_plugins = \
	%reldir%/bad_param.so \
	%reldir%/crash.so \
	%reldir%/crash_at_load.so \
	%reldir%/exit.so \
	%reldir%/exit_at_load.so \
	%reldir%/fork.so \
	%reldir%/good.so \
	%reldir%/hang.so \
	%reldir%/no_release.so \
	%reldir%/no_symbol.so \
	%reldir%/other_abi.so \
	%reldir%/taken.so \
	%reldir%/twice.so \
	%reldir%/wild.so
check_DATA += $(lf_plugins)
CLEANFILES += $(lf_plugins)
EXTRA_DIST += %reldir%/flag.h $(lf_plugins:.so=.c)

$(lf_plugins): %.so: %.c %reldir%/flag.h framework/lockfair/backend.h
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && \
	$(CC) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) \
		-shared -fPIC -o $@ $<
