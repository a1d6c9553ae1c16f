/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenAI's Chat Completions and the many hosts that speak it. A tool message holds text only, unless the host is known to take
 * more: pictures follow in one message of the user, behind all results. Some hosts want the model to speak before the user does.
 */
#include <string.h>

#include "lower/write.h"

/* ---------------------------------------------------------------- parts */

static void put_file(struct writer *w, const struct shown *s)
{
    put(w, "{\"type\":\"file\",\"file\":{");
    if (s->form == FORM_BYTES) {
        put(w, "\"filename\":");
        put_span(w, s->part->name.len ? s->part->name : (struct span){"\"document.pdf\"", 14});
        put(w, ",\"file_data\":");
        put_data_url(w, &s->payload);
    } else {
        put(w, "\"file_id\":");
        put_span(w, s->part->file_id);
    }
    put(w, "}}");
}

static void put_media(struct writer *w, const struct shown *s)
{
    if (s->raw) {
        put_raw(w, s->part->raw, s->form == FORM_BYTES ? &s->payload : NULL);
        return;
    }
    if (s->part->type == PART_DOCUMENT) {
        put_file(w, s);
        return;
    }
    put(w, "{\"type\":\"image_url\",\"image_url\":{\"url\":");
    if (s->form == FORM_BYTES)
        put_data_url(w, &s->payload);
    else
        put_span(w, s->part->url);
    put(w, ",\"detail\":\"high\"}}");
}

static void put_block(struct writer *w, const struct shown *s)
{
    if (s->form == FORM_TEXT && s->raw) {
        put_raw(w, s->part->raw, NULL);
    } else if (s->form == FORM_TEXT || s->form == FORM_WORDS) {
        put(w, "{\"type\":\"text\",\"text\":");
        put_text(w, s);
        put(w, "}");
    } else if (s->form == FORM_VALUE) {
        put_raw(w, s->value, NULL);
    } else {
        put_media(w, s);
    }
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
        put_block(w, &s);
    }
}

static void write_list(struct writer *w, size_t from, size_t to)
{
    w->now = (struct message){.begun = true};
    for (size_t i = from; i < to; i++)
        write_parts(w, &w->group.items[i]);
    w->now = (struct message){0};
}

/* The same as pieces of one string, with between in front of all but the first; pictures are left for later. */
static size_t write_pieces(struct writer *w, const struct item *item, const char *between, size_t n)
{
    for (size_t i = 0; i < item->e.n_parts; i++) {
        if (item->e.parts[i].type == PART_TOOL_CALL || is_sent(w, item, i))
            continue;
        struct shown s = show_part(w, item, i);
        if (s.form != FORM_TEXT && s.form != FORM_WORDS)
            continue;
        sink_str(&w->sink, n++ ? between : "");
        put_inside(w, &s);
    }
    return n;
}

/* ---------------------------------------------------------------- what the model said */

static void put_call(struct writer *w, const struct call *c)
{
    put(w, "{\"id\":");
    put_call_id(w, c);
    put(w, ",\"type\":\"function\",\"function\":{\"name\":");
    put_call_name(w, c);
    put(w, ",\"arguments\":");
    put_arguments_text(w, c);
    put(w, "}}");
}

static size_t write_calls_of(struct writer *w, const struct item *item, size_t n)
{
    for (size_t i = 0; i < item->e.n_parts; i++) {
        const struct part *p = &item->e.parts[i];
        if (p->type != PART_TOOL_CALL)
            continue;
        struct call c = call_of(w, &item->e, i);
        sink_str(&w->sink, n++ ? "," : ",\"tool_calls\":[");
        if (p->raw.len && is_own(w, &item->e) && !call_renamed(w, &c))
            put_raw(w, p->raw, NULL);
        else
            put_call(w, &c);
    }
    return n;
}

static bool has_calls(const struct item *item)
{
    for (size_t i = 0; i < item->e.n_parts; i++)
        if (item->e.parts[i].type == PART_TOOL_CALL)
            return true;
    return false;
}

static bool wants_list(const struct writer *w, const struct item *item)
{
    return is_own(w, &item->e) && !item->e.plain;
}

/* Whether anything of the items stands in the content. */
static bool has_content(struct writer *w, size_t from, size_t to)
{
    bool found = false;
    w->looking = true;
    for (size_t i = from; i < to && !found; i++)
        for (size_t k = 0; k < w->group.items[i].e.n_parts && !found; k++) {
            const struct entry *e = &w->group.items[i].e;
            found = e->parts[k].type != PART_TOOL_CALL && show_part(w, &w->group.items[i], k).form != FORM_NONE;
        }
    w->looking = false;
    return found;
}

static void write_said_content(struct writer *w, size_t from, size_t to)
{
    const struct item *items = w->group.items;
    bool list = false;
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        list = list || wants_list(w, &items[i]);
    if (list) {
        put(w, ",\"content\":[");
        write_list(w, from, to);
        put(w, "]");
        return;
    }
    put(w, ",\"content\":\"");
    for (size_t i = from; i < to; i++)
        n = write_pieces(w, &items[i], "\\n\\n", n);
    put(w, "\"");
}

static size_t write_implicit(struct writer *w, size_t n)
{
    for (size_t i = 0; i < w->group.n_calls; i++) {
        if (!w->group.calls[i].implicit)
            continue;
        sink_str(&w->sink, n++ ? "," : ",\"tool_calls\":[");
        put_call(w, &w->group.calls[i]);
    }
    return n;
}

static bool any_implicit(const struct group *g)
{
    for (size_t i = 0; i < g->n_calls; i++)
        if (g->calls[i].implicit)
            return true;
    return false;
}

/* One message of the items from..to; the last one of a step has the calls that nobody wrote down too. */
static void write_said(struct writer *w, size_t from, size_t to, bool last)
{
    const struct item *items = w->group.items;
    bool calls = last && any_implicit(&w->group), content = has_content(w, from, to);
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        calls = calls || has_calls(&items[i]);
    if (!calls && !content) {
        (void)write_pieces(w, &items[from], "", 0); /* for the report */
        return;
    }
    bridge_before(w, "assistant");
    message_next(w);
    put_head(w, from < to ? &items[from].e : NULL, "assistant");
    if (content)
        write_said_content(w, from, to);
    else
        put(w, ",\"content\":null");
    for (size_t i = from; i < to; i++)
        n = write_calls_of(w, &items[i], n);
    if (last)
        n = write_implicit(w, n);
    sink_str(&w->sink, n ? "]}" : "}");
}

/* ---------------------------------------------------------------- results */

static void write_tool_head(struct writer *w, const struct item *item, const struct call *c)
{
    static const char *const ours[] = {"role", "content", "tool_call_id", NULL};
    message_next(w);
    put(w, "{\"role\":\"tool\",\"tool_call_id\":");
    put_call_id(w, c);
    if (item && item->e.raw.len && is_own(w, &item->e))
        (void)put_members(w, item->e.raw, ours, 2);
    put(w, ",\"content\":");
}

static void write_result(struct writer *w, size_t at, const struct call *c)
{
    const struct item *item = &w->group.items[at];
    bool native = w->job.target->tool_image == TOOL_NATIVE, sent = any_sent(w, item);
    write_tool_head(w, item, c);
    if (sent ? native : wants_list(w, item) && has_content(w, at, at + 1)) {
        put(w, "[");
        write_list(w, at, at + 1);
        put(w, "]}");
        return;
    }
    put(w, "\"");
    if (write_pieces(w, item, "\\n", 0) == 0)
        sink_str(&w->sink, sent ? "(see attached image)" : WORDS_NO_OUTPUT);
    put(w, "\"}");
}

static void write_results(struct writer *w)
{
    const struct group *g = &w->group;
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_RESULT)
            write_result(w, i, &g->calls[g->items[i].call]);
    for (size_t i = 0; i < g->n_calls; i++) {
        if (g->calls[i].result != NO_RESULT)
            continue;
        write_tool_head(w, NULL, &g->calls[i]);
        put(w, "\"" WORDS_NO_RESULT "\"}");
        tell(w, g->calls[i].seq, "entry %jd: a call without a result", (intmax_t)g->calls[i].seq);
    }
}

static void write_reattached(struct writer *w)
{
    message_lazy(w, NULL, "user", ",\"content\":[");
    write_detached(w, "{\"type\":\"text\",\"text\":\"", "\"}", put_block);
    message_end(w);
}

/* ---------------------------------------------------------------- groups */

static void write_user(struct writer *w, size_t from, size_t to);

static void write_tail(struct writer *w)
{
    const struct group *g = &w->group;
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_TAIL)
            write_user(w, i, i + 1);
}

/* Messages of the model stay apart as they were, as long as none of them waits for results. */
static void write_all_said(struct writer *w)
{
    const struct group *g = &w->group;
    size_t n = 0, from = 0;
    bool called = false;
    while (n < g->n_items && g->items[n].role == ITEM_SAID)
        n++;
    for (size_t i = 1; i < n; i++) {
        called = called || has_calls(&g->items[i - 1]);
        if (g->items[i].e.join || called)
            continue;
        write_said(w, from, i, false);
        from = i;
    }
    write_said(w, from, n, true);
}

static void write_step(struct writer *w)
{
    write_all_said(w);
    write_results(w);
    w->owes_bridge = w->owes_bridge || (w->job.target->bridge && w->group.n_calls > 0);
    if (w->job.target->tool_image != TOOL_NATIVE && step_sends(w))
        write_reattached(w);
    write_tail(w);
}

static bool one_text(struct writer *w, const struct item *item)
{
    const struct entry *e = &item->e;
    return e->n_parts == 1 && e->parts[0].type == PART_TEXT && !is_blank(e->parts[0].text) && !wants_list(w, item) &&
           item->role != ITEM_ORPHAN;
}

static void write_user(struct writer *w, size_t from, size_t to)
{
    const struct item *items = w->group.items;
    if (to == from + 1 && one_text(w, &items[from])) {
        bridge_before(w, "user");
        message_next(w);
        put_head(w, &items[from].e, "user");
        put(w, ",\"content\":");
        put_span(w, items[from].e.parts[0].text);
        put(w, "}");
        return;
    }
    message_lazy(w, &items[from].e, "user", ",\"content\":[");
    for (size_t i = from; i < to; i++) {
        if (items[i].role == ITEM_ORPHAN) {
            block_next(w);
            put(w, "{\"type\":\"text\",\"text\":\"");
            put_orphan_words(w, &items[i].e);
            put(w, "\"}");
        }
        write_parts(w, &items[i]);
    }
    message_end(w);
}

static void write_system(struct writer *w, size_t from, size_t to)
{
    const struct entry *e = &w->group.items[from].e;
    bool developer = e->wire.len && is_family(w, e) && span_is(span_inside(e->role), "developer");
    if (!has_content(w, from, to))
        return;
    bridge_before(w, "system");
    message_next(w);
    put_head(w, e, developer ? "developer" : "system");
    write_said_content(w, from, to);
    put(w, "}");
}

/* ---------------------------------------------------------------- export */

static void put_exact_head(struct writer *w, const struct entry *e)
{
    static const char *const roles[ENTRY_KINDS] = {
        [ENTRY_USER] = "user", [ENTRY_ASSISTANT] = "assistant", [ENTRY_TOOL_RESULT] = "tool", [ENTRY_PERCEPTION] = "tool"};
    bool developer = span_is(span_inside(e->role), "developer");
    w->owes_bridge = false;
    message_next(w);
    put_head(w, e, e->kind != ENTRY_SYSTEM ? roles[e->kind] : developer ? "developer" : "system");
    if (!(e->raw.len && is_own(w, e)) && e->call.len) {
        put(w, ",\"tool_call_id\":");
        put_span(w, e->call);
    }
}

static void write_exact_content(struct writer *w)
{
    const struct group *g = &w->group;
    const struct part *text = NULL;
    size_t others = 0, calls = 0;
    for (size_t i = 0; i < g->n_parts; i++) {
        bool call = g->parts[i].type == PART_TOOL_CALL;
        calls += call;
        others += !call;
        text = call ? text : &g->parts[i];
    }
    if (others == 0 && g->items[0].e.plain)
        return;
    put_next(w, "\"content\":");
    if (others == 0 && calls > 0) {
        put(w, "null");
    } else if (g->items[0].e.plain && others == 1 && text->type == PART_TEXT) {
        put_span(w, text->text);
    } else {
        put(w, "[");
        write_list(w, 0, g->n_items);
        put(w, "]");
    }
}

static void write_exact(struct writer *w)
{
    const struct entry *first = &w->group.items[0].e;
    struct span raw = is_own(w, first) ? first->raw : (struct span){0};
    size_t n = 0;
    put_exact_head(w, first);
    if (!has_member(raw, "content"))
        write_exact_content(w);
    for (size_t i = 0; i < w->group.n_items; i++)
        n = write_calls_of(w, &w->group.items[i], n);
    sink_str(&w->sink, n ? "]}" : "}");
}

const struct wire_form form_chat = {.step = write_step, .user = write_user, .rules = write_system, .exact = write_exact};
