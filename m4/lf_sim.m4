# SPDX-License-Identifier: LGPL-2.1-or-later
# LF_SIM_PROBE: can the simulator be built here? It compiles a lock as twin.sh
# does, with -fsanitize=thread and other names for its hooks, links it with hooks
# of the test's own and no libtsan, and runs it. Defines the conditional HAVE_SIM,
# substitutes OBJCOPY, and on failure defines LF_SIM_UNAVAILABLE in config.h: the
# reason that is shown for every cell of the simulator.
AC_DEFUN([LF_SIM_PROBE], [
AC_REQUIRE([AC_PROG_CC])
AC_REQUIRE([LT_PATH_NM])
AC_CHECK_TOOL([OBJCOPY], [objcopy])
lf_sim_reason=
AC_CACHE_CHECK([whether the C library's locks have glibc's layout],
	[lf_cv_glibc_locks],
	[AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <pthread.h>]], [[
		pthread_mutex_t m = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
		pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
		return m.__data.__lock + m.__data.__kind + m.__data.__owner +
			(int)m.__data.__count + m.__data.__spins +
			(int)l.__data.__flags;]])],
		[lf_cv_glibc_locks=yes], [lf_cv_glibc_locks=no])])
AC_MSG_CHECKING([whether locks can be compiled for the simulator])
AS_IF([test "$lf_cv_glibc_locks" = no],
		[lf_sim_reason="the simulator knows the locks of glibc only"],
	[test -z "$OBJCOPY"],
		[lf_sim_reason="objcopy is missing (Debian: apt-get install binutils)"],
	[_LF_SIM_TRY])
AS_IF([test -z "$lf_sim_reason"], [AC_MSG_RESULT([yes])], [
	AC_MSG_RESULT([no: $lf_sim_reason])
	AC_DEFINE_UNQUOTED([LF_SIM_UNAVAILABLE], ["this lockfair was built without the simulator: $lf_sim_reason"],
		[Why there is no simulator; undefined when there is one.])])
AM_CONDITIONAL([HAVE_SIM], [test -z "$lf_sim_reason"])
])

# The lock asks for an atomic exchange, a plain store and a mutex; the hooks count.
AC_DEFUN([_LF_SIM_TRY], [
cat >conftest_lock.c <<\_LF_EOF
#include <pthread.h>
#include <stdatomic.h>
atomic_int word;
int plain;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int lock(void);
int lock(void)
{
	pthread_mutex_lock(&mutex);
	plain = 1;
	return atomic_exchange(&word, 1);
}
_LF_EOF
cat >conftest_main.c <<\_LF_EOF
#include <pthread.h>
static int atomics, plains, mutexes;
void lf_tsan_init(void) { }
void lf_tsan_func_entry(void *p) { (void)p; }
void lf_tsan_func_exit(void) { }
void lf_tsan_write4(void *p) { (void)p; plains++; }
int lf_tsan_atomic32_exchange(volatile int *p, int v, int order)
{
	int old = *p;
	(void)order;
	*p = v;
	atomics++;
	return old;
}
int lf_sim_pthread_mutex_lock(pthread_mutex_t *m) { (void)m; mutexes++; return 0; }
int lock(void);
int main(void)
{
	return lock() == 0 && atomics == 1 && plains == 1 && mutexes == 1 ? 0 : 1;
}
_LF_EOF
lf_twin="env OBJCOPY=$OBJCOPY $SHELL $srcdir/framework/engine/sim/twin.sh"
AS_IF([! $lf_twin conftest_lock.$OBJEXT conftest_lock.c $CC $CPPFLAGS $CFLAGS >&AS_MESSAGE_LOG_FD 2>&1],
		[lf_sim_reason="$CC cannot compile with -fsanitize=thread"],
	[! $CC $CFLAGS $LDFLAGS -o conftest$EXEEXT conftest_main.c conftest_lock.$OBJEXT $LIBS >&AS_MESSAGE_LOG_FD 2>&1],
		[lf_sim_reason="the sanitizer of $CC calls hooks that lockfair does not know"],
	[test "$cross_compiling" != yes && ! ./conftest$EXEEXT >&AS_MESSAGE_LOG_FD 2>&1],
		[lf_sim_reason="the sanitizer of $CC does not call its hooks as expected"])
rm -f conftest_lock.* conftest_main.* conftest$EXEEXT
])
