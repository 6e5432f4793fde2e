#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compiles one C source for the simulator:
#
#	twin.sh OBJECT SOURCE COMPILER [ARGUMENT…]
#
# The sanitizer's hooks become the simulator's (__tsan_X to lf_tsan_X) and libtsan
# is never asked for; rename.h, beside this file, sends what the source wants of
# the C library to the simulator. OBJCOPY and NM name these tools.
set -eu

object=$1 source=$2
shift 2
here=$(dirname "$0")
work=$object.tmp$$
trap 'rm -f "$work.o" "$work.names"' EXIT
trap 'exit 1' HUP INT TERM

# gcc warns that its thread sanitizer does not know fences; the simulator does.
# All of the command is asked: it may begin with ccache.
case $("$@" --version 2>/dev/null) in
*clang*) quiet=-Wno-unknown-warning-option ;;
*) quiet=-Wno-tsan ;;
esac

# Fortified headers, and those for large files, call the C library behind
# rename.h's back.
"$@" -g -O2 -fPIC -U_FORTIFY_SOURCE -U_FILE_OFFSET_BITS \
	-fsanitize=thread $quiet -DLF_SIM_TWIN \
	-include "$here/rename.h" -c -o "$work.o" "$source"
# NM and OBJCOPY may have arguments of their own. The C library declares pthread_yield
# to be sched_yield by an alias, which no macro of rename.h reaches.
# shellcheck disable=SC2086
${NM:-nm} -u "$work.o" | sed -n -e 's/^ *U \(__tsan_\(.*\)\)$/\1 lf_tsan_\2/p' \
	-e 's/^ *U sched_yield$/sched_yield lf_sim_sched_yield/p' >"$work.names"
if ! grep -q lf_tsan_ "$work.names"; then
	echo "$0: $source: ${NM:-nm} shows no hooks in its object" >&2
	exit 1
fi
# shellcheck disable=SC2086
${OBJCOPY:-objcopy} --redefine-syms="$work.names" "$work.o" "$object"
