#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# lockfair gate, history and doctor from outside, as TAP: what they say of a change,
# what of builds that crash or hang, and what they exit with. No test has a bound of
# time. Works in a directory of its own.
#
# LOCKFAIR: the program (default ./lockfair). LF_TEST_PLUGINS: the folder with the
# shared objects of suites/plugins. srcdir: the sources.

plugins=$(cd "${LF_TEST_PLUGINS:-suites/plugins}" && pwd)
# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
# A sanitizer would make a report and an exit of a crash that is meant.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0
TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_abort=0
export ASAN_OPTIONS TSAN_OPTIONS

# Both streams in one: a report and what is said of it.
run()
{
	"$lockfair" "$@" >out 2>&1
	status=$?
}

# says TEXT NAME: broken lines count as one
says()
{
	tr '\n' ' ' <out | tr -s ' ' | grep -qF -- "$1"
	point $? "$2: says \"$1\""
}

# A few cells that take a moment and depend on no machine.
claims="--layers a --engine sim -s order --no-controls --attempts 1"

# --- wrong use -----------------------------------------------------------------------

run gate
exits 2 "without sides"
says "--base is missing" "without sides"
run gate --base ticket
exits 2 "without head"
run gate --base tiket --head ticket
exits 2 "a name with a typo"
says "did you mean ticket" "a name with a typo"
run gate --base ticket --head "$plugins/none.so"
exits 2 "a plug-in that is not there"
run gate ticket
exits 2 "a lock without its side"
says "which side is it" "a lock without its side"
run gate --base ticket --head gil-bfs
exits 2 "locks of two kinds"
says "cannot be compared" "locks of two kinds"
run gate --base ticket --head ticket --tolerate 30
exits 2 "margins the wrong way round"
run gate --base ticket --head ticket --wait-limit 5
exits 2 "a time without its unit"
run gate --base ticket --head ticket --layers ax
exits 2 "a layer that there is not"
run gate --base ticket --head ticket --param interval=5
exits 2 "a parameter that neither side has"
says "no selected backend has it" "a parameter that neither side has"

# --- layer A -------------------------------------------------------------------------

"$lockfair" run ticket --engine sim -s order --no-controls --record probe >out 2>&1
if grep -q 'built without the simulator' out probe; then
	skip "claims of a change" "built without the simulator"
else
	# shellcheck disable=SC2086 # words
	run gate --base ticket --head ticket $claims --record same
	exits 0 "a lock against itself"
	says "gate: PASS" "a lock against itself"
	# shellcheck disable=SC2086
	run gate --base ticket --head faulty/lifo $claims --record broken
	exits 1 "a lock that serves the newest first"
	says "newly broken: base passes it" "a lock that serves the newest first"
	says "repeat: lockfair run faulty/lifo --scenario order --engine sim" \
		"a lock that serves the newest first"
	# shellcheck disable=SC2086
	run gate --base faulty/lifo --head faulty/lifo $claims
	exits 0 "a lock that was broken before"
	says "broken before: base fails it as well" "a lock that was broken before"
	# shellcheck disable=SC2086
	printf '[claim ticket *]\nexpect = fail\nreason = it spins now\n' >spins
	# shellcheck disable=SC2086
	run gate --base faulty/lifo --head ticket $claims --expectations spins
	exits 0 "a lock that was mended"

	# shellcheck disable=SC2086
	run gate --base ticket --head pthread $claims
	exits 1 "a promise taken back"
	says "it promised fifo, and now promises" "a promise taken back"
	printf '[claim pthread *]\nexpect = fail\nreason = agreed\nuntil = 2999-12-31\n' >waiver
	# shellcheck disable=SC2086
	run gate --base ticket --head pthread $claims --expectations waiver
	exits 0 "a waiver"
	says "agreed" "a waiver"
	sed 's/2999/2001/' waiver >expired
	# shellcheck disable=SC2086
	run gate --base ticket --head pthread $claims --expectations expired
	exits 1 "an expired waiver"
	says "expired on 2001-12-31" "an expired waiver"

	# shellcheck disable=SC2086
	run gate --base 't[ia]*' --head ticket $claims
	exits 1 "a lock that head has no more"
	says "tas, claim on threads: base has it and head has not" "a lock that head has no more"
	printf '[claim tas threads]\nexpect = fail\nreason = it was never used\n' >gone
	# shellcheck disable=SC2086
	run gate --base 't[ia]*' --head ticket $claims --expectations gone
	exits 0 "a lock that went with a waiver"

	# --- records, history and baseline -----------------------------------------------

	# What is decided is on the disk before the layer is over, whatever comes.
	"$lockfair" gate --base ticket --head ticket --layers a --no-controls \
		--record killed >/dev/null 2>&1 &
	gate=$!
	tries=0
	while [ ! -s killed ] && [ "$tries" -lt 600 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill -9 "$gate"
	wait "$gate"
	[ $? -eq 137 ] && [ "$(grep -c '"schema"' killed)" -gt 0 ]
	point $? "a gate that is killed keeps what was decided"

	rm killed
	"$lockfair" gate --base ticket --head ticket --layers a --no-controls \
		--record killed >out 2>&1 &
	gate=$!
	tries=0
	while [ ! -s killed ] && [ "$tries" -lt 600 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill -TERM "$gate"
	wait "$gate"
	status=$?
	exits 143 "a gate that is ended"
	says "gate: CUT SHORT; " "a gate that is ended"

	python3 - "$top/doc/record.schema.json" same broken >out 2>&1 <<-\END
	import json, sys
	import jsonschema
	schema = json.load(open(sys.argv[1]))
	for name in sys.argv[2:]:
	    for line in open(name):
	        jsonschema.validate(json.loads(line), schema)
	END
	point $? "records are as the schema has them"
	python3 -c '
import json
r = [json.loads(line) for line in open("broken")]
head = [x for x in r if x["backend"] == "head:faulty/lifo" and x["scenario"] == "order"]
base = [x for x in r if x["backend"] == "base:ticket"]
assert [x["gate"]["base"] for x in head] == ["pass"], head
assert [x["control"]["as"] for x in base] == ["base"], base' >out 2>&1
	point $? "records name both sides"
	run merge same broken
	exits 2 "merge of a gate's records"
	says "records of a gate, which has no shards and is not merged; \"lockfair report" \
		"merge of a gate's records"
	run report -o several.txt same broken
	exits 0 "… of which report takes several files"
	run history same same broken
	exits 0 "history"
	says "order on head:ticket, sim: 2 x pass" "history"
	says "sim, the same on every machine" "history"
	sed 's/"as": *"[a-z]*"/"as": "fair"/' same >controls
	grep -q '"as": "fair"' controls
	point $? "history: records of controls"
	run history controls
	! grep -q " on " out
	point $? "history: a control's own cells are left out"
	sed 's/"schema":1/"schema":7/' same >future
	run history same future
	exits 2 "records of another schema"
	says "a record of schema 7, and this program reads schema 1" \
		"records of another schema"
	head -c 300 same >torn
	run history torn
	exits 2 "a torn record"
	says "the line is torn" "a torn record"

	run history same --baseline baseline.json
	exits 0 "a baseline"
	grep -q '"fingerprint"' baseline.json && grep -q '"inversions"' baseline.json &&
		! grep -q '"wait-p' baseline.json
	point $? "a baseline has the machine and counts, and no times"
	# shellcheck disable=SC2086
	run gate --base ticket --head ticket $claims --baseline baseline.json
	exits 0 "a lock that keeps its baseline"
	sed 's/"bound": 0/"bound": -1/' baseline.json >stricter
	# shellcheck disable=SC2086
	run gate --base ticket --head ticket $claims --baseline stricter
	exits 1 "a lock that does not keep its baseline"
	says "and the baseline has at most -1" "a lock that does not keep its baseline"
	sed 's/"baseline": 1/"baseline": 9/' baseline.json >future
	# shellcheck disable=SC2086
	run gate --base ticket --head ticket $claims --baseline future
	exits 2 "a baseline of another schema"
	says "a baseline of schema 9" "a baseline of another schema"
fi

# --- builds that crash or hang -----------------------------------------------------------

good=$plugins/good.so:good/plain
if [ "$(nproc)" -lt 2 ]; then
	skip "speed of a change" "one CPU"
	run gate --base "$good" --head "$good" --layers c
	exits 99 "nothing could be decided"
else
	run gate --base "$plugins/crash.so" --head "$good" --layers c --attempts 1
	exits 99 "a base that crashes"
	says "base crashed: signal 11" "a base that crashes"
	says "nothing to compare with" "a base that crashes"
	run gate --base "$good" --head "$plugins/crash.so" --layers c --attempts 1
	exits 1 "a head that crashes"
	says "head crashed: signal 11" "a head that crashes"
	run gate --base "$good" --head "$plugins/hang.so" --layers c --attempts 1 --record hung
	exits 1 "a head that hangs"
	says "head hung" "a head that hangs"
	says "repeat: lockfair gate --layers c --base" "a head that hangs"
	run gate --base "$plugins/crash_at_load.so" --head "$good" --layers c
	exits 2 "a base that crashes when it is loaded"
	says "loading it crashed" "a base that crashes when it is loaded"
	taskset 1 "$lockfair" gate --base "$good" --head "$good" --layers c >out 2>&1
	status=$?
	exits 99 "nothing could be decided"
	says "2 threads need as many CPUs" "nothing could be decided"
	says "1 not judged" "nothing could be decided"
	taskset 1 "$lockfair" gate --base "$plugins/crash.so" --head "$good" --layers c \
		--inconclusive warn >out 2>&1
	status=$?
	exits 99 "a warning decides nothing either"
fi

# --- doctor ------------------------------------------------------------------------------

run doctor
exits 0 "doctor"
says "What it can judge" "doctor"
says "speed against base" "doctor"
run doctor ticket
exits 2 "doctor with an argument"

end_of_test
