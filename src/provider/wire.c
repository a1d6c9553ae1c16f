/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every wire writes alike: URL, headers, pictures in base64. A picture may be most of a request's bytes, so the body's
 * room is made once, from the sum of the parts, and base64 is written straight into it.
 */
#include "provider/wire_priv.h"

#include "base/json_read.h"

static const struct wire *const wires[] = {&wire_anthropic, &wire_openai_chat, &wire_openai_responses, &wire_gemini};

const struct wire *wire_find(const char *name)
{
    for (size_t i = 0; name && i < COUNT(wires); i++)
        if (!strcmp(wires[i]->name, name))
            return wires[i];
    return NULL;
}

int wire_url(const struct wire_request *q, struct buf *to)
{
    const char *from = q->host->base_url;
    size_t len = strlen(from);
    while (len && from[len - 1] == '/')
        len--;
    (void)buf_add(to, from, len);
    int r = q->host->wire->path(q, to);
    return to->error ? to->error : r;
}

/* What may stand in the value of a header: the key comes from outside. */
static bool fits_header(const char *key)
{
    for (; *key; key++)
        if ((unsigned char)*key <= ' ' || (unsigned char)*key >= 0x7f)
            return false;
    return true;
}

int wire_headers(const struct wire_request *q, const char *key, struct buf *to)
{
    static const char *const names[HOST_AUTHS] = {NULL, "authorization: Bearer ", "x-api-key: ", "x-goog-api-key: "};
    const struct host *h = q->host;
    (void)buf_add_str(to, "content-type: application/json\n");
    (void)buf_add_format(to, "accept: %s\n", q->stream ? "text/event-stream" : "application/json");
    (void)buf_add_str(to, h->wire->headers ? h->wire->headers : "");
    (void)buf_add_str(to, h->headers ? h->headers : "");
    if (names[h->auth]) {
        if (!key || !*key || !fits_header(key))
            return -EINVAL;
        (void)buf_add_str(to, names[h->auth]);
        (void)buf_add_str(to, key);
        (void)buf_add_str(to, "\n");
    }
    return to->error;
}

/* The bytes that the body will have, and some for its frame. */
static size_t body_room(const struct wire_request *q)
{
    size_t sum = 4 * KIB;
    for (size_t i = 0; i < q->count; i++) {
        for (size_t k = 0; k < q->turns[i].count; k++) {
            const struct wire_part *p = &q->turns[i].parts[k];
            size_t more = p->kind == WIRE_TEXT ? strlen(p->text) : p->kind == WIRE_VIDEO_URL ? 0 : p->len / 3 * 4 + 4;
            if (p->len > SIZE_MAX / 2 || __builtin_add_overflow(sum, more + 256, &sum))
                return SIZE_MAX;
        }
    }
    return sum;
}

int wire_body(const struct wire_request *q, struct buf *to)
{
    if (!q->model || !*q->model || !q->count)
        return -EINVAL;
    /* A first guess only: a body just under the ceiling must not fail for its slack. */
    size_t room = body_room(q);
    if (to->len < to->ceiling && room < to->ceiling - to->len && !buf_reserve(to, room))
        return to->error;
    int r = q->host->wire->body(q, to);
    return to->error ? to->error : r;
}

int wire_comma(struct buf *b, bool first)
{
    return first ? b->error : buf_add(b, ",", 1);
}

int wire_add_field(struct buf *b, const char *name, const char *value)
{
    (void)buf_add_format(b, ",\"%s\":", name);
    return buf_add_json_str(b, value);
}

int wire_add_value(struct buf *b, const char *name, const json_t *value)
{
    auto_free char *text = json_text_new(value, JSON_COMPACT | JSON_ENCODE_ANY); /* all of it, or nothing */
    (void)buf_add_format(b, ",\"%s\":", name);
    return text ? buf_add_str(b, text) : -ENOMEM;
}

/* A media type of ours has no more in it; anything else would need escapes. */
static bool plain_type(const char *type)
{
    return type && *type && !type[strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789/+.-")];
}

static int add_data(struct buf *b, const struct wire_part *p, const char *before, const char *after)
{
    if (!plain_type(p->media_type) || !p->len)
        return -EINVAL;
    (void)buf_add_format(b, "\"%s%s%s", before, *before ? p->media_type : "", after);
    (void)buf_add_base64(b, p->data, p->len);
    return buf_add(b, "\"", 1);
}

int wire_add_base64(struct buf *b, const struct wire_part *p)
{
    return add_data(b, p, "", "");
}

int wire_add_data_url(struct buf *b, const struct wire_part *p)
{
    return add_data(b, p, "data:", ";base64,");
}

const char *wire_effort_name(enum wire_effort effort)
{
    static const char *const names[WIRE_EFFORTS] = {NULL, "low", "medium", "high"};
    return names[effort];
}

int wire_add_parts(const struct wire_request *q, const struct wire_turn *t, wire_part_writer *const writers[WIRE_KINDS],
                   struct buf *b)
{
    if (!t->count)
        return -EINVAL;
    for (size_t i = 0; i < t->count; i++) {
        wire_part_writer *write = writers[t->parts[i].kind];
        if (!write || (t->role == WIRE_ASSISTANT && t->parts[i].kind != WIRE_TEXT))
            return -ENOTSUP;
        (void)wire_comma(b, !i);
        int r = write(q, &t->parts[i], b);
        if (r < 0)
            return r;
    }
    return b->error;
}
