# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/baseline.c \
	%reldir%/baseline.h \
	%reldir%/ccbench.c \
	%reldir%/evidence.c \
	%reldir%/evidence.h \
	%reldir%/evidence_text.c \
	%reldir%/gate_text.c \
	%reldir%/history.c \
	%reldir%/json.c \
	%reldir%/json.h \
	%reldir%/junit.c \
	%reldir%/lanes.c \
	%reldir%/merge.c \
	%reldir%/merge.h \
	%reldir%/record.c \
	%reldir%/record.h \
	%reldir%/record_file.c \
	%reldir%/report.h \
	%reldir%/shown.c \
	%reldir%/shown.h \
	%reldir%/tap.c \
	%reldir%/text.c \
	%reldir%/text_answers.c \
	%reldir%/text_cells.c \
	%reldir%/text_parts.h \
	%reldir%/text_table.c \
	%reldir%/words.c \
	%reldir%/words.h \
	%reldir%/wrap.c \
	%reldir%/wrap.h
