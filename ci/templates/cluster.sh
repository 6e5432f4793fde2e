#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One long run on many machines: `lockfair run` in parts, put together again. Under
# Slurm as an array, else with GNU parallel here or on other machines.
#
#	cluster.sh PARTS ARGUMENT…		the arguments are those of lockfair run
#	cluster.sh --part I PARTS ARGUMENT…	one part; what the others call
#
#	LOCKFAIR_OUT	folder for the records, which all machines see (default
#			lockfair-out)
#	LOCKFAIR_HOSTS	with GNU parallel: machines, as its --sshlogin takes them
#
# A part that was stopped goes on where it was when it is started again. Timed cells
# disturb each other: one part a machine at a time.
#
# Exit status: as of the whole run. A part that was no run (2 wrong use, as with the
# records of another run in LOCKFAIR_OUT; 99 lockfair failed, or it did not come to its
# end) ends this with its status, and nothing is put together.
set -u

out=${LOCKFAIR_OUT:-lockfair-out}
if test "${1-}" = --part; then
	part=$2 parts=$3
	shift 3
	mkdir -p "$out"
	lockfair run "$@" --quiet --shard="$part/$parts" \
		--resume="$out/part-$part-of-$parts.jsonl"
	status=$?
	# All machines see the folder; what starts the parts does not tell how each ended.
	echo $status >"$out/part-$part-of-$parts.status"
	exit $status
fi

parts=${1:?how many parts}
shift
rm -f "$out/all.jsonl" "$out/report.html" "$out"/part-*.status
if command -v sbatch >/dev/null; then
	# 77 and 1 are verdicts and no failures of the job.
	sbatch --wait --array="1-$parts" --exclusive --job-name=lockfair --wrap="
		sh '$0' --part \$SLURM_ARRAY_TASK_ID $parts $*" || true
else
	# shellcheck disable=SC2086 # an option and its value, or nothing
	seq "$parts" | parallel --quote --jobs 1 ${LOCKFAIR_HOSTS:+--sshlogin "$LOCKFAIR_HOSTS"} \
		sh "$0" --part "{}" "$parts" "$@" || true
fi

# 0, 1 and 77 are verdicts, and the merge has that of the whole.
bad=0
for part in $(seq "$parts"); do
	status=$(cat "$out/part-$part-of-$parts.status" 2>/dev/null) || status=none
	case $status in
	0 | 1 | 77) continue ;;
	2) why="the command is wrong, or $out has another run's records: name another folder" ;;
	99) why="lockfair failed there" ;;
	none) why="it did not come to its end; start this again, and it goes on" ;;
	*) why="it was stopped; start this again, and it goes on" ;;
	esac
	echo "cluster.sh: part $part of $parts ended with $status: $why" >&2
	case $status in
	2) test "$bad" -ne 0 || bad=2 ;;
	99 | none) bad=99 ;;
	*) test "$bad" -eq 99 || bad=$status ;;
	esac
done
if test "$bad" -ne 0; then
	echo "cluster.sh: nothing is put together; what the parts said stands above" >&2
	exit "$bad"
fi
lockfair merge -o "$out/all.jsonl" "$out"/part-*-of-"$parts".jsonl
status=$?
lockfair report -o "$out/report.html" "$out/all.jsonl"
exit $status
