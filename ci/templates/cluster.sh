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
# disturb each other: one part a machine at a time. Exit status: as of the whole run.
set -u

out=${LOCKFAIR_OUT:-lockfair-out}
if test "${1-}" = --part; then
	part=$2 parts=$3
	shift 3
	mkdir -p "$out"
	exec lockfair run "$@" --quiet --shard="$part/$parts" \
		--resume="$out/part-$part-of-$parts.jsonl"
fi

parts=${1:?how many parts}
shift
rm -f "$out/all.jsonl"
if command -v sbatch >/dev/null; then
	# 77 and 1 are verdicts and no failures of the job.
	sbatch --wait --array="1-$parts" --exclusive --job-name=lockfair --wrap="
		sh '$0' --part \$SLURM_ARRAY_TASK_ID $parts $*" || true
else
	# shellcheck disable=SC2086 # an option and its value, or nothing
	seq "$parts" | parallel --quote --jobs 1 ${LOCKFAIR_HOSTS:+--sshlogin "$LOCKFAIR_HOSTS"} \
		sh "$0" --part "{}" "$parts" "$@" || true
fi
lockfair merge -o "$out/all.jsonl" "$out"/part-*-of-"$parts".jsonl
status=$?
lockfair report -o "$out/report.html" "$out/all.jsonl"
exit $status
