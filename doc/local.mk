# SPDX-License-Identifier: LGPL-2.1-or-later
# Installed as it lies here, so that the links of README.md hold.
dist_doc_DATA += README.md CHANGELOG.md CONTRIBUTING.md
pagesdir = $(docdir)/doc
dist_pages_DATA = \
	%reldir%/channels.md %reldir%/design.md %reldir%/engines.md \
	%reldir%/gate.md %reldir%/gils.md %reldir%/select.md \
	%reldir%/record.schema.json %reldir%/report.png %reldir%/reports.md \
	%reldir%/seeds.md %reldir%/soak.md %reldir%/verdicts.md
EXTRA_DIST += %reldir%/junit.xsd

# Runs both engines for some minutes and writes what came out into the manual.
EXTRA_DIST += ci/engines-table
.PHONY: doc-engines doc-seeds
doc-engines: lockfair$(EXEEXT)
	$(srcdir)/ci/engines-table ./lockfair 3 $(srcdir)/%reldir%/engines.md

# Measures how far the gate can be trusted here, for SOAK_MINUTES (90 or so), and writes
# the table into the manual. Wants a machine that has nothing else to do.
.PHONY: doc-gate
doc-gate: lockfair$(EXEEXT)
	$(srcdir)/ci/gate-soak ./lockfair >gate-soak.tmp && \
		$(srcdir)/ci/paste '<!-- gate-soak -->' $(srcdir)/%reldir%/gate.md \
			<gate-soak.tmp && rm -f gate-soak.tmp

# Runs both engines for a quarter of an hour, on results that others posted. Wants such
# a machine, too.
doc-seeds: lockfair$(EXEEXT)
	cd $(srcdir) && ci/seeds-page --lockfair $(abs_builddir)/lockfair \
		--page %reldir%/seeds.md $(lf_results)
