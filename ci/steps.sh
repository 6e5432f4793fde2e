# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# Sourced by the scripts of this folder, from the top of the tree. The build
# directory is ./build unless LOCKFAIR_BUILD names another.

build=${LOCKFAIR_BUILD:-build}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
started=$(date +%s)

# step TEXT COMMAND…: one line a step; the output goes to a log, which is shown
# only when the command fails.
step()
{
	step_text=$1
	shift
	step_log=$build/log/$(echo "$step_text" | tr -cs 'a-z0-9\n' -).txt
	mkdir -p "$build/log"
	step_at=$(date +%s)
	printf '%s … ' "$step_text"
	if "$@" </dev/null >"$step_log" 2>&1; then
		echo "ok ($(($(date +%s) - step_at)) s)"
		return 0
	fi
	echo "FAILED; from $step_log:"
	tail -n "${LF_LOG_LINES:-60}" "$step_log"
	return 1
}

configure_build()
{
	top=$PWD
	(cd "$build" && "$top/configure" "$@")
}

# make_tree TARGET [CONFIGURE-OPTION…]: from a checkout to what TARGET of the
# Makefile builds. A tree that is already configured is left to make, which
# knows what changed.
make_tree()
{
	target=$1
	shift
	mkdir -p "$build"
	test -x configure || step "bootstrap" ./bootstrap || return 1
	test -e "$build/config.status" ||
		step "configure" configure_build "$@" || return 1
	step "build" make -C "$build" -j "$jobs" "$target"
}
