#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A run cut into shards and put together again is the run: the same cells in the
# same order, and on `sim` the same records but for what may differ. The shards are
# started by GNU parallel where it is installed, as on several machines.
#
# LOCKFAIR: the program (default ./lockfair).

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
command -v python3 >/dev/null || skip_all "no python3 to take the records apart"

cat >records.py <<'END'
"""records.py A B: do two files hold the same records, in the same order?"""
import json
import sys


def read(path):
    cells, bare = [], []
    for line in open(path):
        record = json.loads(line)
        place = record.pop("volatile")["place"]
        cells.append((place["at"], place["of"], record["rerun"], record["control"]["as"]))
        # What a lock does on this machine may differ, what is asked of it not.
        bare.append(record if record["engine"] == "sim" else
                    [record[k] for k in ("scenario", "backend", "claim", "expected")])
    return cells, bare


a, b = map(read, sys.argv[1:])
assert a[0] == b[0], "other cells"
assert [c[0] for c in a[0]] == list(range(a[0][0][1])), "cells are missing"
for x, y in zip(a[1], b[1]):
    assert x == y, (x, y)
print(len(a[0]), "records")
END

# Both engines, controls that were asked for and such that were not, sweeps.
options='ticket pthread mcs faulty/lifo -s drain/[123] -s order -s barging
	--no-expectations'

# shellcheck disable=SC2086 # words
run run $options --record whole
whole=$status
[ "$whole" -eq 1 ] || [ "$whole" -eq 77 ]
point $? "the whole run"

# shards N: runs them, on several machines as it were
shards()
{
	if command -v parallel >/dev/null; then
		# Timed cells disturb each other: two jobs, as two machines would.
		# shellcheck disable=SC2086
		seq "$1" | parallel -j2 "$lockfair" run $options -q --shard "{}/$1" \
			--record "part-$1-{}" >out 2>err
	else
		for i in $(seq "$1"); do
			# shellcheck disable=SC2086
			"$lockfair" run $options -q --shard "$i/$1" \
				--record "part-$1-$i" >out 2>err
		done
	fi
}

name="started one by one"
! command -v parallel >/dev/null || name="started by GNU parallel"
for n in 3 11; do
	shards $n
	# In any order of the files.
	# shellcheck disable=SC2046
	run merge -o merged $(printf '%s\n' part-$n-* | sort -r)
	[ "$status" -eq 1 ] || [ "$status" -eq 77 ]
	point $? "$n shards: the exit status is that of a whole run (was $status)"
	python3 records.py whole merged >out 2>err
	point $? "$n shards, $name: the same records"
done

"$lockfair" merge part-3-* >out 2>err
cmp -s out merged || python3 records.py out merged 2>err >/dev/null
point $? "without -o the records go to standard output"

run merge -o merged part-3-1 part-3-3
exits 99 "without the second of three"
says err "cells have no record (places " "without the second of three"

# shellcheck disable=SC2086
run run $options -q --shard 2/3 --record again --seed 7
run merge -o merged part-3-1 again part-3-3
exits 2 "a shard of another seed"
says err "not of one run" "a shard of another seed"

for wrong in 0/3 4/3 2 2/ /2 1/2x; do
	run run ticket --shard $wrong
	exits 2 "--shard=$wrong"
	says err "write I/N" "--shard=$wrong"
done

end_of_test
