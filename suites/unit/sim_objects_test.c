/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simulator's mutexes, condition variables, semaphores and so on: that they do
 * what the real ones do; in which order they serve is for orders_test.c. The code below reads as any program's;
 * rename.h sends its calls to the simulator.
 */
#ifdef LF_HAVE_SIM
#include "engine/sim/rename.h"
#endif

#include "suites/unit/suites.h"

#ifdef LF_HAVE_SIM

#include "suites/unit/play.h"

#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* --- mutexes ------------------------------------------------------------------------- */

static pthread_mutex_t mutex;
static int result[8];
static uint64_t took_ns;

static void init_mutex(int type, int protocol)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutex_init(&mutex, &attr);
	pthread_mutexattr_destroy(&attr);
}

static void hold_long(struct lf_thread *t)
{
	pthread_mutex_lock(&mutex);
	lf_advance(t);
	lf_sleep_ns(t, 5000000);
	pthread_mutex_unlock(&mutex);
}

static void try_and_time_out(struct lf_thread *t)
{
	struct timespec until;
	lf_await(t, 1);
	result[0] = pthread_mutex_trylock(&mutex);
	uint64_t begin = lf_now_ns(t);
	until = lf_in_1_ms();
	result[1] = pthread_mutex_timedlock(&mutex, &until);
	took_ns = lf_now_ns(t) - begin;
	until = lf_in_1_ms();
	until.tv_sec++;
	result[2] = pthread_mutex_timedlock(&mutex, &until);
	pthread_mutex_unlock(&mutex);
}

START_TEST(trying_and_timing_out)
{
	init_mutex(PTHREAD_MUTEX_NORMAL, _i ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
	lf_play(hold_long, try_and_time_out, NULL);
	ck_assert_int_eq(result[0], EBUSY);
	ck_assert_int_eq(result[1], ETIMEDOUT);
	ck_assert_uint_ge(took_ns, 1000000);
	ck_assert_uint_le(took_ns, 1200000);
	ck_assert_int_eq(result[2], 0);
}
END_TEST

static void lock_twice(struct lf_thread *t)
{
	(void)t;
	result[0] = pthread_mutex_lock(&mutex);
	result[1] = pthread_mutex_lock(&mutex);
	result[2] = pthread_mutex_unlock(&mutex);
	result[3] = pthread_mutex_unlock(&mutex);
	result[4] = pthread_mutex_unlock(&mutex);
}

START_TEST(recursive_and_checked_mutexes)
{
	init_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE);
	lf_play(lock_twice, NULL, NULL);
	ck_assert_int_eq(result[1], 0);
	ck_assert_int_eq(result[3], 0);
	ck_assert_int_eq(result[4], EPERM);
	init_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
	lf_play(lock_twice, NULL, NULL);
	ck_assert_int_eq(result[1], EDEADLK);
	ck_assert_int_eq(result[2], 0);
	ck_assert_int_eq(result[3], EPERM);
}
END_TEST

/* --- condition variables ------------------------------------------------------------------ */

static pthread_cond_t cond;

static void wait_in_vain(struct lf_thread *t)
{
	pthread_mutex_lock(&mutex);
	uint64_t begin = lf_now_ns(t);
	struct timespec until = lf_in_1_ms();
	result[0] = pthread_cond_timedwait(&cond, &mutex, &until);
	took_ns = lf_now_ns(t) - begin;
	result[1] = pthread_mutex_unlock(&mutex);
}

START_TEST(a_timed_wait_ends_and_holds_the_mutex)
{
	init_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
	pthread_cond_init(&cond, NULL);
	lf_play(wait_in_vain, NULL, NULL);
	ck_assert_int_eq(result[0], ETIMEDOUT);
	ck_assert_int_eq(result[1], 0);
	ck_assert_uint_ge(took_ns, 1000000);
}
END_TEST

/* --- semaphores ----------------------------------------------------------------------------- */

static sem_t sem;

static void post_and_take_back(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	sem_post(&sem);
	sem_wait(&sem); /* before the woken thread is there */
	lf_note('a');
	lf_wait_a_moment(t);
	sem_post(&sem);
}

static void take_one(struct lf_thread *t)
{
	lf_advance(t);
	sem_wait(&sem);
	lf_note('b');
	errno = 0;
	result[0] = sem_trywait(&sem);
	result[1] = errno;
	struct timespec until = lf_in_1_ms();
	result[2] = sem_timedwait(&sem, &until);
	result[3] = errno;
	sem_getvalue(&sem, &result[4]);
}

START_TEST(a_semaphore_lets_its_poster_barge)
{
	sem_init(&sem, 0, 0);
	lf_play(post_and_take_back, take_one, NULL);
	ck_assert_str_eq(lf_happened, "ab");
	ck_assert_int_eq(result[0], -1);
	ck_assert_int_eq(result[1], EAGAIN);
	ck_assert_int_eq(result[2], -1);
	ck_assert_int_eq(result[3], ETIMEDOUT);
	ck_assert_int_eq(result[4], 0);
}
END_TEST

/* --- reader-writer locks ------------------------------------------------------------------------ */

static pthread_rwlock_t rwlock;

static void read_in_vain(struct lf_thread *t)
{
	lf_await(t, 1);
	result[2] = pthread_rwlock_tryrdlock(&rwlock);
	result[3] = pthread_rwlock_trywrlock(&rwlock);
	struct timespec until = lf_in_1_ms();
	result[0] = pthread_rwlock_timedrdlock(&rwlock, &until);
	until = lf_in_1_ms();
	result[1] = pthread_rwlock_timedwrlock(&rwlock, &until);
}

static void write_long(struct lf_thread *t)
{
	pthread_rwlock_wrlock(&rwlock);
	lf_advance(t);
	lf_sleep_ns(t, 5000000);
	pthread_rwlock_unlock(&rwlock);
}

START_TEST(reader_writer_locks_time_out)
{
	pthread_rwlock_init(&rwlock, NULL);
	lf_play(write_long, read_in_vain, NULL);
	ck_assert_int_eq(result[0], ETIMEDOUT);
	ck_assert_int_eq(result[1], ETIMEDOUT);
	ck_assert_int_eq(result[2], EBUSY);
	ck_assert_int_eq(result[3], EBUSY);
	ck_assert_int_eq(pthread_rwlock_destroy(&rwlock), 0);
}
END_TEST

/* --- the rest -------------------------------------------------------------------------------------- */

static pthread_barrier_t barrier;
static pthread_once_t once;
static pthread_key_t key;
static pthread_spinlock_t spin;
static int serial, initialised, counter;

static void initialise(void)
{
	initialised++;
	pthread_key_create(&key, NULL);
}

static void meet(struct lf_thread *t)
{
	int mine = (int)t->index + 1;
	pthread_once(&once, initialise);
	pthread_setspecific(key, &mine);
	for (int i = 0; i < 100; i++) {
		pthread_spin_lock(&spin);
		int seen = counter;
		sched_yield();
		counter = seen + 1;
		pthread_spin_unlock(&spin);
	}
	serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	result[t->index] = *(int *)pthread_getspecific(key);
}

START_TEST(once_keys_spin_locks_and_barriers)
{
	once = (pthread_once_t)PTHREAD_ONCE_INIT;
	serial = initialised = counter = 0;
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&barrier, NULL, 3);
	lf_play(meet, meet, meet);
	ck_assert_int_eq(initialised, 1);
	ck_assert_int_eq(counter, 300);
	ck_assert_int_eq(serial, 1);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(result[i], i + 1);
}
END_TEST

static mtx_t mtx;
static cnd_t cnd;

static int helper(void *arg)
{
	mtx_lock(&mtx);
	*(int *)arg = 1;
	cnd_signal(&cnd);
	mtx_unlock(&mtx);
	return 7;
}

static void start_helper(struct lf_thread *t)
{
	int ready = 0;
	thrd_t other;
	(void)t;
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
	mtx_lock(&mtx);
	result[0] = thrd_create(&other, helper, &ready);
	while (!ready)
		cnd_wait(&cnd, &mtx);
	mtx_unlock(&mtx);
	thrd_join(other, &result[1]);
}

START_TEST(c11_threads)
{
	lf_play(start_helper, NULL, NULL);
	ck_assert_int_eq(result[0], thrd_success);
	ck_assert_int_eq(result[1], 7);
}
END_TEST

static int word;

static long futex(int op, int value, int value2, int *other)
{
	return syscall(SYS_futex, &word, op | FUTEX_PRIVATE_FLAG, value, (long)value2,
		       other, 0);
}

static void sleep_on_word(struct lf_thread *t)
{
	lf_advance(t);
	result[t->index] = (int)syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	lf_note((char)('a' + t->index));
}

static void requeue_and_wake(struct lf_thread *t)
{
	static int other;
	errno = 0;
	result[3] = (int)syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
	result[4] = errno;
	lf_await(t, 2);
	lf_wait_a_moment(t);
	result[5] = (int)futex(FUTEX_REQUEUE, 1, INT_MAX, &other);
	lf_wait_a_moment(t);
	lf_note('|');
	result[6] = (int)syscall(SYS_futex, &other, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

START_TEST(futexes_wait_wake_and_move)
{
	lf_play(sleep_on_word, sleep_on_word, requeue_and_wake);
	ck_assert_int_eq(result[3], -1);
	ck_assert_int_eq(result[4], EAGAIN);
	ck_assert_int_eq(result[5], 2);
	ck_assert_int_eq(result[6], 1);
	ck_assert_int_eq(lf_happened[1], '|');
	ck_assert_int_eq(result[0] + result[1], 0);
}
END_TEST

/* --- futexes with priority inheritance --------------------------------------------- */

static void lock_pi_and_let_go(struct lf_thread *t)
{
	result[0] = (int)futex(FUTEX_LOCK_PI, 0, 0, NULL);
	result[1] = word == gettid();
	lf_advance(t);
	lf_wait_a_moment(t);
	result[2] = (word & (int)FUTEX_WAITERS) != 0;
	errno = 0;
	futex(FUTEX_LOCK_PI, 0, 0, NULL);
	result[3] = errno;
	futex(FUTEX_UNLOCK_PI, 0, 0, NULL);
	errno = 0;
	futex(FUTEX_TRYLOCK_PI, 0, 0, NULL); /* it was handed over */
	result[4] = errno;
	errno = 0;
	futex(FUTEX_UNLOCK_PI, 0, 0, NULL);
	result[5] = errno;
	lf_note('a');
}

static void lock_pi_second(struct lf_thread *t)
{
	lf_await(t, 1);
	struct timespec until = lf_in_1_ms();
	until.tv_sec++;
	result[6] = (int)syscall(SYS_futex, &word, 13 /* FUTEX_LOCK_PI2 */, 0, &until,
				 NULL, 0);
	result[7] = (word & FUTEX_TID_MASK) == gettid();
	lf_wait_a_moment(t);
	lf_note('b');
	futex(FUTEX_UNLOCK_PI, 0, 0, NULL);
}

START_TEST(a_futex_with_priority_inheritance_is_handed_over)
{
	word = 0;
	lf_play(lock_pi_and_let_go, lock_pi_second, NULL);
	ck_assert_int_eq(result[0], 0);
	ck_assert_int_eq(result[1], 1);
	ck_assert_int_eq(result[2], 1);
	ck_assert_int_eq(result[3], EDEADLK);
	ck_assert_int_eq(result[4], EAGAIN);
	ck_assert_int_eq(result[5], EPERM);
	ck_assert_int_eq(result[6], 0);
	ck_assert_int_eq(result[7], 1);
	ck_assert_str_eq(lf_happened, "ab");
	ck_assert_int_eq(word, 0);
}
END_TEST

static void lock_pi_in_vain(struct lf_thread *t)
{
	lf_await(t, 1);
	struct timespec until = lf_in_1_ms();
	errno = 0;
	result[6] = (int)syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, &until, NULL, 0);
	result[7] = errno;
}

static void hold_pi(struct lf_thread *t)
{
	futex(FUTEX_LOCK_PI, 0, 0, NULL);
	lf_advance(t);
	lf_sleep_ns(t, 5000000);
	result[0] = (int)futex(FUTEX_UNLOCK_PI, 0, 0, NULL);
}

START_TEST(waiting_for_one_times_out)
{
	word = 0;
	lf_play(hold_pi, lock_pi_in_vain, NULL);
	ck_assert_int_eq(result[6], -1);
	ck_assert_int_eq(result[7], ETIMEDOUT);
	ck_assert_int_eq(result[0], 0);
	ck_assert_int_eq(word, 0);
}
END_TEST

/* --- memory ---------------------------------------------------------------------------- */

static void *block[3];

static void allocate(struct lf_thread *t)
{
	(void)t;
	block[0] = malloc(100);
	memset(block[0], 1, 100);
	block[1] = calloc(3, 5);
	block[0] = realloc(block[0], 1000);
	result[0] = ((char *)block[0])[99];
	result[1] = ((char *)block[1])[14];
	free(block[1]);
	block[2] = malloc(10);
	errno = 0;
	result[2] = malloc((size_t)1 << 40) == NULL;
	result[3] = errno;
	free(strdup("not from the arena"));
}

START_TEST(memory_comes_in_lines)
{
	lf_play(allocate, NULL, NULL);
	ck_assert_int_eq(result[0], 1);
	ck_assert_int_eq(result[1], 0);
	ck_assert_ptr_eq(block[1], block[2]);
	ck_assert_uint_eq((uintptr_t)block[0] % LF_CACHE_LINE, 0);
	ck_assert_int_eq(result[2], 1);
	ck_assert_int_eq(result[3], ENOMEM);
}
END_TEST

static void look_around(struct lf_thread *t)
{
	struct timespec before, after;
	result[0] = get_nprocs();
	result[1] = (int)sysconf(_SC_NPROCESSORS_ONLN);
	result[2] = gettid();
	clock_gettime(CLOCK_MONOTONIC, &before);
	usleep(3000);
	clock_gettime(CLOCK_MONOTONIC, &after);
	took_ns = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u +
		(uint64_t)after.tv_nsec - (uint64_t)before.tv_nsec;
	lf_compute_ns(t, 2000000);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	result[3] = (int)(after.tv_nsec / 1000);
}

START_TEST(the_machine_is_the_model)
{
	lf_play(look_around, NULL, NULL);
	ck_assert_int_eq(result[0], 4);
	ck_assert_int_eq(result[1], 4);
	ck_assert_int_ne(result[2], 0);
	ck_assert_uint_ge(took_ns, 3000000);
	ck_assert_uint_le(took_ns, 3200000);
	ck_assert_int_ge(result[3], 1800);
	ck_assert_int_le(result[3], 2300);
}
END_TEST

Suite *lf_test_sim_objects(void)
{
	Suite *s = suite_create("sim_objects");
	TCase *t = tcase_create("waiting");
	tcase_add_loop_test(t, trying_and_timing_out, 0, 2);
	tcase_add_test(t, recursive_and_checked_mutexes);
	tcase_add_test(t, a_timed_wait_ends_and_holds_the_mutex);
	tcase_add_test(t, a_semaphore_lets_its_poster_barge);
	tcase_add_test(t, reader_writer_locks_time_out);
	tcase_add_test(t, once_keys_spin_locks_and_barriers);
	tcase_add_test(t, c11_threads);
	tcase_add_test(t, futexes_wait_wake_and_move);
	tcase_add_test(t, a_futex_with_priority_inheritance_is_handed_over);
	tcase_add_test(t, waiting_for_one_times_out);
	tcase_add_test(t, memory_comes_in_lines);
	tcase_add_test(t, the_machine_is_the_model);
	suite_add_tcase(s, t);
	return s;
}

#else

Suite *lf_test_sim_objects(void)
{
	return suite_create("sim_objects");
}

#endif
