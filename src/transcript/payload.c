/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of pictures and documents, taken out of their blocks. Of base64 in its canonical form nothing else needs to be kept: its
 * text can be made again from the bytes. Other spellings of the same bytes are taken as well, and their blocks kept whole. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/b64.h"
#include "base/fault.h"
#include "transcript/transcript_priv.h"

const struct incoming_blob *incoming_blob(const struct incoming *in, const uint8_t sha[static SHA256_LEN])
{
    char hex[SHA256_HEX_LEN + 1];
    sha256_hex(sha, hex);
    const json_t *place = json_object_get(in->places, hex);
    return place ? &in->blobs[json_integer_value(place)] : NULL;
}

static int keep_place(struct incoming *in, const uint8_t sha[static SHA256_LEN])
{
    char hex[SHA256_HEX_LEN + 1];
    sha256_hex(sha, hex);
    if (!in->places && !(in->places = json_object()))
        return -ENOMEM;
    return json_object_set_new_nocheck(in->places, hex, json_integer((json_int_t)in->n_blobs)) == 0 ? 0 : -ENOMEM;
}

/* Takes data. The room doubles, so it grows when the count is a power of two. */
static int keep_blob(struct incoming *in, uint8_t *data, size_t len, const uint8_t sha[static SHA256_LEN])
{
    auto_free uint8_t *owned = data;
    if (incoming_blob(in, sha))
        return 0;
    if ((in->n_blobs & (in->n_blobs - 1)) == 0) {
        size_t room = in->n_blobs ? in->n_blobs * 2 : 1;
        struct incoming_blob *blobs = reallocarray(in->blobs, room, sizeof *blobs);
        if (!blobs)
            return -ENOMEM;
        in->blobs = blobs;
    }
    if (keep_place(in, sha) < 0)
        return -ENOMEM;
    assert(in->blobs);
    struct incoming_blob *b = &in->blobs[in->n_blobs++];
    b->len = len;
    b->data = take(owned);
    memcpy(b->sha256, sha, SHA256_LEN);
    return 0;
}

/* ---------------------------------------------------------------- base64 */

/* The digits of a text without blanks, in the usual alphabet and padded; NULL without memory. */
static char *tidied_new(const char *text, size_t len, size_t *ret_len)
{
    char *to = malloc(len + 4);
    size_t n = 0;
    for (size_t i = 0; to && i < len; i++)
        if (!text[i] || !strchr(" \t\r\n", text[i]))
            to[n++] = text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i];
    bool padded = to && n && to[n - 1] == '=';
    while (to && !padded && n % 4 > 1)
        to[n++] = '=';
    *ret_len = n;
    return to;
}

/* 0; 1 from another spelling than the canonical one; -ENODATA there is none; -EINVAL no base64; -ENOMEM. */
static int decode(const char *text, size_t len, uint8_t **ret, size_t *ret_len)
{
    auto_free uint8_t *data = malloc(B64_ROOM(len) + 4);
    auto_free char *tidy = NULL;
    size_t n = 0, tidy_len;
    if (!data)
        return -ENOMEM;
    bool canonical = b64_decode_strict(text, len, data, &n) == B64_FINE;
    if (!canonical) {
        if (!(tidy = tidied_new(text, len, &tidy_len)))
            return -ENOMEM;
        if (b64_decode_strict(tidy, tidy_len, data, &n) != B64_FINE)
            return -EINVAL;
    }
    if (n == 0)
        return -ENODATA;
    *ret = take(data);
    *ret_len = n;
    return canonical ? 0 : 1;
}

static int take_bytes(struct incoming *in, const char *text, size_t len, json_t *part)
{
    uint8_t sha[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    auto_free uint8_t *data = NULL;
    size_t n = 0;
    int spelling = decode(text, len, &data, &n);
    if (spelling < 0)
        return spelling;
    if (n > in->max_blob)
        return -EFBIG;
    sha256(data, n, sha);
    sha256_hex(sha, hex);
    if (json_object_set_new(part, "sha256", json_string(hex)) != 0 ||
        json_object_set_new(part, "bytes", json_integer((json_int_t)n)) != 0)
        return -ENOMEM;
    int r = keep_blob(in, take(data), n, sha);
    return r < 0 ? r : spelling;
}

int payload_take(struct incoming *in, const json_t *base64, json_t *part)
{
    return take_bytes(in, json_string_value(base64), json_string_length(base64), part);
}

/* Whether bytes begin as a picture does that providers take. */
static bool begins_well(const uint8_t *data, size_t len)
{
    return (len > 8 && !memcmp(data, "\x89PNG\r\n\x1a\n", 8)) || (len > 3 && !memcmp(data, "\xff\xd8\xff", 3)) ||
           (len > 6 && (!memcmp(data, "GIF87a", 6) || !memcmp(data, "GIF89a", 6))) ||
           (len > 12 && !memcmp(data, "RIFF", 4) && !memcmp(data + 8, "WEBP", 4));
}

int payload_picture(const json_t *base64)
{
    auto_free uint8_t *data = NULL;
    size_t len = 0;
    int r = json_is_string(base64) ? decode(json_string_value(base64), json_string_length(base64), &data, &len) : -EINVAL;
    return r < 0 ? r : begins_well(data, len) ? 0 : -EINVAL;
}

/* ---------------------------------------------------------------- in their blocks */

bool data_url_split(const json_t *text, size_t *ret_meta_len, size_t *ret_data)
{
    static const char before[] = "data:", mark[] = ";base64,";
    const char *s = json_string_value(text), *comma = s && !strncasecmp(s, before, 5) ? strchr(s, ',') : NULL;
    size_t at = comma ? (size_t)(comma - s) + 1 : 0;
    if (at < sizeof before - 1 + sizeof mark - 1 || strncasecmp(s + at - 8, mark, 8) != 0)
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
    if (json_string_length(url) == 0)
        return -ENODATA;
    if (!data_url_split(url, &meta, &at))
        return -EPROTOTYPE;
    const char *s = json_string_value(url);
    if (!is_type(s + 5, meta))
        return -EPROTOTYPE;
    int r = take_bytes(in, s + at, json_string_length(url) - at, part);
    if (r < 0)
        return r;
    bool usual = !memcmp(s, "data:", 5) && !memcmp(s + at - 8, ";base64,", 8);
    return put_meta(part, s + 5, meta) < 0 ? -ENOMEM : usual ? r : 1;
}

static int take_typed(struct incoming *in, const json_t *data, const json_t *type, json_t *part)
{
    if (!json_is_string(data))
        return -EINVAL;
    if (json_string_length(type) == 0 || !is_type(json_string_value(type), json_string_length(type)))
        return -ENOMSG;
    int r = payload_take(in, data, part);
    if (r >= 0 && json_object_set(part, "media_type", (json_t *)(uintptr_t)type) != 0)
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

/* Why a block cannot be taken apart; no provider takes it either. NULL: that is no reason. */
static const char *why_not(int error)
{
    static const struct {
        int error;
        const char *why;
    } rows[] = {
        {-ENODATA, "it is empty"},
        {-EINVAL, "no base64"},
        {-EPROTOTYPE, "no web address and no base64"},
        {-ENOMSG, "no media type"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].error == error)
            return rows[i].why;
    return NULL;
}

json_t *part_broken(struct import *im, const json_t *value, const char *kind, const char *why)
{
    json_t *part = part_opaque(im, value, false, NULL);
    put_new(im, part, "text", json_sprintf("[%s not shown: %s]", kind, why));
    put_new(im, part, "broken", json_string(why));
    return part;
}

json_t *part_payload(struct import *im, const char *kind, const json_t *block, const struct payload_place *at,
                     const json_t *name, enum side side)
{
    const json_t *inner = at->outer ? json_object_get(block, at->outer) : block;
    json_t *part = part_new(im, kind);
    int r = !part      ? -ENOMEM
            : at->url ? take_url(im->in, json_object_get(inner, at->url), part)
                      : take_typed(im->in, json_object_get(inner, at->data), json_object_get(inner, at->type), part);
    if (r >= 0)
        put(im, part, "name", name);
    if (r == 1)
        return part_finish_same(im, part, block, side);
    if (r == 0)
        return part_finish(im, part, tokenised(im, block, at), block, side);
    json_decref(part);
    if (why_not(r))
        return part_broken(im, block, kind, why_not(r));
    im->error = r;
    if (r == -EFBIG)
        (void)fault_set(im->fault, EFBIG, "%s[%zu]: %s of more than %zu bytes", im->wire->list, im->message, kind,
                        im->in->max_blob);
    return NULL;
}
