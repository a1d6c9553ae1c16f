/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenAI's Chat Completions and the many hosts that speak it. A tool message holds text only, unless the host is known to take
 * more: pictures follow in one message of the user, behind all results. Some hosts want the model to speak before the user does.
 */
#include <string.h>

#include "lower/chat_parts.h"

/* ---------------------------------------------------------------- what the model said */

static void write_said_content(struct writer *w, size_t from, size_t to)
{
    const struct item *items = w->group.items;
    bool list = false;
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        list = list || chat_wants_list(w, &items[i]);
    if (list) {
        put(w, ",\"content\":[");
        chat_write_list(w, from, to);
        put(w, "]");
        return;
    }
    put(w, ",\"content\":\"");
    for (size_t i = from; i < to; i++)
        n = chat_write_pieces(w, &items[i], "\\n\\n", n);
    put(w, "\"");
}

static size_t write_implicit(struct writer *w, size_t n)
{
    for (size_t i = 0; i < w->group.n_calls; i++) {
        if (!w->group.calls[i].implicit)
            continue;
        sink_str(&w->sink, n++ ? "," : ",\"tool_calls\":[");
        chat_put_call(w, &w->group.calls[i]);
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

/* Whether a message of this wire says something that is not in its content. */
static bool speaks_raw(const struct writer *w, const struct entry *e)
{
    struct span_walk walk = span_enter(e->raw.len && is_own(w, e) ? e->raw : (struct span){0});
    while (span_next(&walk)) {
        bool says = span_is(walk.key, "refusal") || span_is(walk.key, "audio") || span_is(walk.key, "function_call");
        if (says && (walk.value.at[0] == '{' || (span_is_string(walk.value) && !is_blank(walk.value))))
            return true;
    }
    return false;
}

/* Items of which nothing is written are in the report all the same. */
static void tell_dropped(struct writer *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        (void)chat_write_pieces(w, &w->group.items[i], "", 0);
}

/* One message of the items from..to; the last one of a step has the calls that nobody wrote down too. */
static void write_said(struct writer *w, size_t from, size_t to, bool last)
{
    const struct item *items = w->group.items;
    bool calls = last && any_implicit(&w->group), content = chat_has_content(w, from, to);
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        calls = calls || chat_has_calls(&items[i]);
    if (!content)
        tell_dropped(w, from, to);
    if (!calls && !content && !(from < to && speaks_raw(w, &items[from].e)))
        return;
    bridge_before(w, "assistant");
    message_next(w);
    put_head(w, from < to ? &items[from].e : NULL, "assistant");
    if (content)
        write_said_content(w, from, to);
    else
        put(w, ",\"content\":null");
    for (size_t i = from; i < to; i++)
        n = chat_write_calls(w, &items[i], n);
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
        put_extra(w, &item->e, ours, 2);
    put(w, ",\"content\":");
}

static void write_result(struct writer *w, size_t at, const struct call *c)
{
    const struct item *item = &w->group.items[at];
    bool native = w->job.target->tool_image == TOOL_NATIVE, sent = any_sent(w, item);
    write_tool_head(w, item, c);
    if (sent ? native : chat_wants_list(w, item) && chat_has_content(w, at, at + 1)) {
        put(w, "[");
        chat_write_list(w, at, at + 1);
        put(w, "]}");
        return;
    }
    put(w, "\"");
    if (chat_write_pieces(w, item, "\\n", 0) == 0)
        sink_str(&w->sink, sent ? WORDS_ATTACHED : WORDS_NO_OUTPUT);
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
    write_detached(w, "{\"type\":\"text\",\"text\":\"", "\"}", chat_put_block);
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
        called = called || chat_has_calls(&g->items[i - 1]);
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
    if (step_sends(w))
        write_reattached(w);
    write_tail(w);
}

static bool one_text(struct writer *w, const struct item *item)
{
    const struct entry *e = &item->e;
    return e->n_parts == 1 && e->parts[0].type == PART_TEXT && !is_blank(e->parts[0].text) && !chat_wants_list(w, item) &&
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
    message_lazy(w, head_of(&items[from]), "user", ",\"content\":[");
    for (size_t i = from; i < to; i++) {
        if (items[i].role == ITEM_ORPHAN) {
            block_next(w);
            put(w, "{\"type\":\"text\",\"text\":\"");
            put_orphan_words(w, &items[i].e);
            put(w, "\"}");
        }
        chat_write_parts(w, &items[i]);
    }
    message_end(w);
}

static void write_system(struct writer *w, size_t from, size_t to)
{
    const struct entry *e = &w->group.items[from].e;
    bool developer = e->wire.len && is_family(w, e) && span_is(span_inside(e->role), "developer");
    if (!chat_has_content(w, from, to)) {
        tell_dropped(w, from, to);
        return;
    }
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
        chat_write_list(w, 0, g->n_items);
        put(w, "]");
    }
}

static void write_exact(struct writer *w)
{
    const struct entry *first = &w->group.items[0].e;
    struct span raw = is_own(w, first) ? first->raw : (struct span){0};
    size_t n = 0;
    put_exact_head(w, first);
    if (!span_member(raw, "content").len)
        write_exact_content(w);
    for (size_t i = 0; i < w->group.n_items; i++)
        n = chat_write_calls(w, &w->group.items[i], n);
    sink_str(&w->sink, n ? "]}" : "}");
}

const struct wire_form form_chat = {.step = write_step, .user = write_user, .rules = write_system, .exact = write_exact};
