/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/sim/box.h"

#include <errno.h>
#include <string.h>

struct header {
	long type;
	size_t size;
};

/* A message on its way in. */
struct posting {
	struct lf_sim_box *box;
	struct header header;
	const void *data;
	bool done;
};

/* A receiver that waits. */
struct visit {
	struct lf_sim_box *box;
	struct lf_sim_receipt *receipt;
	bool done;
};

int lf_sim_box_init(struct lf_sim_box *b, const char *name, size_t room, size_t most)
{
	struct lf_sim_object *memory =
		lf_sim_object_new(sizeof *memory + room + most * sizeof(struct header));
	if (!memory)
		return -ENOMEM;
	b->name = name;
	b->room = room;
	b->most = most;
	b->record = (char *)(memory + 1);
	return 0;
}

/* --- messages in the box --------------------------------------------------------------- */

static struct header header_at(const struct lf_sim_box *b, size_t at)
{
	struct header h;
	memcpy(&h, b->record + at, sizeof h);
	return h;
}

static bool fits(const struct lf_sim_box *b, size_t size)
{
	return b->n < b->most && b->room - b->used >= size;
}

static void append(struct lf_sim_box *b, const struct header *h, const void *data)
{
	memcpy(b->record + b->records, h, sizeof *h);
	memcpy(b->record + b->records + sizeof *h, data, h->size);
	b->records += sizeof *h + h->size;
	b->used += h->size;
	b->n++;
}

static bool is_better(const struct lf_sim_receipt *r, long type, bool none_yet, long best)
{
	switch (r->choice) {
	case LF_SIM_FIRST:
		return none_yet;
	case LF_SIM_FIRST_OF_TYPE:
		return none_yet && type == r->type;
	case LF_SIM_LEAST_UP_TO:
		return type <= r->type && (none_yet || type < best);
	default:
		return none_yet || type > best;
	}
}

/* Where the wanted message is; false: there is none. */
static bool find(const struct lf_sim_box *b, const struct lf_sim_receipt *r, size_t *ret_at)
{
	bool found = false;
	long best = 0;
	for (size_t at = 0; at < b->records;) {
		struct header h = header_at(b, at);
		if (is_better(r, h.type, !found, best)) {
			found = true;
			best = h.type;
			*ret_at = at;
		}
		at += sizeof h + h.size;
	}
	return found;
}

static void take_out(struct lf_sim_box *b, size_t at, size_t size)
{
	size_t whole = sizeof(struct header) + size;
	memmove(b->record + at, b->record + at + whole, b->records - at - whole);
	b->records -= whole;
	b->used -= size;
	b->n--;
}

/* True: r->result says what came of it. */
static bool receive(struct lf_sim_box *b, struct lf_sim_receipt *r)
{
	size_t at = 0;
	if (!find(b, r, &at))
		return false;
	struct header h = header_at(b, at);
	if (h.size > r->size && !r->cut) {
		r->result = -E2BIG;
		return true;
	}
	size_t length = h.size < r->size ? h.size : r->size;
	memcpy(r->data, b->record + at + sizeof h, length);
	take_out(b, at, h.size);
	r->type = h.type;
	r->result = (long)length;
	return true;
}

/* --- those who wait ---------------------------------------------------------------------- */

static bool is_served(const struct lf_sim_thread *t)
{
	struct visit *v = t->request;
	return v->done = receive(v->box, v->receipt);
}

static bool is_posted(const struct lf_sim_thread *t)
{
	struct posting *p = t->request;
	if (!fits(p->box, p->header.size))
		return false;
	append(p->box, &p->header, p->data);
	return p->done = true;
}

/* Messages to receivers, and into the room that this makes, until nothing moves. */
static void serve(struct lf_sim_box *b)
{
	size_t before;
	do {
		before = b->n;
		lf_sim_wake_reached(&b->receivers, is_served);
		lf_sim_wake_reached(&b->senders, is_posted);
	} while (b->n != before);
	if (b->changed)
		b->changed(b);
}

/* Sleeps until *done. */
static int await(struct lf_sim_box *b, const void *key, void *request, const bool *done,
		 uint64_t deadline_ns)
{
	while (!*done) {
		int rc = lf_sim_may_wait(deadline_ns > 0, b->name);
		if (rc)
			return rc;
		lf_sim.self->request = request;
		rc = lf_sim_wait_on(key, b->name, UINT32_MAX, deadline_ns);
		if (b->removed)
			return -EIDRM;
		if (rc)
			return -rc;
	}
	return 0;
}

long lf_sim_box_put(struct lf_sim_box *b, long type, const void *data, size_t size,
		    uint64_t deadline_ns)
{
	struct posting p = { b, { type, size }, data, false };
	lf_sim_enter(&b->object, lf_sim.machine.ipc_message_ns, size);
	if (b->removed)
		return -EIDRM;
	if (fits(b, size)) {
		append(b, &p.header, data);
		p.done = true;
	}
	int rc = await(b, &b->senders, &p, &p.done, deadline_ns);
	if (rc == 0)
		serve(b);
	return rc;
}

long lf_sim_box_get(struct lf_sim_box *b, struct lf_sim_receipt *r, uint64_t deadline_ns)
{
	struct visit v = { b, r, false };
	lf_sim_enter(&b->object, lf_sim.machine.ipc_message_ns, 0);
	if (b->removed)
		return -EIDRM;
	v.done = receive(b, r);
	int rc = await(b, &b->receivers, &v, &v.done, deadline_ns);
	if (rc)
		return rc;
	if (r->result > 0)
		lf_sim_copy((size_t)r->result);
	serve(b);
	return r->result;
}

void lf_sim_box_remove(struct lf_sim_box *b)
{
	b->removed = true;
	lf_sim_wake_first(&b->receivers, LF_SIM_THREADS, UINT32_MAX);
	lf_sim_wake_first(&b->senders, LF_SIM_THREADS, UINT32_MAX);
}
