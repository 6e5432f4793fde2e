# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the tests of the program have in common: sourced by them, it leaves them in
# an empty directory of their own.
#
# LOCKFAIR: the program (default ./lockfair). abs_top_srcdir, srcdir: top of the
# sources.

top=${abs_top_srcdir:-$(cd "${srcdir:-.}" && pwd)}
lockfair=${LOCKFAIR:-$(pwd)/lockfair}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
cd "$work" || exit 99
unset NO_COLOR CK_TIMEOUT_MULTIPLIER

points=0
failures=0

# point OK-STATUS NAME: the files "out" and "err" say why not
point()
{
	points=$((points + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $points - $2"
	else
		failures=$((failures + 1))
		echo "not ok $points - $2"
		for stream in out err; do
			test ! -f $stream || sed "s/^/# $stream: /; 20q" $stream
		done
	fi
}

# skip NAME WHY
skip()
{
	points=$((points + 1))
	echo "ok $points - $1 # SKIP $2"
}

# run ARGUMENT…: leaves the streams in out and err, the exit status in status
run()
{
	"$lockfair" "$@" >out 2>err
	status=$?
}

# exits STATUS NAME
exits()
{
	[ "$status" -eq "$1" ]
	point $? "$2: exits $1 (was $status)"
}

# says FILE TEXT NAME: a line of the file contains the text
says()
{
	grep -qF -- "$2" "$1"
	point $? "$3: says \"$2\""
}

# spares FILE COMMAND...: refused, and the file is as it was
spares()
{
	cp "$1" spared
	file=$1
	shift
	run "$@"
	exits 2 "$1 that would write over what it reads"
	says err "$file: it is read as well" "$1 that would write over what it reads"
	cmp -s spared "$file"
	point $? "$1 that would write over what it reads leaves it alone"
}

# The last line; its status is the test's.
end_of_test()
{
	echo "1..$points"
	[ $failures -eq 0 ]
}

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

echo "TAP version 13"
[ -x "$lockfair" ] || { echo "Bail out! no program $lockfair"; exit 99; }
