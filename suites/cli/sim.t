#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The simulator from outside, as TAP: that records repeat to the byte whatever the
# surroundings, that `lockfair cc` makes plug-ins for it, and what `lockfair
# machines` knows.
#
# LOCKFAIR: the program (default ./lockfair). srcdir: the sources.

# shellcheck source-path=SCRIPTDIR source=common.sh
. "${srcdir:-.}/suites/cli/common.sh"
LOCKFAIR_DATADIR=$top/framework/engine/sim
LOCKFAIR_INCLUDEDIR=$top/framework
export LOCKFAIR_DATADIR LOCKFAIR_INCLUDEDIR

# --- machines ---------------------------------------------------------------------

"$lockfair" machines >out 2>&1
point $? "machines lists the models"
grep -q '^celeron-nosmp ' out && grep -q '^2cpu-fastwake .* yes ' out
point $? "… those of the past and those that are judged"
"$lockfair" machines smp4 >out 2>&1 && grep -q 'machine.cpus *4 \*' out
point $? "machines NAME shows its numbers"
"$lockfair" machines smp5 >out 2>&1
[ $? -eq 2 ] && grep -q 'no machine model is named smp5' out
point $? "an unknown name is wrong use"

"$lockfair" run ticket --engine sim --machine smp4 -s order --record probe >out 2>&1
if grep -q 'built without the simulator' out probe; then
	echo "1..$points"
	exit 0
fi

# --- the same bytes -----------------------------------------------------------------

# records FILE ARGUMENT…: what a run records, without what may differ
records()
{
	file=$1
	shift
	"$lockfair" run pthread 'gil-*' faulty/lost_waiters_bit --no-expectations \
		--engine sim -s drain/3 -s barging -s interleaving "$@" \
		--record raw >out 2>&1
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    del record["volatile"]
    # Stacks of a deadlock are the addresses and thread numbers of this host.
    record["evidence"].pop("stack", None)
    print(json.dumps(record))' raw >"$file"
	rm -f raw
}

records first
grep -q gil-bfs first
point $? "there are records"
mkdir -p "a/much/longer/path/than/before"
(
	cd a/much/longer/path/than/before || exit 1
	FILL=$(printf '%020000d' 0)
	export FILL
	records "$work/second"
)
cmp first second >out 2>&1
point $? "the same in another directory and a larger environment"
(
	end=$(($(date +%s) + 60))
	while [ "$(date +%s)" -lt $end ]; do :; done
) &
load=$!
records third
kill $load 2>/dev/null
cmp first third >out 2>&1
point $? "the same beside a busy loop"
records fourth --seed 2
if cmp first fourth >out 2>&1; then false; else true; fi
point $? "another seed gives other records"

# --- a deadlock ---------------------------------------------------------------------

"$lockfair" run faulty/lost_waiters_bit --engine sim -s drain/3 --machine 2cpu \
	--no-controls --no-expectations >out 2>&1
[ $? -eq 1 ] && grep -q 'states: holder: phase, .*waiter.1 in acquire: futex' out
point $? "a deadlock tells what each thread was doing"
if command -v eu-stack >/dev/null && eu-stack -p $$ >/dev/null 2>&1; then
	grep -q 'thread [0-9]* (waiter.1) ' out && grep -q 'world_await' out
	point $? "… and where, under its name"
fi

# --- a machine of one's own ----------------------------------------------------------

cat >mine.ini <<\END
[machine]
name = mine
version = 7
cpus = 3
[noise]
jitter_percent = 20
END
"$lockfair" run ticket --engine sim --machine ./mine.ini -s order --record mine >out 2>&1 &&
	grep -q '"mine' mine
point $? "--machine FILE"

# --- plug-ins --------------------------------------------------------------------------

# A helper with a name of its own for everybody, in a file of its own.
cat >lock.c <<\END
#include <lockfair/backend.h>
#include <pthread.h>
int lock_count(int add);
struct lock { pthread_mutex_t mutex; };
static int init(void *l, const int64_t p[])
{
	(void)p;
	return -pthread_mutex_init(&((struct lock *)l)->mutex, NULL);
}
static void acquire(void *l, struct lf_thread *t)
{
	(void)t;
	pthread_mutex_lock(&((struct lock *)l)->mutex);
	lock_count(1);
}
static void release(void *l, struct lf_thread *t)
{
	(void)t;
	pthread_mutex_unlock(&((struct lock *)l)->mutex);
}
static const struct lf_mutex_ops ops = { .init = init, .acquire = acquire,
					 .release = release };
LF_BACKEND(mine) = { .abi = LF_ABI, .kind = LF_MUTEX, .name = "mine", .summary = "mine",
		     .engines = LF_ON_ALL, .lock_size = sizeof(struct lock),
		     .mutex = &ops };
LF_PLUGIN(mine);
END
cat >helper.c <<\END
#include STDINT
int lock_count(int add);
int lock_count(int add)
{
	static _Thread_local intptr_t count;
	return (int)(count += add);
}
END
"$lockfair" cc -o mine.so lock.c helper.c '-DSTDINT=<stdint.h>' -Wall >out 2>&1
point $? "cc compiles two sources and takes an argument with special characters"
"$lockfair" run ./mine.so --engine sim -s order -s barging --record mine >out 2>&1 &&
	[ "$(grep -c '"verdict": *"pass"' mine)" -ge 2 ]
point $? "… which the simulator judges, thread-local variable and all"
"$lockfair" run ./mine.so --engine threads -s exclusion >out 2>&1
[ $? -ne 99 ]
point $? "… and the threads engine, too"
"$lockfair" run ./mine.so --engine sim -s exclusion -s drain/3 -s hog --record mine \
	>out 2>&1
status=$?
[ $status -eq 0 ] && [ "$(grep -c '"verdict": *"pass"' mine)" -ge 3 ] &&
	grep -q '"machine": *"1cpu,.*smp4"' mine
point $? "… and it passes on all models"

# It lets go without waking anybody.
cat >bad.c <<\END
#include <lockfair/backend.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static int init(void *l, const int64_t p[])
{
	(void)p;
	atomic_init((atomic_int *)l, 0);
	return 0;
}
static void acquire(void *l, struct lf_thread *t)
{
	(void)t;
	while (atomic_exchange((atomic_int *)l, 1))
		syscall(SYS_futex, l, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}
static void release(void *l, struct lf_thread *t)
{
	(void)t;
	atomic_store((atomic_int *)l, 0);
}
static const struct lf_mutex_ops ops = { .init = init, .acquire = acquire,
					 .release = release };
LF_BACKEND(bad) = { .abi = LF_ABI, .kind = LF_MUTEX, .name = "bad", .summary = "bad",
		    .engines = LF_ON_ALL, .lock_size = sizeof(atomic_int), .mutex = &ops };
LF_PLUGIN(bad);
END
"$lockfair" cc -o bad.so bad.c -D_GNU_SOURCE -Wall >out 2>&1 &&
	"$lockfair" run ./bad.so --engine sim -s exclusion >out 2>&1
[ $? -eq 1 ] && grep -q 'safety: progress' out && grep -q 'in acquire: futex' out
point $? "a faulty one is convicted of its deadlock"
line=$(sed -n "s/^ *replay: lockfair replay '\(.*\)'\$/\1/p" out | head -n 1)
"$lockfair" replay "$line" >out 2>&1
[ $? -eq 1 ] && grep -q 'replay: same trace' out && grep -q 'safety: progress' out
point $? "… which its replay line repeats"

# What the hooks do not see is refused.
sed 's/atomic_store((atomic_int \*)l, 0);/__asm__ volatile("lock; andl $0, %0" : "+m"(*(int *)l));/' \
	bad.c >asm.c
case $(uname -m) in
x86_64)
	"$lockfair" cc -o asm.so asm.c -D_GNU_SOURCE >out 2>&1
	[ $? -eq 1 ] && grep -q 'asm.c: the simulator would miss' out &&
		grep -q '  lock andl' out && [ ! -e asm.so ]
	point $? "cc refuses atomics in inline assembler"
	;;
esac

# A symbol that is nowhere is said now and not at load.
sed 's/return 0;/{ extern int nowhere(void); return nowhere(); }/' bad.c >open.c
"$lockfair" cc -o open.so open.c -D_GNU_SOURCE >out 2>&1
[ $? -eq 1 ] && grep -q 'nowhere' out && grep -q 'defines the missing symbols' out &&
	[ ! -e open.so ]
point $? "cc refuses a symbol that nobody defines"
"$lockfair" cc -o open.so open.c -D_GNU_SOURCE -Wl,-z,undefs >out 2>&1 && [ -e open.so ]
point $? "… unless told that it will be there"
"$lockfair" run ./open.so >out 2>&1
[ $? -eq 2 ] && grep -q 'undefined symbol: .*nowhere; link it' out
point $? "… and where it is not, the message says what to do"

"$lockfair" cc lock.c >out 2>&1
[ $? -eq 2 ] && grep -q 'usage: lockfair cc -o' out
point $? "cc without -o is wrong use"
"$lockfair" cc -o mine.so lock.c -fsanitize=thread >out 2>&1
[ $? -eq 2 ] && grep -q 'leave it out' out
point $? "cc wants no sanitizer"
LOCKFAIR_DATADIR=/nowhere "$lockfair" cc -o mine.so lock.c >out 2>&1
[ $? -eq 2 ] && grep -q '/nowhere' out
point $? "cc says where it looked"
# shellcheck disable=SC2086 # words, as for make
${CC:-cc} -shared -fPIC -I"$LOCKFAIR_INCLUDEDIR" '-DSTDINT=<stdint.h>' -o plain.so \
	lock.c helper.c && "$lockfair" run ./plain.so --engine sim >out 2>&1
grep -q 'lockfair cc' out
point $? "a plug-in compiled otherwise says how to get the other half"

end_of_test
