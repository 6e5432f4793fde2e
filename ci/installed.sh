# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# What the tests of an installed lockfair have in common: sourced by them, it leaves them
# in an empty directory with a copy of the example, and finds the installed copy first.
# `make installcheck` sets
#	LF_STAGE	DESTDIR, or empty
#	LF_PREFIX, LF_BINDIR, LF_LIBDIR, LF_PKGCONFIGDIR, LF_DATADIR, LF_DOCDIR	as
#			configured; the last two with lockfair's own name
#	LF_CFLAGS	for the compiler CC

work=$(mktemp -d "${TMPDIR:-/tmp}/lockfair-example.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
bail_out() { echo "Bail out! $*"; exit 99; }
cd "$work" || exit 99
example=$LF_STAGE$LF_DOCDIR/examples/my-lock
{ cp "$example"/Makefile "$example"/*.c . && chmod u+w ./*; } ||
	bail_out "cannot copy the installed example"

# Below DESTDIR, lockfair.pc names folders that are not there yet.
sed "s|=$LF_PREFIX|=$LF_STAGE$LF_PREFIX|" "$LF_STAGE$LF_PKGCONFIGDIR/lockfair.pc" \
	>lockfair.pc || bail_out "lockfair.pc is not installed"
PKG_CONFIG_PATH=$work${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
LD_LIBRARY_PATH=$LF_STAGE$LF_LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PATH=$LF_STAGE$LF_BINDIR:$PATH
export PKG_CONFIG_PATH LD_LIBRARY_PATH PATH
unset MAKEFLAGS MFLAGS MAKELEVEL

# plan POINTS
plan()
{
	echo "TAP version 13"
	echo "1..$1"
}

points=0
point()
{
	points=$((points + 1))
	echo "$1 $points - $2"
}

# check WHAT FOUND WANTED: a point, with the log when it is red.
check()
{
	if test "$2" = "$3"; then
		point ok "$1"
	else
		point "not ok" "$1"
		echo "# found $2, wanted $3"
		tail -n 20 log | sed 's/^/# /'
	fi
}
