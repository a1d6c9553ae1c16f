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

/* Where blocks stand within a block: in its content, and in the source of a document that is made of blocks. */
static bool has_blocks(struct span key)
{
    return span_is(key, "content") || span_is(key, "source");
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
        bool object = span_is_object(&walk);
        if (strip && object && span_is(walk.key, "cache_control"))
            continue;
        if (!first)
            put(w, ",");
        first = false;
        if (object)
            put_key(w, walk.key);
        put_value(w, walk.value, p, strip && (!object || has_blocks(walk.key)));
    }
    sink_add(&w->sink, value.at + value.len - 1, 1);
}

static bool has(struct span s, const char *word)
{
    return memmem(s.at, s.len, word, strlen(word)) != NULL;
}

/* Marks for the cache are the caller's to set anew. Google has none, and in Responses it is no word of the wire. */
static bool strips(const struct writer *w)
{
    return w->group.kind != GROUP_EXACT && (w->wire == LOWER_ANTHROPIC || w->wire == LOWER_CHAT);
}

static void put_stripped(struct writer *w, struct span raw, const struct payload *payload, bool strip)
{
    strip = strip && has(raw, "\"cache_control\"");
    if (strip || (payload && has(raw, "\\u0001")))
        put_value(w, raw, payload, strip);
    else
        put_span(w, raw);
}

void put_raw(struct writer *w, struct span raw, const struct payload *payload)
{
    put_stripped(w, raw, payload, strips(w));
}

void put_shown(struct writer *w, const struct shown *s, const char *open,
               void (*media)(struct writer *w, const struct shown *s))
{
    if (s->form == FORM_TEXT && s->raw) {
        put_raw(w, s->part->raw, NULL);
    } else if (s->form == FORM_TEXT || s->form == FORM_WORDS) {
        sink_add(&w->sink, open, strlen(open));
        put_text(w, s);
        put(w, "}");
    } else if (s->form == FORM_VALUE) {
        put_raw(w, s->value, NULL);
    } else {
        media(w, s);
    }
}

size_t put_member(struct writer *w, const struct span_walk *at, size_t n)
{
    bool strip = strips(w);
    if (strip && span_is(at->key, "cache_control"))
        return n;
    if (n > 0)
        put(w, ",");
    put_key(w, at->key);
    put_stripped(w, at->value, NULL, strip && has_blocks(at->key));
    return n + 1;
}

size_t put_members(struct writer *w, struct span object, const char *const *without, size_t n)
{
    struct span_walk walk = span_enter(object);
    while (span_next(&walk))
        if (!span_is_any(walk.key, without))
            n = put_member(w, &walk, n);
    return n;
}

void put_next(struct writer *w, const char *member)
{
    if (w->sink.last != '{')
        put(w, ",");
    sink_str(&w->sink, member);
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

/* Calls of a group stand in the order of their entries and parts. */
struct call call_of(const struct writer *w, const struct entry *e, size_t part)
{
    const struct part *p = &e->parts[part];
    const struct call *calls = w->group.calls;
    size_t low = 0, high = w->group.n_calls;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        bool before = calls[mid].seq != e->seq ? calls[mid].seq < e->seq : calls[mid].part < part;
        *(before ? &low : &high) = before ? mid + 1 : mid;
    }
    if (low < w->group.n_calls && calls[low].seq == e->seq && calls[low].part == part && !calls[low].implicit)
        return calls[low];
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

bool call_is_own(const struct writer *w, const struct call *c)
{
    return span_is(span_inside(c->wire), lower_wire_names[w->wire]);
}

/* Names that this wire gave or took are good for it; but not all who speak Anthropic's are as strict as Anthropic. */
static bool verbatim(const struct writer *w, const struct call *c)
{
    char id[CALL_ID_ROOM], name[CALL_ID_ROOM];
    if (w->group.kind == GROUP_EXACT)
        return true;
    if (c->nth > 0 || c->implicit || !call_is_own(w, c))
        return false;
    if (w->wire != LOWER_ANTHROPIC)
        return true;
    id_text(w, c, id);
    tool_name(c->name, name);
    return span_is(c->id, id) && span_is(c->name, name);
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

/* ---------------------------------------------------------------- calls as they were imported */

/* Where a wire has the id of a call, and the name if that may have to be another. */
static const struct {
    const char *id, *name;
} names[LOWER_WIRES] = {
    [LOWER_ANTHROPIC] = {"id", "name"}, [LOWER_CHAT] = {"id", NULL}, [LOWER_RESPONSES] = {"call_id", NULL}, [LOWER_GEMINI] = {"id", NULL}};

void put_named_members(struct writer *w, struct span object, const char *const *without, const struct call *c)
{
    struct span_walk walk = span_enter(object);
    bool exact = w->group.kind == GROUP_EXACT;
    size_t n = 0;
    while (span_next(&walk)) {
        if (span_is_any(walk.key, without) || (strips(w) && span_is(walk.key, "cache_control")))
            continue;
        if (n++ > 0)
            put(w, ",");
        put_key(w, walk.key);
        if (!exact && span_is(walk.key, names[w->wire].id))
            put_call_id(w, c);
        else if (!exact && names[w->wire].name && span_is(walk.key, names[w->wire].name))
            put_call_name(w, c);
        else
            put_span(w, walk.value);
    }
}

/* Google has the call within a part. */
void put_call_members(struct writer *w, struct span raw, const struct call *c)
{
    struct span_walk walk = span_enter(raw);
    size_t n = 0;
    if (w->wire != LOWER_GEMINI) {
        put_named_members(w, raw, NULL, c);
        return;
    }
    while (span_next(&walk)) {
        bool call = span_is(walk.key, "functionCall") || span_is(walk.key, "function_call");
        if (n++ > 0)
            put(w, ",");
        put_key(w, walk.key);
        if (call) {
            put(w, "{");
            put_named_members(w, walk.value, NULL, c);
            put(w, "}");
        } else {
            put_span(w, walk.value);
        }
    }
}

void put_call_raw(struct writer *w, struct span raw, const struct call *c)
{
    if (verbatim(w, c)) {
        put_raw(w, raw, NULL);
        return;
    }
    put(w, "{");
    put_call_members(w, raw, c);
    put(w, "}");
}

/* ---------------------------------------------------------------- arguments */

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
