# SPDX-License-Identifier: LGPL-2.1-or-later
dist_doc_DATA += README.md CHANGELOG.md \
	%reldir%/design.md %reldir%/engines.md %reldir%/gate.md %reldir%/gils.md \
	%reldir%/report.png %reldir%/reports.md %reldir%/soak.md %reldir%/verdicts.md
EXTRA_DIST += %reldir%/junit.xsd %reldir%/record.schema.json

# Runs both engines for some minutes and writes what came out into the manual.
EXTRA_DIST += ci/engines-table
.PHONY: doc-engines
doc-engines: lockfair$(EXEEXT)
	$(srcdir)/ci/engines-table ./lockfair 3 $(srcdir)/%reldir%/engines.md
