# SPDX-License-Identifier: LGPL-2.1-or-later
dist_man_MANS += %reldir%/lockfair.1 %reldir%/lockfair-gate.1 %reldir%/lockfair.3
