/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of pictures and documents, taken out of their blocks. Only base64 in its canonical form is taken: its text can be
 * made again from the bytes, and nothing else needs to be kept of it. */
#include <errno.h>
#include <string.h>

#include "base/b64.h"
#include "base/fault.h"
#include "transcript/transcript_priv.h"

static const struct incoming_blob *find_blob(const struct incoming *in, const uint8_t sha[static SHA256_LEN])
{
    for (size_t i = 0; i < in->n_blobs; i++)
        if (!memcmp(in->blobs[i].sha256, sha, SHA256_LEN))
            return &in->blobs[i];
    return NULL;
}

/* Takes data. The room doubles, so it grows when the count is a power of two. */
static int keep_blob(struct incoming *in, uint8_t *data, size_t len, const uint8_t sha[static SHA256_LEN])
{
    auto_free uint8_t *owned = data;
    if (find_blob(in, sha))
        return 0;
    if ((in->n_blobs & (in->n_blobs - 1)) == 0) {
        size_t room = in->n_blobs ? in->n_blobs * 2 : 1;
        struct incoming_blob *blobs = reallocarray(in->blobs, room, sizeof *blobs);
        if (!blobs)
            return -ENOMEM;
        in->blobs = blobs;
    }
    struct incoming_blob *b = &in->blobs[in->n_blobs++];
    b->len = len;
    b->data = take(owned);
    memcpy(b->sha256, sha, SHA256_LEN);
    return 0;
}

static int take_bytes(struct incoming *in, const char *text, size_t len, json_t *part)
{
    uint8_t sha[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    size_t n = 0;
    if (len == 0)
        return -EINVAL;
    /* A third more than the text: padding is at most two of them. */
    if (B64_ROOM(len) > in->max_blob && B64_ROOM(len) - in->max_blob > 2)
        return -EFBIG;
    auto_free uint8_t *data = malloc(B64_ROOM(len) + 1);
    if (!data)
        return -ENOMEM;
    if (b64_decode_strict(text, len, data, &n) != B64_FINE)
        return -EINVAL;
    if (n > in->max_blob)
        return -EFBIG;
    sha256(data, n, sha);
    sha256_hex(sha, hex);
    if (json_object_set_new(part, "sha256", json_string(hex)) != 0 ||
        json_object_set_new(part, "bytes", json_integer((json_int_t)n)) != 0)
        return -ENOMEM;
    return keep_blob(in, take(data), n, sha);
}

int payload_take(struct incoming *in, const json_t *base64, json_t *part)
{
    return take_bytes(in, json_string_value(base64), json_string_length(base64), part);
}

bool data_url_split(const json_t *text, size_t *ret_meta_len, size_t *ret_data)
{
    static const char before[] = "data:", mark[] = ";base64,";
    const char *s = json_string_value(text), *comma = s && !strncmp(s, before, 5) ? strchr(s, ',') : NULL;
    size_t at = comma ? (size_t)(comma - s) + 1 : 0;
    if (at < sizeof before - 1 + sizeof mark - 1 || memcmp(s + at - 8, mark, 8) != 0)
        return false;
    *ret_meta_len = at - 8 - 5;
    *ret_data = at;
    return true;
}

/* A media type, or what a data URL says of one: letters that stand in JSON as they are. */
static bool is_type(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (s[i] <= ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\')
            return false;
    return len <= 127;
}

/* The media type of a data URL, and all of what it said where that is more. */
static int put_meta(json_t *part, const char *meta, size_t len)
{
    const char *end = memchr(meta, ';', len);
    size_t type_len = end ? (size_t)(end - meta) : len;
    json_t *type = type_len ? json_stringn(meta, type_len) : json_string("application/octet-stream");
    int r = json_object_set_new(part, "media_type", type);
    if (r == 0 && (type_len == 0 || type_len != len))
        r = json_object_set_new(part, "declared", json_stringn(meta, len));
    return r == 0 ? 0 : -ENOMEM;
}

static int take_url(struct incoming *in, const json_t *url, json_t *part)
{
    size_t meta, at;
    if (!data_url_split(url, &meta, &at))
        return -EINVAL;
    const char *s = json_string_value(url);
    if (!is_type(s + 5, meta))
        return -EINVAL;
    int r = take_bytes(in, s + at, json_string_length(url) - at, part);
    return r == 0 ? put_meta(part, s + 5, meta) : r;
}

static int take_typed(struct incoming *in, const json_t *data, const json_t *type, json_t *part)
{
    if (!json_is_string(data) || json_string_length(type) == 0 || !is_type(json_string_value(type), json_string_length(type)))
        return -EINVAL;
    int r = payload_take(in, data, part);
    if (r == 0 && json_object_set(part, "media_type", (json_t *)(uintptr_t)type) != 0)
        r = -ENOMEM;
    return r;
}

/* The block with tokens where its bytes and their type stood. */
static json_t *tokenised(struct import *im, const json_t *block, const struct payload_place *at)
{
    static const char *const none[] = {NULL};
    json_t *copy = without(im, block, none), *inner = copy;
    if (at->outer) {
        inner = without(im, json_object_get(block, at->outer), none);
        put_new(im, copy, at->outer, inner);
    }
    if (at->url) {
        put_new(im, inner, at->url, json_string(TOKEN_URL));
    } else {
        put_new(im, inner, at->data, json_string(TOKEN_DATA));
        put_new(im, inner, at->type, json_string(TOKEN_TYPE));
    }
    return copy;
}

json_t *part_payload(struct import *im, const char *kind, const json_t *block, const struct payload_place *at,
                     const json_t *name, enum side side)
{
    const json_t *inner = at->outer ? json_object_get(block, at->outer) : block;
    json_t *part = part_new(im, kind);
    int r = !part      ? -ENOMEM
            : at->url ? take_url(im->in, json_object_get(inner, at->url), part)
                      : take_typed(im->in, json_object_get(inner, at->data), json_object_get(inner, at->type), part);
    if (r == 0) {
        put(im, part, "name", name);
        return part_finish(im, part, tokenised(im, block, at), block, side);
    }
    json_decref(part);
    if (r == -EINVAL)
        return part_opaque_words(im, block, !strcmp(kind, "image") ? "[image that is no base64]"
                                                                  : "[document that is no base64]");
    im->error = r;
    if (r == -EFBIG)
        (void)fault_set(im->fault, EFBIG, "%s[%zu]: %s of more than %zu bytes", im->wire->list, im->message, kind,
                        im->in->max_blob);
    return NULL;
}
