/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of JSON that the wires share. Strings are copied as they stand in the entry, escapes and all. */
#include <stdio.h>
#include <string.h>

#include "lower/call_id.h"
#include "lower/write.h"

void put_inside(struct writer *w, const struct shown *s)
{
    if (s->form == FORM_WORDS)
        sink_escaped(&w->sink, w->words.data, w->words.len);
    else
        put_span(w, span_inside(s->text));
}

void put_text(struct writer *w, const struct shown *s)
{
    put(w, "\"");
    put_inside(w, s);
    put(w, "\"");
}

/* Export says of a picture what was said of it when it came. */
static void put_bare_type(struct writer *w, const struct payload *p)
{
    if (w->group.kind == GROUP_EXACT && w->declared.len)
        put_span(w, span_inside(w->declared));
    else
        sink_escaped(&w->sink, p->media_type, strlen(p->media_type));
}

void put_type(struct writer *w, const struct payload *p)
{
    put(w, "\"");
    put_bare_type(w, p);
    put(w, "\"");
}

void put_data_url(struct writer *w, const struct payload *p)
{
    put(w, "\"data:");
    put_bare_type(w, p);
    put(w, ";base64,");
    sink_base64(&w->sink, p->data, p->len);
    put(w, "\"");
}

/* ---------------------------------------------------------------- raw blocks */

static bool put_token(struct writer *w, struct span value, const struct payload *p)
{
    if (!p || value.len < 2 || value.at[1] != '\\')
        return false;
    if (span_is(value, "\"\\u0001data\"")) {
        put(w, "\"");
        sink_base64(&w->sink, p->data, p->len);
        put(w, "\"");
    } else if (span_is(value, "\"\\u0001type\"")) {
        put_type(w, p);
    } else if (span_is(value, "\"\\u0001url\"")) {
        put_data_url(w, p);
    } else {
        return false;
    }
    return true;
}

static void put_key(struct writer *w, struct span key)
{
    put(w, "\"");
    put_span(w, key);
    put(w, "\":");
}

/* Deep as the text is: LIMIT_JSON_SCAN_DEPTH at most, or it would not have been read. */
static void put_value(struct writer *w, struct span value, const struct payload *p, bool strip)
{
    struct span_walk walk = span_enter(value);
    bool nest = value.len && (value.at[0] == '{' || value.at[0] == '['), first = true;
    if (!nest) {
        if (!put_token(w, value, p))
            put_span(w, value);
        return;
    }
    sink_add(&w->sink, value.at, 1);
    while (span_next(&walk)) {
        if (strip && span_is_object(&walk) && span_is(walk.key, "cache_control"))
            continue;
        if (!first)
            put(w, ",");
        first = false;
        if (span_is_object(&walk))
            put_key(w, walk.key);
        /* What a tool is given is nobody's to change. */
        if (span_is_object(&walk) && span_is(walk.key, "input"))
            put_span(w, walk.value);
        else
            put_value(w, walk.value, p, strip);
    }
    sink_add(&w->sink, value.at + value.len - 1, 1);
}

static bool has(struct span s, const char *word)
{
    return memmem(s.at, s.len, word, strlen(word)) != NULL;
}

void put_raw(struct writer *w, struct span raw, const struct payload *payload)
{
    bool strip = w->group.kind != GROUP_EXACT && has(raw, "\"cache_control\""), tokens = payload && has(raw, "\\u0001");
    if (strip || tokens)
        put_value(w, raw, payload, strip);
    else
        put_span(w, raw);
}

static bool is_one_of(struct span key, const char *const *names)
{
    for (; names && *names; names++)
        if (span_is(key, *names))
            return true;
    return false;
}

size_t put_members(struct writer *w, struct span object, const char *const *without, size_t n)
{
    bool strip = w->group.kind != GROUP_EXACT;
    struct span_walk walk = span_enter(object);
    while (span_next(&walk)) {
        if (is_one_of(walk.key, without) || (strip && span_is(walk.key, "cache_control")))
            continue;
        if (n++ > 0)
            put(w, ",");
        put_key(w, walk.key);
        put_raw(w, walk.value, NULL);
    }
    return n;
}

void put_next(struct writer *w, const char *member)
{
    if (w->sink.last != '{')
        put(w, ",");
    sink_str(&w->sink, member);
}

bool has_member(struct span object, const char *name)
{
    struct span_walk walk = span_enter(object);
    while (span_next(&walk))
        if (span_is(walk.key, name))
            return true;
    return false;
}

void put_orphan_words(struct writer *w, const struct entry *e)
{
    put(w, "[result of call ");
    put_span(w, span_inside(e->call));
    if (span_inside(e->name).len) {
        put(w, " of ");
        put_span(w, span_inside(e->name));
    }
    put(w, ", which is not open in this conversation]");
}

/* ---------------------------------------------------------------- calls */

struct call call_of(const struct writer *w, const struct entry *e, size_t part)
{
    const struct part *p = &e->parts[part];
    for (size_t i = 0; i < w->group.n_calls; i++)
        if (w->group.calls[i].seq == e->seq && w->group.calls[i].part == part && !w->group.calls[i].implicit)
            return w->group.calls[i];
    return (struct call){
        .wire = e->wire, .id = span_inside(p->id), .name = span_inside(p->name), .arguments = p->value, .arguments_text = p->value_text};
}

static void id_text(const struct writer *w, const struct call *c, char ret[static CALL_ID_ROOM])
{
    if (c->implicit)
        (void)snprintf(ret, CALL_ID_ROOM, "fovea_%jd", (intmax_t)c->seq);
    else
        call_id(w->wire, c->id, c->nth, ret);
}

/* Names that this wire gave or took are good for it; but not all who speak Anthropic's are as strict as Anthropic. */
static bool verbatim(const struct writer *w, const struct call *c)
{
    char id[CALL_ID_ROOM], name[CALL_ID_ROOM];
    if (w->group.kind == GROUP_EXACT)
        return true;
    if (c->nth > 0 || c->implicit || !span_is(span_inside(c->wire), lower_wire_names[w->wire]))
        return false;
    if (w->wire != LOWER_ANTHROPIC)
        return true;
    id_text(w, c, id);
    tool_name(c->name, name);
    return span_is(c->id, id) && span_is(c->name, name);
}

bool call_renamed(const struct writer *w, const struct call *c)
{
    return !verbatim(w, c);
}

void put_call_id(struct writer *w, const struct call *c)
{
    char id[CALL_ID_ROOM];
    put(w, "\"");
    if (verbatim(w, c)) {
        put_span(w, c->id);
    } else {
        id_text(w, c, id);
        sink_str(&w->sink, id);
    }
    put(w, "\"");
}

void put_call_name(struct writer *w, const struct call *c)
{
    char name[CALL_ID_ROOM];
    put(w, "\"");
    if (verbatim(w, c)) {
        put_span(w, c->name);
    } else {
        tool_name(c->name, name);
        sink_str(&w->sink, name);
    }
    put(w, "\"");
}

static bool is_object(struct span value)
{
    return value.len >= 2 && value.at[0] == '{';
}

void put_arguments(struct writer *w, const struct call *c)
{
    if (is_object(c->arguments)) {
        put_span(w, c->arguments);
    } else if (span_is_string(c->arguments_text)) {
        put(w, "{\"arguments\":");
        put_span(w, c->arguments_text);
        put(w, "}");
    } else {
        put(w, "{}");
    }
}

void put_arguments_text(struct writer *w, const struct call *c)
{
    if (is_object(c->arguments))
        sink_quoted(&w->sink, c->arguments.at, c->arguments.len);
    else if (span_is_string(c->arguments_text))
        put_span(w, c->arguments_text);
    else
        put(w, "\"{}\"");
}
