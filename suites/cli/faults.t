#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What goes wrong around a run: ^C on a terminal, a full disk, files of records that
# cannot be read, are torn or of another version. Each has its message, and what was
# judged before stays and is taken up again.
#
# LOCKFAIR: the program (default ./lockfair).

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
command -v python3 >/dev/null || skip_all "no python3 to be the terminal"

# same A B NAME: the same simulated records but for what may differ
same()
{
	python3 - "$1" "$2" >out 2>err <<'END'
import json, sys
def read(path):
    records = [json.loads(line) for line in open(path)]
    places = [r.pop("volatile")["place"] for r in records]
    return sorted(zip([p["at"] for p in places], map(json.dumps, records)))
a, b = map(read, sys.argv[1:])
assert a == b, (len(a), len(b))
END
	point $? "$3"
}

# --- ^C ---------------------------------------------------------------------------

# terminal.py WHEN COMMAND…: a terminal on which ^C is typed once the file WHEN has two
# records; "begun": once two cells have begun; "never". What was shown goes to "screen".
# Exits as the command does, or with 75 if that was faster.
cat >terminal.py <<'END'
import os, pty, select, signal, sys, time
when, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    # A shell lets what it starts with "&" ignore ^C, and this may be among it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ["TERM"] = "xterm"
    os.execv(command[0], command)
shown, typed, patience = b"", False, time.monotonic() + 300
while time.monotonic() < patience:
    try:
        if select.select([terminal], [], [], 0.02)[0]:
            shown += os.read(terminal, 65536)
    except OSError:
        break
    if typed or when == "never":
        continue
    if when == "begun":
        typed = b"[2/" in shown
    elif os.path.exists(when):
        typed = open(when, "rb").read().count(b"\n") >= 2
    if typed:
        os.write(terminal, b"\x03")
else:
    os.kill(pid, 9)
open("screen", "wb").write(shown)
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) % 256 if typed or when == "never" else 75)
END

# interrupt WHEN ARGUMENT…: leaves the exit status in status
interrupt()
{
	for _ in 1 2 3 4 5; do
		rm -f part
		when=$1
		shift
		python3 terminal.py "$when" "$lockfair" "$@" >out 2>err
		status=$?
		cp screen out
		[ $status -eq 75 ] || return
		set -- "$when" "$@"
	done
}

sim="ticket mcs pthread tas --engine sim -s order -s barging -s drain/5"
# shellcheck disable=SC2086 # words
run run $sim --record whole
[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
point $? "the whole run"

# shellcheck disable=SC2086
interrupt part run $sim --record part
exits 130 "^C"
says screen "interrupted: " "^C"
says screen "cells have no result: " "^C"
says screen " (sim)" "^C: the cells without a result have names"
says screen "the records of the others are in part; to go on: lockfair run" "^C"
n=$(wc -l <part)
[ "$n" -ge 2 ] && [ "$n" -lt "$(wc -l <whole)" ]
point $? "^C: records stay, and some are missing ($n)"
"$lockfair" merge -o merged part >out 2>err
[ $? -eq 99 ]
point $? "^C: what there is cannot be taken for the whole"

# What it says to go on with is done as it stands.
again=$(tr -d '\r' <screen | sed -n 's/.*to go on: lockfair //p')
# shellcheck disable=SC2086
run $again
[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
point $? "--resume ends the run (was $status): $again"
same whole part "--resume: in the end the same records"
cp part before
# shellcheck disable=SC2086
run run $sim --resume part
cmp -s part before
point $? "--resume of a run that is complete changes nothing"
grep -q '^  backend ' out
point $? "… and shows the report of all of it"

run run ticket --engine sim -s order --resume part
exits 2 "--resume with other options"
says err "are of no cell of this command" "--resume with other options"
cmp -s part before
point $? "--resume with other options leaves the file alone"
run run ticket --resume part --record other
exits 2 "--resume and --record"
says err "give one of them" "--resume and --record"

# Neither file nor resumption: said, too.
# shellcheck disable=SC2086
interrupt begun run $sim
exits 130 "^C without a file of records"
says screen "a run with --record FILE can be resumed" "^C without a file of records"

# --- The time that is left ----------------------------------------------------------

# On a terminal, and only there..
python3 terminal.py never "$lockfair" run faulty/lost_waiters_bit ticket \
	--engine threads -s drain/1 -s drain/2 -s drain/3 -s order >out 2>err
cp screen out
grep -qE 'about [0-9]+ (s|min) left' screen
point $? "a run that takes more than two seconds says how long it will take"
"$lockfair" run ticket --engine sim -s order >out 2>err
! grep -q '\[1/' err
point $? "and nothing of it where there is no terminal"

# --- A full disk --------------------------------------------------------------------

# A file may not grow beyond what two and a half records take.
limit=$(($(head -n 2 whole | wc -c) / 512 + 1))
rm -f part
# shellcheck disable=SC2086
(ulimit -f $limit; exec "$lockfair" run $sim --record part) >out 2>err
status=$?
exits 99 "a disk that fills up"
says err "part: cannot write a record: " "a disk that fills up"
says err "make room or choose another file" "a disk that fills up"
says err "to go on: lockfair run " "a disk that fills up"
[ -s part ] && [ "$(tail -c 1 part | wc -l)" -eq 1 ]
point $? "a disk that fills up: whole records stay"
# shellcheck disable=SC2086
run run $sim --resume part
same whole part "with room again, --resume completes them"

mkdir small
if mount -t tmpfs -o size=16k lockfair small 2>/dev/null; then
	# shellcheck disable=SC2086
	run run $sim --record small/part
	umount small
	exits 99 "a file system of 16 KiB"
	says err "No space left on device; make room" "a file system of 16 KiB"
else
	skip "a file system of 16 KiB: exits 99" "only root can mount one"
	skip "a file system of 16 KiB: its message" "only root can mount one"
fi
"$lockfair" run ticket --engine sim -s order >/dev/full 2>err
status=$?
exits 99 "a report that cannot be written"
says err "cannot write the report" "a report that cannot be written"
run run ticket --engine sim -s order --tap /dev/full
exits 99 "TAP that cannot be written"
says err "cannot write --tap=/dev/full" "TAP that cannot be written"

# --- Files that are read and written --------------------------------------------------

cp whole records
spares records report -f text -o records records
spares records history --baseline ./records records
spares records trace -o records records

# --- Files of records ---------------------------------------------------------------

head -n 3 whole >torn
sed -n 4p whole | head -c 200 >>torn
sed 's/"schema":1/"schema":2/' whole | head -n 1 >later
head -n 1 whole | sed 's/"verdict":"[a-z]*",//' >less
echo '{"schema":1' >bad
echo 'ok 1 - order' >tap
: >empty
mkdir folder

# reads FILE TEXT NAME: whatever reads records refuses the file with that message
reads()
{
	for command in "merge" "run ticket --engine sim -s order --resume"; do
		# shellcheck disable=SC2086
		run $command "$1"
		exits 2 "${command%% *}: $3"
		says err "$2" "${command%% *}: $3"
	done
}

reads later "later:1: a record of schema 2, and this program reads schema 1" \
	"a record of a later version"
reads less "less:1: not a record: \"verdict\" is missing" "half a record"
reads bad "bad:1: not JSON" "broken JSON"
reads tap "tap:1: not JSON" "another file"
reads folder "folder" "a folder"
run merge torn
exits 2 "merge: a torn line"
says err "torn:4: the line is torn" "merge: a torn line"
run merge nowhere
exits 2 "merge: no such file"
says err "nowhere: cannot read records: No such file" "merge: no such file"
run merge empty
exits 2 "merge: an empty file"
says err "empty holds no record" "merge: an empty file"

# shellcheck disable=SC2086
run run $sim --resume torn
says err "torn: the last line is torn; it is cut off, and its cell runs again" \
	"--resume of a torn file"
same whole torn "--resume of a torn file completes it"
# shellcheck disable=SC2086
run run $sim --resume new
same whole new "--resume of a file that does not exist begins it"

end_of_test
