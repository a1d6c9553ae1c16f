/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenAI's Responses. The input is a list of items, and a call, its result and a thought are items of their own; results hold
 * pictures and files. What the model said elsewhere is a bare message with a string: its own messages have ids.
 */
#include <string.h>

#include "lower/write.h"

/* ---------------------------------------------------------------- parts */

static void put_image(struct writer *w, const struct shown *s)
{
    put(w, "{\"type\":\"input_image\",\"detail\":\"high\",");
    if (s->form == FORM_FILE) {
        put(w, "\"file_id\":");
        put_span(w, s->part->file_id);
    } else {
        put(w, "\"image_url\":");
        if (s->form == FORM_BYTES)
            put_data_url(w, &s->payload);
        else
            put_span(w, s->part->url);
    }
    put(w, "}");
}

static void put_file(struct writer *w, const struct shown *s)
{
    put(w, "{\"type\":\"input_file\",");
    if (s->form == FORM_FILE) {
        put(w, "\"file_id\":");
        put_span(w, s->part->file_id);
    } else if (s->form == FORM_URL) {
        put(w, "\"file_url\":");
        put_span(w, s->part->url);
    } else {
        put(w, "\"filename\":");
        put_span(w, s->part->name.len ? s->part->name : (struct span){"\"document.pdf\"", 14});
        put(w, ",\"file_data\":");
        put_data_url(w, &s->payload);
    }
    put(w, "}");
}

static void put_media(struct writer *w, const struct shown *s)
{
    if (s->raw)
        put_raw(w, s->part->raw, s->form == FORM_BYTES ? &s->payload : NULL);
    else if (s->part->type == PART_DOCUMENT)
        put_file(w, s);
    else
        put_image(w, s);
}

static void put_block(struct writer *w, const struct shown *s)
{
    put_shown(w, s, "{\"type\":\"input_text\",\"text\":", put_media);
}

static void put_said(struct writer *w, const struct shown *s)
{
    if ((s->form != FORM_TEXT || s->raw) && s->form != FORM_WORDS) {
        put_block(w, s);
        return;
    }
    put(w, "{\"type\":\"output_text\",\"text\":");
    put_text(w, s);
    put(w, ",\"annotations\":[]}");
}

/* Blocks of an item in the list that is open. */
static void write_parts(struct writer *w, const struct item *item)
{
    for (size_t i = 0; i < item->e.n_parts; i++) {
        if (item->e.parts[i].type == PART_TOOL_CALL)
            continue;
        struct shown s = show_part(w, item, i);
        if (s.form == FORM_NONE)
            continue;
        block_next(w);
        if (is_media(&s))
            tell_place(w, &(struct lower_place){w->messages - 1, w->now.blocks - 1, -1}, item->e.seq, i);
        if (item->e.kind == ENTRY_ASSISTANT)
            put_said(w, &s);
        else
            put_block(w, &s);
    }
}

/* ---------------------------------------------------------------- what the model said */

static void put_call(struct writer *w, const struct call *c)
{
    put(w, "{\"type\":\"function_call\",\"call_id\":");
    put_call_id(w, c);
    put(w, ",\"name\":");
    put_call_name(w, c);
    put(w, ",\"arguments\":");
    put_arguments_text(w, c);
    put(w, "}");
}

/* An entry of this wire is a message, or the one item that its part is. A message that was no more than its words is written
 * as a string, which the vendor's types know too. */
static bool is_message(const struct writer *w, const struct entry *e)
{
    bool text = false;
    if (!is_own(w, e))
        return false;
    for (size_t i = 0; i < e->n_parts; i++) {
        if (e->parts[i].type == PART_TOOL_CALL)
            return false;
        text = text || e->parts[i].type == PART_TEXT;
    }
    return e->raw.len > 0 || (text && w->group.kind == GROUP_EXACT);
}

/* Texts that follow each other are one message. */
static bool put_piece(struct writer *w, const struct shown *s, bool open)
{
    if (open) {
        put(w, "\\n\\n");
    } else {
        message_next(w);
        put(w, "{\"role\":\"assistant\",\"content\":\"");
    }
    put_inside(w, s);
    return true;
}

static bool end_piece(struct writer *w, bool open)
{
    if (open)
        put(w, "\"}");
    return false;
}

static void write_items(struct writer *w, const struct item *item)
{
    bool open = false;
    for (size_t i = 0; i < item->e.n_parts; i++) {
        struct shown s = show_part(w, item, i);
        if (s.form == FORM_TEXT || s.form == FORM_WORDS)
            open = put_piece(w, &s, open);
        if (s.form != FORM_CALL && s.form != FORM_VALUE)
            continue;
        open = end_piece(w, open);
        message_next(w);
        struct call c = call_of(w, &item->e, i);
        if (s.form == FORM_VALUE)
            put_raw(w, s.value, NULL);
        else if (s.raw)
            put_call_raw(w, s.part->raw, &c);
        else
            put_call(w, &c);
    }
    (void)end_piece(w, open);
}

static void write_message(struct writer *w, const struct item *item, const char *role)
{
    struct span text;
    if (is_plain_text(w, item, &text)) {
        message_next(w);
        put_head(w, &item->e, role);
        put_next(w, "\"content\":");
        put_span(w, text);
        put(w, "}");
        return;
    }
    message_lazy(w, &item->e, role, ",\"content\":[");
    write_parts(w, item);
    message_end(w);
}

static void write_said(struct writer *w)
{
    const struct group *g = &w->group;
    for (size_t i = 0; i < g->n_items; i++) {
        if (g->items[i].role != ITEM_SAID)
            continue;
        if (is_message(w, &g->items[i].e))
            write_message(w, &g->items[i], "assistant");
        else
            write_items(w, &g->items[i]);
    }
    for (size_t i = 0; i < g->n_calls; i++) {
        if (!g->calls[i].implicit)
            continue;
        message_next(w);
        put_call(w, &g->calls[i]);
    }
}

/* ---------------------------------------------------------------- results */

/* A result of this wire keeps what else it had, its type too as long as its call has kept it. */
static void put_result_head(struct writer *w, const struct item *item, const struct call *c)
{
    static const char *const ours[] = {"type", "call_id", "output", NULL}, *const typed[] = {"call_id", "output", NULL};
    struct span raw = item && is_own(w, &item->e) ? item->e.raw : (struct span){0};
    bool keeps = raw.len && call_is_own(w, c) && span_member(raw, "type").len;
    message_next(w);
    put(w, "{");
    if (!keeps)
        put(w, "\"type\":\"function_call_output\"");
    (void)put_members(w, raw, keeps ? typed : ours, keeps ? 0 : 1);
    put_next(w, "\"call_id\":");
    put_call_id(w, c);
    put(w, ",\"output\":");
}

static bool lists(struct writer *w, const struct item *item)
{
    bool own = is_own(w, &item->e) && !item->e.plain && item->e.n_parts > 0;
    if (any_sent(w, item))
        return w->job.target->tool_image == TOOL_NATIVE;
    for (size_t i = 0; i < item->e.n_parts && own; i++)
        if (item->e.parts[i].type == PART_TEXT && is_blank(item->e.parts[i].text))
            return false;
    return own;
}

static void write_result(struct writer *w, const struct item *item, const struct call *c)
{
    size_t n = 0;
    put_result_head(w, item, c);
    if (lists(w, item)) {
        put(w, "[");
        w->now = (struct message){.begun = true};
        write_parts(w, item);
        w->now = (struct message){0};
        put(w, "]}");
        return;
    }
    put(w, "\"");
    for (size_t i = 0; i < item->e.n_parts; i++) {
        if (is_sent(w, item, i))
            continue;
        struct shown s = show_part(w, item, i);
        if (s.form != FORM_TEXT && s.form != FORM_WORDS)
            continue;
        sink_str(&w->sink, n++ ? "\\n" : "");
        put_inside(w, &s);
    }
    if (n == 0)
        sink_str(&w->sink, any_sent(w, item) ? WORDS_ATTACHED : WORDS_NO_OUTPUT);
    put(w, "\"}");
}

static void write_missing(struct writer *w)
{
    for (size_t i = 0; i < w->group.n_calls; i++) {
        const struct call *c = &w->group.calls[i];
        if (c->result != NO_RESULT)
            continue;
        put_result_head(w, NULL, c);
        put(w, "\"" WORDS_NO_RESULT "\"}");
        tell(w, c->seq, "entry %jd: a call without a result", (intmax_t)c->seq);
    }
}

/* ---------------------------------------------------------------- groups */

static void write_user(struct writer *w, size_t from, size_t to)
{
    const struct item *items = w->group.items;
    if (to == from + 1 && items[from].role != ITEM_ORPHAN) {
        write_message(w, &items[from], "user");
        return;
    }
    message_lazy(w, head_of(&items[from]), "user", ",\"content\":[");
    for (size_t i = from; i < to; i++) {
        if (items[i].role == ITEM_ORPHAN) {
            block_next(w);
            put(w, "{\"type\":\"input_text\",\"text\":\"");
            put_orphan_words(w, &items[i].e);
            put(w, "\"}");
        }
        write_parts(w, &items[i]);
    }
    message_end(w);
}

static void write_step(struct writer *w)
{
    const struct group *g = &w->group;
    write_said(w);
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_RESULT)
            write_result(w, &g->items[i], &g->calls[g->items[i].call]);
    write_missing(w);
    if (step_sends(w)) {
        message_lazy(w, NULL, "user", ",\"content\":[");
        write_detached(w, "{\"type\":\"input_text\",\"text\":\"", "\"}", put_block);
        message_end(w);
    }
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_TAIL)
            write_user(w, i, i + 1);
}

static void write_system(struct writer *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        bool developer = span_is(span_inside(w->group.items[i].e.role), "developer");
        write_message(w, &w->group.items[i], developer ? "developer" : "system");
    }
}

/* ---------------------------------------------------------------- export */

static void write_exact_list(struct writer *w, const struct item *item, const char *member)
{
    struct span text;
    bool bare = item->e.plain && item->e.n_parts == 0;
    if (bare || (is_own(w, &item->e) && span_member(item->e.raw, member).len))
        return;
    put_next(w, "");
    sink_quoted(&w->sink, member, strlen(member));
    put(w, ":");
    if (is_plain_text(w, item, &text)) {
        put_span(w, text);
        return;
    }
    put(w, "[");
    w->now = (struct message){.begun = true};
    write_parts(w, item);
    w->now = (struct message){0};
    put(w, "]");
}

static void write_exact_item(struct writer *w, const struct item *item)
{
    static const char *const roles[ENTRY_KINDS] = {[ENTRY_USER] = "user", [ENTRY_ASSISTANT] = "assistant"};
    const struct entry *e = &item->e;
    bool raw = e->raw.len && is_own(w, e), result = entry_is_result(e);
    if (e->kind == ENTRY_ASSISTANT && !is_message(w, e)) {
        write_items(w, item);
        return;
    }
    message_next(w);
    if (result && !raw) {
        put(w, "{\"type\":\"function_call_output\",\"call_id\":");
        put_span(w, e->call);
    } else if (e->kind == ENTRY_SYSTEM) {
        put_head(w, e, span_is(span_inside(e->role), "developer") ? "developer" : "system");
    } else {
        put_head(w, e, result ? "" : roles[e->kind]);
    }
    write_exact_list(w, item, result ? "output" : "content");
    put(w, "}");
}

static void write_exact(struct writer *w)
{
    for (size_t i = 0; i < w->group.n_items; i++)
        write_exact_item(w, &w->group.items[i]);
}

const struct wire_form form_responses = {
    .step = write_step, .user = write_user, .rules = write_system, .exact = write_exact};
