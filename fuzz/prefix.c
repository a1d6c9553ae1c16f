/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a request is in a session already. Of what was stored of the same request, however much of it, everything is known and the
 * rest is left, as it was; marks for the cache make no difference; with what any other program may have stored it ends in a verdict, and
 * what is left is then some of what came, in its order. The first byte says which wire; the length, how much was stored.
 * about: src/transcript/prefix.c
 * seeds: import
 */
#include "fuzz.h"

#include <errno.h>

#include "base/cleanup.h"
#include "lowering.h"
#include "transcript/transcript_priv.h"

static int import(int wire, const json_t *root, struct incoming *in)
{
    struct fovea_fault fault = {0};
    *in = (struct incoming){.max_blob = 1 * MIB};
    return incoming_request(in, lower_wire_names[wire], root, &fault);
}

static int give(struct prefix *p, const json_t *entry)
{
    size_t len;
    auto_free char *body = entry_text_new(entry, &len);
    CLAIM(body);
    return prefix_entry(p, body, len);
}

/* The first n entries were stored. */
static void check_known(const json_t *stored, struct incoming *came, size_t n)
{
    struct prefix p = {.in = came};
    auto_json *all = json_copy(came->entries);
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        CLAIM(give(&p, json_array_get(stored, i)) == 0);
    CLAIM(prefix_end(&p) == 0);
    for (size_t i = n; i < json_array_size(all); i++)
        CLAIM(json_array_get(came->entries, left++) == json_array_get(all, i));
    CLAIM(json_array_size(came->entries) == left);
    prefix_done(&p);
}

/* Marks on the blocks of messages that have lists of them. */
static void add_marks(json_t *root, unsigned which)
{
    json_t *message, *block;
    size_t i, k;
    json_array_foreach(json_is_array(root) ? root : json_object_get(root, "messages"), i, message)
        json_array_foreach(json_object_get(message, "content"), k, block)
            if (json_is_object(block) && !json_object_get(block, "cache_control") && (which >> (i + k) % 8 & 1))
                (void)json_object_set_new(block, "cache_control", json_pack("{s:s}", "type", "ephemeral"));
}

static void check_marked(const json_t *stored, json_t *root, int wire, unsigned which)
{
    struct incoming marked;
    if (wire != LOWER_ANTHROPIC)
        return;
    add_marks(root, which);
    if (import(wire, root, &marked) == 0)
        check_known(stored, &marked, json_array_size(stored));
    incoming_done(&marked);
}

/* Entries of anybody: the list's own members, taken for such. */
static void check_foreign(const json_t *root, struct incoming *came)
{
    struct prefix p = {.in = came};
    const json_t *list = json_is_array(root) ? root : json_object_get(root, "messages"), *one;
    auto_json *all = json_copy(came->entries);
    size_t i, n = json_array_size(all);
    int r = 0;
    json_array_foreach(list, i, one) {
        auto_free char *body = json_dumps(one, JSON_ENCODE_ANY | JSON_COMPACT);
        r = r < 0 || !body ? r : prefix_entry(&p, body, strlen(body));
        CLAIM(r == 0 || r == -EEXIST || r == -EBADMSG);
        CLAIM(p.unread == (r == -EBADMSG) && p.at <= n);
    }
    if (r == 0) {
        CLAIM(prefix_end(&p) == 0);
        size_t left = json_array_size(came->entries), at = n;
        while (left && at) { /* those that are left are some of those that came, in their order */
            at--;
            left -= json_array_get(came->entries, left - 1) == json_array_get(all, at);
        }
        CLAIM(!left);
    }
    prefix_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    int wire = feed_u8(&f) % LOWER_WIRES;
    unsigned how = (unsigned)len;
    auto_json *root = json_loadb((const char *)f.at, f.left, JSON_ALLOW_NUL, NULL);
    struct incoming first = {0}, second = {0}, third = {0};
    if (root && import(wire, root, &first) == 0 && import(wire, root, &second) == 0 && import(wire, root, &third) == 0) {
        check_known(first.entries, &second, how % (json_array_size(first.entries) + 1));
        check_foreign(root, &third);
        check_marked(first.entries, root, wire, how);
    }
    incoming_done(&first);
    incoming_done(&second);
    incoming_done(&third);
    return 0;
}
