#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The interpreters' own locks, as TAP: found by name, judged like any other, and
# skipped with a reason where they were not built.

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"

# --- not built: a skip, and no failure ---------------------------------------------

LOCKFAIR_LIBDIR=$work
export LOCKFAIR_LIBDIR
for name in cpython ruby; do
	run run $name --scenario hog --no-controls
	exits 0 "$name, not built"
	says out "skipped: 1 cell: this lockfair was built without it; install " "$name, not built"
	run list backends
	says out "built without it" "$name, not built, in the list"
done
run run 'c*thon' -s hog --no-controls
exits 0 "a glob that names one that was not built"
unset LOCKFAIR_LIBDIR

# --- built: every scenario comes to a verdict ----------------------------------------

for name in cpython ruby; do
	run list backends
	if ! grep -q "^$name .* itself" out || grep -q "^$name .*built without it" out; then
		skip "$name is judged" "this lockfair was built without it"
		continue
	fi
	run run $name --suite core --no-controls --record record
	{ [ "$status" -eq 0 ] || [ "$status" -eq 77 ]; }
	point $? "$name keeps its claims, or the machine was too busy to tell ($status)"
	[ "$(grep -c "\"backend\"" record)" -eq 11 ]
	point $? "$name: a record of each of 11 cells"
	grep -q '"skip"' record
	[ $? -eq 1 ]
	point $? "$name: nothing was skipped on threads"
	run run $name --scenario hog --engine sim --no-controls
	exits 0 "$name on sim"
	says out "skipped: 1 cell" "$name on sim"
done

end_of_test
