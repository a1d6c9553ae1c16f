/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one stored entry. Members are rows of tables: a name, where it goes, and how it is taken. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "transcript/entry.h"

const char *const entry_kinds[ENTRY_KINDS] = {
    [ENTRY_SYSTEM] = "system",         [ENTRY_USER] = "user",   [ENTRY_ASSISTANT] = "assistant",
    [ENTRY_TOOL_RESULT] = "tool_result", [ENTRY_PERCEPTION] = "perception", [ENTRY_USAGE] = "usage",
    [ENTRY_REQUEST] = "request",       [ENTRY_REPAIR] = "repair",
};
const char *const part_types[PART_TYPES] = {
    [PART_TEXT] = "text",           [PART_IMAGE] = "image",   [PART_DOCUMENT] = "document",
    [PART_TOOL_CALL] = "tool_call", [PART_OPAQUE] = "opaque",
};

enum taking { TAKE_SPAN, TAKE_TRUE, TAKE_INT, TAKE_SIZE };

struct member {
    const char *name;
    size_t len;
    size_t offset;
    enum taking how;
};

#define ENTRY_MEMBER(name, member, how) {name, sizeof(name) - 1, offsetof(struct entry, member), how}
static const struct member entry_members[] = {
    ENTRY_MEMBER("at", at, TAKE_INT),
    ENTRY_MEMBER("join", join, TAKE_TRUE),
    ENTRY_MEMBER("plain", plain, TAKE_TRUE),
    ENTRY_MEMBER("error", error, TAKE_TRUE),
    ENTRY_MEMBER("wire", wire, TAKE_SPAN),
    ENTRY_MEMBER("role", role, TAKE_SPAN),
    ENTRY_MEMBER("call", call, TAKE_SPAN),
    ENTRY_MEMBER("name", name, TAKE_SPAN),
    ENTRY_MEMBER("arguments", arguments, TAKE_SPAN),
    ENTRY_MEMBER("result", result, TAKE_SPAN),
    ENTRY_MEMBER("raw", raw, TAKE_SPAN),
    ENTRY_MEMBER("block", block, TAKE_SPAN),
    ENTRY_MEMBER("body", body, TAKE_SPAN),
    ENTRY_MEMBER("system", instructions, TAKE_SPAN),
    ENTRY_MEMBER("tools", tools, TAKE_SPAN),
    ENTRY_MEMBER("model", model, TAKE_SPAN),
    ENTRY_MEMBER("how", how, TAKE_SPAN),
    ENTRY_MEMBER("why", why, TAKE_SPAN),
    ENTRY_MEMBER("entry", target_entry, TAKE_INT),
    ENTRY_MEMBER("part", target_part, TAKE_INT),
};

#define PART_MEMBER(name, member, how) {name, sizeof(name) - 1, offsetof(struct part, member), how}
static const struct member part_members[] = {
    PART_MEMBER("text", text, TAKE_SPAN),
    PART_MEMBER("id", id, TAKE_SPAN),
    PART_MEMBER("name", name, TAKE_SPAN),
    PART_MEMBER("arguments", value, TAKE_SPAN),
    PART_MEMBER("value", value, TAKE_SPAN),
    PART_MEMBER("arguments_text", value_text, TAKE_SPAN),
    PART_MEMBER("wire", wire, TAKE_SPAN),
    PART_MEMBER("raw", raw, TAKE_SPAN),
    PART_MEMBER("media_type", media_type, TAKE_SPAN),
    PART_MEMBER("declared", declared, TAKE_SPAN),
    PART_MEMBER("url", url, TAKE_SPAN),
    PART_MEMBER("file_id", file_id, TAKE_SPAN),
    PART_MEMBER("view", view, TAKE_SPAN),
    PART_MEMBER("ref", ref, TAKE_SPAN),
    PART_MEMBER("broken", broken, TAKE_SPAN),
    PART_MEMBER("thinking", thinking, TAKE_TRUE),
    PART_MEMBER("bytes", bytes, TAKE_INT),
    PART_MEMBER("width", width, TAKE_SIZE),
    PART_MEMBER("height", height, TAKE_SIZE),
    PART_MEMBER("pages", pages, TAKE_SIZE),
};

static int take_member(const struct member *m, struct span value, void *to)
{
    char *where = (char *)to + m->offset;
    int64_t n;
    if (m->how == TAKE_SPAN) {
        *(struct span *)where = value;
    } else if (m->how == TAKE_TRUE) {
        *(bool *)where = span_true(value);
    } else if (!span_int(value, &n) || (m->how != TAKE_INT && (n < 0 || n > UINT32_MAX))) {
        return -EBADMSG;
    } else if (m->how == TAKE_INT) {
        *(int64_t *)where = n;
    } else {
        *(uint32_t *)where = (uint32_t)n;
    }
    return 0;
}

/* Members without a row are passed over: a newer fovea may write more. */
static int take_named(const struct member *table, size_t n, const struct span_walk *w, void *to)
{
    for (size_t i = 0; i < n; i++)
        if (span_equals(w->key, table[i].name, table[i].len))
            return take_member(&table[i], w->value, to);
    return 0;
}

static int find_word(struct span value, const char *const *words, int n)
{
    struct span word = span_inside(value);
    for (int i = 0; i < n; i++)
        if (span_is(word, words[i]))
            return i;
    return -EBADMSG;
}

static int take_sha256(struct span value, struct part *p)
{
    struct span hex = span_inside(value);
    if (hex.len != SHA256_HEX_LEN || !sha256_unhex(hex.at, p->sha256))
        return -EBADMSG;
    p->stored = true;
    return 0;
}

static int read_part(struct span_walk *w, struct part *p)
{
    int type = -EBADMSG, r = 0;
    *p = (struct part){0};
    while (r >= 0 && span_next(w))
        r = span_is(w->key, "type")     ? (type = find_word(w->value, part_types, PART_TYPES))
            : span_is(w->key, "sha256") ? take_sha256(w->value, p)
                                        : take_named(part_members, COUNT(part_members), w, p);
    if (r < 0 || w->bad || type < 0)
        return -EBADMSG;
    p->type = (enum part_type)type;
    return 0;
}

static int grow(struct entry_room *room, size_t need)
{
    if (need > LIMIT_ENTRY_PARTS)
        return -E2BIG;
    if (need <= room->room)
        return 0;
    size_t more = MIN((size_t)LIMIT_ENTRY_PARTS, MAX((size_t)8, room->room * 2));
    struct part *parts = reallocarray(room->parts, more, sizeof *parts);
    if (!parts)
        return -ENOMEM;
    room->parts = parts;
    room->room = more;
    return 0;
}

static int read_parts(struct span_walk *w, struct entry_room *room, struct entry *e)
{
    struct span_walk list = span_inner(w);
    if (list.bad || span_is_object(&list))
        return -EBADMSG;
    while (span_key(&list)) {
        struct span_walk part = span_inner(&list);
        int r = grow(room, e->n_parts + 1);
        r = r < 0 ? r : span_is_object(&part) ? read_part(&part, &room->parts[e->n_parts]) : -EBADMSG;
        if (r < 0)
            return r;
        if (!span_outer(&list, &part))
            return -EBADMSG;
        e->n_parts++;
    }
    return span_outer(w, &list) ? 0 : -EBADMSG;
}

static int read_member(struct span_walk *w, struct entry_room *room, struct entry *e, int *kind)
{
    if (span_is(w->key, "parts"))
        return read_parts(w, room, e);
    if (!span_take(w))
        return -EBADMSG;
    if (span_is(w->key, "kind"))
        return *kind = find_word(w->value, entry_kinds, ENTRY_KINDS);
    return take_named(entry_members, COUNT(entry_members), w, e);
}

/* Everything is looked at once: a record of a thousand turns is read at every start of the program. */
int entry_read(const char *body, size_t len, int64_t seq, struct entry_room *room, struct entry *ret)
{
    struct entry e = {.seq = seq};
    struct span_walk w = span_enter((struct span){body, len});
    int kind = -EBADMSG, r = 0;
    while (r >= 0 && span_key(&w))
        r = read_member(&w, room, &e, &kind);
    if (r < 0)
        return r;
    if (!w.at || w.bad || !span_is_object(&w) || kind < 0)
        return -EBADMSG;
    e.kind = (enum entry_kind)kind;
    e.parts = room->parts;
    e.starts_turn = e.kind == ENTRY_USER && !e.join;
    *ret = e;
    return 0;
}

void entry_room_done(struct entry_room *r)
{
    free(r->parts);
    *r = (struct entry_room){0};
}

int entry_speaker(enum entry_kind kind)
{
    static const int speakers[ENTRY_KINDS] = {
        [ENTRY_SYSTEM] = 1, [ENTRY_USER] = 2, [ENTRY_TOOL_RESULT] = 2, [ENTRY_PERCEPTION] = 2, [ENTRY_ASSISTANT] = 3,
    };
    return speakers[kind];
}

bool entry_is_said(const struct entry *e)
{
    return entry_speaker(e->kind) != 0;
}
