# SPDX-License-Identifier: LGPL-2.1-or-later
liblockfair_la_SOURCES += \
	%reldir%/baseline.c \
	%reldir%/baseline.h \
	%reldir%/compare.c \
	%reldir%/evidence.c \
	%reldir%/evidence.h \
	%reldir%/evidence_text.c \
	%reldir%/evidence_timeline.c \
	%reldir%/gate_text.c \
	%reldir%/github.c \
	%reldir%/history.c \
	%reldir%/html.c \
	%reldir%/host.c \
	%reldir%/host.h \
	%reldir%/json.c \
	%reldir%/json.h \
	%reldir%/junit.c \
	%reldir%/lanes.c \
	%reldir%/markdown.c \
	%reldir%/merge.c \
	%reldir%/merge.h \
	%reldir%/page.h \
	%reldir%/page_data.c \
	%reldir%/record.c \
	%reldir%/record.h \
	%reldir%/record_file.c \
	%reldir%/report.h \
	%reldir%/seed.c \
	%reldir%/seed.h \
	%reldir%/seed_ccbench.c \
	%reldir%/seed_handoff.c \
	%reldir%/seed_select.c \
	%reldir%/shown.c \
	%reldir%/shown.h \
	%reldir%/tap.c \
	%reldir%/text.c \
	%reldir%/text_answers.c \
	%reldir%/text_cells.c \
	%reldir%/text_parts.h \
	%reldir%/text_rates.c \
	%reldir%/text_select.c \
	%reldir%/text_table.c \
	%reldir%/trace.c \
	%reldir%/words.c \
	%reldir%/words.h \
	%reldir%/wrap.c \
	%reldir%/wrap.h

# The HTML report's style and script, and uPlot where configure found it.
lf_page_scripts = \
	%reldir%/page/base.js \
	%reldir%/page/timeline.js \
	%reldir%/page/series.js \
	%reldir%/page/sweep.js \
	%reldir%/page/gate.js \
	%reldir%/page/cell.js \
	%reldir%/page/main.js
EXTRA_DIST += $(lf_page_scripts) %reldir%/page/page.css
nodist_liblockfair_la_SOURCES += %reldir%/page/parts.c
CLEANFILES += %reldir%/page/parts.c
%reldir%/page/parts.c: $(lf_page_scripts) %reldir%/page/page.css build-aux/embed.awk \
		config.status
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
	$(call lf_embedded,lf_page_css,$(srcdir)/%reldir%/page/page.css) && \
	$(call lf_embedded,lf_page_js,$(addprefix $(srcdir)/,$(lf_page_scripts))) && \
	$(call lf_embedded,lf_page_uplot_js,$(UPLOT_DIR:%=%/uPlot.iife.min.js)) && \
	$(call lf_embedded,lf_page_uplot_css,$(UPLOT_DIR:%=%/uPlot.min.css)) && \
	$(call lf_embedded,lf_page_uplot_licence,$(UPLOT_DIR:%=%/LICENSE)); \
	} >$@.tmp && mv $@.tmp $@
