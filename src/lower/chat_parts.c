/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of chat messages: see chat_parts.h. Hosts that speak this wire are many and simple: a string is written wherever one does. */
#include "lower/chat_parts.h"

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

void chat_put_block(struct writer *w, const struct shown *s)
{
    put_shown(w, s, "{\"type\":\"text\",\"text\":", put_media);
}

void chat_write_parts(struct writer *w, const struct item *item)
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
        chat_put_block(w, &s);
    }
}

void chat_write_list(struct writer *w, size_t from, size_t to)
{
    w->now = (struct message){.begun = true};
    for (size_t i = from; i < to; i++)
        chat_write_parts(w, &w->group.items[i]);
    w->now = (struct message){0};
}

size_t chat_write_pieces(struct writer *w, const struct item *item, const char *between, size_t n)
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

void chat_put_call(struct writer *w, const struct call *c)
{
    put(w, "{\"id\":");
    put_call_id(w, c);
    put(w, ",\"type\":\"function\",\"function\":{\"name\":");
    put_call_name(w, c);
    put(w, ",\"arguments\":");
    put_arguments_text(w, c);
    put(w, "}}");
}

size_t chat_write_calls(struct writer *w, const struct item *item, size_t n)
{
    for (size_t i = 0; i < item->e.n_parts; i++) {
        const struct part *p = &item->e.parts[i];
        if (p->type != PART_TOOL_CALL)
            continue;
        struct call c = call_of(w, &item->e, i);
        sink_str(&w->sink, n++ ? "," : ",\"tool_calls\":[");
        if (p->raw.len && is_own(w, &item->e))
            put_call_raw(w, p->raw, &c);
        else
            chat_put_call(w, &c);
    }
    return n;
}

bool chat_has_calls(const struct item *item)
{
    for (size_t i = 0; i < item->e.n_parts; i++)
        if (item->e.parts[i].type == PART_TOOL_CALL)
            return true;
    return false;
}

bool chat_wants_list(const struct writer *w, const struct item *item)
{
    for (size_t i = 0; i < item->e.n_parts; i++)
        if (item->e.parts[i].type == PART_OPAQUE && !is_broken(w, &item->e.parts[i]) && span_is(span_inside(item->e.parts[i].wire), lower_wire_names[w->wire]))
            return true;
    return is_own(w, &item->e) && !item->e.plain;
}

bool chat_has_content(struct writer *w, size_t from, size_t to)
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
