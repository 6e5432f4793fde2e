#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# lockfair compare, as TAP, on the numbers that ctxbench gave for two kernels in
# December 2002 (W. Davidsen, "25% drop in IPC rates", linux-kernel, 2002-12-29):
# suites/data/ctxbench-*.jsonl are records of them, and ctxbench-2002.txt is the table
# as it was sent.
#
# LOCKFAIR: the program (default ./lockfair).

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
data=$top/suites/data

# compare STATUS NAME ARGUMENT...
compare() {
	want=$1
	name=$2
	shift 2
	run compare "$@"
	exits "$want" "$name"
}

old=$data/ctxbench-2.5.50.jsonl
new=$data/ctxbench-2.5.52.jsonl

compare 77 "two kernels" "$old" "$new"

# Every row's word: what the ranges allow to say, and no more.
awk 'NF == 1 && /^[a-z]/ { backend = $1 }
	/other\/processes/ {
		split($1, place, "/")
		print backend, place[1], $6 ($7 == "" ? "" : " " $7)
	}' out >words
cat >wanted <<END
sigusr1 nosmp drop
sigusr1 smp cannot tell
sigusr1 uni drop
message-queue nosmp drop
message-queue smp cannot tell
message-queue uni drop
pipes nosmp drop
pipes smp cannot tell
pipes uni drop
semaphore nosmp drop
semaphore smp cannot tell
semaphore uni drop
spin-yield nosmp drop
spin-yield smp rise
spin-yield uni drop
spinlock nosmp same
spinlock smp same
spinlock uni same
END
diff wanted words >difference
point $? "two kernels: a word for each row"
sed 's/^/# /' difference
grep -q 'uni/other/processes *66434 *49939  x 0.752' out
point $? "two kernels: averages and their ratio"

# The other way round what dropped has risen.
compare 77 "backwards" "$new" "$old"
awk '/x [0-9.]+ / { print $NF }' out | sort | uniq -c | tr -s ' \n' ' ' >words
[ "$(cat words)" = " 1 drop 10 rise 3 same 4 tell " ]
point $? "backwards: drop and rise change places"

# Rows that can all be told.
grep '"backend":"spinlock"' "$old" >a.jsonl
grep '"backend":"spinlock"' "$new" >b.jsonl
compare 0 "only what can be told" a.jsonl b.jsonl
compare 0 "three files" a.jsonl b.jsonl a.jsonl
[ "$(grep -c 'same.*same$' out)" -eq 3 ]
point $? "three files: each against the first"

# In virtual time one run of each machine is enough.
for machine in celeron-uni celeron-nosmp; do
	"$lockfair" run pipes sigusr1 --suite handoff -s pingpong/free/other/processes \
		--engine sim --machine $machine --no-controls --record $machine.jsonl \
		>simulated 2>&1
done
compare 0 "two machine models" celeron-uni.jsonl celeron-nosmp.jsonl
[ "$(grep -c 'drop$' out)" -eq 2 ]
point $? "two machine models: pipes and signals drop"

# The table as it was sent; the column per MHz came later.
compare 0 "the old layout" --format seed "$old" "$new"
sed -E '/^=/!s/^(.{53}).*/\1/; s/ *$//' out >table
sed 's/ *$//' "$data/ctxbench-2002.txt" | diff - table >difference
point $? "the old layout: as it was sent"
sed 's/^/# /' difference
grep -q '^  2.5.50uni-bl .* 133.414$' out
point $? "the old layout: per MHz"

# Samples of one run each: 12 % are less than what varies from run to run.
# samples FILE VALUE...
samples() {
	file=$1
	shift
	list=$(echo "$@" | tr ' ' ,)
	sed -n 1p "$old" | sed "s/\"samples\":\[\]/\"samples\":[$list]/
		s/\"low\":[0-9]*/\"low\":$1/; s/\"average\":[0-9]*/\"average\":$3/
		s/\"high\":[0-9]*/\"high\":$5/" >>"$file"
}
samples one.jsonl 99 99 100 101 101
samples less.jsonl 87 88 88 88 89
samples fifth.jsonl 19 20 20 20 21
compare 77 "a small change in one run" one.jsonl less.jsonl
grep -q 'x 0.880  *(0.87 to 0.89) *cannot tell' out
point $? "a small change in one run: an interval, and no word"
compare 0 "a large change in one run" one.jsonl fifth.jsonl
grep -q 'drop$' out
point $? "a large change in one run: drop"

# Four runs each know what varies between runs.
for shift in 0 1 2 3; do
	samples four.jsonl $((99 + shift)) $((99 + shift)) $((100 + shift)) \
		$((101 + shift)) $((101 + shift))
	samples less4.jsonl $((87 + shift)) $((88 + shift)) $((88 + shift)) \
		$((88 + shift)) $((89 + shift))
done
compare 0 "a small change in four runs" four.jsonl less4.jsonl
grep -q 'drop$' out
point $? "a small change in four runs: drop"

compare 2 "one file" "$old"
compare 2 "no file" "$old" absent.jsonl
sed 's/pingpong/another/' "$new" >other.jsonl
compare 2 "nothing in common" "$old" other.jsonl
says err "nothing to compare" "nothing in common"

end_of_test
