#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The command line of lockfair, as TAP: what it selects, what it says when it
# cannot, and what it exits with. Works in a directory of its own.
#
# LOCKFAIR: the program (default ./lockfair). LF_TEST_PLUGINS: the folder with
# the shared objects of suites/plugins; without it they are compiled with $CC from
# the sources below $srcdir.

plugins=${LF_TEST_PLUGINS:+$(cd "$LF_TEST_PLUGINS" && pwd)}
# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
# A sanitizer would make a report and an exit of a crash that is meant.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0
TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_abort=0
export ASAN_OPTIONS TSAN_OPTIONS

# one_line NAME: exactly one line on standard error, and no report
one_line() {
	[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ]
	point $? "$1: one line, on standard error"
}

# refuses NAME TEXT ARGUMENT...: a usage error with that text
refuses() {
	name=$1
	text=$2
	shift 2
	run run "$@"
	exits 2 "$name"
	says err "$text" "$name"
	one_line "$name"
}

# Takes the plug-ins that make has built, or builds them.
plugins() {
	for name in "$@"; do
		if [ -n "$plugins" ]; then
			cp "$plugins/$name.so" .
		else
			# shellcheck disable=SC2086
			${CC:-cc} ${CFLAGS-} -std=c17 -D_GNU_SOURCE -shared -fPIC -pthread \
				-I"$top/framework" -o "$name.so" \
				"$top/suites/plugins/$name.c"
		fi || { echo "Bail out! no plug-in $name.so"; exit 99; }
	done
}

plugins good other_abi no_release no_symbol twice taken bad_param wild crash_at_load \
	exit_at_load crash exit hang

# --- Commands and options --------------------------------------------------------

run
exits 2 "no command"
says err "lockfair --help" "no command"
run rnu
exits 2 "unknown command"
says err "did you mean run" "unknown command"
run --help
exits 0 "--help"
says out "lockfair COMMAND" "--help"
run --version
exits 0 "--version"
for command in run gate history doctor list compare replay report trace merge machines; do
	run $command --no-such-option
	exits 2 "unknown option of $command"
	says err "no-such-option" "unknown option of $command"
done

refuses "unknown backend" "did you mean ticket" tiket
refuses "glob without a match" "no backend matches \"x*\"" 'x*'
refuses "unknown scenario" "did you mean barging" --scenario bargin
refuses "unknown suite" "no suite is named" --suite core2
refuses "unknown engine" "use threads, sim or all" --engine thread
refuses "unknown budget" "use quick, normal or long" --budget slow
refuses "requirement of nothing" "matches no selected scenario" \
	--scenario order --require barging
refuses "malformed parameter" "write NAME=VALUE" --param spin
refuses "no number" "no whole number" --param spin=ten
refuses "lock without a poller" "no selected backend is a poller" ticket --lock gil-bfs
refuses "lock that is none" "no backend has that name" poll --suite select --lock gil
refuses "lock that is no GIL" "around a poller a GIL" poll --suite select --lock ticket
refuses "unknown format" "use text or seed" --format csv
refuses "parameter of nobody" "no selected backend has it" pthread --param spin=10
refuses "parameter out of range" "is out of range" ticket --param spin=-1
refuses "too few threads" "--threads=0: drain takes from 1 to 15" --scenario drain --threads 0
for n in 16 17 99999999999; do
	refuses "too many threads, $n" ": drain takes from 1 to 15" --scenario drain \
		--threads $n
done
refuses "a number that is none" "--threads=two: give a whole number" --threads two
refuses "threads without a sweep" "no selected scenario has a number" \
	--scenario order --threads 3
refuses "a machine for threads" "use --engine sim" --engine threads --machine 2cpu
refuses "unknown machine" "--machine=./none.ini:" ticket --machine none.ini
refuses "bad seed" "--seed=x: give a whole number" --seed x
refuses "both kinds of expectations" "exclude each other" \
	--no-expectations --expectations none.ini
refuses "no expectations file" "none.ini: No such file" --expectations none.ini
refuses "record into nowhere" "cannot write --record=/nowhere/r" \
	ticket --scenario order --record /nowhere/r
refuses "TAP into nowhere" "cannot write --tap=/nowhere/t" \
	ticket --scenario order --tap /nowhere/t
refuses "JUnit into nowhere" "cannot write --junit=/nowhere/j" \
	ticket --scenario order --junit /nowhere/j
refuses "nothing selected" "nothing is selected" ticket --scenario io-latency

printf '[order ticket]\nexpect = fail\n' >bad.ini
refuses "malformed expectations" "bad.ini:1:" --expectations bad.ini

# --- Lists -----------------------------------------------------------------------

run list
exits 0 "list"
says out "gil-interval" "list"
says out "barging" "list"
run list suites
says out "safety, order" "list suites"
run list metrics
says out "largest difference of progress" "list metrics"
run list backends
exits 0 "list backends"
says out "caught by" "list backends"
[ "$(grep -c '^barging' out)" -eq 0 ]
point $? "list backends: no scenario"
run list scenarios
exits 0 "list scenarios"
[ "$(grep -c '^ticket' out)" -eq 0 ]
point $? "list scenarios: no backend"
run list ./good.so
says out "good/tuned" "list with a plug-in"
run list backend
exits 2 "list of something else"
says err "did you mean backends" "list of something else"

# --- Runs ------------------------------------------------------------------------

run run ticket --scenario order --engine threads --record r --tap t --junit j
[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
point $? "a fair lock: exits 0 or, on a busy machine, 77 (was $status)"
says out "ticket" "a fair lock"
[ "$(grep -c '"backend":"ticket"' r)" -eq 1 ]
point $? "a fair lock: one record"
says r "faulty/lifo" "controls have records"
says t "TAP version" "--tap FILE"
says j "<testsuite" "--junit FILE"

run run ticket --scenario order --engine threads --tap -
says out "TAP version" "--tap -"
grep -vq '^\(TAP\|1\.\.\|ok\|not ok\|#\| \|$\)' out
[ $? -eq 1 ]
point $? "--tap -: nothing else on standard output"

run run faulty/lifo --scenario order --engine threads --no-expectations
exits 1 "an unfair lock"
says out "repeat: lockfair run faulty/lifo --scenario order --engine threads" \
	"an unfair lock"
printf '[order faulty/lifo *]\nexpect = fail\nreason = a stack, not a queue\n' >known.ini
run run faulty/lifo --scenario order --engine threads --expectations known.ini
exits 0 "an unfair lock that is known to be"
printf 'until = 2001-01-01\n' >>known.ini
run run faulty/lifo --scenario order --engine threads --expectations known.ini
exits 1 "an expectation that expired"
says err "expired on 2001-01-01" "an expectation that expired"

run run ./good.so --scenario order --engine sim --record r
exits 0 "a lock that cannot run on the only engine"
says r '"verdict":"skip"' "a lock that cannot run on the only engine"

run run 'drain*' --scenario order
exits 2 "a scenario's name for a backend"
run run ticket --scenario drain --engine threads --threads 3 --record r
[ "$(grep -c '"scenario":"drain/3".*"backend":"ticket"' r)" -eq 1 ]
point $? "--threads: one value of the sweep"
run run ticket --scenario drain/2 --engine threads --record r
[ "$(grep -c '"backend":"ticket"' r)" -eq 1 ]
point $? "--scenario drain/2: one cell"

# --- Plug-ins --------------------------------------------------------------------

cp good.so anew.so
spares anew.so run ./anew.so --record anew.so
spares anew.so gate --base ticket --head ./anew.so --record anew.so
echo 'int x;' >source.c
LOCKFAIR_DATADIR=$top/framework/engine/sim LOCKFAIR_INCLUDEDIR=$top/framework \
	"$lockfair" cc -o ./source.c source.c >out 2>err
status=$?
exits 2 "cc that would write over its source"
says err "is one of the sources" "cc that would write over its source"

# Another build of a plug-in is another lock, whatever its name.
run run ./anew.so --scenario drain/1 --engine threads --no-controls --record built
echo >>anew.so
run run ./anew.so --scenario drain/1 --engine threads --no-controls --resume built
exits 2 "--resume with another build of the plug-in"
says err "or of another build of its plug-in" "--resume with another build of the plug-in"

run run ./good.so --scenario order --engine threads --record r
[ "$(grep -c '"backend":"good/' r)" -eq 2 ]
point $? "a plug-in: all its backends"
run run good.so:good/plain --scenario order --engine threads --record r
[ "$(grep -c '"backend":"good/' r)" -eq 1 ]
point $? "a plug-in: one of its backends, and no ./ needed"
refuses "a plug-in without such a backend" "no backend matches" good.so:other
says err "see \"lockfair list backends ./good.so\"" "a plug-in without such a backend"
run list backends ./good.so
exits 0 "… which there is"
says out "good/tuned" "… which there is"
refuses "a name almost right" "did you mean good/tuned" ./good.so:good/tunde
echo "a text" >text.so
refuses "a text" "./text.so: it is no shared object; \"lockfair cc" ./text.so
: >empty.so
refuses "an empty file" "./empty.so: it is no shared object" ./empty.so
refuses "no such plug-in" "cannot load the plug-in" ./none.so
refuses "another ABI" "other_abi.so: it was built for ABI" ./other_abi.so
refuses "a missing op" "the mutex op release is missing" ./no_release.so
refuses "no symbol" "has no symbol lf_backends" ./no_symbol.so
refuses "a name twice" "two of its backends are named \"bad/twice\"" ./twice.so
refuses "a name that is taken" "the name \"ticket\" is taken" ./taken.so
refuses "a bad parameter" "outside its range" ./bad_param.so
refuses "a wild pointer" "loading it crashed with signal 11" ./wild.so
refuses "a crash at load" "loading it crashed with signal 6" ./crash_at_load.so
refuses "an exit at load" "loading it ended the process with status 0" ./exit_at_load.so

run run ./crash_at_load.so ./no_release.so ticket --scenario order --engine threads \
	--record r
exits 2 "bad plug-ins beside a good lock"
[ "$(wc -l <err)" -eq 2 ]
point $? "bad plug-ins beside a good lock: one line each"
says r '"backend":"ticket"' "bad plug-ins beside a good lock"

# misbehaves PLUGIN METRIC TEXT: a FAIL of safety, and the other cells go on
misbehaves() {
	run run "./$1.so" ticket --scenario exclusion --engine threads --record r
	exits 1 "$1"
	grep "\"backend\":\"bad/$1\"" r | grep '"verdict":"fail"' |
		grep -q "\"metric\":\"$2\",[^}]*\"origin\":\"safety\",[^}]*\"holds\":false"
	point $? "$1: a FAIL of $2"
	grep "\"backend\":\"bad/$1\"" r | grep -qF -- "$3"
	point $? "$1: says \"$3\""
	# On a busy machine it may come to no verdict, but it was judged.
	grep -q '"backend":"ticket".*"verdict":"\(pass\|inconclusive\)"' r
	point $? "$1: the other cells go on"
}

misbehaves crash survives "signal 11"
misbehaves exit survives "called exit(0)"
misbehaves hang progress "thread"

# --- Interruption ----------------------------------------------------------------

rm r
"$lockfair" run ./hang.so ticket --scenario exclusion --engine threads --record r \
	>out 2>err &
child=$!
tries=0
while ! grep -q '"unfair"' r 2>/dev/null && [ $tries -lt 200 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
kill -TERM $child
wait $child
status=$?
exits 143 "a run that is told to end"
says err "cells have no result" "a run that is told to end"
says r '"unfair"' "a run that is told to end: its records stay"

end_of_test
