#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Every cell of the simulator repeats to the byte, as TAP: on an idle machine, and
# again from another directory, in a larger environment, with low priority and
# beside busy loops. And `lockfair replay` repeats any one run of it.
#
# All built-in locks and the faulty ones, in scenarios that are over quickly; with
# LF_LONG set, all of suite core.
#
# LOCKFAIR: the program (default ./lockfair).

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
hogs=
trap 'kill $hogs 2>/dev/null; rm -rf "$work"' EXIT

command -v python3 >/dev/null || skip_all "no python3 to take the records apart"
"$lockfair" run ticket --engine sim --machine smp4 -s order --record probe >out 2>&1
if grep -q 'without the simulator' out probe; then
	skip_all "this lockfair was built without the simulator"
fi

# --- Every cell twice ---------------------------------------------------------------

# append FILE ARGUMENT…: appends the records of the run to the file
append()
{
	to=$1
	shift
	nice -n "$priority" timeout "$limit" "$lockfair" run --engine sim \
		--no-expectations --record part "$@" >out 2>&1
	[ $? -ne 124 ] && cat part >>"$to"
}

# What spins for ever costs much: it gets one model, and the deadlock one scenario.
runs()
{
	if [ -n "${LF_LONG-}" ]; then
		append raw '*' 'faulty/*' --suite core
		return
	fi
	append raw '*' 'faulty/[!b]*' -s drain/3 -s order -s barging -s io-latency &&
		append raw faulty/burner -s barging --machine smp4 --no-controls &&
		append raw faulty/lost_waiters_bit -s exclusion --no-controls
}

# records FILE PRIORITY: all that the runs record, but for what may differ. Fails
# when they take too long.
records()
{
	file=$1
	priority=$2
	limit=${LF_LONG:+3}600
	rm -f raw
	runs || return 1
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    del record["volatile"]
    print(json.dumps(record))' raw >"$file" 2>out
}

# Half of the load of each CPU, where the run has the same priority.
burden()
{
	for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
		nice -n 19 sh -c 'while :; do :; done' &
		hogs="$hogs $!"
	done
}

relieve()
{
	# shellcheck disable=SC2086 # process ids
	kill $hogs 2>/dev/null
	hogs=
}

records idle 0
point $? "there are records"
python3 - idle >out 2>&1 <<'END'
import json, sys
cells = [json.loads(line) for line in open(sys.argv[1])]
# The locks of real interpreters run on threads only.
cells = [c for c in cells if "the simulator cannot run it" not in c["reason"]]
locks = {cell["backend"] for cell in cells}
assert sum(lock.startswith("faulty/") for lock in locks) >= 7, locks
assert sum(not lock.startswith("faulty/") for lock in locks) >= 8, locks
assert all(len(cell["evidence"]["models"]) >= 7 for cell in cells
           if cell["backend"] != "faulty/burner"), "models"
assert not any(cell["verdict"] in ("error", "skip") for cell in cells), "verdicts"
assert any(cell["verdict"] == "fail" and cell["backend"] == "faulty/lost_waiters_bit"
           for cell in cells), "the deadlock"
END
point $? "of all locks, on all models"

mkdir -p "a/much/longer/path/than/before"
burden
(
	cd a/much/longer/path/than/before || exit 1
	FILL=$(printf '%0100000d' 0)
	# Real time says nothing here, so none of it may be an end.
	CK_TIMEOUT_MULTIPLIER=50
	export FILL CK_TIMEOUT_MULTIPLIER
	# Where others fill the machine, who is nice gets next to nothing.
	records "$work/loaded" 19 || records "$work/loaded" 0
)
relieve
cmp idle loaded >out 2>&1
point $? "the same bytes elsewhere, in another environment, under load"

# --- One run again ------------------------------------------------------------------

# line BACKEND SCENARIO [MODEL]: the replay line of the record; with MODEL, that of
# the last seed on it, which the campaign ran after many others in one process.
line()
{
	python3 - idle "$@" <<'END'
import json, re, sys
path, backend, scenario, *model = sys.argv[1:]
for cell in map(json.loads, open(path)):
    if (cell["backend"], cell["scenario"]) == (backend, scenario):
        line = cell["evidence"]["replay"]
        for m in cell["evidence"]["models"]:
            if [m["machine"]] != model:
                continue
            seed, trace = m["runs"][-1][0], m["runs"][-1][5]
            for key, value in (("machine", m["machine"]), ("version", m["version"]),
                               ("seed", seed), ("trace", trace)):
                line = re.sub(r"\b%s=\S+" % key, "%s=%s" % (key, value), line)
print(line)
END
}

# replays STATUS TEXT NAME LINE: exits with it and says the text
replays()
{
	"$lockfair" replay "$4" >out 2>&1
	status=$?
	[ $status -eq "$1" ] && grep -qF "replay: $2" out
	point $? "$3: exits $1 (was $status), \"$2\""
}

replays 1 "same trace" "the deadlock" "$(line faulty/lost_waiters_bit exclusion)"
grep -q 'progress' out && grep -q "replay: lockfair replay 'scenario=exclusion " out
point $? "… with its report, and the line once more"
replays 1 "same trace" "a lock out of order" "$(line faulty/lifo order)"
replays 0 "same trace" "a mutex" "$(line pthread barging)"
replays 0 "same trace" "a GIL" "$(line gil-bfs io-latency)"
for lock in ticket mcs tas pthread handoff; do
	replays 0 "same trace" "the last seed: $lock" "$(line $lock barging smp4)"
done
replays 0 "same trace" "the last seed: gil-ticks" "$(line gil-ticks io-latency over2x)"

changed=$(line ticket barging | sed 's/trace=.\{15\}/trace=0123456789abcde/')
replays 77 "another trace" "a changed trace" "$changed"
grep -q 'neither model nor compiler and flags changed' out
point $? "… and nothing explains it"
replays 77 "another trace" "another model" \
	"$(echo "$changed" | sed 's/version=[0-9]*/version=999/')"
grep -q 'the model 1cpu changed: it has version [0-9]*, in the line 999' out
point $? "… which is named"
replays 77 "another trace" "another build" \
	"$(echo "$changed" | sed 's/build=/build=older-/')"
grep -q 'the build differs: this is .*, the line is of older-' out
point $? "… which is named"
# Without quotes it is many arguments.
# shellcheck disable=SC2046
"$lockfair" replay $(line ticket barging) >out 2>&1
point $? "a line without quotes"

# refuses TEXT NAME ARGUMENT…: exit status 2, and one line
refuses()
{
	text=$1
	name=$2
	shift 2
	"$lockfair" replay "$@" >out 2>&1
	status=$?
	[ $status -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qF "$text" out
	point $? "$name: exits 2 (was $status), \"$text\""
}

refuses "which run?" "no line"
refuses "is no KEY=VALUE" "no line of ours" pthread
refuses "no scenario=" "half a line" backend=pthread
refuses "only runs of engine sim" "another engine" \
	"$(line ticket barging | sed 's/engine=sim/engine=threads/')"
refuses "no machine model is named none" "an unknown model" \
	"$(line ticket barging | sed 's/machine=[^ ]*/machine=none/')"

end_of_test
