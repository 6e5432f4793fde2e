/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Message queues of System V and of POSIX, with Linux's usual limits. */
#include "engine/sim/rename.h"

#include "engine/sim/box.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <unistd.h>

/* msgmax, msgmnb; and those of mq_overview(7). */
#define MESSAGE_MOST 8192
#define QUEUE_ROOM 16384
#define POSIX_DEFAULT_MESSAGES 10
#define POSIX_MOST_BYTES 8192
#define NAME_SIZE 64

/* --- System V ---------------------------------------------------------------------- */

struct queue {
	struct lf_sim_box box;
	struct queue *next;
	key_t key;
	int id;
};

static struct queue *queues;
static int next_id;

static struct queue *find_queue(int id)
{
	struct queue *q = queues;
	while (q && (q->id != id || q->box.removed))
		q = q->next;
	return q;
}

static struct queue *find_key(key_t key)
{
	struct queue *q = queues;
	while (q && (q->key != key || q->box.removed))
		q = q->next;
	return key == IPC_PRIVATE ? NULL : q;
}

static int new_queue(key_t key)
{
	struct queue *q = lf_sim_object_new(sizeof *q);
	/* Messages without data count as one byte, so that there is an end to them. */
	if (!q || lf_sim_box_init(&q->box, "message queue", QUEUE_ROOM, QUEUE_ROOM))
		return -ENOMEM;
	q->key = key;
	q->id = next_id++;
	q->next = queues;
	queues = q;
	return q->id;
}

int lf_sim_msgget(key_t key, int flags)
{
	lf_sim_system_call();
	const struct queue *q = find_key(key);
	if (q)
		return flags & IPC_CREAT && flags & IPC_EXCL ?
			(int)lf_sim_result(-EEXIST) : q->id;
	if (key != IPC_PRIVATE && !(flags & IPC_CREAT))
		return (int)lf_sim_result(-ENOENT);
	return (int)lf_sim_result(new_queue(key));
}

/* The type comes first, and then the text. */
int lf_sim_msgsnd(int id, const void *message, size_t size, int flags)
{
	struct queue *q = find_queue(id);
	long type;
	memcpy(&type, message, sizeof type);
	if (!q || type <= 0 || size > MESSAGE_MOST)
		return (int)lf_sim_result(-EINVAL);
	return (int)lf_sim_result(lf_sim_box_put(&q->box, type,
						 (const char *)message + sizeof type, size,
						 flags & IPC_NOWAIT ? 0 : LF_SIM_NEVER));
}

static enum lf_sim_choice choice_of(long type)
{
	if (type == 0)
		return LF_SIM_FIRST;
	return type > 0 ? LF_SIM_FIRST_OF_TYPE : LF_SIM_LEAST_UP_TO;
}

ssize_t lf_sim_msgrcv(int id, void *message, size_t size, long type, int flags)
{
	struct queue *q = find_queue(id);
	if (!q)
		return lf_sim_result(-EINVAL);
	if (flags & ~(IPC_NOWAIT | MSG_NOERROR))
		lf_sim_abort("msgrcv() with flags %#o is not simulated: IPC_NOWAIT and "
			     "MSG_NOERROR are", (unsigned)flags);
	struct lf_sim_receipt r = {
		.choice = choice_of(type), .type = type < 0 ? -type : type,
		.cut = flags & MSG_NOERROR, .data = (char *)message + sizeof type,
		.size = size,
	};
	long rc = lf_sim_box_get(&q->box, &r, flags & IPC_NOWAIT ? 0 : LF_SIM_NEVER);
	if (rc == -EAGAIN)
		rc = -ENOMSG;
	if (rc >= 0)
		memcpy(message, &r.type, sizeof r.type);
	return lf_sim_result(rc);
}

int lf_sim_msgctl(int id, int command, struct msqid_ds *ds)
{
	struct queue *q = find_queue(id);
	lf_sim_system_call();
	if (!q)
		return (int)lf_sim_result(-EINVAL);
	if (command == IPC_RMID) {
		lf_sim_box_remove(&q->box);
	} else if (command == IPC_STAT) {
		memset(ds, 0, sizeof *ds);
		ds->msg_qnum = q->box.n;
		ds->msg_qbytes = q->box.room;
	} else {
		lf_sim_abort("msgctl command %d is not simulated: IPC_RMID and IPC_STAT are",
			     command);
	}
	return 0;
}

/* --- POSIX -------------------------------------------------------------------------- */

struct mailbox {
	struct lf_sim_box box;
	struct mailbox *next;
	char name[NAME_SIZE]; /* "": unlinked */
	struct mq_attr attr;
	struct slot *slots;
};

/* A descriptor of one: each mq_open() gives another. */
struct slot {
	struct lf_sim_file file;
	struct mailbox *mailbox;
	struct slot *next;
};

static struct mailbox *mailboxes;

void lf_sim_messages_reset(void)
{
	queues = NULL;
	mailboxes = NULL;
	next_id = 0;
}

static struct slot *slot_of(const struct lf_sim_file *f)
{
	return (struct slot *)(uintptr_t)f; /* its first member */
}

static unsigned slot_events(const struct lf_sim_file *f)
{
	const struct lf_sim_box *b = &slot_of(f)->mailbox->box;
	return (b->n > 0 ? EPOLLIN : 0) | (b->n < b->most ? EPOLLOUT : 0);
}

static void slot_closed(struct lf_sim_file *f)
{
	struct slot **place = &slot_of(f)->mailbox->slots;
	while (&(*place)->file != f)
		place = &(*place)->next;
	*place = (*place)->next;
}

static const struct lf_sim_file_type slot_type = {
	.name = "message queue", .events = slot_events, .closed = slot_closed,
};

/* Telling takes time, in which slots may be closed; those that are stay readable. */
static void mailbox_changed(struct lf_sim_box *b)
{
	struct mailbox *m = (struct mailbox *)b; /* its first member */
	for (struct slot *s = m->slots; s; s = s->next)
		lf_sim_file_changed(&s->file);
}

static struct mailbox *find_mailbox(const char *name)
{
	struct mailbox *m = mailboxes;
	while (m && strcmp(m->name, name) != 0)
		m = m->next;
	return m;
}

static struct mailbox *new_mailbox(const char *name, const struct mq_attr *attr)
{
	struct mailbox *m = lf_sim_object_new(sizeof *m);
	if (!m)
		return NULL;
	m->attr = (struct mq_attr){ .mq_maxmsg = attr ? attr->mq_maxmsg :
							POSIX_DEFAULT_MESSAGES,
				    .mq_msgsize = attr ? attr->mq_msgsize :
							 POSIX_MOST_BYTES };
	size_t most = (size_t)m->attr.mq_maxmsg;
	size_t room = most * (size_t)m->attr.mq_msgsize;
	if (lf_sim_box_init(&m->box, "message queue", room, most))
		return NULL;
	m->box.changed = mailbox_changed;
	memcpy(m->name, name, strlen(name) + 1);
	m->next = mailboxes;
	mailboxes = m;
	return m;
}

static int open_slot(struct mailbox *m, int flags)
{
	struct slot *s = m ? lf_sim_object_new(sizeof *s) : NULL;
	if (!s)
		return -ENOMEM;
	s->mailbox = m;
	int fd = lf_sim_file_open(&s->file, &slot_type, flags & (O_ACCMODE | O_NONBLOCK));
	if (fd < 0)
		return fd;
	s->next = m->slots;
	m->slots = s;
	return fd;
}

static int open_mailbox(const char *name, int flags, const struct mq_attr *attr)
{
	struct mailbox *m = find_mailbox(name);
	lf_sim_system_call();
	if (name[0] != '/' || name[1] == '\0')
		return -EINVAL;
	if (strlen(name) >= NAME_SIZE)
		return -ENAMETOOLONG;
	if (!m && !(flags & O_CREAT))
		return -ENOENT;
	if (m && flags & O_CREAT && flags & O_EXCL)
		return -EEXIST;
	if (attr && flags & O_CREAT && (attr->mq_maxmsg < 1 || attr->mq_msgsize < 1 ||
	    attr->mq_maxmsg > POSIX_DEFAULT_MESSAGES || attr->mq_msgsize > POSIX_MOST_BYTES))
		return -EINVAL;
	return open_slot(m ? m : new_mailbox(name, attr), flags);
}

mqd_t lf_sim_mq_open(const char *name, int flags, ...)
{
	const struct mq_attr *attr = NULL;
	if (flags & O_CREAT) {
		va_list arguments;
		va_start(arguments, flags);
		(void)va_arg(arguments, mode_t);
		attr = va_arg(arguments, const struct mq_attr *);
		va_end(arguments);
	}
	return (mqd_t)lf_sim_result(open_mailbox(name, flags, attr));
}

int lf_sim_mq_close(mqd_t mq)
{
	return lf_sim_close(mq);
}

int lf_sim_mq_unlink(const char *name)
{
	struct mailbox *m = find_mailbox(name);
	lf_sim_system_call();
	if (!m)
		return (int)lf_sim_result(-ENOENT);
	m->name[0] = '\0';
	return 0;
}

/* The slot, if it may be used that way; until when its owner would wait. */
static struct slot *slot_for(mqd_t mq, int forbidden, uint64_t *deadline_ns)
{
	struct lf_sim_file *f = lf_sim_file_of(mq, &slot_type);
	if (!f || (f->flags & O_ACCMODE) == forbidden)
		return NULL;
	if (f->flags & O_NONBLOCK)
		*deadline_ns = 0;
	return slot_of(f);
}

/* A deadline of 0 is for those who do not wait. */
static uint64_t deadline_of(const struct timespec *t)
{
	uint64_t ns = t ? lf_sim_deadline(t) : LF_SIM_NEVER;
	return ns ? ns : 1;
}

static int mail_send(mqd_t mq, const char *data, size_t size, unsigned priority,
		     uint64_t deadline_ns)
{
	const struct slot *s = slot_for(mq, O_RDONLY, &deadline_ns);
	if (!s)
		return (int)lf_sim_result(-EBADF);
	if (size > (size_t)s->mailbox->attr.mq_msgsize)
		return (int)lf_sim_result(-EMSGSIZE);
	return (int)lf_sim_result(lf_sim_box_put(&s->mailbox->box, (long)priority, data,
						 size, deadline_ns));
}

static ssize_t mail_receive(mqd_t mq, char *data, size_t size, unsigned *ret_priority,
			    uint64_t deadline_ns)
{
	const struct slot *s = slot_for(mq, O_WRONLY, &deadline_ns);
	if (!s)
		return lf_sim_result(-EBADF);
	if (size < (size_t)s->mailbox->attr.mq_msgsize)
		return lf_sim_result(-EMSGSIZE);
	struct lf_sim_receipt r = { .choice = LF_SIM_HIGHEST, .data = data, .size = size };
	long rc = lf_sim_box_get(&s->mailbox->box, &r, deadline_ns);
	if (rc >= 0 && ret_priority)
		*ret_priority = (unsigned)r.type;
	return lf_sim_result(rc);
}

int lf_sim_mq_send(mqd_t mq, const char *data, size_t size, unsigned priority)
{
	return mail_send(mq, data, size, priority, LF_SIM_NEVER);
}

int lf_sim_mq_timedsend(mqd_t mq, const char *data, size_t size, unsigned priority,
			const struct timespec *until)
{
	return mail_send(mq, data, size, priority, deadline_of(until));
}

ssize_t lf_sim_mq_receive(mqd_t mq, char *data, size_t size, unsigned *ret_priority)
{
	return mail_receive(mq, data, size, ret_priority, LF_SIM_NEVER);
}

ssize_t lf_sim_mq_timedreceive(mqd_t mq, char *data, size_t size, unsigned *ret_priority,
			       const struct timespec *until)
{
	return mail_receive(mq, data, size, ret_priority, deadline_of(until));
}

int lf_sim_mq_getattr(mqd_t mq, struct mq_attr *ret_attr)
{
	const struct lf_sim_file *f = lf_sim_file_of(mq, &slot_type);
	if (!f)
		return (int)lf_sim_result(-EBADF);
	*ret_attr = slot_of(f)->mailbox->attr;
	ret_attr->mq_flags = f->flags & O_NONBLOCK;
	ret_attr->mq_curmsgs = (long)slot_of(f)->mailbox->box.n;
	return 0;
}
