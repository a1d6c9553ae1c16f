/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lowerall WORKERS FOLDER: appends every generated trace to a session of its own, turn by turn, lowers it after each turn for all four
 * wires, and writes every message to FOLDER/WIRE.json, an array, without what no type of a vendor's SDK looks at, and so each shape
 * once. What is lowered piece by piece must be what is lowered at once. Prints how many messages there were of each wire.
 */
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "fovea.h"

enum { MAX_SHAPES = 1 << 14 };

static const struct way {
    const char *wire, *model, *retain;
} ways[] = {
    {"anthropic", "anthropic/claude-opus-4-7", "auto"},
    {"anthropic", "anthropic/claude-opus-4-7", "turns:1"},
    {"openai-chat", "openai/gpt-5", "auto"},
    {"openai-chat", "openai/gpt-5", "turns:1"},
    {"openai-responses", "openai/gpt-5", "auto"},
    {"openai-responses", "openai/gpt-5", "turns:1"},
    {"gemini", "google/gemini-3.1-pro-preview", "auto"},
    {"gemini", "google/gemini-2.5-pro", "turns:1"},
};

/* The messages of one wire. */
struct heap {
    const char *wire;
    uint8_t seen[MAX_SHAPES][SHA256_LEN];
    size_t n, messages;
    struct buf text;
};
static struct heap heaps[4];

static struct heap *heap_of(const char *wire)
{
    struct heap *h = heaps;
    while (h->wire && strcmp(h->wire, wire) != 0)
        h++;
    if (!h->wire)
        h->wire = wire;
    h->text.ceiling = GIB;
    return h;
}

/* Members whose very words a type may ask for. Any other string is as good as the next one. */
static bool is_word(struct span key)
{
    static const char *const words[] = {"type", "role", "media_type", "mimeType", "detail", "status"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (span_is(key, words[i]))
            return true;
    return false;
}

/* The value without what no type looks at: messages of one shape are one. */
static void add_shape(struct buf *to, struct span key, struct span value)
{
    struct span_walk w = span_enter(value);
    if (span_is_string(value) && !is_word(key)) {
        (void)buf_add_str(to, "\"x\"");
        return;
    }
    if (*value.at != '{' && *value.at != '[') {
        (void)buf_add(to, value.at, value.len);
        return;
    }
    (void)buf_add(to, value.at, 1);
    for (bool any = false; span_next(&w); any = true) {
        (void)buf_add_str(to, any ? "," : "");
        if (*value.at == '{')
            (void)buf_add_format(to, "\"%.*s\":", (int)w.key.len, w.key.at);
        add_shape(to, w.key, w.value);
    }
    (void)buf_add(to, value.at + value.len - 1, 1);
}

static void keep(struct heap *h, struct span message)
{
    uint8_t hash[SHA256_LEN];
    h->messages++;
    auto_buf shape = BUF_INIT(LIMIT_ENTRY_BYTES);
    add_shape(&shape, (struct span){0}, message);
    if (shape.error)
        errx(3, "a message is too long");
    sha256(shape.data, shape.len, hash);
    for (size_t i = 0; i < h->n; i++)
        if (!memcmp(h->seen[i], hash, sizeof hash))
            return;
    if (h->n == MAX_SHAPES)
        errx(3, "too many shapes");
    memcpy(h->seen[h->n++], hash, sizeof hash);
    (void)buf_add_str(&h->text, h->text.len ? ",\n" : "[");
    (void)buf_add(&h->text, shape.data, shape.len);
}

/* ---------------------------------------------------------------- lowering */

static int hold(void *arg, const char *piece, size_t len)
{
    return buf_add(arg, piece, len);
}

/* One way of lowering a session; its output so far, of which the next one keeps the beginning. */
struct lowering {
    const struct way *way;
    fovea_session *session;
    struct buf now;
};

static void lower(struct lowering *l)
{
    struct fovea_fault fault;
    struct fovea_lowered lowered;
    auto_buf more = BUF_INIT(GIB);
    struct fovea_lower_request request = {
        .model = l->way->model, .wire = l->way->wire, .retain = l->way->retain, .more = true};
    if (fovea_lower(l->session, &request, hold, &more, &lowered, &fault) < 0)
        errx(1, "%s, %s: %s", l->way->wire, l->way->retain, fault.text);
    if (lowered.kept > l->now.len)
        errx(1, "%s: more is kept than there was", l->way->wire);
    l->now.len = lowered.kept;
    (void)buf_add(&l->now, more.data, more.len);
    struct span_walk w = span_enter((struct span){l->now.data, l->now.len});
    while (span_next(&w))
        if (w.value.at + w.value.len > l->now.data + lowered.kept)
            keep(heap_of(l->way->wire), w.value);
    if (w.bad || l->now.error)
        errx(1, "%s, %s: not an array", l->way->wire, l->way->retain);
}

/* What was put together from pieces is what is lowered at once. */
static void check_whole(struct lowering *l)
{
    struct fovea_fault fault;
    struct fovea_lowered lowered;
    auto_buf whole = BUF_INIT(GIB);
    struct fovea_lower_request request = {.model = l->way->model, .wire = l->way->wire, .retain = l->way->retain};
    if (fovea_lower(l->session, &request, hold, &whole, &lowered, &fault) < 0)
        errx(1, "%s, %s: %s", l->way->wire, l->way->retain, fault.text);
    if (whole.len != l->now.len || memcmp(whole.data, l->now.data, whole.len) != 0)
        errx(1, "%s, %s: piece by piece it is something else", l->way->wire, l->way->retain);
}

static bool starts_turn(const char *line, size_t len)
{
    struct span object;
    bool user = false, join = false;
    if (!span_value(line, len, &object))
        errx(1, "an entry of a trace is not JSON");
    for (struct span_walk w = span_enter(object); span_next(&w);) {
        user |= span_is(w.key, "kind") && span_is(w.value, "\"user\"");
        join |= span_is(w.key, "join") && span_true(w.value);
    }
    return user && !join;
}

/* All lines up to the next turn: each turn is one append. */
static size_t turn_length(const char *text, size_t len)
{
    size_t at = 0;
    for (bool any = false; at < len; any = true) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t line = newline ? (size_t)(newline - text) - at + 1 : len - at;
        if (any && starts_turn(text + at, line))
            break;
        at += line;
    }
    return at;
}

static void run_trace(fovea *f, const char *name)
{
    struct fovea_fault fault;
    struct fovea_appended appended;
    struct lowering all[COUNT(ways)] = {0};
    auto_buf trace = BUF_INIT(GIB);
    if (fovea_trace(name, hold, &trace, &fault) < 0)
        errx(1, "%s: %s", name, fault.text);
    for (size_t i = 0; i < COUNT(ways); i++) {
        all[i] = (struct lowering){.way = &ways[i], .now = BUF_INIT(GIB)};
        if (fovea_session_new(f, &(struct fovea_session_options){.name = name}, &all[i].session, &fault) < 0)
            errx(1, "%s", fault.text);
    }
    for (size_t at = 0, n; at < trace.len; at += n) {
        n = turn_length(trace.data + at, trace.len - at);
        if (fovea_session_append(all[0].session, trace.data + at, n, NULL, &appended, &fault) < 0)
            errx(1, "%s: %s", name, fault.text);
        for (size_t i = 0; i < COUNT(ways); i++)
            lower(&all[i]);
    }
    for (size_t i = 0; i < COUNT(ways); i++) {
        check_whole(&all[i]);
        fovea_session_free(all[i].session);
        buf_done(&all[i].now);
    }
}

static void save(struct heap *h, const char *folder)
{
    auto_buf path = BUF_INIT(LIMIT_PATH_BYTES);
    (void)buf_add_format(&path, "%s/%s.json", folder, h->wire);
    (void)buf_add_str(&h->text, h->text.len ? "]\n" : "[]\n");
    auto_close int fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (h->text.error || fd < 0 || write_all(fd, h->text.data, h->text.len) < 0)
        errx(3, "cannot write %s", path.data);
    printf("%s %zu\n", h->wire, h->messages);
    buf_done(&h->text);
}

int main(int argc, char **argv)
{
    struct fovea_fault fault;
    fovea *f = NULL;
    if (argc != 3)
        return 2;
    if (fovea_new(&(struct fovea_options){.worker_dir = argv[1], .ready_workers = 1}, &f, &fault) < 0)
        errx(3, "%s", fault.text);
    for (const char *const *t = fovea_traces(); *t; t++)
        run_trace(f, *t);
    for (size_t i = 0; i < COUNT(heaps) && heaps[i].wire; i++)
        save(&heaps[i], argv[2]);
    fovea_free(f);
    return 0;
}
