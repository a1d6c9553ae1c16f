/* SPDX-License-Identifier: Apache-2.0 */
/* Replays: no request is ever illegal, decisions are the same however they are come by, and cost does not grow with the session. */
#include "test.h"

#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "lower/replay.h"
#include "lower/writer.h"
#include "lower/trace.h"

/* ---------------------------------------------------------------- sessions */

struct session {
    char **lines;
    size_t *lens;
    size_t n, room;
    struct entry_room parts;
};

static int keep(void *arg, const char *json, size_t len)
{
    struct session *s = arg;
    if (s->n == s->room) {
        s->room = s->room ? s->room * 2 : 64;
        s->lines = reallocarray(s->lines, s->room, sizeof *s->lines);
        s->lens = reallocarray(s->lens, s->room, sizeof *s->lens);
    }
    s->lines[s->n] = strndup(json, len);
    s->lens[s->n++] = len;
    return 0;
}

static void session_done(struct session *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->lines[i]);
    free(s->lines);
    free(s->lens);
    entry_room_done(&s->parts);
}
#define auto_session cleanup(session_done) struct session

static struct entry entry_at(struct session *s, size_t i)
{
    struct entry e = {0};
    CHECK(entry_read(s->lines[i], s->lens[i], (int64_t)i + 1, &s->parts, &e) == 0);
    return e;
}

static void add(struct session *s, const char *json)
{
    (void)keep(s, json, strlen(json));
}

static uint64_t seed_state;
static uint32_t below(uint32_t n)
{
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)(seed_state >> 33) % n : 0;
}

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static void add_image(struct buf *b, bool viewed)
{
    static const char *const types[] = {"png", "png", "jpeg", "webp", "gif", "bmp"};
    static const uint32_t sides[] = {1, 12, 40, 400, 1024, 1999, 2000, 2001, 3000, 7999, 8001, 20000};
    (void)buf_add_format(b, ",{\"type\":\"image\",\"media_type\":\"image/%s\",\"sha256\":\"" HASH "\",\"bytes\":%u,\"width\":%u,\"height\":%u",
                         types[below(COUNT(types))], below(20) ? 1 + below(900000) : 1 + below(30000000), sides[below(COUNT(sides))],
                         sides[below(COUNT(sides))]);
    if (below(30) == 0)
        (void)buf_add_str(b, ",\"broken\":\"cut off\"");
    (void)buf_add_str(b, viewed ? ",\"view\":\"view:1\"}" : "}");
}

/* Anything that an agent might do, and more pictures than any would. */
static void random_session(struct session *s, uint64_t seed)
{
    seed_state = seed * 7919 + 1;
    int64_t at = 1790000000000;
    uint32_t images = 1 + below(6), turns = 4 + below(20);
    for (uint32_t t = 0; t < turns; t++) {
        uint32_t steps = below(8);
        for (uint32_t step = 0; step <= 2 * steps + 1; step++) {
            auto_buf b = BUF_INIT(1 << 20);
            const char *kind = step == 0 ? "user" : step % 2 ? "assistant" : "tool_result";
            at += 1000 * (int64_t)below(below(9) ? 90 : 1000);
            (void)buf_add_format(&b, "{\"kind\":\"%s\",\"at\":%lld,\"parts\":[{\"type\":\"text\",\"text\":\"%*s\"}", kind,
                                 (long long)at, (int)(1 + below(3000)), "x");
            if (below(4) == 0 && step % 2)
                (void)buf_add_str(&b, ",{\"type\":\"opaque\",\"wire\":\"anthropic\",\"thinking\":true,\"value\":{\"s\":\"abcdefgh\"}}");
            for (uint32_t n = step % 2 ? 0 : step ? below(images) : below(3); n > 0; n--)
                add_image(&b, step && below(5));
            if (step % 2 == 0 && below(20) == 0)
                (void)buf_add_format(&b, ",{\"type\":\"document\",\"media_type\":\"application/pdf\",\"sha256\":\"" HASH
                                         "\",\"bytes\":%u,\"pages\":%u}", below(9000000), 1 + below(60));
            (void)buf_add_str(&b, "]}");
            add(s, b.data);
        }
    }
}

/* ---------------------------------------------------------------- the judge */

/* Judges a request by the entries and the fates alone. */
struct verdict {
    int64_t images, pages, b64, live;
    bool over_side, tiny, format, heavy, broken;
    uint32_t longest;
};

static void judge_part(const struct target *t, const struct part *p, const struct decision *d, struct verdict *v)
{
    if (d->fate == FATE_ELIDED || d->fate == FATE_STUB)
        return;
    bool refit = d->fate == FATE_REFIT;
    int64_t b64 = ((refit ? (int64_t)d->refit.max_bytes : p->bytes) + 2) / 3 * 4;
    struct size size = refit ? d->planned : (struct size){p->width, p->height};
    v->live++;
    v->b64 += b64;
    v->pages += p->type == PART_DOCUMENT ? p->pages : 0;
    if (p->type != PART_IMAGE)
        return;
    v->images++;
    v->longest = MAX(v->longest, MAX(size.w, size.h));
    v->broken |= p->broken.len > 0;
    v->format |= span_is(span_inside(p->media_type), "image/bmp") && !refit;
    v->heavy |= t->limits.image_bytes && b64 > t->limits.image_bytes;
    v->over_side |= t->limits.side && MAX(size.w, size.h) > t->limits.side;
    v->tiny |= MIN(size.w, size.h) < t->limits.least_side;
    v->format |= span_is(span_inside(p->media_type), "image/webp") && !t->webp && !(refit && d->refit.no_webp);
    v->format |= span_is(span_inside(p->media_type), "image/gif") && !t->gif && !(refit && d->refit.no_gif);
}

static struct verdict judge(struct session *s, size_t n, const struct target *t, const struct replay *r)
{
    struct verdict v = {0};
    for (size_t i = 0; i < n; i++) {
        struct entry e = entry_at(s, i);
        for (size_t p = 0; p < e.n_parts; p++)
            if (e.parts[p].type == PART_IMAGE || e.parts[p].type == PART_DOCUMENT) {
                struct decision d = replay_fate(r, e.seq, p);
                judge_part(t, &e.parts[p], &d, &v);
            }
    }
    return v;
}

/* The bytes of words alone may be more than a host takes; then nothing may be live. */
static bool legal_request(const struct verdict *v, const struct target *t, int64_t words)
{
    const struct target_limits *l = &t->limits;
    bool fits = !l->request_bytes || v->b64 + words <= l->request_bytes || v->live == 0;
    return fits && (!l->images || v->images <= l->images) && (!l->pdf_pages || v->pages <= l->pdf_pages) && !v->over_side &&
           !v->tiny && !v->format && !v->heavy && !v->broken &&
           (!l->many_images || v->images <= l->many_images || v->longest <= l->many_side);
}

static struct target random_target(uint64_t seed)
{
    seed_state = seed * 104729 + 7;
    struct target t = {.wire = (enum lower_wire)below(LOWER_WIRES), .vision = below(12) > 0, .pdf = below(3) > 0, .webp = below(2),
                       .gif = below(2), .bound_thinking = below(2), .provider = "p", .model = "m"};
    t.limits = (struct target_limits){
        .request_bytes = below(5) ? 200000 + below(30000000) : 0, .images = below(5) ? below(4) + below(60) : 0,
        .image_bytes = below(4) ? 20000 + below(9000000) : 0, .side = below(4) ? 2000 + below(6000) : 0, .least_side = below(60),
        .pdf_pages = below(3) ? 5 + below(200) : 0, .pdf_bytes = below(3) ? 100000 + below(9000000) : 0,
        .context = below(3) ? 20000 + below(400000) : 0};
    if (below(2)) {
        t.limits.many_images = 1 + below(25);
        t.limits.many_side = 500 + below(1500);
    }
    t.cache = (struct target_cache){.known = below(5) > 0, .read = 100, .write = below(2) ? 1250 : 1000, .least = below(5000),
                                    .ttl_ms = below(3) ? 300000 : 0};
    return t;
}

static const char *const policies[] = {"auto", "all", "turns:1", "turns:3", "newest:3", "batch:20:8"};

static struct replay *start(const struct target *t, const char *words)
{
    struct policy p;
    struct replay *r = NULL;
    CHECK(policy_parse(words, &p) == 0 && replay_new(t, &p, &r) == 0);
    return r;
}

static void feed(struct session *s, size_t i, struct replay *r)
{
    struct entry e = entry_at(s, i);
    CHECK(replay_feed(r, &e) == 0);
}

TEST(no_request_is_illegal_whatever_comes_in)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        auto_session s = {0};
        random_session(&s, seed);
        struct target t = random_target(seed);
        struct replay *r = start(&t, policies[seed % COUNT(policies)]);
        int64_t words = 0;
        for (size_t i = 0; i < s.n; i++) {
            feed(&s, i, r);
            words += (int64_t)s.lens[i];
            CHECK(replay_now(r) == 0);
            struct verdict v = judge(&s, i + 1, &t, r);
            CHECK_MSG(legal_request(&v, &t, words), "seed %d entry %zu %s: images %d/%d longest %u b64 %lld/%lld pages %d/%d", (int)seed, i + 1,
                      policies[seed % COUNT(policies)], (int)v.images, (int)t.limits.images, v.longest, (long long)v.b64,
                      (long long)t.limits.request_bytes, (int)v.pages, (int)t.limits.pdf_pages);
            CHECK(t.vision || v.images == 0);
            struct request_figures f = replay_figures(r);
            CHECK(f.images == v.images && f.live == v.live);
            CHECK(!t.limits.context || f.tokens <= t.limits.context || v.live == 0);
            CHECK(f.tokens == f.cache_read + f.cache_write + f.plain);
        }
        replay_free(r);
        if (test_failed)
            return;
    }
}

/* ---------------------------------------------------------------- the same however it is come by */

static bool same_decision(const struct decision *a, const struct decision *b)
{
    return a->fate == b->fate && a->why == b->why && memcmp(&a->planned, &b->planned, sizeof a->planned) == 0 &&
           a->refit.max_edge == b->refit.max_edge && a->refit.max_bytes == b->refit.max_bytes && a->refit.no_webp == b->refit.no_webp;
}

static bool same_view(struct session *s, size_t from, size_t n, const struct replay *a, const struct replay *b)
{
    for (size_t i = from; i < n; i++) {
        struct entry e = entry_at(s, i);
        for (size_t p = 0; p < e.n_parts; p++) {
            struct decision one = replay_fate(a, e.seq, p), two = replay_fate(b, e.seq, p);
            if (!same_decision(&one, &two))
                return false;
        }
    }
    struct replay_thinking x = replay_thinking(a), y = replay_thinking(b);
    struct request_figures f = replay_figures(a), g = replay_figures(b);
    return x.before == y.before && x.loose == y.loose && f.units == g.units && f.tokens == g.tokens;
}

TEST(deciding_after_every_entry_gives_what_deciding_once_gives)
{
    for (uint64_t seed = 200; seed < 224; seed++) {
        auto_session s = {0};
        random_session(&s, seed);
        struct target t = random_target(seed);
        const char *policy = policies[seed % 3];
        struct replay *step = start(&t, policy);
        for (size_t i = 0; i < s.n; i++) {
            feed(&s, i, step);
            CHECK(replay_now(step) == 0);
            struct replay *fresh = start(&t, policy);
            for (size_t k = 0; k <= i; k++)
                feed(&s, k, fresh);
            CHECK(replay_now(fresh) == 0);
            CHECK_MSG(same_view(&s, 0, i + 1, step, fresh), "seed %d entry %zu", (int)seed, i + 1);
            replay_free(fresh);
        }
        replay_free(step);
        if (test_failed)
            return;
    }
}

TEST(what_was_elided_by_a_request_stays_elided)
{
    for (uint64_t seed = 300; seed < 330; seed++) {
        auto_session s = {0};
        random_session(&s, seed);
        struct target t = random_target(seed);
        struct replay *r = start(&t, policies[seed % COUNT(policies)]);
        bool gone[4096] = {0};
        for (size_t i = 0; i < s.n; i++) {
            feed(&s, i, r);
            for (size_t k = 0; k < i; k++) {
                bool now = replay_fate(r, (int64_t)k + 1, 1).fate >= FATE_ELIDED;
                CHECK(now || !gone[k]);
                gone[k] = now;
            }
        }
        replay_free(r);
    }
}

/* A host that keeps what it wrote before the changed entry must have what is right for all of them. */
TEST(changed_names_the_first_entry_that_differs)
{
    for (uint64_t seed = 400; seed < 480; seed++) {
        auto_session s = {0};
        random_session(&s, seed);
        struct target t = random_target(seed);
        struct replay *r = start(&t, policies[seed % COUNT(policies)]), *before = start(&t, policies[seed % COUNT(policies)]);
        CHECK(replay_now(before) == 0);
        for (size_t i = 0; i < s.n; i++) {
            feed(&s, i, r);
            CHECK(replay_now(r) == 0);
            int64_t from = replay_changed(r);
            for (size_t k = 0; k < i && (int64_t)k + 1 < from; k++)
                for (size_t p = 0; p < 8; p++) {
                    struct decision was = replay_fate(before, (int64_t)k + 1, p), is = replay_fate(r, (int64_t)k + 1, p);
                    CHECK_MSG(same_decision(&was, &is), "seed %d entry %zu", (int)seed, k + 1);
                }
            struct replay_thinking a = replay_thinking(before), b = replay_thinking(r);
            for (size_t k = 0; a.before != b.before && k < i; k++) {
                int64_t seq = (int64_t)k + 1;
                bool flips = (seq < a.before) != (seq < b.before), thinks = strstr(s.lines[k], "thinking") != NULL;
                CHECK(!flips || !thinks || seq >= from);
            }
            feed(&s, i, before);
            CHECK(replay_now(before) == 0);
            CHECK(replay_now(r) == 0 && replay_changed(r) == INT64_MAX);
        }
        replay_free(r);
        replay_free(before);
        if (test_failed)
            return;
    }
}

/* ---------------------------------------------------------------- single rules */

static struct target claude(void)
{
    return (struct target){
        .wire = LOWER_ANTHROPIC, .vision = true, .pdf = true, .webp = true, .gif = true, .provider = "anthropic", .model = "m",
        .limits = {.request_bytes = 33554432, .images = 100, .image_bytes = 10485760, .side = 8000, .many_images = 20,
                   .many_side = 2000, .least_side = 28, .pdf_pages = 100},
        .cache = {.known = true, .read = 100, .write = 1250, .least = 1024, .ttl_ms = 300000}};
}

static void add_step(struct session *s, int64_t at_s, uint32_t w, uint32_t h, const char *id)
{
    char line[600];
    (void)snprintf(line, sizeof line, "{\"kind\":\"assistant\",\"at\":%lld000,\"parts\":[{\"type\":\"tool_call\",\"id\":\"c%s\",\"name\":\"view\","
                   "\"arguments\":{\"path\":\"a.png\"}}]}", (long long)at_s, id);
    add(s, line);
    (void)snprintf(line, sizeof line, "{\"kind\":\"tool_result\",\"at\":%lld000,\"call\":\"c%s\",\"parts\":[{\"type\":\"image\","
                   "\"media_type\":\"image/png\",\"sha256\":\"" HASH "\",\"bytes\":100000,\"width\":%u,\"height\":%u}]}",
                   (long long)at_s + 1, id, w, h);
    add(s, line);
}

static void add_user(struct session *s, int64_t at_s)
{
    char line[200];
    (void)snprintf(line, sizeof line, "{\"kind\":\"user\",\"at\":%lld000,\"parts\":[{\"type\":\"text\",\"text\":\"go on\"}]}", (long long)at_s);
    add(s, line);
}

static void add_answer(struct session *s, int64_t at_s)
{
    char line[200];
    (void)snprintf(line, sizeof line, "{\"kind\":\"assistant\",\"at\":%lld000,\"parts\":[{\"type\":\"text\",\"text\":\"done\"}]}", (long long)at_s);
    add(s, line);
}

static struct replay *fed(struct session *s, const struct target *t, const char *policy)
{
    struct replay *r = start(t, policy);
    for (size_t i = 0; i < s->n; i++)
        feed(s, i, r);
    CHECK(replay_now(r) == 0);
    return r;
}

TEST(more_than_twenty_pictures_bring_large_ones_to_2000_px_and_there_they_stay)
{
    auto_session s = {0};
    struct target t = claude();
    add_user(&s, 1);
    for (int i = 0; i < 20; i++)
        add_step(&s, 10 + i * 3, i % 2 ? 2400 : 1200, 900, "x");
    struct replay *r = fed(&s, &t, "all");
    CHECK(replay_figures(r).images == 20 && replay_figures(r).refit == 0);
    replay_free(r);
    add_step(&s, 90, 2600, 900, "x");
    r = fed(&s, &t, "all");
    CHECK(replay_figures(r).images == 21 && replay_figures(r).refit == 11);
    struct decision d = replay_fate(r, 5, 0);
    CHECK(d.fate == FATE_REFIT && d.planned.w == 2000 && d.planned.h == 750 && d.refit.max_edge == 2000);
    char spec[REFIT_SPEC];
    refit_spec(&d.refit, spec);
    CHECK(strcmp(spec, "edge=2000;least=28;bytes=100000;webp=1;gif=1") == 0);
    replay_free(r);
}

TEST(under_auto_a_limit_sheds_a_batch_and_the_next_requests_shed_nothing)
{
    auto_session s = {0};
    struct target t = claude();
    t.limits.images = 40;
    size_t sheds = 0;
    struct replay *r = start(&t, "auto");
    int64_t elided = 0;
    add_user(&s, 0);
    for (int i = 0; i < 90; i++)
        add_step(&s, 5 + i * 3, 800, 600, "x");
    for (size_t i = 0; i < s.n; i++) {
        feed(&s, i, r);
        CHECK(replay_now(r) == 0);
        sheds += replay_figures(r).elided > elided;
        CHECK(replay_figures(r).elided <= elided || (replay_figures(r).reason && !strcmp(replay_figures(r).reason, "forced")));
        elided = replay_figures(r).elided;
    }
    CHECK_MSG(sheds >= 5 && sheds <= 6, "%zu", sheds); /* 90 pictures, 40 at most, 11 or more at once */
    CHECK(replay_fate(r, 3, 0).fate == FATE_ELIDED);
    replay_free(r);
}

/* 620 pictures in one turn where 600 may be: who wants all of them gets 600. */
TEST(other_policies_elide_only_as_many_as_a_limit_asks_for)
{
    static const char *const all[] = {"all", "turns:1", "newest:1000", "batch:1000:1000"};
    for (size_t p = 0; p < COUNT(all); p++) {
        auto_session s = {0};
        struct target t = claude();
        t.limits.images = 600;
        add_user(&s, 0);
        for (int i = 0; i < 620; i++)
            add_step(&s, 5 + i, 80, 60, "x");
        t.limits.request_bytes = 0;
        struct replay *r = fed(&s, &t, all[p]);
        CHECK_MSG(replay_figures(r).live == 600 && replay_figures(r).elided == 20, "%s: %jd", all[p], (intmax_t)replay_figures(r).live);
        replay_free(r);
    }
}

/* ... or as many as the bytes allow: one more would be too many. */
TEST(all_keeps_as_many_as_the_bytes_allow)
{
    auto_session s = {0};
    struct target t = claude();
    add_user(&s, 0);
    for (int i = 0; i < 90; i++)
        add_step(&s, 5 + i, 800, 600, "x");
    struct replay *r = fed(&s, &t, "all");
    int64_t whole = replay_figures(r).request_bytes, live = replay_figures(r).live;
    replay_free(r);
    t.limits.request_bytes = whole / 2 / 7 * 8; /* an eighth is left free */
    r = fed(&s, &t, "all");
    int64_t least = whole / 2 - 150000; /* a picture is 100,000 bytes, and a third more in base64 */
    CHECK(live == 90 && replay_figures(r).request_bytes <= whole / 2 && replay_figures(r).request_bytes > least);
    replay_free(r);
}

TEST(pictures_too_small_for_a_host_are_enlarged_on_every_wire_whatever_their_shape)
{
    static const uint32_t sizes[][2] = {{1, 1}, {8, 300}, {3000, 5}, {20000, 1}, {27, 28}, {1, 60000}};
    static const char *const hosts[] = {"anthropic", "openai", "google", "openrouter", "elsewhere"};
    for (int wire = 0; wire < LOWER_WIRES; wire++)
        for (size_t h = 0; h < COUNT(hosts); h++) {
            auto_session s = {0};
            struct target t;
            struct fovea_fault fault;
            CHECK(target_make(NULL, &(struct target_ask){.provider = hosts[h], .model = "m", .wire = lower_wire_names[wire]}, &t, &fault) == 0);
            CHECK(t.limits.least_side == 28);
            add_user(&s, 0);
            for (size_t i = 0; i < COUNT(sizes); i++)
                add_step(&s, 1 + (int64_t)i, sizes[i][0], sizes[i][1], "x");
            struct replay *r = fed(&s, &t, "all");
            struct verdict v = judge(&s, s.n, &t, r);
            CHECK_MSG(v.live == COUNT(sizes) && !v.tiny && !v.over_side, "%s, %s", hosts[h], lower_wire_names[wire]);
            CHECK(replay_fate(r, 3, 0).fate == FATE_REFIT && replay_fate(r, 3, 0).refit.min_edge == 28);
            replay_free(r);
        }
}

TEST(an_attachment_outlives_every_perception_and_the_current_turn_the_old_ones)
{
    auto_session s = {0};
    struct target t = claude();
    t.limits.images = 4;
    add(&s, "{\"kind\":\"user\",\"at\":1000,\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"" HASH
            "\",\"bytes\":9000,\"width\":500,\"height\":500}]}");
    for (int i = 0; i < 3; i++)
        add_step(&s, 5 + i * 3, 800, 600, "x");
    add_answer(&s, 30);
    add_user(&s, 40);
    add_step(&s, 45, 800, 600, "y");
    struct replay *r = fed(&s, &t, "all");
    CHECK(replay_fate(r, 1, 0).fate == FATE_LIVE);
    CHECK(replay_fate(r, 3, 0).fate == FATE_ELIDED && replay_fate(r, 11, 0).fate == FATE_LIVE);
    replay_free(r);
    t.limits.images = 1;
    r = fed(&s, &t, "all");
    CHECK(replay_fate(r, 1, 0).fate != FATE_ELIDED && replay_fate(r, 11, 0).fate == FATE_ELIDED);
    replay_free(r);
}

TEST(a_picture_without_a_way_to_see_it_again_is_not_elided)
{
    auto_session s = {0};
    struct target t = claude();
    add_user(&s, 1);
    add(&s, "{\"kind\":\"assistant\",\"at\":2000,\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"shot\",\"arguments\":{}}]}");
    add(&s, "{\"kind\":\"tool_result\",\"at\":3000,\"call\":\"c1\",\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\",\"sha256\":\"" HASH
            "\",\"bytes\":9000,\"width\":500,\"height\":500}]}");
    add_step(&s, 4, 600, 600, "2");
    add_answer(&s, 9);
    add_user(&s, 12);
    struct replay *r = fed(&s, &t, "turns:1");
    CHECK(replay_fate(r, 3, 0).fate == FATE_LIVE && replay_fate(r, 5, 0).fate == FATE_ELIDED);
    replay_free(r);
}

TEST(a_repair_holds_from_where_it_stands_or_from_the_start_when_told_before)
{
    auto_session s = {0};
    struct target t = claude();
    add_user(&s, 1);
    add_step(&s, 4, 1000, 600, "1");
    struct replay *r = fed(&s, &t, "all");
    CHECK(replay_fate(r, 3, 0).fate == FATE_LIVE);
    CHECK(replay_bar(r, 3, 0, false, "no") == 0 && replay_now(r) == 0);
    struct decision d = replay_fate(r, 3, 0);
    CHECK(d.fate == FATE_REFIT && d.refit.max_edge == 750 && d.refit.no_webp);
    CHECK(replay_changed(r) == 3 && replay_changed(r) == INT64_MAX);
    CHECK(replay_bar(r, 3, 0, false, "no") == 0 && replay_now(r) == 0 && replay_changed(r) == INT64_MAX);
    CHECK(replay_bar(r, 3, 0, true, "gone") == 0 && replay_now(r) == 0);
    CHECK(replay_fate(r, 3, 0).fate == FATE_STUB && !strcmp(replay_fate(r, 3, 0).why, "gone"));
    replay_free(r);
    r = start(&t, "all");
    CHECK(replay_bar(r, 3, 0, true, "gone") == 0);
    for (size_t i = 0; i < s.n; i++)
        feed(&s, i, r);
    CHECK(replay_now(r) == 0 && replay_fate(r, 3, 0).fate == FATE_STUB);
    replay_free(r);
    add(&s, "{\"kind\":\"repair\",\"at\":9000,\"entry\":3,\"part\":0,\"how\":\"stub\",\"why\":\"bad\"}");
    r = fed(&s, &t, "all");
    CHECK(replay_fate(r, 3, 0).fate == FATE_STUB);
    replay_free(r);
}

static void add_thought(struct session *s, int64_t at_s)
{
    char line[300];
    (void)snprintf(line, sizeof line, "{\"kind\":\"assistant\",\"at\":%lld000,\"parts\":[{\"type\":\"opaque\",\"wire\":\"anthropic\",\"thinking\":true,"
                   "\"value\":{\"type\":\"thinking\",\"signature\":\"abc\"}},{\"type\":\"text\",\"text\":\"so\"}]}", (long long)at_s);
    add(s, line);
}

/* The fifth entry, a call, with a thought before it. */
static void think_first(struct session *m)
{
    free(m->lines[4]);
    m->lines[4] = strdup("{\"kind\":\"assistant\",\"at\":9000,\"parts\":[{\"type\":\"opaque\",\"wire\":\"anthropic\",\"thinking\":true,\"value\":{}},"
                         "{\"type\":\"tool_call\",\"id\":\"c2\",\"name\":\"view\",\"arguments\":{\"path\":\"a\"}}]}");
    m->lens[4] = strlen(m->lines[4]);
}

TEST(a_cut_drops_the_thoughts_that_were_bound_to_what_it_took)
{
    auto_session s = {0};
    struct target t = claude();
    t.bound_thinking = true;
    add_user(&s, 1);
    add_step(&s, 4, 1000, 600, "1"); /* 2, 3 */
    add_thought(&s, 8);              /* 4 */
    add_user(&s, 12);                /* 5 */
    struct replay *r = fed(&s, &t, "all");
    CHECK(replay_thinking(r).before == 0 && !replay_thinking(r).loose);
    replay_free(r);
    r = fed(&s, &t, "turns:1");
    CHECK(replay_thinking(r).before == 6 && !replay_thinking(r).loose && replay_changed(r) == 3);
    add_thought(&s, 14); /* 6 */
    feed(&s, 5, r);
    CHECK(replay_now(r) == 0 && replay_thinking(r).before == 6 && replay_changed(r) == INT64_MAX);
    replay_free(r);
    /* In the middle of a turn the latest answer keeps its own, and the server is told. */
    auto_session m = {0};
    t.limits.images = 1;
    add_user(&m, 1);
    add_step(&m, 4, 1000, 600, "1"); /* 2, 3 */
    add_thought(&m, 8);              /* 4 */
    add_step(&m, 9, 1000, 600, "2"); /* 5, 6 */
    r = fed(&m, &t, "all");
    CHECK(replay_fate(r, 3, 0).fate == FATE_ELIDED);
    CHECK(replay_thinking(r).before == 5 && !replay_thinking(r).loose);
    replay_free(r);
    think_first(&m);
    r = fed(&m, &t, "all");
    CHECK(replay_thinking(r).before == 5 && replay_thinking(r).loose);
    replay_free(r);
}

TEST(a_request_whose_thoughts_are_bound_to_what_was_cut_says_that_the_server_may_drop_them)
{
#define DROP "\"block_binding\":{\"prefix_mismatch_behavior\":\"drop_block\"}}"
    static const struct {
        const char *had, *want;
        bool adaptive;
    } rows[] = {
        {"", "{\"type\":\"adaptive\"," DROP, true},
        {",\"thinking\":{\"type\":\"disabled\",\"display\":\"omitted\"}", "{\"type\":\"adaptive\"," DROP, true},
        {",\"thinking\":{\"type\":\"adaptive\",\"display\":\"omitted\"}", "{\"type\":\"adaptive\",\"display\":\"omitted\"," DROP, true},
        {",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":9,\"block_binding\":1}", "{\"type\":\"adaptive\"," DROP, true},
        {",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":9}", "{\"type\":\"enabled\",\"budget_tokens\":9," DROP, false},
    };
    auto_session m = {0};
    struct target t = claude();
    t.bound_thinking = true;
    t.limits.images = 1;
    add_user(&m, 1);
    add_step(&m, 4, 1000, 600, "1");
    add_thought(&m, 8);
    add_step(&m, 9, 1000, 600, "2");
    think_first(&m);
    struct replay *r = fed(&m, &t, "all");
    CHECK(replay_thinking(r).loose);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_buf b = BUF_INIT(MIB);
        char request[300];
        struct entry_room room = {0};
        struct entry e;
        t.adaptive_thinking = rows[i].adaptive;
        (void)snprintf(request, sizeof request, "{\"kind\":\"request\",\"wire\":\"anthropic\",\"body\":{\"max_tokens\":7%s}}", rows[i].had);
        CHECK(entry_read(request, strlen(request), 1, &room, &e) == 0);
        CHECK(envelope_head(&(struct envelope){.target = &t, .request = &e, .replay = r}, &b) == 0);
        CHECK_MSG(b.data && strstr(b.data, rows[i].want) && strstr(b.data, "\"anthropic-beta\""), "%s", b.data);
        entry_room_done(&room);
    }
    replay_free(r);
}

TEST(entries_out_of_order_are_refused)
{
    auto_session s = {0};
    struct target t = claude();
    add_user(&s, 1);
    struct replay *r = start(&t, "all");
    feed(&s, 0, r);
    struct entry e = entry_at(&s, 0);
    CHECK(replay_feed(r, &e) == -EINVAL);
    replay_free(r);
}

/* ---------------------------------------------------------------- cost */

static double now_s(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The best of several rounds: seconds for one turn fed and decided on, when so many came before. */
static double turn_cost(size_t turns)
{
    double best = 1e9;
    struct target t = claude();
    struct replay *r = start(&t, "auto");
    auto_session one = {0};
    add_user(&one, 1);
    add_step(&one, 2, 1000, 700, "1");
    add_step(&one, 3, 1000, 700, "2");
    add_answer(&one, 4);
    int64_t seq = 1;
    enum { LAST = 64 };
    for (size_t i = 0; i < turns + LAST; i++) {
        double from = now_s();
        for (size_t k = 0; k < one.n; k++) {
            struct entry e;
            CHECK(entry_read(one.lines[k], one.lens[k], seq++, &one.parts, &e) == 0);
            e.at = (int64_t)i * 60000 + (int64_t)k * 1000;
            CHECK(replay_feed(r, &e) == 0 && replay_now(r) == 0 && replay_changed(r) != 0);
        }
        best = i >= turns ? MIN(best, now_s() - from) : best;
    }
    replay_free(r);
    return best;
}

TEST(a_turn_costs_the_same_after_ten_and_after_ten_thousand)
{
    double few = turn_cost(10), many = turn_cost(10000);
    CHECK_MSG(many < few * 3 + 20e-6, "%.1f us after 10 turns, %.1f after 10000", few * 1e6, many * 1e6);
}
