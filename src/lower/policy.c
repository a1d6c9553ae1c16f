/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retention: which pictures leave the view although nothing forces them out. The simple policies are there to compare with and
 * for hosts that want them. `auto` asks what it costs: nothing where the provider holds nothing of the last request; else, when a
 * turn begins, the price of writing anew what stands behind the first picture that goes, against what the pictures would cost in
 * the requests that are still to come. How many those are is guessed from the session so far.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "lower/replay_priv.h"

/* ---------------------------------------------------------------- words */

enum { LIMIT_COUNT = 1000000 };

/* Takes ":N" off words. */
static bool take_count(const char **words, uint32_t *ret)
{
    const char *at = *words;
    uint32_t n = 0;
    if (*at++ != ':' || *at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++)
        if ((n = n * 10 + (uint32_t)(*at - '0')) > LIMIT_COUNT)
            return false;
    *words = at;
    *ret = n;
    return true;
}

static const struct {
    const char *name;
    enum policy_kind kind;
    int counts;
} kinds[] = {{"auto", POLICY_AUTO, 0}, {"all", POLICY_ALL, 0}, {"turns", POLICY_TURNS, 1},
             {"newest", POLICY_NEWEST, 1}, {"batch", POLICY_BATCH, 2}};

int policy_parse(const char *words, struct policy *ret)
{
    size_t len = strcspn(words, ":");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct policy p = {.kind = kinds[i].kind};
        const char *rest = words + len;
        if (strlen(kinds[i].name) != len || strncmp(kinds[i].name, words, len) != 0)
            continue;
        bool good = (kinds[i].counts < 1 || (take_count(&rest, &p.n) && p.n)) &&
                    (kinds[i].counts < 2 || (take_count(&rest, &p.m) && p.m <= p.n));
        if (!good || *rest)
            return -EINVAL;
        *ret = p;
        return 0;
    }
    return -EINVAL;
}

/* ---------------------------------------------------------------- the simple ones */

static void elide(struct replay *r, int32_t i, const char *reason)
{
    struct sent gone = pic_gone(&r->pics[i], FATE_ELIDED, NULL);
    pic_change(r, i, &gone);
    r->s.reason = reason;
}

static void keep_turns(struct replay *r)
{
    int64_t turn = r->turn - (int64_t)r->policy.n + 1;
    for (int32_t i = r->s.first, next; i != PIC_NONE && (int64_t)r->pics[i].turn < turn; i = next) {
        next = r->pics[i].next;
        if (r->pics[i].viewable)
            elide(r, i, "policy");
    }
}

static int64_t viewable_live(const struct replay *r)
{
    int64_t n = 0;
    for (int32_t i = r->s.first; i != PIC_NONE; i = r->pics[i].next)
        n += r->pics[i].viewable;
    return n;
}

static void keep_newest(struct replay *r, int64_t keep)
{
    int64_t over = viewable_live(r) - keep;
    for (int32_t i = r->s.first, next; i != PIC_NONE && over > 0; i = next) {
        next = r->pics[i].next;
        if (!r->pics[i].viewable)
            continue;
        elide(r, i, "policy");
        over--;
    }
}

static void keep_batch(struct replay *r)
{
    if (viewable_live(r) > (int64_t)r->policy.n)
        keep_newest(r, r->policy.m);
}

/* ---------------------------------------------------------------- auto */

/* Whole numbers: the same decision on every machine. Prices times multiples times tokens times requests need more than 64 bits. */
typedef __int128 money;

/* A cut from one picture on. */
struct cut {
    int32_t from;
    money gain;
};

/* What a request costs with so many tokens read and so many written. */
static money cost(const struct replay *r, int64_t read, int64_t write)
{
    const struct target_cache *c = &r->target->cache;
    return (money)replay_rate(r->target, read + write) * ((money)read * c->read + (money)write * c->write);
}

/*
 * Requests that are still to come before the cache goes cold or the session ends: nobody knows how old a session gets, so it is
 * taken to be half through, and a new one not to end at once; the rest is shared among the times that it went cold. Half or
 * twice as many change the sums over random sessions by less than a hundredth.
 */
enum { NEW_SESSION = 10 };

/* What a cut at that place saves, times the number of warm runs so far. A cut so early that the provider does not hold what stands
 * before it costs that too, the host's own words included. */
static money gain_of(const struct replay *r, int64_t at, int64_t saved)
{
    int64_t unsaid = replay_unsaid(r), total = replay_tokens(r) + unsaid, last = MIN(r->s.last_tokens + unsaid, total);
    int64_t less = MAX(total - saved, 0), kept = replay_held(r, at) ? MIN(at + unsaid, less) : 0;
    money now = cost(r, last, total - last) - cost(r, kept, less - kept);
    money later = cost(r, total, 0) - cost(r, less, 0);
    return now * (r->s.colds + 1) + later * (r->s.requests + NEW_SESSION);
}

static int64_t old_tokens(const struct replay *r)
{
    int64_t sum = 0;
    for (int32_t i = r->s.first; i != PIC_NONE && pic_old(r, &r->pics[i]); i = r->pics[i].next)
        sum += r->pics[i].viewable ? r->pics[i].sent.tokens : 0;
    return sum;
}

/* Where thoughts are bound, a cut ahead of the last one costs all of them, and what stands behind the first is written anew. */
static int64_t first_bound(const struct replay *r)
{
    const struct thought *first = r->n_thoughts ? replay_thought(r, r->s.thinking.before) : NULL;
    return first ? replay_position(r, first->text_at, first->think_at, first->pics) : INT64_MAX;
}

static int64_t cut_position(const struct replay *r, const struct pic *p, int64_t live, int64_t bound)
{
    int64_t at = replay_position(r, p->text_at, p->think_at, 0) + live;
    bool thinks_after = r->n_thoughts && r->thoughts[r->n_thoughts - 1].seq > p->seq;
    return MIN(MIN(at, r->s.last_tokens), thinks_after ? bound : INT64_MAX);
}

static struct cut best_cut(const struct replay *r)
{
    struct cut best = {.from = PIC_NONE};
    int64_t saved = old_tokens(r), live = 0, bound = first_bound(r);
    for (int32_t i = r->s.first; i != PIC_NONE && pic_old(r, &r->pics[i]); i = r->pics[i].next) {
        const struct pic *p = &r->pics[i];
        money gain = p->viewable ? gain_of(r, cut_position(r, p, live, bound), saved) : 0;
        if (gain > best.gain)
            best = (struct cut){i, gain};
        live += p->sent.tokens;
        saved -= p->viewable ? p->sent.tokens : 0;
    }
    return best;
}

/* All old ones that can be seen again, from a picture on. */
static void elide_old(struct replay *r, int32_t from, const char *reason)
{
    for (int32_t i = r->s.first, next; i != PIC_NONE && pic_old(r, &r->pics[i]); i = next) {
        next = r->pics[i].next;
        if (i >= from && r->pics[i].viewable)
            elide(r, i, reason);
    }
}

static void keep_what_pays(struct replay *r)
{
    if (replay_cold(r)) {
        elide_old(r, 0, "cold");
        return;
    }
    if (r->s.turn_of_last == r->turn)
        return;
    struct cut c = best_cut(r);
    if (c.from != PIC_NONE)
        elide_old(r, c.from, "break-even");
}

void retain(struct replay *r)
{
    switch (r->policy.kind) {
    case POLICY_AUTO:
        keep_what_pays(r);
        break;
    case POLICY_ALL:
        break;
    case POLICY_TURNS:
        keep_turns(r);
        break;
    case POLICY_NEWEST:
        keep_newest(r, r->policy.n);
        break;
    case POLICY_BATCH:
        keep_batch(r);
        break;
    }
}
