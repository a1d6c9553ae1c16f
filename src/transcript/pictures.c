/* SPDX-License-Identifier: Apache-2.0 */
/* What the pictures that came in really are. Each is looked at once, however many parts show it. */
#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "transcript/transcript_priv.h"

/* Image parts by their sha256: lists of borrowed parts that are kept alive by their entries as well. */
static int add_parts(json_t *index, const json_t *entry)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(entry, "parts"), i, part) {
        json_t *sha = string_at(part, "sha256");
        if (!sha || !is_word(json_object_get(part, "type"), "image"))
            continue;
        json_t *list = json_object_get(index, json_string_value(sha));
        if (!list && json_object_set_new(index, json_string_value(sha), list = json_array()) != 0)
            return -ENOMEM;
        if (json_array_append(list, part) != 0)
            return -ENOMEM;
    }
    return 0;
}

static int tell(json_t *part, const struct incoming_picture *p)
{
    json_t *said = json_object_get(part, "media_type");
    int r = 0;
    if (p->media_type && !is_word(said, p->media_type)) {
        if (said && !json_object_get(part, "declared"))
            r |= json_object_set(part, "declared", said);
        r |= json_object_set_new(part, "media_type", json_string(p->media_type));
    }
    if (p->media_type && p->width && p->height) {
        r |= json_object_set_new(part, "width", json_integer(p->width));
        r |= json_object_set_new(part, "height", json_integer(p->height));
    }
    if (!p->media_type || p->why[0])
        r |= json_object_set_new(part, "broken", json_string(p->why[0] ? p->why : "no picture of a kind that is known"));
    if (!json_object_get(part, "media_type"))
        r |= json_object_set_new(part, "media_type", json_string("application/octet-stream"));
    return r == 0 ? 0 : -ENOMEM;
}

static int look_at(const struct incoming_blob *blob, const json_t *parts, incoming_look *look, void *arg,
                   struct fovea_fault *fault)
{
    struct incoming_picture found = {0};
    size_t i;
    json_t *part;
    int r = look(arg, blob, &found, fault);
    json_array_foreach(parts, i, part)
        if (r == 0 && (r = tell(part, &found)) < 0)
            (void)fault_oom(fault);
    return r;
}

int incoming_pictures(struct incoming *in, incoming_look *look, void *arg, struct fovea_fault *fault)
{
    auto_json *index = json_object();
    size_t i;
    json_t *entry;
    if (!index)
        return fault_oom(fault);
    json_array_foreach(in->entries, i, entry)
        if (add_parts(index, entry) < 0)
            return fault_oom(fault);
    for (i = 0; i < in->n_blobs; i++) {
        char hex[SHA256_HEX_LEN + 1];
        sha256_hex(in->blobs[i].sha256, hex);
        json_t *parts = json_object_get(index, hex);
        int r = parts ? look_at(&in->blobs[i], parts, look, arg, fault) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

/* ---------------------------------------------------------------- by which name they are seen again */

void incoming_view_id(const uint8_t digest[static SHA256_LEN], char ret[static INCOMING_VIEW_LEN + 1])
{
    static const char word[] = "recorded";
    uint8_t text[SHA256_LEN + sizeof word - 1], sum[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    memcpy(text, digest, SHA256_LEN);
    memcpy(text + SHA256_LEN, word, sizeof word - 1);
    sha256(text, sizeof text, sum);
    sha256_hex(sum, hex);
    (void)snprintf(ret, INCOMING_VIEW_LEN + 1, "view:%.12s", hex);
}

static int name_part(json_t *part)
{
    uint8_t digest[SHA256_LEN];
    char id[INCOMING_VIEW_LEN + 1];
    if (!is_word(json_object_get(part, "type"), "image") || json_object_get(part, "view") || json_object_get(part, "broken") ||
        !sha256_unhex(json_string_value(json_object_get(part, "sha256")), digest))
        return 0;
    incoming_view_id(digest, id);
    return json_object_set_new(part, "view", json_string(id)) == 0 ? 0 : -ENOMEM;
}

int incoming_views(struct incoming *in)
{
    size_t i, k;
    json_t *entry, *part;
    int r = 0;
    json_array_foreach(in->entries, i, entry) {
        if (!is_word(json_object_get(entry, "kind"), "tool_result"))
            continue;
        json_array_foreach(json_object_get(entry, "parts"), k, part)
            r = r == 0 ? name_part(part) : r;
    }
    return r;
}
