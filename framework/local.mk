# SPDX-License-Identifier: LGPL-2.1-or-later
lockfairinclude_HEADERS += \
	%reldir%/lockfair/assert.h \
	%reldir%/lockfair/backend.h \
	%reldir%/lockfair/lockfair.h \
	%reldir%/lockfair/observation.h \
	%reldir%/lockfair/outcome.h \
	%reldir%/lockfair/scenario.h \
	%reldir%/lockfair/workload.h

include %reldir%/core/local.mk
include %reldir%/engine/local.mk
include %reldir%/observe/local.mk
include %reldir%/judge/local.mk
include %reldir%/report/local.mk
include %reldir%/gate/local.mk
include %reldir%/run/local.mk
include %reldir%/cli/local.mk
