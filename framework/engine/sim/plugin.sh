#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The work of `lockfair cc`: compiles C sources twice, plain and for the
# simulator, and links both into one shared object.
#
#	plugin.sh INCLUDEDIR -o PLUGIN.so SOURCE.c… [COMPILER ARGUMENT…]
#
# CC, CFLAGS and LDFLAGS have their usual meaning; NM, OBJCOPY and OBJDUMP name tools.
set -eu

here=$(dirname "$0")
include=$1
shift
say() { echo "lockfair cc: $*" >&2; }

# Sorts the arguments into $sources, $compile and $link, quoted for eval.
sources='' compile='' link='' output=''
quote() { printf "%s" "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"; }
while [ $# -gt 0 ]; do
	case $1 in
	-o)
		if [ $# -lt 2 ]; then
			say "-o needs a file name"
			exit 2
		fi
		output=$2
		shift
		;;
	-o?*) output=${1#-o} ;;
	*.c) sources="$sources $(quote "$1")" ;;
	-l* | -L* | -Wl,* | *.o | *.a | *.so) link="$link $(quote "$1")" ;;
	-I | -D | -U | -include | -isystem)
		compile="$compile $(quote "$1") $(quote "${2-}")"
		[ $# -lt 2 ] || shift
		;;
	-fsanitize=*)
		say "$1: the simulator has its own use for sanitizers; leave it out"
		exit 2
		;;
	*) compile="$compile $(quote "$1")" ;;
	esac
	shift
done
if [ -z "$sources" ] || [ -z "$output" ]; then
	say "usage: lockfair cc -o PLUGIN.so SOURCE.c... [COMPILER ARGUMENT...]"
	exit 2
fi

# What a compiler would refuse, too.
spare_sources()
{
	for source; do
		# shellcheck disable=SC3013 # not in the standard, and in every shell
		if [ "$source" -ef "$output" ]; then
			say "-o $output: that is one of the sources; give another name"
			exit 2
		fi
	done
}
eval "spare_sources $sources"

work=$(mktemp -d "${TMPDIR:-/tmp}/lockfair-cc.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# shellcheck disable=SC2086 # CFLAGS are words, as for make
compiler() { eval "${CC:-cc} ${CFLAGS--O2} -I$(quote "$include")" '"$@"' "$compile"; }

# Both versions of a helper function would have one name: the twins' get another,
# in all of them.
# shellcheck disable=SC2086 # NM and OBJCOPY may have arguments of their own
rename_twins()
{
	${NM:-nm} -g --defined-only "$work"/*.twin.o |
		awk 'NF == 3 && $3 !~ /^lf_sim_/ { print $3, "lf_sim_" $3 }' |
		sort -u >"$work/names"
	for twin in "$work"/*.twin.o; do
		${OBJCOPY:-objcopy} --redefine-syms="$work/names" "$twin"
	done
}

# What the simulator would not see: better said than simulated without it.
check_twin()
{
	if sh "$here/check-twins.sh" "$1" 2>"$work/unseen"; then
		return
	fi
	say "$2: the simulator would miss some of it:"
	sed "s|^$1: |  |; /^  /!s/^/    /" "$work/unseen" >&2
	say "write it with C11 atomics; or compile it with \`cc -shared', for engine threads"
	exit 1
}

n=0
compile_all()
{
	for source in "$@"; do
		n=$((n + 1))
		compiler -g -fPIC -pthread -c -o "$work/$n.o" "$source"
		eval "sh $(quote "$here/twin.sh") $(quote "$work/$n.twin.o")" '"$source"' \
			"${CC:-cc} ${CFLAGS--O2} -pthread -I$(quote "$include") $compile"
		check_twin "$work/$n.twin.o" "$source"
	done
}
eval "compile_all $sources"
# A symbol that nobody defines would be told when the plug-in is loaded. Twins call the
# simulator, which is in the program: only the plain objects are complete.
while [ "$n" -gt 0 ]; do
	set -- "$@" "$work/$n.o"
	n=$((n - 1))
done
eval "${CC:-cc} ${LDFLAGS-}" -shared -pthread -Wl,-z,defs -o '"$work/plain.so"' '"$@"' \
	"$link" || {
	say "give what defines the missing symbols, too: a .c, .o, .a or -l (or" \
		"-Wl,-z,undefs, where they are there when the plug-in is loaded)"
	exit 1
}
rename_twins
eval "${CC:-cc} ${LDFLAGS-}" -shared -pthread -o '"$output"' '"$work"/*.o' "$link"
