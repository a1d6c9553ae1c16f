/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a JSON-RPC line: read, or refused with a typed error. What was read is the same when it is written and read again;
 * the id that is found in a line that is only looked at is the message's own, in whatever pieces it comes.
 * about: mcp/message.c mcp/find_id.c
 */
#include "fuzz.h"

#include "base/cleanup.h"
#include "mcp/find_id.h"
#include "mcp/message.h"

static json_t *find(const char *text, size_t len, size_t step)
{
    struct id_finder f = {0};
    for (size_t i = 0; i < len; i += step)
        id_finder_take(&f, text + i, MIN(step, len - i));
    return id_finder_id(&f);
}

static bool same(const json_t *a, const json_t *b)
{
    return a && b ? json_equal(a, b) : a == b;
}

/* A message that holds together is found by the finder too. */
static void check_id(const char *text, size_t len, const json_t *root)
{
    auto_json *whole = find(text, len, len ? len : 1), *ones = find(text, len, 1), *threes = find(text, len, 3);
    CLAIM(same(whole, ones) && same(whole, threes));
    CLAIM(!whole || id_fits(whole));
    const json_t *id = json_object_get(root, "id");
    if (json_is_object(root) && id && id_fits(id) && memmem(text, len, "\"id\"", 4))
        CLAIM(whole && json_equal(whole, id));
}

static void check_read(json_t *root)
{
    struct rpc_error error = {0}, again_error = {0};
    struct message m = {0}, n = {0};
    int r = message_read(root, &m, &error);
    CLAIM(r == 0 ? m.kind <= MESSAGE_RESPONSE : error.code != 0 && error.text[0]);
    if (r == 0) {
        CLAIM((m.kind == MESSAGE_RESPONSE) == !m.method);
        CLAIM(m.kind == MESSAGE_NOTIFICATION ? !m.id : m.kind == MESSAGE_RESPONSE || (m.id && id_fits(m.id)));
        CLAIM(!m.params || json_is_object(m.params));
        CLAIM(!m.meta || json_is_object(m.meta));
    }
    auto_free char *text = json_dumps(root, JSON_COMPACT | JSON_ENCODE_ANY);
    auto_json *id = NULL;
    auto_json *back = text ? message_load(text, strlen(text), &id, &again_error) : NULL;
    CLAIM(back && json_equal(back, root));
    CLAIM(message_read(back, &n, &again_error) == r && n.kind == m.kind && error.code == again_error.code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct rpc_error error = {0};
    struct feed f = {data, len};
    auto_json *id = NULL;
    auto_free char *text = feed_text(&f);
    auto_json *root = message_load(text, len, &id, &error);
    CLAIM(root || (error.code && error.text[0]));
    check_id(text, len, root);
    if (root)
        check_read(root);
    return 0;
}
