/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an entry adds to a request: words as tokens and bytes, thoughts, pictures, and which calls of tools are open, since the
 * `path` of a call is how a picture in its result can be seen again.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "lower/replay_priv.h"

enum {
    TOKEN_BYTES = 4,    /* of text, in a token: English and code */
    ENTRY_TOKENS = 6,   /* what a message costs beside its parts */
    PART_JSON = 320,    /* bytes around a part: keys, ids */
    PICTURE_JSON = 1000, /* and of a picture its name, twice, its view and type, in words */
    ENTRY_JSON = 256,
    ESCAPED = 2,        /* arguments become a string on some wires, and each quote two bytes */
};

static int64_t text_tokens(size_t bytes)
{
    return (int64_t)((bytes + TOKEN_BYTES - 1) / TOKEN_BYTES);
}

/* ---------------------------------------------------------------- calls */

static bool has_path(struct span arguments)
{
    return span_inside(span_member(arguments, "path")).len > 0;
}

static int open_call(struct replay *r, const struct part *p)
{
    if (r->n_calls == LIMIT_OPEN_CALLS) {
        r->n_calls /= 2;
        memmove(r->calls, r->calls + r->n_calls, r->n_calls * sizeof *r->calls);
    }
    if (room_for(&r->calls, &r->calls_room, r->n_calls, sizeof *r->calls) < 0)
        return -ENOMEM;
    r->calls[r->n_calls++] = (struct open_call){span_hash(p->id), has_path(p->value)};
    return 0;
}

/* Whether the call had a path; it is answered with this. */
static bool close_call(struct replay *r, struct span id)
{
    uint64_t wanted = span_hash(id);
    for (size_t i = r->n_calls; i-- > 0;) {
        if (r->calls[i].id != wanted)
            continue;
        bool path = r->calls[i].path;
        r->n_calls--;
        memmove(r->calls + i, r->calls + i + 1, (r->n_calls - i) * sizeof *r->calls);
        return path;
    }
    return false;
}

/* ---------------------------------------------------------------- parts */

static bool for_this_wire(const struct replay *r, struct span wire)
{
    return span_is(span_inside(wire), lower_wire_names[r->target->wire]);
}

static int take_thought(struct replay *r, const struct entry *e, const struct part *p)
{
    if (r->target->bound_thinking && (!r->n_thoughts || r->thoughts[r->n_thoughts - 1].seq != e->seq)) {
        if (room_for(&r->thoughts, &r->thoughts_room, r->n_thoughts, sizeof *r->thoughts) < 0)
            return -ENOMEM;
        r->thoughts[r->n_thoughts++] = (struct thought){e->seq, r->text, r->think, (int32_t)r->n_pics};
    }
    r->think += text_tokens(p->value.len);
    r->answer_thinks = true;
    return 0;
}

static int take_opaque(struct replay *r, const struct entry *e, const struct part *p)
{
    if (!for_this_wire(r, p->wire) || p->broken.len) {
        r->text += text_tokens(p->text.len);
        return 0;
    }
    if (p->thinking)
        return take_thought(r, e, p);
    r->text += text_tokens(p->value.len);
    return 0;
}

static int take_picture(struct replay *r, const struct entry *e, const struct part *p, bool path)
{
    bool result = entry_is_result(e);
    struct pic pic;
    pic_init(r, e, p, result && (path || p->view.len || p->ref.len), &pic);
    r->text += STUB_TOKENS;
    r->json += PICTURE_JSON;
    return replay_add_pic(r, &pic);
}

static int take_part(struct replay *r, const struct entry *e, const struct part *p, bool path)
{
    r->json += (int64_t)(p->text.len + p->raw.len + p->name.len + p->url.len + ESCAPED * (p->value.len + p->value_text.len)) +
               PART_JSON;
    switch (p->type) {
    case PART_IMAGE:
    case PART_DOCUMENT:
        return take_picture(r, e, p, path);
    case PART_OPAQUE:
        return take_opaque(r, e, p);
    case PART_TOOL_CALL:
        r->text += text_tokens(p->name.len + p->value.len + p->value_text.len) + ENTRY_TOKENS;
        return open_call(r, p);
    default:
        r->text += text_tokens(p->text.len);
        return 0;
    }
}

/* ---------------------------------------------------------------- entries */

static void begin(struct replay *r, const struct entry *e)
{
    bool joins = replay_joins(r, e);
    if (e->kind == ENTRY_USER && !joins)
        r->turn++;
    if (e->kind == ENTRY_ASSISTANT && !joins) {
        r->answer = e->seq;
        r->answer_think = r->think;
        r->answer_thinks = false;
    }
    r->last_kind = e->kind;
}

static int take_said(struct replay *r, const struct entry *e)
{
    bool path = e->call.len ? close_call(r, e->call) : false;
    path = path || has_path(e->arguments);
    begin(r, e);
    r->text += ENTRY_TOKENS + text_tokens(e->arguments.len);
    r->json += (int64_t)(e->raw.len + ESCAPED * e->arguments.len + e->call.len + e->name.len) + ENTRY_JSON;
    for (size_t i = 0; i < e->n_parts; i++) {
        int took = take_part(r, e, &e->parts[i], path);
        if (took < 0)
            return took;
    }
    r->said = e->seq;
    r->at = MAX(r->at, e->at);
    return 0;
}

/* What a request had beside its messages stands before them again. */
static void take_request(struct replay *r, const struct entry *e)
{
    r->s.next = (struct replay_head){
        .hash = span_hash(e->instructions) ^ span_hash(e->tools) * 31,
        .tokens = text_tokens(e->instructions.len + e->tools.len),
        .bytes = (int64_t)(e->instructions.len + e->tools.len + e->body.len),
    };
    r->s.has_next = true;
}

static int take_repair(struct replay *r, const struct entry *e)
{
    bool stub = span_is(span_inside(e->how), "stub");
    if (e->target_entry <= 0 || e->target_part < 0)
        return 0;
    int barred = replay_bar(r, e->target_entry, (size_t)e->target_part, stub, "the provider would not take it");
    return barred == -ENOSPC ? 0 : barred;
}

int replay_take(struct replay *r, const struct entry *e)
{
    if (e->kind == ENTRY_REQUEST)
        take_request(r, e);
    if (e->kind == ENTRY_REPAIR)
        return take_repair(r, e);
    return entry_is_said(e) ? take_said(r, e) : 0;
}
