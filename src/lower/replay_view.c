/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was decided, for whoever writes it: the fate of each part, the versions that are needed, and from which entry on the
 * writing has changed since it was last asked. Pictures that a decision touched are kept in a list, and each remembers how it
 * was last told of, so that a decision which is taken back and then made again is no change.
 */
#include <stdio.h>

#include "base/cleanup.h"
#include "lower/replay_priv.h"

static int pic_order(const struct pic *p, int64_t seq, size_t part)
{
    return p->seq != seq ? (p->seq < seq ? -1 : 1) : p->part != part ? (p->part < part ? -1 : 1) : 0;
}

struct pic *pic_find(const struct replay *r, int64_t seq, size_t part)
{
    size_t low = 0, high = r->n_pics;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = pic_order(&r->pics[mid], seq, part);
        if (order == 0)
            return &r->pics[mid];
        *(order < 0 ? &low : &high) = order < 0 ? mid + 1 : mid;
    }
    return NULL;
}

struct decision replay_fate(const struct replay *r, int64_t seq, size_t part)
{
    const struct pic *p = pic_find(r, seq, part);
    if (!p)
        return (struct decision){.fate = FATE_LIVE};
    bool refit = p->sent.fate == FATE_REFIT;
    return (struct decision){.fate = p->sent.fate, .why = p->sent.why, .refit = refit ? p->sent.refit : (struct refit){0},
                             .planned = refit ? p->sent.size : (struct size){0}};
}

struct replay_thinking replay_thinking(const struct replay *r)
{
    struct replay_thinking th = r->s.thinking;
    const struct thought *last = r->n_thoughts ? &r->thoughts[r->n_thoughts - 1] : NULL;
    th.behind = r->target->bound_thinking && r->s.altered != PIC_NONE ? r->pics[r->s.altered].seq : INT64_MAX;
    th.loose = th.loose || (last && last->seq > th.behind && last->seq >= th.before);
    return th;
}

struct request_figures replay_figures(const struct replay *r)
{
    return r->s.figures;
}

int replay_refits(const struct replay *r, int (*each)(void *arg, const uint8_t sha256[static SHA256_LEN], const struct refit *refit),
                  void *arg)
{
    for (int32_t i = r->s.first; i != PIC_NONE; i = r->pics[i].next) {
        const struct pic *p = &r->pics[i];
        int got = p->sent.fate == FATE_REFIT && p->stored ? each(arg, p->sha256, &p->sent.refit) : 0;
        if (got < 0)
            return got;
    }
    return 0;
}

const struct thought *replay_thought(const struct replay *r, int64_t seq)
{
    size_t low = 0, high = r->n_thoughts;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        *(r->thoughts[mid].seq < seq ? &low : &high) = r->thoughts[mid].seq < seq ? mid + 1 : mid;
    }
    return low < r->n_thoughts ? &r->thoughts[low] : NULL;
}

bool pic_retell(struct pic *p)
{
    bool refit = p->sent.fate == FATE_REFIT;
    bool same = p->told.fate == p->sent.fate && p->told.why == p->sent.why &&
                (!refit || refit_equal(&p->told.refit, &p->sent.refit));
    p->told.fate = p->sent.fate;
    p->told.why = p->sent.why;
    p->told.refit = p->sent.refit;
    p->touched = false;
    return !same;
}

/* A decision that does not bind will be taken back, which is a change again. What it touched is in the list already, so there is
 * room. */
static void touch_again(struct replay *r)
{
    for (size_t i = 0; i < r->n_undo; i++) {
        struct pic *p = &r->pics[r->undo[i].pic];
        if (!p->touched)
            r->touched[r->n_touched++] = r->undo[i].pic;
        p->touched = true;
    }
}

/* The first entry whose thoughts are sent now and were not, or the other way round. */
static int64_t thoughts_changed(const struct replay *r, int64_t now, int64_t was)
{
    const struct thought *t = now != was ? replay_thought(r, MIN(now, was)) : NULL;
    return t && t->seq < MAX(now, was) ? t->seq : INT64_MAX;
}

int64_t replay_changed(struct replay *r)
{
    const struct replay_thinking *now = &r->s.thinking, *was = &r->told_thinking;
    int64_t least = MIN(thoughts_changed(r, now->before, was->before), thoughts_changed(r, now->alone, was->alone));
    while (r->n_touched) {
        struct pic *p = &r->pics[r->touched[--r->n_touched]];
        if (pic_retell(p))
            least = MIN(least, p->seq);
    }
    touch_again(r);
    r->told_thinking = r->s.thinking;
    return least;
}

void refit_spec(const struct refit *f, char ret[static REFIT_SPEC])
{
    (void)snprintf(ret, REFIT_SPEC, "edge=%u;least=%u;bytes=%u;webp=%d;gif=%d", f->max_edge, f->min_edge, f->max_bytes,
                   !f->no_webp, !f->no_gif);
}
