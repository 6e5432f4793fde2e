/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Included by force in front of every backend that is compiled for the
 * simulator (see twin.sh): what a lock asks of the C library and the kernel goes
 * to the engine's own functions, lf_sim_*, instead.
 *
 * Object-like macros only, and no #include: the source's own feature macros keep
 * their effect, the system's headers declare the new names with the right
 * types, and pointers to these functions are renamed too.
 */
#ifndef LF_SIM_RENAME_H
#define LF_SIM_RENAME_H

/* Threads */
#define pthread_create lf_sim_pthread_create
#define pthread_join lf_sim_pthread_join
#define pthread_detach lf_sim_pthread_detach
#define pthread_exit lf_sim_pthread_exit
#define pthread_self lf_sim_pthread_self
/* No pthread_yield: the C library declares it to be sched_yield, and a function of
 * ours by that name would be the one that real threads get; see twin.sh. */
#define pthread_once lf_sim_pthread_once
#define pthread_key_create lf_sim_pthread_key_create
#define pthread_key_delete lf_sim_pthread_key_delete
#define pthread_getspecific lf_sim_pthread_getspecific
#define pthread_setspecific lf_sim_pthread_setspecific

/* Mutexes and what belongs to them */
#define pthread_mutex_init lf_sim_pthread_mutex_init
#define pthread_mutex_destroy lf_sim_pthread_mutex_destroy
#define pthread_mutex_lock lf_sim_pthread_mutex_lock
#define pthread_mutex_trylock lf_sim_pthread_mutex_trylock
#define pthread_mutex_timedlock lf_sim_pthread_mutex_timedlock
#define pthread_mutex_clocklock lf_sim_pthread_mutex_clocklock
#define pthread_mutex_unlock lf_sim_pthread_mutex_unlock
#define pthread_cond_init lf_sim_pthread_cond_init
#define pthread_cond_destroy lf_sim_pthread_cond_destroy
#define pthread_cond_wait lf_sim_pthread_cond_wait
#define pthread_cond_timedwait lf_sim_pthread_cond_timedwait
#define pthread_cond_clockwait lf_sim_pthread_cond_clockwait
#define pthread_cond_signal lf_sim_pthread_cond_signal
#define pthread_cond_broadcast lf_sim_pthread_cond_broadcast
#define pthread_rwlock_init lf_sim_pthread_rwlock_init
#define pthread_rwlock_destroy lf_sim_pthread_rwlock_destroy
#define pthread_rwlock_rdlock lf_sim_pthread_rwlock_rdlock
#define pthread_rwlock_tryrdlock lf_sim_pthread_rwlock_tryrdlock
#define pthread_rwlock_timedrdlock lf_sim_pthread_rwlock_timedrdlock
#define pthread_rwlock_clockrdlock lf_sim_pthread_rwlock_clockrdlock
#define pthread_rwlock_wrlock lf_sim_pthread_rwlock_wrlock
#define pthread_rwlock_trywrlock lf_sim_pthread_rwlock_trywrlock
#define pthread_rwlock_timedwrlock lf_sim_pthread_rwlock_timedwrlock
#define pthread_rwlock_clockwrlock lf_sim_pthread_rwlock_clockwrlock
#define pthread_rwlock_unlock lf_sim_pthread_rwlock_unlock
#define pthread_barrier_init lf_sim_pthread_barrier_init
#define pthread_barrier_destroy lf_sim_pthread_barrier_destroy
#define pthread_barrier_wait lf_sim_pthread_barrier_wait
#define pthread_spin_init lf_sim_pthread_spin_init
#define pthread_spin_destroy lf_sim_pthread_spin_destroy
#define pthread_spin_lock lf_sim_pthread_spin_lock
#define pthread_spin_trylock lf_sim_pthread_spin_trylock
#define pthread_spin_unlock lf_sim_pthread_spin_unlock

/* Semaphores */
#define sem_init lf_sim_sem_init
#define sem_destroy lf_sim_sem_destroy
#define sem_wait lf_sim_sem_wait
#define sem_trywait lf_sim_sem_trywait
#define sem_timedwait lf_sim_sem_timedwait
#define sem_clockwait lf_sim_sem_clockwait
#define sem_post lf_sim_sem_post
#define sem_getvalue lf_sim_sem_getvalue

/* C11 threads */
#define thrd_create lf_sim_thrd_create
#define thrd_join lf_sim_thrd_join
#define thrd_detach lf_sim_thrd_detach
#define thrd_exit lf_sim_thrd_exit
#define thrd_current lf_sim_thrd_current
#define thrd_sleep lf_sim_thrd_sleep
#define thrd_yield lf_sim_thrd_yield
#define mtx_init lf_sim_mtx_init
#define mtx_destroy lf_sim_mtx_destroy
#define mtx_lock lf_sim_mtx_lock
#define mtx_trylock lf_sim_mtx_trylock
#define mtx_timedlock lf_sim_mtx_timedlock
#define mtx_unlock lf_sim_mtx_unlock
#define cnd_init lf_sim_cnd_init
#define cnd_destroy lf_sim_cnd_destroy
#define cnd_wait lf_sim_cnd_wait
#define cnd_timedwait lf_sim_cnd_timedwait
#define cnd_signal lf_sim_cnd_signal
#define cnd_broadcast lf_sim_cnd_broadcast
#define tss_create lf_sim_tss_create
#define tss_delete lf_sim_tss_delete
#define tss_get lf_sim_tss_get
#define tss_set lf_sim_tss_set
#define call_once lf_sim_call_once

/* The kernel, time, and what else would let the host shine through */
#define syscall lf_sim_syscall
#define gettid lf_sim_gettid
#define sched_yield lf_sim_sched_yield
#define sched_getcpu lf_sim_sched_getcpu
#define get_nprocs lf_sim_get_nprocs
#define sysconf lf_sim_sysconf
#define nanosleep lf_sim_nanosleep
#define clock_nanosleep lf_sim_clock_nanosleep
#define usleep lf_sim_usleep
#define sleep lf_sim_sleep
#define clock_gettime lf_sim_clock_gettime
#define gettimeofday lf_sim_gettimeofday
#define timespec_get lf_sim_timespec_get
#define time lf_sim_time
#define clock lf_sim_clock
#define rand lf_sim_rand
#define random lf_sim_random
#define srand lf_sim_srand
#define srandom lf_sim_srandom

/* Descriptors */
#define pipe lf_sim_pipe
#define pipe2 lf_sim_pipe2
#define socketpair lf_sim_socketpair
#define eventfd lf_sim_eventfd
#define eventfd_read lf_sim_eventfd_read
#define eventfd_write lf_sim_eventfd_write
#define read lf_sim_read
#define write lf_sim_write
#define recv lf_sim_recv
#define send lf_sim_send
#define close lf_sim_close
#define fcntl lf_sim_fcntl
#define poll lf_sim_poll
#define ppoll lf_sim_ppoll
#define select lf_sim_select
#define pselect lf_sim_pselect
#define epoll_create lf_sim_epoll_create
#define epoll_create1 lf_sim_epoll_create1
#define epoll_ctl lf_sim_epoll_ctl
#define epoll_wait lf_sim_epoll_wait
#define epoll_pwait lf_sim_epoll_pwait
#define epoll_pwait2 lf_sim_epoll_pwait2
#define kqueue lf_sim_kqueue
#define kevent lf_sim_kevent

/* Messages, semaphores and signals between processes, which are threads here */
#define msgget lf_sim_msgget
#define msgsnd lf_sim_msgsnd
#define msgrcv lf_sim_msgrcv
#define msgctl lf_sim_msgctl
#define semget lf_sim_semget
#define semop lf_sim_semop
#define semtimedop lf_sim_semtimedop
#define semctl lf_sim_semctl
#define mq_open lf_sim_mq_open
#define mq_close lf_sim_mq_close
#define mq_unlink lf_sim_mq_unlink
#define mq_send lf_sim_mq_send
#define mq_timedsend lf_sim_mq_timedsend
#define mq_receive lf_sim_mq_receive
#define mq_timedreceive lf_sim_mq_timedreceive
#define mq_getattr lf_sim_mq_getattr
#define getpid lf_sim_getpid
#define kill lf_sim_kill
#define pthread_kill lf_sim_pthread_kill
#define sigprocmask lf_sim_sigprocmask
#define pthread_sigmask lf_sim_pthread_sigmask
#define sigpending lf_sim_sigpending
#define sigwait lf_sim_sigwait
#define sigwaitinfo lf_sim_sigwaitinfo
#define sigtimedwait lf_sim_sigtimedwait

/* Known, and not simulated: these end the run with a message. See refused.c. */
#define fork lf_sim_fork
#define open lf_sim_open
#define dup lf_sim_dup
#define dup2 lf_sim_dup2
#define dup3 lf_sim_dup3
#define ioctl lf_sim_ioctl
#define readv lf_sim_readv
#define writev lf_sim_writev
#define socket lf_sim_socket
#define recvmsg lf_sim_recvmsg
#define sendmsg lf_sim_sendmsg
#define signalfd lf_sim_signalfd
#define timerfd_create lf_sim_timerfd_create
#define mq_notify lf_sim_mq_notify
#define mq_setattr lf_sim_mq_setattr
#define shmget lf_sim_shmget
#define sigaction lf_sim_sigaction
#define signal lf_sim_signal
#define sigsuspend lf_sim_sigsuspend
#define sigqueue lf_sim_sigqueue
#define raise lf_sim_raise
#define pause lf_sim_pause_call
#define alarm lf_sim_alarm
#define setitimer lf_sim_setitimer
#define pthread_cancel lf_sim_pthread_cancel
#define pthread_tryjoin_np lf_sim_pthread_tryjoin_np
#define pthread_timedjoin_np lf_sim_pthread_timedjoin_np
#define pthread_clockjoin_np lf_sim_pthread_clockjoin_np
#define pthread_mutex_consistent lf_sim_pthread_mutex_consistent
#define pthread_mutex_setprioceiling lf_sim_pthread_mutex_setprioceiling
#define pthread_setschedparam lf_sim_pthread_setschedparam
#define pthread_setschedprio lf_sim_pthread_setschedprio
#define pthread_setaffinity_np lf_sim_pthread_setaffinity_np
#define sched_setaffinity lf_sim_sched_setaffinity
#define sched_setscheduler lf_sim_sched_setscheduler
#define sem_open lf_sim_sem_open

/* Memory comes line-aligned from the run's arena. */
#define malloc lf_sim_malloc
#define calloc lf_sim_calloc
#define realloc lf_sim_realloc
#define aligned_alloc lf_sim_aligned_alloc
#define posix_memalign lf_sim_posix_memalign
#define free lf_sim_free

/* Instructions that no hook sees. gcc's _mm_pause() is an inline function on
 * top of the builtin, clang's is a builtin of that name. */
void lf_sim_pause(void);
unsigned long long lf_sim_cycles(void);
#if defined(__x86_64__) || defined(__i386__)
#define __builtin_ia32_pause lf_sim_pause
#define __builtin_ia32_rdtsc lf_sim_cycles
#ifdef __clang__
#define _mm_pause lf_sim_pause
#endif
#elif defined(__aarch64__)
#define __builtin_arm_yield lf_sim_pause
#define __yield lf_sim_pause
#endif

#endif
