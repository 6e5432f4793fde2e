#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Looks into objects that were compiled for the simulator (OBJECT…) for what it
# cannot see: atomic instructions written in assembler, and calls that would let
# the host decide. Prints each with its object and fails.
set -eu

# Calls that block or tell the time, and are no part of rename.h.
calls='read|write|poll|ppoll|select|pselect|epoll_wait|epoll_pwait|accept|recv|recvfrom|recvmsg|send|sendto|sendmsg|pause|sigwait|getrandom|arc4random|getcpu|pthread_cancel|pthread_kill|pthread_mutex_consistent|sem_open|fork|alarm|setitimer|timer_create|eventfd|timerfd_create'

bad=0
for object in "$@"; do
	found=$(${OBJDUMP:-objdump} -d --no-show-raw-insn "$object" |
		sed -n -e 's/^.*	\(lock .*\)$/\1/p' \
			-e 's/^.*	\(xchg[bwlq]\{0,1\} .*(.*\)$/\1/p' \
			-e 's/^.*	\(rdtscp\{0,1\}.*\)$/\1/p' |
		sort -u)
	if [ -n "$found" ]; then
		printf '%s: instructions that the simulator does not see:\n%s\n' \
			"$object" "$found" >&2
		bad=1
	fi
	found=$(${NM:-nm} -u "$object" | awk '{ print $2 }' |
		grep -E "^(__tsan_.*|$calls|pthread_(mutex|cond|rwlock|spin|barrier)_.*(lock|wait|signal|broadcast|init|destroy))$" |
		grep -Ev '^lf_' || true)
	if [ -n "$found" ]; then
		printf '%s: calls that the simulator does not know:\n%s\n' \
			"$object" "$found" >&2
		bad=1
	fi
done
exit $bad
