# SPDX-License-Identifier: LGPL-2.1-or-later
EXTRA_DIST += %reldir%/my-lock/Makefile %reldir%/my-lock/my-lock.c \
	%reldir%/my-lock/my-lock-test.c

# The installed copy is the one below DESTDIR and prefix. Its results lie beside
# those of `make check`.
installcheck-local:
	@$(MKDIR_P) %reldir%
	@LF_SOURCE='$(abs_srcdir)/%reldir%/my-lock' LF_STAGE='$(DESTDIR)' \
	LF_PREFIX='$(prefix)' LF_BINDIR='$(bindir)' LF_LIBDIR='$(libdir)' \
	LF_PKGCONFIGDIR='$(pkgconfigdir)' CC='$(CC)' \
	LF_CFLAGS='$(CFLAGS) $(SANITIZER_FLAGS)' \
	$(T_LOG_DRIVER) --comments --test-name installcheck \
		--log-file %reldir%/installcheck.log --trs-file %reldir%/installcheck.trs \
		-- $(abs_srcdir)/ci/installcheck
	@grep -q '^:global-test-result: PASS' %reldir%/installcheck.trs
CLEANFILES += %reldir%/installcheck.log %reldir%/installcheck.trs
