# SPDX-License-Identifier: LGPL-2.1-or-later
dist_doc_DATA += README.md CHANGELOG.md %reldir%/design.md %reldir%/verdicts.md
EXTRA_DIST += %reldir%/junit.xsd %reldir%/record.schema.json
