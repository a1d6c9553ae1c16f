/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request costs. The provider holds the prefix that the last request shares with this one, for as long as its cache
 * lives; the rest is written. A change in the middle ends that prefix where it stands, and where thoughts are bound to what is
 * before them, at the first thought that must go.
 */
#include "base/cleanup.h"
#include "lower/replay_priv.h"

enum { MILLE = 1000 };

int64_t replay_rate(const struct target *t, int64_t request_tokens)
{
    if (!t->row || t->row->price.input <= 0)
        return 1;
    int64_t rate = t->row->price.input;
    for (size_t i = 0; i < MODEL_TIERS && t->row->tiers[i].above > 0; i++)
        if (request_tokens > t->row->tiers[i].above && t->row->tiers[i].price.input > 0)
            rate = t->row->tiers[i].price.input;
    return rate;
}

/* The record need not have what the host puts before the messages: a few short ones are no reason to think that nothing is
 * cached. */
int64_t replay_unsaid(const struct replay *r)
{
    return r->base ? 0 : MAX(REPLAY_HOST_TOKENS - r->s.head.tokens, 0);
}

bool replay_held(const struct replay *r, int64_t tokens)
{
    return tokens + replay_unsaid(r) >= r->target->cache.least;
}

bool replay_cold(const struct replay *r)
{
    const struct target_cache *c = &r->target->cache;
    return !c->known || !r->s.requests || r->s.fresh || !replay_held(r, r->s.last_tokens) || (c->ttl_ms && r->at - r->s.last_at > c->ttl_ms);
}

/* ---------------------------------------------------------------- thoughts */

/* Thoughts after a change are bound to something that is no more. Only a run of them from the start may be left out, so all of them
 * go; but in the middle of a turn those of the latest answer must stay as they are, and the server has to drop them. Returns
 * where the first of them stood. */
static int64_t drop_thoughts(struct replay *r, const struct thought *first)
{
    bool middle = r->said && r->s.turn_of_last == r->turn && r->answer;
    int64_t at = replay_position(r, first->text_at, first->think_at, first->pics);
    r->s.thinking = (struct replay_thinking){
        .before = middle ? r->answer : r->said + 1, .loose = middle && r->answer_thinks, .alone = r->said + 1};
    r->s.think_cut = middle ? r->answer_think : r->think;
    return at;
}

/* Tokens that this request has in common with the last one. */
static int64_t common(struct replay *r)
{
    if (r->s.cut == PIC_NONE)
        return r->s.last_tokens;
    const struct pic *p = &r->pics[r->s.cut];
    int64_t at = MIN(r->s.last_tokens, replay_position(r, p->text_at, p->think_at, r->s.cut));
    const struct thought *last = r->n_thoughts ? &r->thoughts[r->n_thoughts - 1] : NULL;
    if (!last || last->seq <= p->seq || last->seq < r->s.thinking.before)
        return at;
    int64_t thought = drop_thoughts(r, replay_thought(r, r->s.thinking.before));
    return MIN(at, thought);
}

/* ---------------------------------------------------------------- figures */

/* Prices are millionths of a dollar a million tokens: a token costs that many millionths of a nano-dollar, times a thousand. */
static int64_t nano(int64_t units, int64_t rate)
{
    return (int64_t)((__int128)units * rate / MILLE / MILLE);
}

static void price(const struct replay *r, struct request_figures *f)
{
    const struct target *t = r->target;
    int64_t rate = replay_rate(t, f->tokens), lowest = replay_rate(t, 0);
    int64_t units = f->plain * MILLE + f->cache_read * t->cache.read + f->cache_write * t->cache.write;
    f->units = (int64_t)((__int128)units * rate / lowest);
    f->cost_nano = t->row && t->row->price.input > 0 ? nano(units, rate) : -1;
}

static bool write_fee(const struct target *t)
{
    return t->cache.known && t->cache.write != MILLE;
}

void account(struct replay *r)
{
    struct state *s = &r->s;
    bool cold = replay_cold(r);
    int64_t shared = common(r), total = replay_tokens(r);
    struct request_figures f = {.turn = r->turn, .request = s->requests + 1, .tokens = total, .images = s->images,
                                .live = s->live, .elided = s->elided, .refit = s->refit, .stubbed = s->stubbed,
                                .request_bytes = replay_bytes(r), .reason = s->reason};
    f.cache_read = cold || !replay_held(r, shared) ? 0 : MIN(shared, total);
    bool writes = write_fee(r->target) && replay_held(r, total);
    *(writes ? &f.cache_write : &f.plain) = total - f.cache_read;
    price(r, &f);
    s->colds += s->requests && cold;
    s->requests++;
    s->figures = f;
    s->last_at = r->at;
    s->last_tokens = total;
    s->turn_of_last = r->turn;
    s->cut = PIC_NONE;
    s->fresh = false;
    s->carried = (int32_t)r->n_pics;
    s->reason = NULL;
}
