/* SPDX-License-Identifier: Apache-2.0 */
/* Entries from a host, put into the record with the bytes that they use. */
#include "api/arrival.h"

#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "base/limits.h"
#include "percept/json.h"

int arrival_init(struct arrival *a, const fovea_session *s, struct fovea_fault *fault)
{
    *a = (struct arrival){.looks_ms = LIMIT_LOOKS_MS};
    int r = session_place(s, &a->place, fault);
    if (r == 0)
        a->in.max_blob = (size_t)MIN(a->place.f->config.record_max_attachment_bytes, (int64_t)LIMIT_BLOB_BYTES);
    return r;
}

void arrival_done(struct arrival *a)
{
    incoming_done(&a->in);
}

/* ---------------------------------------------------------------- what is used */

static void use_one(const struct incoming *in, const json_t *object, struct arrival_use *uses)
{
    uint8_t digest[SHA256_LEN];
    const char *type = json_string_value(json_object_get(object, "type"));
    if (!sha256_unhex(json_string_value(json_object_get(object, "sha256")), digest))
        return;
    const struct incoming_blob *blob = incoming_blob(in, digest);
    if (blob) {
        uses[blob - in->blobs].at_all = true;
        uses[blob - in->blobs].as_picture |= type && !strcmp(type, "image");
    }
}

/* No deeper than what was parsed. */
static void use_all(const struct incoming *in, json_t *value, struct arrival_use *uses)
{
    const char *key;
    size_t i;
    json_t *inner;
    if (json_is_object(value)) {
        use_one(in, value, uses);
        json_object_foreach(value, key, inner)
            use_all(in, inner, uses);
    }
    json_array_foreach(value, i, inner)
        use_all(in, inner, uses);
}

int arrival_uses(const struct arrival *a, struct arrival_use **ret, struct fovea_fault *fault)
{
    struct arrival_use *uses = calloc(MAX(a->in.n_blobs, (size_t)1), sizeof *uses);
    if (!uses)
        return fault_oom(fault);
    if (a->in.n_blobs)
        use_all(&a->in, a->in.entries, uses);
    *ret = uses;
    return 0;
}

/* ---------------------------------------------------------------- into the record */

struct texts {
    struct record_new *list;
    size_t n;
};

static void texts_done(struct texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free((char *)(uintptr_t)t->list[i].body);
    free(t->list);
}

static int make_texts(const json_t *entries, struct texts *ret, struct fovea_fault *fault)
{
    size_t count = json_array_size(entries);
    if (count > LIMIT_APPEND_ENTRIES)
        return fault_set(fault, EFBIG, "%zu entries are more than the %d that are taken at once", count, LIMIT_APPEND_ENTRIES);
    if (!(ret->list = calloc(count, sizeof *ret->list)))
        return fault_oom(fault);
    for (size_t i = 0; i < count; i++) {
        size_t len;
        char *text = entry_text_new(json_array_get(entries, i), &len);
        if (!text)
            return fault_oom(fault);
        ret->list[ret->n++] = (struct record_new){text, len};
    }
    return 0;
}

static size_t take_blobs(const struct arrival *a, const struct arrival_use *uses, struct record_blob *to)
{
    size_t n = 0;
    for (size_t i = 0; i < a->in.n_blobs; i++) {
        if (!uses[i].at_all)
            continue;
        to[n] = (struct record_blob){.data = a->in.blobs[i].data, .len = a->in.blobs[i].len};
        memcpy(to[n++].sha256, a->in.blobs[i].sha256, SHA256_LEN);
    }
    return n;
}

int arrival_append(struct arrival *a, const char *key, int64_t after, struct fovea_appended *ret, struct fovea_fault *fault)
{
    cleanup(texts_done) struct texts texts = {0};
    auto_free struct arrival_use *uses = NULL;
    auto_free struct record_blob *blobs = calloc(MAX(a->in.n_blobs, (size_t)1), sizeof *blobs);
    struct record_appended done;
    if (!json_array_size(a->in.entries)) {
        int known = after > 0 ? record_sync(a->place.record, fault) : 0;
        if (known == 0)
            *ret = (struct fovea_appended){0};
        return known;
    }
    int r = blobs ? make_texts(a->in.entries, &texts, fault) : fault_oom(fault);
    if (r == 0)
        r = arrival_uses(a, &uses, fault);
    if (r)
        return r;
    struct record_append what = {.session = a->place.name, .key = key, .entries = texts.list, .count = texts.n, .blobs = blobs,
                                 .n_blobs = take_blobs(a, uses, blobs), .after = after};
    r = record_append(a->place.record, &what, &done, fault);
    if (r == 0)
        *ret = (struct fovea_appended){done.first, done.last, done.again};
    return r;
}
