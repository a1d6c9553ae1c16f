/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The replay of a session: entries in, decisions out. Sums are kept as entries come, so that a request which changes nothing
 * costs the same however long the session is. A decision that must not bind is carried out like any other and taken back when
 * the next entry comes: live pictures are a list from which one is taken out and put back in constant time.
 */
#include "lower/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "lower/replay_priv.h"

enum { FIRST_ROOM = 16 };

int room_for(void *list, size_t *room, size_t n, size_t size)
{
    void **at = list;
    if (n < *room)
        return 0;
    size_t more = *room ? *room * 2 : FIRST_ROOM;
    void *grown = reallocarray(*at, more, size);
    if (!grown)
        return -ENOMEM;
    *at = grown;
    *room = more;
    return 0;
}

int replay_new(const struct target *t, const struct policy *p, struct replay **ret)
{
    struct replay *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->target = t;
    r->policy = *p;
    r->s.first = r->s.last = r->s.cut = r->s.altered = PIC_NONE;
    r->last_kind = ENTRY_KINDS;
    *ret = r;
    return 0;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    free(r->pics);
    free(r->calls);
    free(r->bars);
    free(r->touched);
    free(r->undo);
    free(r->thoughts);
    free(r);
}

void replay_base(struct replay *r, int64_t tokens)
{
    r->base = tokens;
}

void replay_watch(struct replay *r, void (*tell)(void *arg, const struct request_figures *f), void *arg)
{
    r->tell = tell;
    r->tell_arg = arg;
}

/* ---------------------------------------------------------------- sums */

int64_t replay_tokens(const struct replay *r)
{
    return r->base + r->s.head.tokens + r->text + r->think - r->s.think_cut + r->s.tokens;
}

int64_t replay_bytes(const struct replay *r)
{
    return r->s.head.bytes + r->json + r->s.b64;
}

int64_t replay_position(const struct replay *r, int64_t text_at, int64_t think_at, int32_t before)
{
    int64_t at = r->base + r->s.head.tokens + text_at + MAX(think_at - r->s.think_cut, 0);
    for (int32_t i = r->s.first; i != PIC_NONE && i < before; i = r->pics[i].next)
        at += r->pics[i].sent.tokens;
    return at;
}

void state_count(struct replay *r, const struct pic *p, const struct sent *s, int sign)
{
    struct state *to = &r->s;
    to->elided += s->fate == FATE_ELIDED ? sign : 0;
    to->stubbed += s->fate == FATE_STUB ? sign : 0;
    to->refit += s->fate == FATE_REFIT ? sign : 0;
    if (!sent_live(s))
        return;
    uint32_t many_side = r->target->limits.many_side;
    to->live += sign;
    to->images += p->image ? sign : 0;
    to->pages += sign * (int64_t)p->pages;
    to->tokens += sign * s->tokens;
    to->b64 += sign * s->b64;
    to->over_many += p->image && p->stored && many_side && MAX(s->size.w, s->size.h) > many_side ? sign : 0;
}

/* ---------------------------------------------------------------- changes */

static void list_add(struct replay *r, int32_t i)
{
    struct pic *p = &r->pics[i];
    p->prev = r->s.last;
    p->next = PIC_NONE;
    *(p->prev == PIC_NONE ? &r->s.first : &r->pics[p->prev].next) = i;
    r->s.last = i;
}

static void list_out(struct replay *r, int32_t i)
{
    const struct pic *p = &r->pics[i];
    *(p->prev == PIC_NONE ? &r->s.first : &r->pics[p->prev].next) = p->next;
    *(p->next == PIC_NONE ? &r->s.last : &r->pics[p->next].prev) = p->prev;
}

/* What was taken out last comes back first, so its neighbours are those that it had. */
static void list_back(struct replay *r, int32_t i)
{
    const struct pic *p = &r->pics[i];
    *(p->prev == PIC_NONE ? &r->s.first : &r->pics[p->prev].next) = i;
    *(p->next == PIC_NONE ? &r->s.last : &r->pics[p->next].prev) = i;
}

static int note_change(struct replay *r, int32_t i)
{
    struct pic *p = &r->pics[i];
    if (r->tentative && room_for(&r->undo, &r->undo_room, r->n_undo, sizeof *r->undo) < 0)
        return -ENOMEM;
    if (!p->touched && room_for(&r->touched, &r->touched_room, r->n_touched, sizeof *r->touched) < 0)
        return -ENOMEM;
    if (r->tentative)
        r->undo[r->n_undo++] = (struct undo){i, p->sent};
    if (!p->touched)
        r->touched[r->n_touched++] = i;
    p->touched = true;
    return 0;
}

static void note_altered(struct replay *r, int32_t i)
{
    if (r->pics[i].sent.fate != FATE_LIVE)
        r->s.altered = r->s.altered == PIC_NONE ? i : MIN(r->s.altered, i);
}

void pic_change(struct replay *r, int32_t i, const struct sent *to)
{
    struct pic *p = &r->pics[i];
    bool was = sent_live(&p->sent);
    if (r->failed || note_change(r, i) < 0) {
        r->failed = -ENOMEM;
        return;
    }
    state_count(r, p, &p->sent, -1);
    p->sent = *to;
    state_count(r, p, &p->sent, 1);
    if (was && !sent_live(to))
        list_out(r, i);
    r->s.cut = r->s.cut == PIC_NONE ? i : MIN(r->s.cut, i);
    note_altered(r, i);
}

static void take_back(struct replay *r)
{
    if (!r->tentative)
        return;
    while (r->n_undo) {
        const struct undo *u = &r->undo[--r->n_undo];
        bool gone = !sent_live(&r->pics[u->pic].sent);
        r->pics[u->pic].sent = u->sent;
        if (gone && sent_live(&u->sent))
            list_back(r, u->pic);
    }
    r->s = r->saved;
    r->tentative = false;
}

/* ---------------------------------------------------------------- requests */

static void decide(struct replay *r)
{
    retain(r);
    legal(r);
    account(r);
}

/* Another head, and the provider finds nothing of the last request again. */
static void take_head(struct replay *r)
{
    if (!r->s.has_next)
        return;
    r->s.fresh = r->s.fresh || r->s.head.hash != r->s.next.hash;
    r->s.head = r->s.next;
    r->s.has_head = true;
    r->s.has_next = false;
}

int replay_now(struct replay *r)
{
    take_back(r);
    r->saved = r->s;
    r->tentative = true;
    take_head(r);
    decide(r);
    return r->failed;
}

static void request(struct replay *r)
{
    decide(r);
    if (r->tell && !r->failed)
        r->tell(r->tell_arg, &r->s.figures);
}

/* ---------------------------------------------------------------- parts that a provider would not take */

static struct sent barred(const struct replay *r, const struct pic *p, const struct bar *b)
{
    bool refit = !b->stub && p->image && p->stored;
    return refit ? pic_repaired(r, p) : pic_gone(p, FATE_STUB, b->why);
}

static struct bar *find_bar(const struct replay *r, int64_t seq, size_t part)
{
    for (size_t i = 0; i < r->n_bars; i++)
        if (r->bars[i].seq == seq && r->bars[i].part == part)
            return &r->bars[i];
    return NULL;
}

int replay_bar(struct replay *r, int64_t seq, size_t part, bool stub, const char *why)
{
    struct bar *b = find_bar(r, seq, part);
    if (b && (b->stub || !stub))
        return 0;
    if (!b && r->n_bars >= LIMIT_BARS)
        return -ENOSPC;
    if (!b && room_for(&r->bars, &r->bars_room, r->n_bars, sizeof *r->bars) < 0)
        return -ENOMEM;
    take_back(r);
    b = b ? b : &r->bars[r->n_bars++];
    *b = (struct bar){seq, (uint32_t)MIN(part, UINT32_MAX), stub, why};
    struct pic *p = pic_find(r, seq, part);
    if (p && sent_live(&p->sent)) {
        struct sent to = barred(r, p, b);
        pic_change(r, (int32_t)(p - r->pics), &to);
    }
    return r->failed;
}

/* ---------------------------------------------------------------- entries */

int replay_add_pic(struct replay *r, const struct pic *p)
{
    if (r->n_pics >= INT32_MAX || room_for(&r->pics, &r->pics_room, r->n_pics, sizeof *r->pics) < 0)
        return -ENOMEM;
    struct pic *at = &r->pics[r->n_pics];
    *at = *p;
    const struct bar *b = r->n_bars && sent_live(&p->sent) ? find_bar(r, p->seq, p->part) : NULL;
    if (b)
        at->sent = barred(r, at, b);
    state_count(r, at, &at->sent, 1);
    note_altered(r, (int32_t)r->n_pics);
    (void)pic_retell(at);
    if (sent_live(&at->sent))
        list_add(r, (int32_t)r->n_pics);
    r->n_pics++;
    return 0;
}

int replay_feed(struct replay *r, const struct entry *e)
{
    if (r->failed)
        return r->failed;
    if (e->seq <= r->seq)
        return -EINVAL;
    take_back(r);
    bool answers = e->kind == ENTRY_ASSISTANT && !replay_joins(r, e) && r->said;
    /* A request entry stands before the messages that came with it; the first of them may be the answer to the request before. */
    if (entry_is_said(e) && (e->kind != ENTRY_ASSISTANT || !r->s.has_head))
        take_head(r);
    if (answers)
        request(r);
    if (answers)
        take_head(r);
    r->seq = e->seq;
    int fed = r->failed ? r->failed : replay_take(r, e);
    return fed < 0 ? r->failed = fed : 0;
}
