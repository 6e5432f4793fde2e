#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Gates a change of a lock: builds the lock as it was and as it is, and lets
# `lockfair gate` judge the one against the other. For any CI service, and for a
# desk. Needs git and an installed lockfair, and nothing of its source.
#
#	LOCKFAIR_BUILD	what builds the plug-in, as in "make my-lock.so"
#	LOCKFAIR_PLUGIN	the plug-in that this makes, as in my-lock.so
#	LOCKFAIR_BASE	what the change is against: a commit, branch or tag. Default:
#			where the service says that it is to go, else origin/HEAD
#	LOCKFAIR_GATE	options for `lockfair gate`, as in "--inconclusive=warn"
#	LOCKFAIR_OUT	folder for what comes out (default lockfair-out): gate.jsonl,
#			report.html, summary.md, junit.xml, base-build.log
#	LOCKFAIR_NEW	"yes": where base does not build, judge this by its claims alone
#
# A lock is new, and judged by its claims alone, where base has no file that is named
# after the plug-in (my-lock.* for my-lock.so) and the change adds one. A base that has
# and does not build is no reason to pass: that ends with 99.
#
# Exit status: that of `lockfair gate` (0 no worse, 1 worse, 77 cannot tell here, 99
# lockfair failed), 2 if this does not build, or 99 if base does not.
set -u

say() { printf 'lockfair gate: %s\n' "$*"; }
give_up() { say "$*" >&2; exit 2; }

build=${LOCKFAIR_BUILD:?what builds the plug-in, as in "make my-lock.so"}
plugin=${LOCKFAIR_PLUGIN:?the plug-in that is built, as in my-lock.so}
out=${LOCKFAIR_OUT:-lockfair-out}
command -v lockfair >/dev/null || give_up "lockfair is not installed (or not in PATH)"
top=$(git rev-parse --show-toplevel) || give_up "this is no checkout of git"
cd "$top" || exit 2
mkdir -p "$out" || exit 2

# --- The two builds -----------------------------------------------------------------

target=${LOCKFAIR_BASE:-}
test -n "$target" || test -z "${GITHUB_BASE_REF-}" || target=origin/$GITHUB_BASE_REF
test -n "$target" || target=${CI_MERGE_REQUEST_DIFF_BASE_SHA-}
test -n "$target" || target=origin/HEAD
git rev-parse --quiet --verify "$target^{commit}" >/dev/null ||
	give_up "$target is not here; fetch it, and the history up to where it parted" \
		"(on GitHub: fetch-depth: 0, on GitLab: GIT_DEPTH: 0)"
base=$(git merge-base HEAD "$target") ||
	give_up "$target and this have no commit in common; fetch more of the history"
# On the target itself, the change is its last commit.
test "$base" != "$(git rev-parse HEAD)" || base=$(git rev-parse --quiet --verify HEAD^) ||
	give_up "there is nothing before the first commit to compare with"

work=$(mktemp -d "${TMPDIR:-/tmp}/lockfair-gate.XXXXXX") || exit 2
trap 'git worktree remove --force "$work/base" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM

say "builds this"
sh -c "$build" || give_up "this does not build: $build"
test -e "$plugin" || give_up "$build made no $plugin"
head=$(cd "$(dirname "$plugin")" && pwd)/$(basename "$plugin")

# Is there a file on standard input, a path a line, that is named after the plug-in?
names_it()
{
	awk -F/ -v name="$(basename "$plugin" .so)." \
		'index($NF, name) == 1 { found = 1 } END { exit !found }'
}

# A file that was only renamed was there before.
is_new()
{
	! git ls-tree -r --name-only "$base" | names_it &&
		git diff --find-renames --diff-filter=A --name-only "$base" | names_it
}

say "builds $(git log -1 --format='%h, %s' "$base")"
git worktree add --quiet --detach "$work/base" "$base" || exit 2
log=$out/base-build.log
if (cd "$work/base" && sh -c "$build") >"$log" 2>&1 &&
	test -e "$work/base/$plugin"; then
	old=$work/base/$plugin
else
	tail -n 5 "$log"
	old=
	if is_new; then
		say "there was no such lock before: judged by its claims alone"
	elif test "${LOCKFAIR_NEW-}" = yes; then
		say "base does not build: judged by its claims alone, as LOCKFAIR_NEW says"
	else
		say "base does not build, or makes no $plugin, so there is" \
			"nothing to compare with; see $log. Give another base with" \
			"LOCKFAIR_BASE, or with LOCKFAIR_NEW=yes judge this by its claims" \
			"alone" >&2
		exit 99
	fi
fi

# --- The verdict --------------------------------------------------------------------

rm -f "$out/gate.jsonl"
if test -n "$old"; then
	# shellcheck disable=SC2086 # a list of options
	lockfair gate --base="$old" --head="$head" --record="$out/gate.jsonl" \
		${LOCKFAIR_GATE-}
else
	lockfair run --record="$out/gate.jsonl" "$head"
fi
status=$?

# --- What it says of itself ---------------------------------------------------------

if test -s "$out/gate.jsonl"; then
	lockfair report -o "$out/report.html" -o "$out/summary.md" -o "$out/junit.xml" \
		"$out/gate.jsonl"
	if test "${GITHUB_ACTIONS-}" = true; then
		lockfair report -f github "$out/gate.jsonl"
		cat "$out/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
	fi
	say "the report is $out/report.html"
fi
exit $status
