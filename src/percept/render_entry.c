/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of a transcript (docs/transcript.md) as a terminal interface shows them: who speaks, what was said, calls and results
 * as previews, a line for each picture. Read in place, so that a long entry is not built as a tree first. What an entry lacks
 * is left out: showing is for people, and judging entries is done elsewhere.
 */
#include <string.h>

#include "base/json_scan.h"
#include "base/limits.h"
#include "fovea.h"
#include "percept/columns.h"
#include "percept/render.h"

/* Members by name; a span of length 0 is not there. */
struct member {
    const char *name;
    struct span *to;
};

static void read_members(struct span object, const struct member *members)
{
    struct span_walk w = span_enter(object);
    while (span_next(&w))
        for (const struct member *m = members; m->name; m++)
            if (span_is(w.key, m->name))
                *m->to = w.value;
}

struct shown {
    struct span kind, role, parts, name, arguments, call, error, result;
    struct span model, input, output, cache_read, cache_write, cost;
    struct span wire, tools, entry, part, how, why;
};

static void read_entry(struct span object, struct shown *e)
{
    const struct member members[] = {
        {"kind", &e->kind}, {"role", &e->role}, {"parts", &e->parts}, {"name", &e->name}, {"arguments", &e->arguments},
        {"call", &e->call}, {"error", &e->error}, {"result", &e->result}, {"model", &e->model}, {"input", &e->input},
        {"output", &e->output}, {"cache_read", &e->cache_read}, {"cache_write", &e->cache_write}, {"cost_usd", &e->cost},
        {"wire", &e->wire}, {"tools", &e->tools}, {"entry", &e->entry}, {"part", &e->part}, {"how", &e->how},
        {"why", &e->why}, {0},
    };
    read_members(object, members);
}

/* ---------------------------------------------------------------- words */

/* A string as one line, or what else stands there as it is written; `before` it. Nothing when it is not there. */
static void add_word(struct buf *b, const char *before, struct span value)
{
    auto_buf text = BUF_INIT(LIMIT_RENDER_BYTES);
    if (!value.len)
        return;
    if (span_text(value, &text) < 0)
        (void)buf_add(&text, value.at, value.len);
    if (text.error == -ENOMEM)
        b->error = -ENOMEM;
    (void)buf_add_str(b, before);
    render_one_line(b, text.data ? text.data : "", text.len, QUESTION_COLUMNS);
}

static size_t count_elements(struct span array)
{
    struct span_walk w = span_enter(array);
    size_t n = 0;
    while (span_next(&w))
        n++;
    return n;
}

static void add_call(struct buf *b, const char *mark, struct span name, struct span arguments)
{
    auto_free char *tool = span_text_new(name);
    auto_free char *line = fovea_render_call_new(tool ? tool : "?", arguments.len ? arguments.at : NULL, arguments.len);
    (void)buf_add_format(b, "%s%s", mark, line ? line : "?");
}

/* ---------------------------------------------------------------- parts */

struct piece {
    struct span type, text, name, media_type, url, file_id, view, width, height, pages, broken, arguments, wire, value, thinking;
};

static void read_piece(struct span object, struct piece *p)
{
    const struct member members[] = {
        {"type", &p->type}, {"text", &p->text}, {"name", &p->name}, {"media_type", &p->media_type}, {"url", &p->url},
        {"file_id", &p->file_id}, {"view", &p->view}, {"width", &p->width}, {"height", &p->height}, {"pages", &p->pages},
        {"broken", &p->broken}, {"arguments", &p->arguments}, {"wire", &p->wire}, {"value", &p->value},
        {"thinking", &p->thinking}, {0},
    };
    read_members(object, members);
}

static bool is(struct span value, const char *word)
{
    return span_is(span_inside(value), word);
}

/* "[image shot.png · image/png 1280x800]" */
static void add_picture(struct buf *b, const struct piece *p)
{
    add_word(b, "\n  [", p->type);
    add_word(b, " ", p->name);
    add_word(b, " · ", p->media_type);
    add_word(b, " ", p->width);
    add_word(b, "x", p->height);
    add_word(b, " · pages: ", p->pages);
    add_word(b, " · ", p->url.len ? p->url : p->file_id);
    add_word(b, " · never sent: ", p->broken);
    (void)buf_add_str(b, "]");
}

/* A view is told by its id, by which it can be seen again. */
static void add_view(struct buf *b, const struct piece *p)
{
    auto_buf line = BUF_INIT(64 * KIB);
    add_word(&line, "", p->view);
    add_word(&line, " · ", p->media_type);
    (void)buf_add_str(b, "\n  ");
    (void)buf_add_columns(b, line.data, line.len, LINE_COLUMNS);
}

static void add_opaque(struct buf *b, const struct piece *p)
{
    struct span type = {0};
    read_members(p->value, (const struct member[]){{"type", &type}, {0}});
    if (span_true(p->thinking)) {
        (void)buf_add_str(b, "\n  (thinking)");
        add_word(b, " ", p->text);
        return;
    }
    add_word(b, "\n  [", p->wire);
    add_word(b, " ", type);
    (void)buf_add_str(b, "]");
}

static void add_part(struct buf *b, struct span object)
{
    struct piece p = {0};
    auto_buf text = BUF_INIT(LIMIT_RENDER_BYTES);
    read_piece(object, &p);
    if (is(p.type, "text") && span_text(p.text, &text) == 0) {
        (void)buf_add_str(b, "\n");
        render_lines(b, text.data ? text.data : "", text.len, 0, "  ");
    } else if (is(p.type, "tool_call")) {
        add_call(b, "\n  → ", p.name, p.arguments);
    } else if (is(p.type, "opaque")) {
        add_opaque(b, &p);
    } else if (p.view.len) {
        add_view(b, &p);
    } else {
        add_picture(b, &p);
    }
    b->error = b->error ? b->error : text.error;
}

/* ---------------------------------------------------------------- each kind */

static void add_said(struct buf *b, const struct shown *e, bool expanded)
{
    struct span_walk parts = span_enter(e->parts);
    (void)expanded;
    add_word(b, "", e->role);
    if (!b->len)
        add_word(b, "", e->kind); /* also where the role is blank */
    while (span_next(&parts) && !b->error)
        add_part(b, parts.value);
}

/* Who answered, of an answer: by the envelope, or by the details of an inspection. */
static void add_footer(struct buf *b, struct span result)
{
    struct span kind = {0}, provider = {0}, model = {0}, details = {0}, type = {0};
    read_members(result, (const struct member[]){
        {"kind", &kind}, {"provider", &provider}, {"model", &model}, {"mimeType", &type}, {"details", &details}, {0}});
    if (!is(kind, "answer"))
        return;
    read_members(details, (const struct member[]){{"model", &model}, {"mimeType", &type}, {0}});
    auto_buf line = BUF_INIT(64 * KIB);
    add_word(&line, "", provider);
    add_word(&line, provider.len ? "/" : "", model);
    add_word(&line, " · ", type);
    (void)buf_add_str(b, "\n  ");
    (void)buf_add_columns(b, line.data, line.len, LINE_COLUMNS);
}

/* What a view or an answer says to people: parts also say what only the model that called needs. 0 when there is nothing. */
static size_t add_for_people(struct buf *text, struct span result)
{
    struct span kind = {0}, note = {0}, words = {0}, content = {0};
    read_members(result, (const struct member[]){
        {"kind", &kind}, {"note", &note}, {"text", &words}, {"content", &content}, {0}});
    struct span_walk blocks = span_enter(content);
    if (is(kind, "answer") && span_next(&blocks))
        read_members(blocks.value, (const struct member[]){{"text", &words}, {0}});
    if (is(kind, "answer") || is(kind, "perception"))
        (void)span_text(is(kind, "answer") ? words : note, text);
    return text->len;
}

/* All words of a result are one preview; its pictures stand behind it. */
static void add_result(struct buf *b, const struct shown *e, bool expanded)
{
    auto_buf text = BUF_INIT(LIMIT_RENDER_BYTES), rest = BUF_INIT(LIMIT_RENDER_BYTES);
    struct span_walk parts = span_enter(e->parts);
    bool told = add_for_people(&text, e->result);
    while (span_next(&parts) && !text.error && !rest.error) {
        struct piece p = {0};
        read_piece(parts.value, &p);
        if (!is(p.type, "text")) {
            add_part(&rest, parts.value);
        } else if (!told) {
            (void)buf_add_str(&text, text.len ? "\n" : "");
            (void)span_text(p.text, &text);
        }
    }
    add_call(b, "← ", e->name, e->arguments);
    (void)buf_add_str(b, span_true(e->error) ? " (failed)\n" : "\n");
    render_lines(b, text.data ? text.data : "", text.len, expanded ? LINES_EXPANDED : LINES, "  ");
    (void)buf_add(b, rest.data, rest.len);
    add_footer(b, e->result);
    b->error = b->error ? b->error : text.error ? text.error : rest.error;
}

static void add_usage(struct buf *b, const struct shown *e, bool expanded)
{
    (void)expanded;
    (void)buf_add_str(b, "usage");
    add_word(b, " · ", e->model);
    add_word(b, " · in: ", e->input);
    add_word(b, ", out: ", e->output);
    add_word(b, ", from the cache: ", e->cache_read);
    add_word(b, ", into the cache: ", e->cache_write);
    if (e->cost.len && !span_is(e->cost, "null"))
        add_word(b, " · $", e->cost);
    else
        (void)buf_add_str(b, " · price not known");
}

static void add_request(struct buf *b, const struct shown *e, bool expanded)
{
    (void)expanded;
    (void)buf_add_str(b, "request");
    add_word(b, " · ", e->wire);
    if (e->tools.len)
        (void)buf_add_format(b, " · tools: %zu", count_elements(e->tools));
}

static void add_repair(struct buf *b, const struct shown *e, bool expanded)
{
    (void)expanded;
    (void)buf_add_str(b, "repair");
    add_word(b, " · entry ", e->entry);
    add_word(b, ", part ", e->part);
    add_word(b, " · ", e->how);
    add_word(b, ": ", e->why);
}

static const struct {
    const char *kind;
    void (*add)(struct buf *b, const struct shown *e, bool expanded);
} kinds[] = {
    {"system", add_said},        {"user", add_said},          {"assistant", add_said}, {"tool_result", add_result},
    {"perception", add_result}, {"usage", add_usage},       {"request", add_request}, {"repair", add_repair},
};

char *fovea_render_entry_new(const char *entry, size_t len, bool expanded)
{
    auto_buf b = BUF_INIT(LIMIT_RENDER_BYTES);
    struct shown e = {0};
    struct span object = {0};
    if (span_value(entry, len, &object))
        read_entry(object, &e);
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (is(e.kind, kinds[i].kind)) {
            kinds[i].add(&b, &e, expanded);
            return buf_take(&b);
        }
    (void)buf_add_str(&b, "an entry of another kind");
    add_word(&b, ": ", e.kind);
    return buf_take(&b);
}
