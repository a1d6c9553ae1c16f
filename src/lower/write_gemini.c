/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google's generateContent. All responses to the calls of one content stand in the next one, as many as there were calls; from
 * Gemini 3 on they hold pictures, before that pictures stand beside them. The first call of a step must carry a signature there:
 * for calls that another model made, Google names a word that says so.
 */
#include <string.h>

#include "lower/write.h"

#define FOREIGN_SIGNATURE "\"thoughtSignature\":\"skip_thought_signature_validator\""

/* ---------------------------------------------------------------- parts */

static void put_media(struct writer *w, const struct shown *s)
{
    if (s->raw) {
        put_raw(w, s->part->raw, s->form == FORM_BYTES ? &s->payload : NULL);
    } else if (s->form == FORM_BYTES) {
        put(w, "{\"inlineData\":{\"mimeType\":");
        put_type(w, &s->payload);
        put(w, ",\"data\":\"");
        sink_base64(&w->sink, s->payload.data, s->payload.len);
        put(w, "\"}}");
    } else {
        put(w, "{\"fileData\":{\"fileUri\":");
        put_span(w, s->form == FORM_URL ? s->part->url : s->part->file_id);
        if (s->part->media_type.len) {
            put(w, ",\"mimeType\":");
            put_span(w, s->part->media_type);
        }
        put(w, "}}");
    }
}

static void put_block(struct writer *w, const struct shown *s)
{
    put_shown(w, s, "{\"text\":", put_media);
}

/* ---------------------------------------------------------------- calls */

/* An id that import made up for a call without one is not for Google's eyes. */
static bool made_up(const struct call *c)
{
    return !c->implicit && c->id.len > 7 && memcmp(c->id.at, "gemini_", 7) == 0;
}

static void put_name_of(struct writer *w, const struct call *c)
{
    bool exact = w->group.kind == GROUP_EXACT;
    if (exact || !made_up(c)) {
        put(w, "\"id\":");
        put_call_id(w, c);
    }
    if (exact && !c->name.at)
        return;
    put_next(w, "\"name\":");
    put_call_name(w, c);
}

static void put_call(struct writer *w, const struct call *c, struct span raw, bool first)
{
    bool sign = first && w->job.target->thought_signatures && w->group.kind != GROUP_EXACT &&
                !span_member(raw, "thoughtSignature").len && !span_member(raw, "thought_signature").len;
    if (raw.len && !sign) {
        put_call_raw(w, raw, c);
        return;
    }
    put(w, "{");
    if (raw.len) {
        put_call_members(w, raw, c);
    } else {
        put(w, "\"functionCall\":{");
        put_name_of(w, c);
        put(w, ",\"args\":");
        put_arguments(w, c);
        put(w, "}");
    }
    if (sign)
        put_next(w, FOREIGN_SIGNATURE);
    put(w, "}");
}

static size_t write_parts(struct writer *w, const struct item *item, size_t calls)
{
    for (size_t i = 0; i < item->e.n_parts; i++) {
        struct shown s = show_part(w, item, i);
        if (s.form == FORM_NONE)
            continue;
        block_next(w);
        if (is_media(&s))
            tell_place(w, &(struct lower_place){w->messages - 1, w->now.blocks - 1, -1}, item->e.seq, i);
        if (s.form == FORM_CALL) {
            struct call c = call_of(w, &item->e, i);
            put_call(w, &c, s.raw ? s.part->raw : (struct span){0}, calls++ == 0);
        } else {
            put_block(w, &s);
        }
    }
    return calls;
}

static void write_said(struct writer *w)
{
    const struct group *g = &w->group;
    size_t calls = 0;
    message_lazy(w, g->items[0].role == ITEM_SAID ? &g->items[0].e : NULL, "model", ",\"parts\":[");
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_SAID)
            calls = write_parts(w, &g->items[i], calls);
    for (size_t i = 0; i < g->n_calls; i++) {
        if (!g->calls[i].implicit)
            continue;
        block_next(w);
        put_call(w, &g->calls[i], (struct span){0}, calls++ == 0);
    }
    message_end(w);
}

/* ---------------------------------------------------------------- responses */

/* The response of this wire that the entry came from: {"functionResponse":{...}} without its parts. */
static struct span inner_block(const struct writer *w, const struct entry *e)
{
    struct span_walk walk = span_enter(is_own(w, e) ? e->block : (struct span){0});
    while (span_next(&walk))
        if (span_is(walk.key, "functionResponse") || span_is(walk.key, "function_response"))
            return walk.value;
    return (struct span){0};
}

/* Pieces of what is said, joined; pictures are for elsewhere. */
static size_t write_words(struct writer *w, const struct item *item)
{
    size_t n = 0;
    for (size_t i = 0; i < item->e.n_parts; i++) {
        if (is_sent(w, item, i))
            continue;
        struct shown s = show_part(w, item, i);
        if (s.form != FORM_TEXT && s.form != FORM_WORDS)
            continue;
        sink_str(&w->sink, n++ ? "\\n" : "");
        put_inside(w, &s);
    }
    return n;
}

static void put_response(struct writer *w, const struct item *item)
{
    sink_str(&w->sink, item->e.error ? ",\"response\":{\"error\":\"" : ",\"response\":{\"output\":\"");
    if (write_words(w, item) == 0)
        sink_str(&w->sink, any_sent(w, item) ? WORDS_ATTACHED : WORDS_NO_OUTPUT);
    put(w, "\"}");
}

/* A response holds no text beside its pictures. */
static void put_aside(struct writer *w)
{
    if (w->aside.len)
        (void)buf_add_str(&w->aside, "\n");
    (void)buf_add(&w->aside, w->words.data, w->words.len);
}

/* functionResponse.parts: what is sent inside, and blocks that only this wire has. */
static void write_inner(struct writer *w, const struct item *item)
{
    bool native = w->job.target->tool_image == TOOL_NATIVE || w->group.kind == GROUP_EXACT;
    size_t n = 0;
    for (size_t i = 0; i < item->e.n_parts; i++) {
        enum part_type type = item->e.parts[i].type;
        if (is_broken(w, &item->e.parts[i]))
            continue;
        if (type == PART_OPAQUE ? !span_is(span_inside(item->e.parts[i].wire), lower_wire_names[w->wire])
                                : !native || !is_sent(w, item, i))
            continue;
        struct shown s = show_part(w, item, i);
        if (s.form == FORM_WORDS)
            put_aside(w);
        if (s.form == FORM_NONE || s.form == FORM_WORDS)
            continue;
        if (n)
            put(w, ",");
        else
            put_next(w, "\"parts\":[");
        if (is_media(&s))
            tell_place(w, &(struct lower_place){w->messages - 1, w->now.blocks - 1, (int64_t)n}, item->e.seq, i);
        put_block(w, &s);
        n++;
    }
    if (n)
        put(w, "]");
}

static void write_response(struct writer *w, const struct item *item, const struct call *c)
{
    static const char *const inner_only[] = {"functionResponse", "function_response", NULL}, *const parts[] = {"parts", NULL};
    struct span inner = inner_block(w, &item->e);
    bool exact = w->group.kind == GROUP_EXACT;
    block_next(w);
    sink_str(&w->sink, span_member(item->e.block, "function_response").len ? "{\"function_response\":{" : "{\"functionResponse\":{");
    if (inner.len) {
        put_named_members(w, inner, exact ? NULL : parts, c);
        if (!exact && !made_up(c) && !span_member(inner, "id").len) {
            put_next(w, "\"id\":");
            put_call_id(w, c);
        }
    } else {
        put_name_of(w, c);
        if (exact && item->e.n_parts && item->e.parts[0].type == PART_TEXT) {
            put(w, ",\"response\":{\"output\":");
            put_span(w, item->e.parts[0].text);
            put(w, "}");
        } else if (exact) {
            put(w, ",\"response\":{}");
        } else {
            put_response(w, item);
        }
    }
    write_inner(w, item);
    put(w, "}");
    if (inner.len)
        (void)put_members(w, item->e.block, inner_only, 1);
    put(w, "}");
}

/* Words on pictures that are not sent have no place in a response that is given back as it was. */
static void find_aside(struct writer *w, const struct item *item)
{
    if (!inner_block(w, &item->e).len)
        return;
    for (size_t i = 0; i < item->e.n_parts; i++) {
        const struct part *p = &item->e.parts[i];
        bool media = p->type == PART_IMAGE || p->type == PART_DOCUMENT;
        if (!is_broken(w, p) && (!media || is_sent(w, item, i)))
            continue;
        if (show_part(w, item, i).form == FORM_WORDS)
            put_aside(w);
    }
}

static void write_aside(struct writer *w)
{
    if (!w->aside.len)
        return;
    block_next(w);
    put(w, "{\"text\":");
    sink_quoted(&w->sink, w->aside.data, w->aside.len);
    put(w, "}");
    w->aside.len = 0;
}

static void write_missing(struct writer *w, const struct call *c)
{
    block_next(w);
    put(w, "{\"functionResponse\":{");
    put_name_of(w, c);
    put(w, ",\"response\":{\"error\":\"" WORDS_NO_RESULT "\"}}}");
    tell(w, c->seq, "entry %jd: a call without a result", (intmax_t)c->seq);
}

/* ---------------------------------------------------------------- groups */

/* Responses stand in the order of their calls: those without ids are told apart by it. */
static void write_responses(struct writer *w)
{
    const struct group *g = &w->group;
    for (size_t i = 0; i < g->n_calls; i++) {
        if (g->calls[i].result == NO_RESULT)
            write_missing(w, &g->calls[i]);
        else
            write_response(w, &g->items[g->calls[i].result], &g->calls[i]);
    }
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_RESULT)
            find_aside(w, &g->items[i]);
    write_aside(w);
}

static void write_step(struct writer *w)
{
    const struct group *g = &w->group;
    write_said(w);
    message_lazy(w, NULL, "user", ",\"parts\":[");
    write_responses(w);
    if (step_sends(w))
        write_detached(w, "{\"text\":\"", "\"}", put_block);
    for (size_t i = 0; i < g->n_items; i++)
        if (g->items[i].role == ITEM_TAIL)
            (void)write_parts(w, &g->items[i], 0);
    message_end(w);
}

static void write_user(struct writer *w, size_t from, size_t to)
{
    const struct item *items = w->group.items;
    message_lazy(w, head_of(&items[from]), "user", ",\"parts\":[");
    for (size_t i = from; i < to; i++) {
        if (items[i].role == ITEM_ORPHAN) {
            block_next(w);
            put(w, "{\"text\":\"");
            put_orphan_words(w, &items[i].e);
            put(w, "\"}");
        }
        (void)write_parts(w, &items[i], 0);
    }
    message_end(w);
}

static void write_system(struct writer *w, size_t from, size_t to)
{
    message_lazy(w, NULL, "user", ",\"parts\":[");
    for (size_t i = from; i < to; i++) {
        const struct item *item = &w->group.items[i];
        for (size_t k = 0; k < item->e.n_parts; k++) {
            struct shown s = show_part(w, item, k);
            if (s.form == FORM_VALUE)
                tell_block(w, item->e.seq, k, "a block among the system's words,", s.part);
            if (s.form != FORM_TEXT && s.form != FORM_WORDS)
                continue;
            block_next(w);
            put(w, "{\"text\":\"[system message] ");
            put_inside(w, &s);
            put(w, "\"}");
        }
    }
    message_end(w);
}

static void write_exact(struct writer *w)
{
    const struct group *g = &w->group;
    const struct entry *first = &g->items[0].e;
    message_next(w);
    put_head(w, first, first->kind == ENTRY_ASSISTANT ? "model" : "user");
    if (g->n_items == 1 && first->plain && first->n_parts == 0) {
        put(w, "}");
        return;
    }
    put_next(w, "\"parts\":[");
    w->now = (struct message){.begun = true};
    for (size_t i = 0; i < g->n_items; i++) {
        const struct entry *e = &g->items[i].e;
        struct call c = {.id = span_inside(e->call), .name = span_inside(e->name)};
        if (entry_is_result(e))
            write_response(w, &g->items[i], &c);
        else
            (void)write_parts(w, &g->items[i], 0);
    }
    write_aside(w);
    message_end(w);
}

const struct wire_form form_gemini = {
    .step = write_step, .user = write_user, .rules = write_system, .exact = write_exact, .system_outside = true,
    .opening = "{\"role\":\"user\",\"parts\":[{\"text\":\"" WORDS_OPENING "\"}]}"};
