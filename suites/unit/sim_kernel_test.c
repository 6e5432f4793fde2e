/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simulator's pipes, queues, signals and waits for readiness: that they do what
 * Linux's do, in the same order. The code reads as any program's; rename.h sends its
 * calls to the simulator.
 */
#ifdef LF_HAVE_SIM
#include "engine/sim/rename.h"
#endif

#include "suites/unit/suites.h"

#ifdef LF_HAVE_SIM

#include "engine/sim/carrier.h"
#include "engine/sim/event.h"
#include "suites/unit/play.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int result[12];
static int fd[2], fd2[2];
static uint64_t took_ns;

/* What a call returned, and the error it left: 0 if none. */
static int failed_with(long rc)
{
	return rc < 0 ? errno : 0;
}

static struct timespec span(long ns)
{
	return (struct timespec){ .tv_nsec = ns };
}

/* --- pipes and socket pairs --------------------------------------------------------- */

static void read_twice(struct lf_thread *t)
{
	char data[8] = "";
	result[0] = pipe(fd);
	lf_advance(t);
	result[1] = (int)read(fd[0], data, sizeof data);
	lf_note(data[0]);
	result[2] = (int)read(fd[0], data, sizeof data);
	lf_note('.');
}

static void write_and_close(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	lf_note('b');
	result[3] = (int)write(fd[1], "xyz", 3);
	lf_wait_a_moment(t);
	lf_note('c');
	result[4] = close(fd[1]);
}

START_TEST(a_pipe_waits_for_data_and_for_its_end)
{
	lf_play(read_twice, write_and_close, NULL);
	ck_assert_str_eq(lf_happened, "bxc.");
	ck_assert_int_eq(result[0], 0);
	ck_assert_int_eq(result[1], 3);
	ck_assert_int_eq(result[2], 0);
	ck_assert_int_eq(result[3], 3);
	ck_assert_int_eq(result[4], 0);
}
END_TEST

static void fail_at_pipes(struct lf_thread *t)
{
	char c = 0;
	(void)t;
	pipe2(fd, O_NONBLOCK);
	result[0] = failed_with(read(fd[0], &c, 1));
	result[1] = failed_with(read(fd[1], &c, 1));
	result[2] = failed_with(write(fd[0], &c, 1));
	close(fd[0]);
	result[3] = failed_with(write(fd[1], &c, 1));
	result[4] = failed_with(read(fd[0], &c, 1));
	result[5] = failed_with(close(fd[0]));
	result[6] = fcntl(fd[1], F_GETFL) & O_NONBLOCK;
	fcntl(fd[1], F_SETFL, 0);
	result[7] = fcntl(fd[1], F_GETFL) & (O_NONBLOCK | O_ACCMODE);
}

START_TEST(errors_of_pipes)
{
	lf_play(fail_at_pipes, NULL, NULL);
	ck_assert_int_eq(result[0], EAGAIN);
	ck_assert_int_eq(result[1], EBADF);
	ck_assert_int_eq(result[2], EBADF);
	ck_assert_int_eq(result[3], EPIPE);
	ck_assert_int_eq(result[4], EBADF);
	ck_assert_int_eq(result[5], EBADF);
	ck_assert_int_eq(result[6], O_NONBLOCK);
	ck_assert_int_eq(result[7], O_WRONLY);
}
END_TEST

static char much[70000];

static void write_much(struct lf_thread *t)
{
	pipe(fd);
	lf_advance(t);
	result[0] = (int)write(fd[1], much, sizeof much);
	lf_note('a');
}

static void read_much(struct lf_thread *t)
{
	static char got[sizeof much];
	int n = 0;
	lf_await(t, 1);
	lf_wait_a_moment(t);
	lf_note('b');
	while (n < (int)sizeof got)
		n += (int)read(fd[0], got + n, 5000);
	result[1] = memcmp(got, much, sizeof got);
}

START_TEST(a_full_pipe_makes_its_writer_wait)
{
	for (size_t i = 0; i < sizeof much; i++)
		much[i] = (char)(i % 251);
	lf_play(write_much, read_much, NULL);
	ck_assert_str_eq(lf_happened, "ba");
	ck_assert_int_eq(result[0], sizeof much);
	ck_assert_int_eq(result[1], 0);
}
END_TEST

static void read_one(struct lf_thread *t)
{
	char c;
	lf_advance(t);
	lf_await(t, 2);
	result[t->index] = (int)read(fd[0], &c, 1);
	lf_note('r');
}

static void write_two(struct lf_thread *t)
{
	pipe(fd);
	lf_await(t, 2);
	lf_wait_a_moment(t);
	write(fd[1], "x", 1);
	lf_wait_a_moment(t);
	lf_note('|');
	write(fd[1], "y", 1);
}

START_TEST(each_write_wakes_one_reader)
{
	lf_play(read_one, read_one, write_two);
	ck_assert_str_eq(lf_happened, "r|r");
}
END_TEST

static void talk(struct lf_thread *t)
{
	char data[8] = "";
	(void)t;
	socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fd);
	socketpair(AF_UNIX, SOCK_STREAM, 0, fd2);
	write(fd[0], "abc", 3);
	send(fd[0], "de", 2, 0);
	write(fd[1], "f", 1);
	result[0] = (int)read(fd[1], data, 2);
	result[1] = (int)recv(fd[1], data + 2, 4, 0);
	result[2] = failed_with(read(fd[1], data + 4, 4));
	result[3] = (int)read(fd[0], data + 4, 4);
	result[4] = strcmp(data, "abdef");
	write(fd2[1], "abc", 3);
	write(fd2[1], "de", 2);
	result[5] = (int)read(fd2[0], data, sizeof data);
	result[6] = failed_with(recv(fd2[0], data, 1, MSG_DONTWAIT));
}

START_TEST(sockets_speak_both_ways_and_keep_packets_apart)
{
	lf_play(talk, NULL, NULL);
	ck_assert_int_eq(result[0], 2);
	ck_assert_int_eq(result[1], 2);
	ck_assert_int_eq(result[2], EAGAIN);
	ck_assert_int_eq(result[3], 1);
	ck_assert_int_eq(result[4], 0);
	ck_assert_int_eq(result[5], 5);
	ck_assert_int_eq(result[6], EAGAIN);
}
END_TEST

/* --- event counters ------------------------------------------------------------------ */

static void count(struct lf_thread *t)
{
	uint64_t value = 5;
	(void)t;
	fd[0] = eventfd(2, EFD_NONBLOCK);
	fd[1] = eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE);
	write(fd[0], &value, sizeof value);
	read(fd[0], &value, sizeof value);
	result[0] = (int)value;
	result[1] = failed_with(read(fd[0], &value, sizeof value));
	eventfd_read(fd[1], &value);
	result[2] = (int)value;
	eventfd_read(fd[1], &value);
	result[3] = failed_with(eventfd_read(fd[1], &value));
	result[4] = failed_with(read(fd[1], &value, 4));
	value = UINT64_MAX - 1;
	write(fd[1], &value, sizeof value);
	value = 1;
	result[5] = failed_with(write(fd[1], &value, sizeof value));
}

START_TEST(event_counters)
{
	lf_play(count, NULL, NULL);
	ck_assert_int_eq(result[0], 7);
	ck_assert_int_eq(result[1], EAGAIN);
	ck_assert_int_eq(result[2], 1);
	ck_assert_int_eq(result[3], EAGAIN);
	ck_assert_int_eq(result[4], EINVAL);
	ck_assert_int_eq(result[5], EAGAIN);
}
END_TEST

static void await_event(struct lf_thread *t)
{
	eventfd_t value;
	fd[0] = eventfd(0, 0);
	lf_advance(t);
	eventfd_read(fd[0], &value);
	lf_note('a');
}

static void post_event(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	lf_note('b');
	eventfd_write(fd[0], 1);
}

START_TEST(an_event_counter_waits)
{
	lf_play(await_event, post_event, NULL);
	ck_assert_str_eq(lf_happened, "ba");
}
END_TEST

/* --- System V ------------------------------------------------------------------------- */

struct message {
	long type;
	char text[4];
};

static int id;

static void send_message(long type, const char *text)
{
	struct message m = { .type = type };
	memcpy(m.text, text, sizeof m.text);
	msgsnd(id, &m, sizeof m.text, 0);
}

/* Its first letter; or -errno. */
static int receive_message(long type, int flags)
{
	struct message m = { .text = "" };
	return msgrcv(id, &m, sizeof m.text, type, flags) < 0 ? -errno : m.text[0];
}

static void choose_messages(struct lf_thread *t)
{
	struct message m;
	(void)t;
	id = msgget(7, IPC_CREAT | 0600);
	result[0] = msgget(7, 0) == id;
	result[1] = failed_with(msgget(7, IPC_CREAT | IPC_EXCL));
	result[2] = failed_with(msgget(8, 0));
	send_message(5, "a5..");
	send_message(3, "b3..");
	send_message(4, "c4..");
	send_message(3, "d3..");
	lf_note((char)receive_message(4, 0));
	lf_note((char)receive_message(-4, 0));
	lf_note((char)receive_message(0, 0));
	result[3] = receive_message(4, IPC_NOWAIT);
	result[4] = failed_with(msgrcv(id, &m, 2, 0, 0));
	result[5] = (int)msgrcv(id, &m, 2, 0, MSG_NOERROR);
	lf_note(m.text[0]);
	result[6] = msgctl(id, IPC_RMID, NULL);
	result[7] = receive_message(0, 0);
}

START_TEST(messages_are_chosen_by_type)
{
	lf_play(choose_messages, NULL, NULL);
	ck_assert_str_eq(lf_happened, "cbad");
	ck_assert_int_eq(result[0], 1);
	ck_assert_int_eq(result[1], EEXIST);
	ck_assert_int_eq(result[2], ENOENT);
	ck_assert_int_eq(result[3], -ENOMSG);
	ck_assert_int_eq(result[4], E2BIG);
	ck_assert_int_eq(result[5], 2);
	ck_assert_int_eq(result[6], 0);
	ck_assert_int_eq(result[7], -EINVAL);
}
END_TEST

static void await_message(struct lf_thread *t)
{
	id = msgget(IPC_PRIVATE, 0600);
	lf_advance(t);
	lf_note((char)receive_message(0, 0));
	result[0] = receive_message(0, 0);
}

/* The message is the waiter's at once; who sent it cannot have it back. */
static void send_and_look(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	send_message(1, "x...");
	result[1] = receive_message(0, IPC_NOWAIT);
	lf_wait_a_moment(t);
	msgctl(id, IPC_RMID, NULL);
}

START_TEST(a_message_goes_to_who_waits_for_it)
{
	lf_play(await_message, send_and_look, NULL);
	ck_assert_str_eq(lf_happened, "x");
	ck_assert_int_eq(result[0], -EIDRM);
	ck_assert_int_eq(result[1], -ENOMSG);
}
END_TEST

static void fill_queue(struct lf_thread *t)
{
	static char large[sizeof(long) + 8192];
	long type = 1;
	id = msgget(IPC_PRIVATE, 0600);
	lf_advance(t);
	memcpy(large, &type, sizeof type);
	for (int i = 0; i < 3; i++) {
		msgsnd(id, large, 8192, 0);
		lf_note('a');
	}
	result[0] = failed_with(msgsnd(id, large, 8192, IPC_NOWAIT));
}

static void empty_queue(struct lf_thread *t)
{
	static char large[sizeof(long) + 8192];
	lf_await(t, 1);
	lf_wait_a_moment(t);
	lf_wait_a_moment(t);
	lf_note('b');
	msgrcv(id, large, 8192, 0, 0);
}

START_TEST(a_full_queue_makes_its_sender_wait)
{
	lf_play(fill_queue, empty_queue, NULL);
	ck_assert_str_eq(lf_happened, "aaba");
	ck_assert_int_eq(result[0], EAGAIN);
}
END_TEST

static int semaphore(short op0, short op1, short flags)
{
	struct sembuf op[] = { { 0, op0, flags }, { 1, op1, flags } };
	return failed_with(semop(id, op, op1 ? 2 : 1));
}

static void take_both(struct lf_thread *t)
{
	id = semget(IPC_PRIVATE, 2, 0600);
	semctl(id, 1, SETVAL, 1);
	lf_advance(t);
	result[0] = semaphore(-1, -1, 0);
	lf_note('a');
	result[1] = semctl(id, 0, GETVAL);
	result[2] = semctl(id, 1, GETVAL);
	struct sembuf down = { 0, -1, 0 };
	struct timespec limit = span(1000000);
	uint64_t begin = lf_now_ns(t);
	result[3] = failed_with(semtimedop(id, &down, 1, &limit));
	took_ns = lf_now_ns(t) - begin;
}

static void raise_one(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	result[4] = semctl(id, 1, GETVAL);
	lf_note('b');
	semaphore(1, 0, 0);
	result[5] = semaphore(-1, 0, IPC_NOWAIT);
}

START_TEST(semaphores_go_down_together_and_to_who_waits)
{
	lf_play(take_both, raise_one, NULL);
	ck_assert_str_eq(lf_happened, "ba");
	ck_assert_int_eq(result[0], 0);
	ck_assert_int_eq(result[1], 0);
	ck_assert_int_eq(result[2], 0);
	ck_assert_int_eq(result[3], EAGAIN);
	ck_assert_int_eq(result[4], 1); /* not taken while the other was missing */
	ck_assert_int_eq(result[5], EAGAIN);
	ck_assert_uint_ge(took_ns, 1000000);
}
END_TEST

/* --- POSIX message queues ------------------------------------------------------------ */

static void sort_mail(struct lf_thread *t)
{
	struct mq_attr attr = { .mq_maxmsg = 3, .mq_msgsize = 4 };
	char data[4];
	unsigned priority = 0;
	mqd_t mq = mq_open("/box", O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK, 0600, &attr);
	(void)t;
	result[0] = failed_with(mq_open("/other", O_RDWR));
	mq_send(mq, "a", 1, 1);
	mq_send(mq, "b", 1, 9);
	mq_send(mq, "c", 1, 9);
	result[1] = failed_with(mq_send(mq, "d", 1, 1));
	result[2] = failed_with(mq_send(mq, "large", 5, 1));
	for (int i = 0; i < 3; i++) {
		mq_receive(mq, data, sizeof data, i ? NULL : &priority);
		lf_note(data[0]);
	}
	result[3] = (int)priority;
	result[4] = failed_with(mq_receive(mq, data, sizeof data, NULL));
	result[5] = failed_with(mq_receive(mq, data, 1, NULL));
	result[6] = mq_close(mq);
	mq = mq_open("/box", O_RDONLY);
	struct timespec until = lf_in_1_ms();
	uint64_t begin = lf_now_ns(t);
	result[7] = failed_with(mq_timedreceive(mq, data, sizeof data, NULL, &until));
	took_ns = lf_now_ns(t) - begin;
	result[8] = failed_with(mq_send(mq, "d", 1, 1));
	result[9] = mq_unlink("/box");
	result[10] = failed_with(mq_open("/box", O_RDONLY));
}

START_TEST(mail_is_sorted_by_priority)
{
	lf_play(sort_mail, NULL, NULL);
	ck_assert_str_eq(lf_happened, "bca");
	ck_assert_int_eq(result[0], ENOENT);
	ck_assert_int_eq(result[1], EAGAIN);
	ck_assert_int_eq(result[2], EMSGSIZE);
	ck_assert_int_eq(result[3], 9);
	ck_assert_int_eq(result[4], EAGAIN);
	ck_assert_int_eq(result[5], EMSGSIZE);
	ck_assert_int_eq(result[6], 0);
	ck_assert_int_eq(result[7], ETIMEDOUT);
	ck_assert_uint_ge(took_ns, 1000000 - 10000);
	ck_assert_int_eq(result[8], EBADF);
	ck_assert_int_eq(result[9], 0);
	ck_assert_int_eq(result[10], ENOENT);
}
END_TEST

static void await_mail(struct lf_thread *t)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 4 };
	char data[4];
	mqd_t mq = mq_open("/box", O_RDONLY | O_CREAT, 0600, &attr);
	lf_advance(t);
	mq_receive(mq, data, sizeof data, NULL);
	lf_note(data[0]);
	lf_wait_a_moment(t);
	lf_note('.');
	mq_receive(mq, data, sizeof data, NULL);
}

static void send_mail(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	mqd_t mq = mq_open("/box", O_WRONLY);
	for (char c = 'a'; c <= 'c'; c++)
		mq_send(mq, &c, 1, 0);
	lf_note('!');
}

START_TEST(mail_waits_for_a_letter_and_for_room)
{
	lf_play(await_mail, send_mail, NULL);
	ck_assert_str_eq(lf_happened, "a.!");
}
END_TEST

/* --- signals --------------------------------------------------------------------------- */

static pid_t process;
static sigset_t usr;

static void block_signals(void)
{
	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR1);
	sigaddset(&usr, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &usr, NULL);
}

static void await_signals(struct lf_thread *t)
{
	siginfo_t info;
	struct timespec limit = span(1000000);
	block_signals();
	process = getpid();
	lf_advance(t);
	sigwait(&usr, &result[0]);
	lf_note('a');
	lf_await(t, 2);
	result[1] = sigwaitinfo(&usr, &info);
	result[2] = info.si_pid == process + 1;
	result[3] = sigtimedwait(&usr, &info, &limit);
	uint64_t begin = lf_now_ns(t);
	result[4] = failed_with(sigtimedwait(&usr, &info, &limit));
	took_ns = lf_now_ns(t) - begin;
}

static void send_signals(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	lf_note('b');
	kill(process, SIGUSR1);
	lf_wait_a_moment(t);
	kill(process, SIGUSR2);
	kill(process, SIGUSR2); /* counts once */
	kill(process, SIGUSR1);
	lf_advance(t);
	result[5] = failed_with(kill(process + 100, SIGUSR1));
	result[6] = kill(process, 0);
}

START_TEST(blocked_signals_are_accepted_lowest_first)
{
	lf_play(await_signals, send_signals, NULL);
	ck_assert_str_eq(lf_happened, "ba");
	ck_assert_int_eq(result[0], SIGUSR1);
	ck_assert_int_eq(result[1], SIGUSR1);
	ck_assert_int_eq(result[2], 1);
	ck_assert_int_eq(result[3], SIGUSR2);
	ck_assert_int_eq(result[4], EAGAIN);
	ck_assert_uint_ge(took_ns, 1000000);
	ck_assert_int_eq(result[5], ESRCH);
	ck_assert_int_eq(result[6], 0);
}
END_TEST

static void *wait_as_heir(void *arg)
{
	sigwait(&usr, arg);
	return NULL;
}

static void signal_heir(struct lf_thread *t)
{
	pthread_t heir;
	block_signals();
	pthread_create(&heir, NULL, wait_as_heir, &result[0]);
	result[1] = pthread_kill(heir, SIGUSR2); /* before or after it waits */
	pthread_join(heir, NULL);
	(void)t;
}

START_TEST(threads_inherit_the_mask)
{
	lf_play(signal_heir, NULL, NULL);
	ck_assert_int_eq(result[0], SIGUSR2);
	ck_assert_int_eq(result[1], 0);
}
END_TEST

static void unblock_pending(struct lf_thread *t)
{
	(void)t;
	block_signals();
	kill(getpid(), SIGUSR1);
	lf_note('a');
	sigprocmask(SIG_UNBLOCK, &usr, NULL);
	lf_note('b');
}

START_TEST(a_signal_that_would_interrupt_ends_the_run)
{
	const struct trial *t = lf_play_freely(unblock_pending, NULL, NULL);
	ck_assert_int_eq(t->rc, -ENOTSUP);
	ck_assert_str_eq(lf_happened, "a");
	ck_assert_ptr_nonnull(strstr(t->error.text, "signal 10"));
}
END_TEST

/* --- readiness --------------------------------------------------------------------------- */

static bool polls_in(int one, int timeout_ms, int *ret_rc)
{
	struct pollfd p[] = { { .fd = -1 }, { .fd = one, .events = POLLIN } };
	*ret_rc = poll(p, 2, timeout_ms);
	return p[1].revents == POLLIN;
}

static bool selects_in(int one, long timeout_us, int *ret_rc)
{
	fd_set in;
	struct timeval timeout = { 0, timeout_us };
	FD_ZERO(&in);
	FD_SET(one, &in);
	*ret_rc = select(one + 1, &in, NULL, NULL, timeout_us < 0 ? NULL : &timeout);
	return FD_ISSET(one, &in);
}

static int set;

static bool epolls_in(int timeout_ms, int *ret_rc)
{
	struct epoll_event e = { 0 };
	*ret_rc = epoll_wait(set, &e, 1, timeout_ms);
	return *ret_rc == 1 && e.events & EPOLLIN;
}

static void watch_by(int op, int one, unsigned events)
{
	struct epoll_event e = { .events = events, .data.fd = one };
	result[11] = epoll_ctl(set, op, one, &e);
}

enum { BY_POLL, BY_SELECT, BY_EPOLL };
static int how;

static bool waits_in(int timeout_ms, int *ret_rc)
{
	if (how == BY_POLL)
		return polls_in(fd[0], timeout_ms, ret_rc);
	if (how == BY_SELECT)
		return selects_in(fd[0], timeout_ms < 0 ? -1 : timeout_ms * 1000L, ret_rc);
	return epolls_in(timeout_ms, ret_rc);
}

static void wait_until_ready(struct lf_thread *t)
{
	char c;
	pipe(fd);
	set = epoll_create1(0);
	watch_by(EPOLL_CTL_ADD, fd[0], EPOLLIN);
	result[0] = waits_in(0, &result[1]);
	uint64_t begin = lf_now_ns(t);
	result[2] = waits_in(1, &result[3]);
	took_ns = lf_now_ns(t) - begin;
	lf_advance(t);
	result[4] = waits_in(-1, &result[5]);
	lf_note('a');
	result[6] = waits_in(-1, &result[7]); /* still */
	read(fd[0], &c, 1);
	result[8] = waits_in(0, &result[9]);
	result[10] = failed_with(close(set));
}

static void make_ready(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	lf_note('b');
	write(fd[1], "x", 1);
}

START_TEST(waits_end_when_a_descriptor_is_ready_or_their_time_is_over)
{
	how = _i;
	lf_play(wait_until_ready, make_ready, NULL);
	ck_assert_str_eq(lf_happened, "ba");
	ck_assert_int_eq(result[0], 0);
	ck_assert_int_eq(result[1], 0);
	ck_assert_int_eq(result[2], 0);
	ck_assert_int_eq(result[3], 0);
	ck_assert_uint_ge(took_ns, 1000000);
	ck_assert_uint_le(took_ns, 1200000);
	ck_assert_int_eq(result[4], 1);
	ck_assert_int_eq(result[5], 1);
	ck_assert_int_eq(result[6], 1);
	ck_assert_int_eq(result[8], 0);
	ck_assert_int_eq(result[9], 0);
	ck_assert_int_eq(result[10], 0);
}
END_TEST

static void look_closely(struct lf_thread *t)
{
	struct timeval timeout = { 0, 1000000 };
	struct timespec short_time = span(1000);
	fd_set in, out;
	(void)t;
	pipe(fd);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fd[0], &in);
	FD_SET(fd[1], &out);
	result[0] = select(fd[1] + 1, &in, &out, NULL, &timeout);
	result[1] = FD_ISSET(fd[0], &in);
	result[2] = FD_ISSET(fd[1], &out);
	result[3] = timeout.tv_usec > 900000;
	struct pollfd p[] = { { .fd = fd[0], .events = POLLIN }, { .fd = 99 } };
	result[4] = poll(p, 2, 0);
	result[5] = p[1].revents;
	close(fd[1]);
	result[6] = ppoll(p, 1, &short_time, NULL);
	result[7] = p[0].revents;
	close(fd[0]);
	result[8] = failed_with(select(fd[1] + 1, &in, &out, NULL, &timeout));
}

START_TEST(what_select_and_poll_say)
{
	lf_play(look_closely, NULL, NULL);
	ck_assert_int_eq(result[0], 1);
	ck_assert_int_eq(result[1], 0);
	ck_assert_int_ne(result[2], 0);
	ck_assert_int_eq(result[3], 1);
	ck_assert_int_eq(result[4], 1);
	ck_assert_int_eq(result[5], POLLNVAL);
	ck_assert_int_eq(result[6], 1);
	ck_assert_int_eq(result[7], POLLHUP);
	ck_assert_int_eq(result[8], EBADF);
}
END_TEST

static void use_epoll(struct lf_thread *t)
{
	struct epoll_event e[2];
	char c;
	(void)t;
	pipe(fd);
	pipe(fd2);
	set = epoll_create1(EPOLL_CLOEXEC);
	watch_by(EPOLL_CTL_ADD, fd[0], EPOLLIN | EPOLLET);
	write(fd[1], "x", 1);
	result[0] = epoll_wait(set, e, 2, 0);
	result[1] = epoll_wait(set, e, 2, 0); /* no new edge */
	write(fd[1], "x", 1);
	result[2] = epoll_wait(set, e, 2, 0);
	watch_by(EPOLL_CTL_MOD, fd[0], EPOLLIN | EPOLLONESHOT);
	result[3] = epoll_wait(set, e, 2, 0);
	result[4] = epoll_wait(set, e, 2, 0); /* disarmed */
	watch_by(EPOLL_CTL_MOD, fd[0], EPOLLIN);
	watch_by(EPOLL_CTL_ADD, fd2[0], EPOLLIN);
	write(fd2[1], "y", 1);
	for (int i = 0; i < 4; i++) { /* level-triggered: in turn */
		epoll_wait(set, e, 1, 0);
		lf_note(e[0].data.fd == fd[0] ? 'x' : 'y');
	}
	read(fd2[0], &c, 1);
	result[5] = epoll_wait(set, e, 2, 0);
	watch_by(EPOLL_CTL_DEL, fd[0], 0);
	result[6] = epoll_wait(set, e, 2, 0);
	struct epoll_event wanted = { .events = EPOLLIN };
	result[7] = failed_with(epoll_ctl(set, EPOLL_CTL_DEL, fd[0], &wanted));
	result[8] = failed_with(epoll_ctl(set, EPOLL_CTL_ADD, fd2[0], &wanted));
	result[9] = failed_with(epoll_wait(fd[0], e, 2, 0));
}

START_TEST(epoll_by_level_by_edge_and_once)
{
	lf_play(use_epoll, NULL, NULL);
	ck_assert_str_eq(lf_happened, "xyxy");
	ck_assert_int_eq(result[0], 1);
	ck_assert_int_eq(result[1], 0);
	ck_assert_int_eq(result[2], 1);
	ck_assert_int_eq(result[3], 1);
	ck_assert_int_eq(result[4], 0);
	ck_assert_int_eq(result[5], 1);
	ck_assert_int_eq(result[6], 0);
	ck_assert_int_eq(result[7], ENOENT);
	ck_assert_int_eq(result[8], EEXIST);
	ck_assert_int_eq(result[9], EBADF);
}
END_TEST

static int kevent_now(int one, int flags, int most)
{
	struct kevent change, event[2];
	struct timespec none = { 0 };
	EV_SET(&change, one, EVFILT_READ, flags, 0, 0, &fd2);
	int n = kevent(set, &change, flags != 0, event, most, &none);
	if (n > 0)
		lf_note((int)event[0].ident == fd[0] && event[0].udata == &fd2 ? 'x' : 'y');
	return n;
}

static void use_kqueue(struct lf_thread *t)
{
	char c;
	(void)t;
	pipe(fd);
	set = kqueue();
	result[0] = kevent_now(fd[0], EV_ADD | EV_ONESHOT, 2);
	write(fd[1], "x", 1);
	result[1] = kevent_now(fd[0], 0, 2);
	result[2] = kevent_now(fd[0], 0, 2); /* it was for once */
	result[3] = kevent_now(fd[0], EV_ADD, 2);
	result[4] = kevent_now(fd[0], 0, 2); /* by level */
	result[5] = kevent_now(fd[0], EV_ADD | EV_CLEAR, 2);
	result[6] = kevent_now(fd[0], 0, 2); /* by edge */
	write(fd[1], "x", 1);
	result[7] = kevent_now(fd[0], 0, 2);
	result[8] = kevent_now(fd[0], EV_DELETE, 2);
	result[9] = failed_with(kevent_now(fd[0], EV_DELETE, 2));
	read(fd[0], &c, 1);
	struct timespec limit = span(1000000), nonsense = { -1, 0 };
	struct kevent event;
	uint64_t begin = lf_now_ns(t);
	result[10] = kevent(set, NULL, 0, &event, 1, &limit);
	took_ns = lf_now_ns(t) - begin;
	result[11] = failed_with(kevent(set, NULL, 0, &event, 1, &nonsense));
}

START_TEST(kqueue_once_by_level_and_by_edge)
{
	lf_play(use_kqueue, NULL, NULL);
	ck_assert_str_eq(lf_happened, "xxxxx");
	static const int expected[] = { 0, 1, 0, 1, 1, 1, 0, 1, 0, ENOENT, 0, EINVAL };
	for (int i = 0; i < 12; i++)
		ck_assert_msg(result[i] == expected[i], "%d: %d", i, result[i]);
	ck_assert_uint_ge(took_ns, 1000000);
}
END_TEST

static void time_nonsense(struct lf_thread *t)
{
	struct timespec nonsense = { -1, 0 };
	struct timeval before = { 0, -1 };
	struct epoll_event e;
	(void)t;
	set = epoll_create1(0);
	result[0] = failed_with(ppoll(NULL, 0, &nonsense, NULL));
	result[1] = failed_with(select(0, NULL, NULL, NULL, &before));
	result[2] = failed_with(pselect(0, NULL, NULL, NULL, &nonsense, NULL));
	result[3] = failed_with(epoll_pwait2(set, &e, 1, &nonsense, NULL));
}

START_TEST(timeouts_that_are_none_are_refused)
{
	lf_play(time_nonsense, NULL, NULL);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(result[i], EINVAL);
}
END_TEST

static void wait_for_set(struct lf_thread *t)
{
	struct epoll_event e;
	if (t->index == 0) {
		pipe(fd);
		set = epoll_create1(0);
		watch_by(EPOLL_CTL_ADD, fd[0], EPOLLIN | EPOLLET);
		lf_advance(t);
	}
	lf_await(t, 1);
	epoll_wait(set, &e, 1, 500);
	lf_note('w');
}

static void write_once(struct lf_thread *t)
{
	lf_await(t, 1);
	lf_wait_a_moment(t);
	write(fd[1], "x", 1);
	lf_wait_a_moment(t);
	lf_note('|');
}

START_TEST(an_event_wakes_one_of_a_set_s_waiters)
{
	lf_play(wait_for_set, wait_for_set, write_once);
	ck_assert_str_eq(lf_happened, "w|w");
}
END_TEST

/* --- the machine ---------------------------------------------------------------------------- */

static void write_and_read(struct lf_thread *t)
{
	char c;
	pipe(fd);
	uint64_t begin = lf_now_ns(t);
	for (int i = 0; i < 100; i++) {
		write(fd[1], "x", 1);
		read(fd[0], &c, 1);
	}
	took_ns = lf_now_ns(t) - begin;
	begin = lf_now_ns(t);
	write(fd[1], much, 65536);
	result[0] = (int)(lf_now_ns(t) - begin);
}

/* 200 ns for the call, 300 ns for the pipe, 100 ns for each 1024 bytes. */
START_TEST(calls_cost_what_the_machine_says)
{
	lf_play(write_and_read, NULL, NULL);
	ck_assert_uint_ge(took_ns, 100 * 2 * 480);
	ck_assert_uint_le(took_ns, 100 * 2 * 560);
	ck_assert_int_ge(result[0], 64 * 100);
	ck_assert_int_le(result[0], 64 * 100 + 5000); /* a tick may come */
}
END_TEST

static void refuse(struct lf_thread *t)
{
	(void)t;
	(void)!fork();
	lf_note('!');
}

START_TEST(what_is_not_simulated_ends_the_run_with_its_name)
{
	const struct trial *t = lf_play_freely(refuse, NULL, NULL);
	ck_assert_int_eq(t->rc, -ENOTSUP);
	ck_assert_str_eq(lf_happened, "");
	ck_assert_ptr_nonnull(strstr(t->error.text, "fork()"));
}
END_TEST

static void serve_pipe(struct lf_thread *t)
{
	struct pollfd p = { .events = POLLIN };
	char c;
	pipe(fd);
	pipe(fd2);
	lf_advance(t);
	for (int i = 0; i < 50; i++) {
		p.fd = fd[0];
		poll(&p, 1, -1);
		read(fd[0], &c, 1);
		write(fd2[1], "y", 1);
	}
}

static void ask_pipe(struct lf_thread *t)
{
	char c;
	lf_await(t, 1);
	for (int i = 0; i < 50; i++) {
		write(fd[1], "x", 1);
		read(fd2[0], &c, 1);
		lf_sleep_ns(t, 1000 + lf_random(t) % 50000);
	}
}

START_TEST(carriers_agree_on_waits_in_the_kernel)
{
	uint64_t hash[2];
	const struct lf_carrier *const carrier[] = { &lf_carrier_token, lf_carrier_fiber };
	if (!lf_carrier_fiber)
		return;
	for (int i = 0; i < 2; i++) {
		lf_sim_only_carrier = carrier[i];
		hash[i] = lf_play(serve_pipe, ask_pipe, NULL)->hash;
	}
	lf_sim_only_carrier = NULL;
	ck_assert_uint_eq(hash[0], hash[1]);
}
END_TEST

Suite *lf_test_sim_kernel(void)
{
	Suite *s = suite_create("sim_kernel");
	TCase *t = tcase_create("ipc");
	tcase_add_test(t, a_pipe_waits_for_data_and_for_its_end);
	tcase_add_test(t, errors_of_pipes);
	tcase_add_test(t, a_full_pipe_makes_its_writer_wait);
	tcase_add_test(t, each_write_wakes_one_reader);
	tcase_add_test(t, sockets_speak_both_ways_and_keep_packets_apart);
	tcase_add_test(t, event_counters);
	tcase_add_test(t, an_event_counter_waits);
	tcase_add_test(t, messages_are_chosen_by_type);
	tcase_add_test(t, a_message_goes_to_who_waits_for_it);
	tcase_add_test(t, a_full_queue_makes_its_sender_wait);
	tcase_add_test(t, semaphores_go_down_together_and_to_who_waits);
	tcase_add_test(t, mail_is_sorted_by_priority);
	tcase_add_test(t, mail_waits_for_a_letter_and_for_room);
	tcase_add_test(t, blocked_signals_are_accepted_lowest_first);
	tcase_add_test(t, threads_inherit_the_mask);
	tcase_add_test(t, a_signal_that_would_interrupt_ends_the_run);
	suite_add_tcase(s, t);
	t = tcase_create("readiness");
	tcase_add_loop_test(t, waits_end_when_a_descriptor_is_ready_or_their_time_is_over, 0,
			    3);
	tcase_add_test(t, what_select_and_poll_say);
	tcase_add_test(t, epoll_by_level_by_edge_and_once);
	tcase_add_test(t, kqueue_once_by_level_and_by_edge);
	tcase_add_test(t, timeouts_that_are_none_are_refused);
	tcase_add_test(t, an_event_wakes_one_of_a_set_s_waiters);
	tcase_add_test(t, calls_cost_what_the_machine_says);
	tcase_add_test(t, what_is_not_simulated_ends_the_run_with_its_name);
	tcase_add_test(t, carriers_agree_on_waits_in_the_kernel);
	suite_add_tcase(s, t);
	return s;
}

#else

Suite *lf_test_sim_kernel(void)
{
	return suite_create("sim_kernel");
}

#endif
