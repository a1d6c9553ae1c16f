/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of a record from any bytes. Read in place as if they were stored: refused, or spans of the bytes. As a host would write them:
 * refused in words, or stored in one form, which is read again, is the same when it is taken again, and tells of its marks.
 * about: src/transcript/entry.c src/transcript/neutral.c src/transcript/neutral_part.c src/transcript/incoming.c src/transcript/derive.c src/transcript/text.c
 */
#include "fuzz.h"

#include <errno.h>

#include "base/b64.h"
#include "base/cleanup.h"
#include "base/index.h"
#include "base/limits.h"
#include "transcript/entry.h"
#include "transcript/transcript.h"

struct counted {
    struct record_index index;
    size_t marks, uses;
};

static int count_mark(struct record_index *i, const char *name, size_t len)
{
    CLAIM(len && memchr(name, ':', len));
    ((struct counted *)i)->marks++;
    return 0;
}

static int count_use(struct record_index *i, const uint8_t sha256[static SHA256_LEN])
{
    (void)sha256;
    ((struct counted *)i)->uses++;
    return 0;
}

static void claim_inside(struct span s, const char *body, size_t len)
{
    CLAIM(!s.len || (s.at >= body && s.at + s.len <= body + len));
}

static int read_stored(const char *body, size_t len)
{
    struct entry_room room = {0};
    struct entry e = {0};
    struct counted c = {.index = {count_mark, count_use}};
    int r = entry_read(body, len, 1, &room, &e);
    CLAIM(r == 0 || r == -EBADMSG || r == -E2BIG || r == -ENOMEM);
    if (r == 0) {
        CLAIM(e.kind < ENTRY_KINDS && e.n_parts <= LIMIT_ENTRY_PARTS);
        claim_inside(e.call, body, len);
        claim_inside(e.result, body, len);
        claim_inside(e.raw, body, len);
        for (size_t i = 0; i < e.n_parts; i++) {
            CLAIM(e.parts[i].type < PART_TYPES);
            claim_inside(e.parts[i].text, body, len);
            claim_inside(e.parts[i].value, body, len);
            claim_inside(e.parts[i].url, body, len);
        }
    }
    (void)entry_derive(body, len, &c.index);
    entry_room_done(&room);
    return r;
}

/* As it is exported: with its bytes. */
static void add_data(const struct incoming *in, json_t *part)
{
    uint8_t sha256[SHA256_LEN];
    const char *hex = json_string_value(json_object_get(part, "sha256"));
    const struct incoming_blob *b = sha256_unhex(hex, sha256) ? incoming_blob(in, sha256) : NULL;
    if (!b)
        return;
    char *text = calloc(1, B64_LEN(b->len) + 1);
    CLAIM(text);
    b64_encode(b->data, b->len, text);
    (void)json_object_set_new(part, "data", json_string(text));
    (void)json_object_del(part, "sha256");
    (void)json_object_del(part, "bytes");
    free(text);
}

static json_t *exported(const struct incoming *in, const char *text, size_t len)
{
    json_t *copy = json_loadb(text, len, JSON_ALLOW_NUL, NULL), *part;
    size_t i;
    CLAIM(copy);
    json_array_foreach(json_object_get(copy, "parts"), i, part)
        add_data(in, part);
    add_data(in, json_object_get(json_object_get(copy, "result"), "source"));
    return copy;
}

static void check_again(const struct incoming *in, const char *text, size_t len)
{
    struct incoming again = {.max_blob = in->max_blob};
    struct fovea_fault fault = {0};
    json_t *entry = exported(in, text, len);
    size_t n = 0;
    if (!json_object_get(json_object_get(entry, "result"), "source")) { /* what a view was made of keeps its hash besides */
        int r = incoming_entry(&again, entry, &fault);
        if (r < 0)
            (void)fprintf(stderr, "%.*s\n%s\n", (int)len, text, fault.text);
        CLAIM(r == 0);
        auto_free char *twice = entry_text_new(json_array_get(again.entries, 0), &n);
        CLAIM(twice && n == len && !memcmp(twice, text, len));
    }
    json_decref(entry);
    incoming_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct incoming in = {.max_blob = 1 * MIB};
    struct fovea_fault fault = {0};
    (void)read_stored((const char *)data, len);
    json_t *value = json_loadb((const char *)data, len, JSON_ALLOW_NUL, NULL);
    if (json_is_object(value)) {
        int r = incoming_entry(&in, value, &fault);
        CLAIM(r == 0 || (fault.code < 0 && fault.text[0]));
        size_t n = 0;
        auto_free char *text = r == 0 ? entry_text_new(json_array_get(in.entries, 0), &n) : NULL;
        if (r == 0) {
            CLAIM(text && !memchr(text, '\n', n));
            CLAIM(read_stored(text, n) == 0);
            check_again(&in, text, n);
        }
    }
    json_decref(value);
    incoming_done(&in);
    return 0;
}
