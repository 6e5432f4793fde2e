# SPDX-License-Identifier: LGPL-2.1-or-later
examplesdir = $(docdir)/examples/my-lock
dist_examples_DATA = %reldir%/my-lock/Makefile %reldir%/my-lock/my-lock.c \
	%reldir%/my-lock/my-lock-test.c

# The installed copy is the one below DESTDIR and prefix. The results lie beside those of
# `make check`.
lf_install_tests = installcheck journey
installcheck-local:
	@$(MKDIR_P) %reldir%
	@for test in $(lf_install_tests); do \
		LF_STAGE='$(DESTDIR)' LF_DOCDIR='$(docdir)' \
		LF_PREFIX='$(prefix)' LF_BINDIR='$(bindir)' LF_LIBDIR='$(libdir)' \
		LF_DATADIR='$(pkgdatadir)' LF_PKGCONFIGDIR='$(pkgconfigdir)' CC='$(CC)' \
		LF_CFLAGS='$(CFLAGS) $(SANITIZER_FLAGS)' \
		$(T_LOG_DRIVER) --comments --test-name $$test --log-file %reldir%/$$test.log \
			--trs-file %reldir%/$$test.trs -- $(abs_srcdir)/ci/$$test; \
	done
	@for test in $(lf_install_tests); do \
		grep -q '^:global-test-result: PASS' %reldir%/$$test.trs || exit 1; \
	done
CLEANFILES += $(lf_install_tests:%=%reldir%/%.log) $(lf_install_tests:%=%reldir%/%.trs)
