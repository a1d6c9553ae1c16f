/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions as agents have them: a user asks, the model calls tools for some steps, then answers. Each named trace is a row of
 * ranges; lengths, times and sizes are drawn from them with a small generator of our own, so that a trace is the same everywhere.
 */
#include "lower/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/b64.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha256.h"

struct range {
    uint32_t low, high;
};

struct shape {
    const char *name, *words;
    struct range turns, steps;
    struct range user, said, got;    /* characters: of a question, of what the model says, of what a tool gives */
    struct range pause_s, answer_s, tool_s;
    uint32_t seen;                   /* steps that give a picture, in a thousand */
    uint32_t quiet;                  /* turns without any, in a thousand */
    struct range together;           /* pictures of such a step */
    uint32_t idle;                   /* pauses of idle_s instead, in a thousand */
    struct range idle_s;
    uint32_t attached, papers;       /* questions with a picture, with a document, in a thousand */
    struct range pages;
    uint8_t size;                    /* the first of sizes[] that it uses; the next ones by chance */
};

static const struct {
    uint32_t w, h;
} sizes[] = {{1280, 800}, {1456, 819}, {1568, 980}, {1092, 1092}, {800, 600}, {1240, 1754}};

/* Characters are about four a token. Answers take 3 to 15 s, tools up to 5, and people half a minute to three. */
#define PEOPLE .pause_s = {25, 170}, .answer_s = {3, 14}, .tool_s = {1, 5}
static const struct shape shapes[] = {
    {.name = "short", .words = "a few questions about a few pictures", .turns = {4, 4}, .steps = {1, 3}, .user = {80, 600},
     .said = {120, 900}, .got = {100, 1500}, PEOPLE, .seen = 600, .together = {1, 1}},
    {.name = "long", .words = "a day of coding: much text, breaks, and a look at the result now and then", .turns = {16, 16},
     .steps = {6, 14}, .user = {60, 900}, .said = {150, 1600}, .got = {600, 15000}, PEOPLE, .seen = 100, .together = {1, 1},
     .idle = 350, .idle_s = {400, 7200}, .attached = 60},
    {.name = "bursty", .words = "turns with many pictures between turns of text alone", .turns = {24, 24}, .steps = {2, 6},
     .user = {60, 700}, .said = {200, 1500}, .got = {300, 4000}, PEOPLE, .seen = 900, .quiet = 600, .together = {1, 4}},
    {.name = "idle", .words = "long pauses between questions", .turns = {24, 24}, .steps = {2, 5}, .user = {60, 700},
     .said = {150, 1200}, .got = {200, 3000}, PEOPLE, .seen = 600, .together = {1, 2}, .idle = 400, .idle_s = {400, 5400}},
    {.name = "screenshots", .words = "a program is worked by looking at its screen", .turns = {16, 16}, .steps = {5, 8},
     .user = {60, 400}, .said = {80, 400}, .got = {20, 120}, PEOPLE, .seen = 1000, .together = {1, 1}},
    {.name = "images200", .words = "two hundred pictures, a few in each turn", .turns = {40, 40}, .steps = {5, 5},
     .user = {60, 500}, .said = {100, 800}, .got = {60, 900}, PEOPLE, .seen = 1000, .together = {1, 1}},
    {.name = "pdf", .words = "documents are attached, and pages of them looked at", .turns = {14, 14}, .steps = {1, 5},
     .user = {80, 700}, .said = {300, 2500}, .got = {500, 6000}, PEOPLE, .seen = 500, .together = {1, 2}, .papers = 300,
     .pages = {4, 40}, .idle = 120, .idle_s = {400, 2400}, .size = 5},
};
const char *const trace_names[] = {"short", "long", "bursty", "idle", "screenshots", "images200", "pdf", "random", NULL};

/* ---------------------------------------------------------------- chance */

struct maker {
    const struct trace_ask *ask;
    struct shape shape;
    uint64_t state;
    int64_t at;
    uint32_t calls, pictures;
    struct buf line;
    int (*each)(void *arg, const char *json, size_t len);
    void *arg;
};

static uint64_t draw(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t within(struct maker *m, struct range r)
{
    return r.low + (uint32_t)(draw(&m->state) % (r.high - r.low + 1));
}

/* Lengths and pauses: most are near the low end. */
static uint32_t mostly_low(struct maker *m, struct range r)
{
    uint32_t a = within(m, r), b = within(m, r);
    return a < b ? a : b;
}

static bool chance(struct maker *m, uint32_t of_thousand)
{
    return draw(&m->state) % 1000 < of_thousand;
}

static void wait_s(struct maker *m, struct range r)
{
    int64_t whole = mostly_low(m, r);
    m->at += whole * 1000 + (int64_t)(draw(&m->state) % 1000);
}

/* ---------------------------------------------------------------- entries */

static const char *const words[] = {"the", "picture", "shows", "a", "window", "with", "two", "buttons", "and", "list", "of",
                                    "files", "next", "step", "is", "to", "open", "settings", "then", "check", "value", "in",
                                    "row", "three", "which", "was", "changed", "by", "last", "run", "so", "test", "passes"};

static void add_words(struct maker *m, uint32_t len)
{
    uint32_t n = 0;
    while (n < len) {
        const char *word = words[draw(&m->state) % COUNT(words)];
        (void)buf_add_format(&m->line, "%s%s", n ? " " : "", word);
        n += (uint32_t)strlen(word) + 1;
    }
}

static void add_text(struct maker *m, uint32_t len)
{
    (void)buf_add_str(&m->line, "{\"type\":\"text\",\"text\":\"");
    add_words(m, len);
    (void)buf_add_str(&m->line, "\"}");
}

static void begin(struct maker *m, const char *kind)
{
    m->line.len = 0;
    (void)buf_add_format(&m->line, "{\"kind\":\"%s\",\"at\":%lld,", kind, (long long)m->at);
}

static int end(struct maker *m)
{
    int r = buf_add_str(&m->line, "]}");
    return r < 0 ? r : m->each(m->arg, m->line.data, m->line.len);
}

static void add_hash(struct maker *m, uint64_t id, uint32_t bytes)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    uint8_t bytes_of_id[8];
    for (size_t i = 0; i < sizeof bytes_of_id; i++) /* the same on every machine */
        bytes_of_id[i] = (uint8_t)(id >> (8 * i));
    sha256(bytes_of_id, sizeof bytes_of_id, digest);
    sha256_hex(digest, hex);
    (void)buf_add_format(&m->line, "\"sha256\":\"%s\",\"bytes\":%u", hex, bytes);
}

static void add_data(struct maker *m, const struct buf *file)
{
    (void)buf_add_str(&m->line, "\"data\":\"");
    char *to = buf_reserve(&m->line, B64_LEN(file->len));
    if (!to || file->error) {
        m->line.error = file->error ? file->error : m->line.error;
        return;
    }
    b64_encode((const uint8_t *)file->data, file->len, to);
    buf_grew(&m->line, B64_LEN(file->len));
    (void)buf_add_str(&m->line, "\"");
}

/* A picture; viewed: it came from a tool. */
static void add_picture(struct maker *m, bool viewed)
{
    uint64_t id = draw(&m->state), other = draw(&m->state);
    size_t size = (m->shape.size + (other % 3 == 0 ? other / 3 % 3 : 0)) % COUNT(sizes);
    uint32_t w = sizes[size].w, h = sizes[size].h;
    m->pictures++;
    (void)buf_add_str(&m->line, "{\"type\":\"image\",\"media_type\":\"image/png\",");
    if (m->ask->data) {
        auto_buf file = BUF_INIT(LIMIT_TRACE_ENTRY);
        (void)trace_png(&file, w, h, id);
        add_data(m, &file);
    } else {
        add_hash(m, id, w * h / 12 + (uint32_t)(id % 40000));
        (void)buf_add_format(&m->line, ",\"width\":%u,\"height\":%u", w, h);
    }
    (void)buf_add_format(&m->line, ",\"name\":\"p%u.png\"", m->pictures);
    if (viewed)
        (void)buf_add_format(&m->line, ",\"view\":\"view:%08x\",\"ref\":\"shots/p%u.png\"", (uint32_t)id, m->pictures);
    (void)buf_add_str(&m->line, "}");
}

static void add_paper(struct maker *m)
{
    uint64_t id = draw(&m->state);
    uint32_t pages = mostly_low(m, m->shape.pages);
    (void)buf_add_str(&m->line, "{\"type\":\"document\",\"media_type\":\"application/pdf\",");
    if (m->ask->data) {
        auto_buf file = BUF_INIT(LIMIT_TRACE_ENTRY);
        (void)trace_pdf(&file, pages, id);
        add_data(m, &file);
    } else {
        add_hash(m, id, pages * 60000);
    }
    (void)buf_add_format(&m->line, ",\"name\":\"paper%u.pdf\",\"pages\":%u}", (uint32_t)(id % 1000), pages);
}

/* ---------------------------------------------------------------- turns */

static int question(struct maker *m)
{
    begin(m, "user");
    (void)buf_add_str(&m->line, "\"parts\":[");
    add_text(m, mostly_low(m, m->shape.user));
    if (chance(m, m->shape.attached)) {
        (void)buf_add_str(&m->line, ",");
        add_picture(m, false);
    }
    if (chance(m, m->shape.papers)) {
        (void)buf_add_str(&m->line, ",");
        add_paper(m);
    }
    return end(m);
}

static int answer(struct maker *m)
{
    wait_s(m, m->shape.answer_s);
    begin(m, "assistant");
    (void)buf_add_str(&m->line, "\"parts\":[");
    add_text(m, mostly_low(m, m->shape.said));
    return end(m);
}

static int call(struct maker *m, bool seen)
{
    wait_s(m, m->shape.answer_s);
    begin(m, "assistant");
    m->calls++;
    (void)buf_add_str(&m->line, "\"parts\":[");
    add_text(m, mostly_low(m, m->shape.said) / 3);
    (void)buf_add_format(&m->line, ",{\"type\":\"tool_call\",\"id\":\"call_%u\",\"name\":\"%s\",\"arguments\":{\"path\":\"%s%u\"}}",
                         m->calls, seen ? "view" : "read", seen ? "shots/s" : "src/f", m->calls);
    return end(m);
}

static int result(struct maker *m, bool seen)
{
    wait_s(m, m->shape.tool_s);
    begin(m, "tool_result");
    (void)buf_add_format(&m->line, "\"call\":\"call_%u\",\"name\":\"%s\",\"parts\":[", m->calls, seen ? "view" : "read");
    add_text(m, mostly_low(m, m->shape.got) / (seen ? 4 : 1) + 8);
    for (uint32_t n = seen ? within(m, m->shape.together) : 0; n > 0; n--) {
        (void)buf_add_str(&m->line, ",");
        add_picture(m, true);
    }
    return end(m);
}

static int turn(struct maker *m)
{
    bool quiet = chance(m, m->shape.quiet);
    uint32_t steps = within(m, m->shape.steps);
    int r = question(m);
    for (uint32_t i = 0; i < steps && r == 0; i++) {
        bool seen = !quiet && chance(m, m->shape.seen);
        r = call(m, seen);
        r = r == 0 ? result(m, seen) : r;
    }
    return r == 0 ? answer(m) : r;
}

/* ---------------------------------------------------------------- shapes */

static struct range any_range(uint64_t *state, uint32_t low, uint32_t high)
{
    uint32_t a = low + (uint32_t)(draw(state) % (high - low + 1)), b = low + (uint32_t)(draw(state) % (high - low + 1));
    return a < b ? (struct range){a, b} : (struct range){b, a};
}

static uint32_t any_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(draw(state) % n);
}

/* One draw a statement: in which order those of one are made is nobody's to say. */
static struct shape any_shape(uint64_t *state)
{
    struct shape s = {.name = "random", .answer_s = {3, 14}};
    uint64_t turns = draw(state);
    uint32_t most = any_below(state, 3) ? 20 : 90, often = any_below(state, 4);
    s.turns.low = s.turns.high = 1 + (uint32_t)(turns % most);
    s.steps = any_range(state, 0, 12);
    s.user = any_range(state, 40, 1500);
    s.said = any_range(state, 60, 2500);
    s.got = any_range(state, 20, 8000);
    s.pause_s = any_range(state, 10, 250);
    s.tool_s = any_range(state, 1, 20);
    s.seen = any_below(state, 1001);
    s.quiet = any_below(state, 700);
    s.together = any_range(state, 1, 4);
    s.idle = often * any_below(state, 250);
    s.idle_s = any_range(state, 310, 7200);
    s.attached = any_below(state, 200);
    s.papers = any_below(state, 3) ? 0 : any_below(state, 200);
    s.pages = any_range(state, 1, 40);
    s.size = (uint8_t)any_below(state, COUNT(sizes));
    return s;
}

static const struct shape *find_shape(const char *name)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        if (!strcmp(shapes[i].name, name))
            return &shapes[i];
    return NULL;
}

const char *trace_words(const char *name)
{
    const struct shape *s = find_shape(name);
    return s ? s->words : !strcmp(name, "random") ? "a session whose shape the seed chooses" : NULL;
}

static const int64_t first_day = 1790000000000; /* in September 2026 */

int trace_make(const struct trace_ask *ask, int (*each)(void *arg, const char *json, size_t len), void *arg)
{
    const struct shape *known = find_shape(ask->name);
    if (!trace_words(ask->name))
        return -EINVAL;
    struct maker m = {.ask = ask, .state = ask->seed, .at = first_day, .each = each, .arg = arg,
                      .line = BUF_INIT(LIMIT_TRACE_ENTRY)};
    m.shape = known ? *known : any_shape(&m.state);
    int r = 0;
    for (uint32_t n = within(&m, m.shape.turns); n > 0 && r >= 0; n--) {
        r = turn(&m);
        wait_s(&m, chance(&m, m.shape.idle) ? m.shape.idle_s : m.shape.pause_s);
    }
    buf_done(&m.line);
    return r < 0 ? r : 0;
}
