/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping a request legal, whatever came in. What concerns one picture alone was settled when it came (replay_pic.c); here it is
 * the request as a whole. Cures in order: smaller versions where many pictures make large ones illegal; old pictures that can
 * be seen again are elided, oldest first, under `auto` down to a low-water mark, so that the next request does not need it again
 * (who asks for a policy of his own gets as many as may be); attachments are made smaller; the current turn's pictures go; last of all words stand for attachments.
 *
 * Left free for what the host adds: 1 MiB or an eighth of the bytes, whichever is less, and a tenth of the tokens, since ours
 * are estimates.
 */
#include "base/cleanup.h"
#include "base/limits.h"
#include "lower/replay_priv.h"

enum { HEADROOM_SHARE = 8, TOKEN_SHARE = 10 };
/* The low-water mark, of each limit. */
enum { LOW_NUM = 3, LOW_DEN = 4 };

static int64_t usable_bytes(const struct target_limits *l)
{
    return l->request_bytes - MIN((int64_t)MIB, l->request_bytes / HEADROOM_SHARE);
}

static bool beyond(int64_t is, int64_t limit, bool low)
{
    return limit > 0 && is > (low ? limit / LOW_DEN * LOW_NUM + limit % LOW_DEN * LOW_NUM / LOW_DEN : limit);
}

/* Size: what smaller pictures help against. */
static bool too_big(const struct replay *r, bool low)
{
    const struct target_limits *l = &r->target->limits;
    return (l->request_bytes && beyond(replay_bytes(r), MAX(usable_bytes(l), 1), low)) ||
           (l->context && beyond(replay_tokens(r), MAX(l->context - l->context / TOKEN_SHARE, 1), low));
}

static bool too_many(const struct replay *r, bool low)
{
    return beyond(r->s.images, r->target->limits.images, low) || beyond(r->s.pages, r->target->limits.pdf_pages, low);
}

static bool illegal(const struct replay *r)
{
    return too_big(r, false) || too_many(r, false);
}

static void because(struct replay *r)
{
    if (!r->s.reason)
        r->s.reason = "forced";
}

/* More than so many pictures, and a smaller side is the rule for each of them: from now on, whatever their number. */
static void many_rule(struct replay *r)
{
    const struct target_limits *l = &r->target->limits;
    if (!l->many_images || r->s.images <= l->many_images)
        return;
    r->s.many = true;
    for (int32_t i = r->s.over_many ? r->s.first : PIC_NONE; i != PIC_NONE; i = r->pics[i].next) {
        const struct pic *p = &r->pics[i];
        if (!p->image || !p->stored || MAX(p->sent.size.w, p->sent.size.h) <= l->many_side)
            continue;
        struct sent to = pic_within(r, p, l->many_side);
        pic_change(r, i, &to);
    }
}

/* Whether taking a picture out brings the request nearer to its mark: a document does nothing for the number of images. */
static bool helps(const struct replay *r, const struct pic *p, bool low)
{
    return too_big(r, low) || (p->image ? beyond(r->s.images, r->target->limits.images, low)
                                        : beyond(r->s.pages, r->target->limits.pdf_pages, low));
}

static void shed(struct replay *r, bool old)
{
    bool low = r->policy.kind == POLICY_AUTO;
    if (!illegal(r))
        return;
    for (int32_t i = r->s.first, next; i != PIC_NONE && (too_big(r, low) || too_many(r, low)); i = next) {
        const struct pic *p = &r->pics[i];
        next = p->next;
        if (!p->viewable || pic_old(r, p) != old || !helps(r, p, low))
            continue;
        struct sent to = pic_gone(p, FATE_ELIDED, NULL);
        pic_change(r, i, &to);
        because(r);
    }
}

static void shrink(struct replay *r, bool old, int level)
{
    for (int32_t i = r->s.first; i != PIC_NONE && too_big(r, false); i = r->pics[i].next) {
        const struct pic *p = &r->pics[i];
        if (!p->image || !p->stored || p->viewable || pic_old(r, p) != old || p->sent.level >= level)
            continue;
        struct sent to = pic_smaller(r, p, (uint8_t)level);
        if (to.b64 < p->sent.b64 || (to.b64 == p->sent.b64 && to.tokens < p->sent.tokens))
            pic_change(r, i, &to);
    }
}

static void stub(struct replay *r, bool old)
{
    const struct target_limits *l = &r->target->limits;
    for (int32_t i = r->s.first, next; i != PIC_NONE && illegal(r); i = next) {
        const struct pic *p = &r->pics[i];
        next = p->next;
        bool use = too_big(r, false) || (p->image ? beyond(r->s.images, l->images, false) : beyond(r->s.pages, l->pdf_pages, false));
        if (pic_old(r, p) != old || !use)
            continue;
        struct sent to = pic_gone(p, p->viewable ? FATE_ELIDED : FATE_STUB, p->viewable ? NULL : "there is no room for it in the request");
        pic_change(r, i, &to);
        because(r);
    }
}

void legal(struct replay *r)
{
    many_rule(r);
    if (!illegal(r))
        return;
    shed(r, true);
    for (int level = 1; level <= PIC_LEVELS; level++)
        shrink(r, true, level);
    for (int level = 1; level <= PIC_LEVELS; level++)
        shrink(r, false, level);
    shed(r, false);
    stub(r, true);
    stub(r, false);
}
