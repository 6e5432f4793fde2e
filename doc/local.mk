# SPDX-License-Identifier: LGPL-2.1-or-later
EXTRA_DIST += %reldir%/junit.xsd %reldir%/record.schema.json
