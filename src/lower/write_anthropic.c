/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anthropic's Messages. The message behind one that calls tools must be the user's and begin with a result for each call;
 * results hold pictures and documents themselves. Blank texts are refused.
 */
#include <string.h>

#include "lower/refer.h"
#include "lower/write.h"

static void put_source(struct writer *w, const struct shown *s)
{
    if (s->form == FORM_BYTES && s->part->type == PART_DOCUMENT && refer_is_text(s->part)) {
        put(w, "{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":");
        sink_quoted(&w->sink, s->payload.data, s->payload.len);
        put(w, "}");
    } else if (s->form == FORM_BYTES) {
        put(w, "{\"type\":\"base64\",\"media_type\":");
        put_type(w, &s->payload);
        put(w, ",\"data\":\"");
        sink_base64(&w->sink, s->payload.data, s->payload.len);
        put(w, "\"}");
    } else if (s->form == FORM_URL) {
        put(w, "{\"type\":\"url\",\"url\":");
        put_span(w, s->part->url);
        put(w, "}");
    } else {
        put(w, "{\"type\":\"file\",\"file_id\":");
        put_span(w, s->part->file_id);
        put(w, "}");
    }
}

static void put_media(struct writer *w, const struct shown *s)
{
    bool document = s->part->type == PART_DOCUMENT;
    if (s->raw) {
        put_raw(w, s->part->raw, s->form == FORM_BYTES ? &s->payload : NULL);
        return;
    }
    sink_str(&w->sink, document ? "{\"type\":\"document\",\"source\":" : "{\"type\":\"image\",\"source\":");
    put_source(w, s);
    if (document && s->part->name.len) {
        put(w, ",\"title\":");
        put_span(w, s->part->name);
    }
    put(w, "}");
}

static void put_call(struct writer *w, const struct call *c)
{
    put(w, "{\"type\":\"tool_use\",\"id\":");
    put_call_id(w, c);
    put(w, ",\"name\":");
    put_call_name(w, c);
    put(w, ",\"input\":");
    put_arguments(w, c);
    put(w, "}");
}

static void put_one(struct writer *w, const struct shown *s)
{
    put_shown(w, s, "{\"type\":\"text\",\"text\":", put_media);
}

static void put_block(struct writer *w, const struct item *item, size_t i, const struct shown *s)
{
    if (s->form != FORM_CALL) {
        put_one(w, s);
        return;
    }
    struct call c = call_of(w, &item->e, i);
    if (s->raw)
        put_call_raw(w, s->part->raw, &c);
    else
        put_call(w, &c);
}

static void write_parts(struct writer *w, const struct item *item)
{
    for (size_t i = 0; i < item->e.n_parts; i++) {
        struct shown s = show_part(w, item, i);
        if (s.form == FORM_NONE)
            continue;
        block_next(w);
        if (is_media(&s))
            tell_place(w, &(struct lower_place){w->messages - 1, w->now.blocks - 1, -1}, item->e.seq, i);
        put_block(w, item, i, &s);
    }
}

/* ---------------------------------------------------------------- results */

/* A result that is an error holds nothing but texts: its pictures follow behind all results. */
static bool holds(struct writer *w, const struct item *item, size_t i)
{
    if (!item->e.error || w->group.kind == GROUP_EXACT)
        return true;
    const struct part *p = &item->e.parts[i];
    bool block = p->type == PART_OPAQUE && !is_broken(w, p) && span_is(span_inside(p->wire), lower_wire_names[w->wire]);
    if (block)
        tell_block(w, item->e.seq, i, "a block in a result that is an error,", p);
    return !block && !is_sent(w, item, i);
}

/* The list of a result's content; how many blocks it has. */
static size_t write_result_parts(struct writer *w, const struct item *item)
{
    size_t n = 0;
    for (size_t i = 0; i < item->e.n_parts; i++) {
        if (!holds(w, item, i))
            continue;
        struct shown s = show_part(w, item, i);
        if (s.form == FORM_NONE || s.form == FORM_CALL)
            continue;
        sink_str(&w->sink, n ? "," : "[");
        if (is_media(&s))
            tell_place(w, &(struct lower_place){w->messages - 1, w->now.blocks - 1, (int64_t)n}, item->e.seq, i);
        put_block(w, item, i, &s);
        n++;
    }
    return n;
}

static void write_result_content(struct writer *w, const struct item *item)
{
    struct span text;
    bool exact = w->group.kind == GROUP_EXACT;
    if (exact && item->e.plain && item->e.n_parts == 0)
        return;
    put_next(w, "\"content\":");
    if (is_plain_text(w, item, &text))
        put_span(w, text);
    else if (write_result_parts(w, item) > 0)
        put(w, "]");
    else if (exact)
        put(w, "[]");
    else
        sink_str(&w->sink, any_sent(w, item) ? "\"" WORDS_ATTACHED "\"" : "\"" WORDS_NO_OUTPUT "\"");
}

static void write_result(struct writer *w, const struct item *item, const struct call *c)
{
    static const char *const ours[] = {"type", "tool_use_id", "content", "is_error", NULL};
    bool exact = w->group.kind == GROUP_EXACT, own = item->e.block.len && is_own(w, &item->e);
    block_next(w);
    if (own && exact) {
        put(w, "{");
        (void)put_members(w, item->e.block, NULL, 0);
    } else {
        put(w, "{\"type\":\"tool_result\",\"tool_use_id\":");
        put_call_id(w, c);
        if (item->e.error)
            put(w, ",\"is_error\":true");
        if (own)
            (void)put_members(w, item->e.block, ours, 1);
    }
    if (!(own && exact && span_member(item->e.block, "content").len))
        write_result_content(w, item);
    put(w, "}");
}

static void write_missing(struct writer *w)
{
    for (size_t i = 0; i < w->group.n_calls; i++) {
        const struct call *c = &w->group.calls[i];
        if (c->result != NO_RESULT)
            continue;
        block_next(w);
        put(w, "{\"type\":\"tool_result\",\"tool_use_id\":");
        put_call_id(w, c);
        put(w, ",\"content\":\"" WORDS_NO_RESULT "\",\"is_error\":true}");
        tell(w, c->seq, "entry %jd: a call without a result", (intmax_t)c->seq);
    }
}

/* ---------------------------------------------------------------- groups */

static const struct entry *first_with(const struct group *g, enum item_role role)
{
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == role)
            return &g->items[i].e;
    return NULL;
}

static void write_said(struct writer *w)
{
    const struct group *g = &w->group;
    message_lazy(w, first_with(g, ITEM_SAID), "assistant", ",\"content\":[");
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_SAID)
            write_parts(w, &g->items[i]);
    for (size_t i = 0; i < g->n_calls; i++) {
        if (!g->calls[i].implicit)
            continue;
        block_next(w);
        put_call(w, &g->calls[i]);
    }
    message_end(w);
}

static void write_step(struct writer *w)
{
    const struct group *g = &w->group;
    write_said(w);
    message_lazy(w, first_with(g, ITEM_RESULT), "user", ",\"content\":[");
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_RESULT)
            write_result(w, &g->items[i], &g->calls[g->items[i].call]);
    write_missing(w);
    if (step_sends(w))
        write_detached(w, "{\"type\":\"text\",\"text\":\"", "\"}", put_one);
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_TAIL)
            write_parts(w, &g->items[i]);
    message_end(w);
}

static bool write_plain(struct writer *w, const struct item *item, const char *role)
{
    struct span text;
    if (!is_plain_text(w, item, &text))
        return false;
    message_next(w);
    put_head(w, &item->e, role);
    put(w, ",\"content\":");
    put_span(w, text);
    put(w, "}");
    return true;
}

static void write_orphan_words(struct writer *w, const struct item *item)
{
    block_next(w);
    put(w, "{\"type\":\"text\",\"text\":\"");
    put_orphan_words(w, &item->e);
    put(w, "\"}");
}

static void write_user(struct writer *w, size_t from, size_t to)
{
    const struct item *items = w->group.items;
    if (to == from + 1 && items[from].role != ITEM_ORPHAN && write_plain(w, &items[from], "user"))
        return;
    message_lazy(w, head_of(&items[from]), "user", ",\"content\":[");
    for (size_t i = from; i < to; i++) {
        if (items[i].role == ITEM_ORPHAN)
            write_orphan_words(w, &items[i]);
        write_parts(w, &items[i]);
    }
    message_end(w);
}

/* Words of the one who runs the model, in the middle of a conversation: not every model takes that role there, so it is used
 * only where it was before. */
static void write_system(struct writer *w, size_t from, size_t to)
{
    const struct item *items = w->group.items;
    bool own = is_own(w, &items[from].e);
    message_lazy(w, NULL, own ? "system" : "user", ",\"content\":[");
    for (size_t i = from; i < to; i++) {
        for (size_t k = 0; k < items[i].e.n_parts; k++) {
            struct shown s = show_part(w, &items[i], k);
            if (s.form == FORM_VALUE)
                tell_block(w, items[i].e.seq, k, "a block among the system's words,", s.part);
            if (s.form != FORM_TEXT && s.form != FORM_WORDS)
                continue;
            block_next(w);
            sink_str(&w->sink, own ? "{\"type\":\"text\",\"text\":\"" : "{\"type\":\"text\",\"text\":\"[system message] ");
            put_inside(w, &s);
            put(w, "\"}");
        }
    }
    message_end(w);
}

/* ---------------------------------------------------------------- export */

static const char *exact_role(const struct entry *e)
{
    return e->kind == ENTRY_ASSISTANT ? "assistant" : e->kind == ENTRY_SYSTEM ? "system" : "user";
}

static void write_exact_item(struct writer *w, const struct item *item)
{
    bool result = entry_is_result(&item->e);
    if (result)
        write_result(w, item, &(struct call){.id = span_inside(item->e.call)});
    else
        write_parts(w, item);
}

static void write_exact(struct writer *w)
{
    const struct group *g = &w->group;
    const struct item *first = &g->items[0];
    struct span raw = is_own(w, &first->e) ? first->e.raw : (struct span){0}, text;
    bool alone = g->n_items == 1 && !entry_is_result(&first->e);
    message_next(w);
    put_head(w, &first->e, exact_role(&first->e));
    if (span_member(raw, "content").len || (alone && first->e.plain && first->e.n_parts == 0)) {
        put(w, "}");
        return;
    }
    put_next(w, "\"content\":");
    if (alone && is_plain_text(w, first, &text)) {
        put_span(w, text);
        put(w, "}");
        return;
    }
    put(w, "[");
    w->now = (struct message){.begun = true};
    for (size_t i = 0; i < g->n_items; i++)
        write_exact_item(w, &g->items[i]);
    message_end(w);
}

const struct wire_form form_anthropic = {
    .step = write_step, .user = write_user, .rules = write_system, .exact = write_exact, .system_outside = true,
    .opening = "{\"role\":\"user\",\"content\":\"" WORDS_OPENING "\"}"};
