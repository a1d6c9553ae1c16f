/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: see message.h. They are measured before they are parsed: depth and number of values are bounded. */
#include "base/json_read.h"
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_size.h"
#include "base/limits.h"
#include "base/text.h"
#include "find_id.h"

int rpc_error_set(struct rpc_error *e, enum rpc_code code, int http, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *e = (struct rpc_error){.code = code, .http = http};
    (void)vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    return -EINVAL;
}

/* ---------------------------------------------------------------- parsing */

static int load_failed(const json_error_t *where, struct rpc_error *error)
{
    switch (json_error_code(where)) {
    case json_error_numeric_overflow:
        return rpc_error_set(error, RPC_PARSE, 400, "a number in the message is out of range, at byte %d",
                             where->position);
    case json_error_duplicate_key:
        return rpc_error_set(error, RPC_INVALID, 400, "a key stands twice in one object of the message");
    case json_error_out_of_memory:
        return rpc_error_set(error, RPC_INTERNAL, 500, "out of memory");
    default:
        return rpc_error_set(error, RPC_PARSE, 400, "the message is not JSON, at byte %d", where->position);
    }
}

static int check_text(const char *text, size_t len, struct rpc_error *error)
{
    size_t good = utf8_valid_prefix(text, len);
    const char *nul = memchr(text, 0, len);
    if (good < len)
        return rpc_error_set(error, RPC_PARSE, 400, "the message is not UTF-8, at byte %zu", good);
    if (nul)
        return rpc_error_set(error, RPC_PARSE, 400, "the message holds a NUL, at byte %zu", (size_t)(nul - text));
    return 0;
}

json_t *message_load(const char *text, size_t len, json_t **ret_id, struct rpc_error *error)
{
    struct json_size size = json_measure(text, len, LIMIT_MCP_VALUES, LIMIT_MCP_DEPTH);
    json_error_t where;
    json_t *root = NULL;
    *ret_id = NULL;
    if (size.depth > LIMIT_MCP_DEPTH)
        (void)rpc_error_set(error, RPC_PARSE, 400, "the message is nested deeper than %d levels", LIMIT_MCP_DEPTH);
    else if (size.values > LIMIT_MCP_VALUES)
        (void)rpc_error_set(error, RPC_INVALID, 400, "the message holds more than %d values", LIMIT_MCP_VALUES);
    else if (!check_text(text, len, error) &&
             !(root = json_read(text, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where)))
        (void)load_failed(&where, error);
    if (!root) {
        struct id_finder finder = {0};
        id_finder_take(&finder, text, len);
        *ret_id = id_finder_id(&finder);
    }
    return root;
}

/* ---------------------------------------------------------------- shape */

json_t *member(const json_t *object, const char *name, json_type type)
{
    json_t *v = json_object_get(object, name);
    return v && json_typeof(v) == type ? v : NULL;
}

const char *member_string(const json_t *object, const char *name)
{
    const json_t *v = json_object_get(object, name);
    const char *s = json_string_value(v);
    return s && strlen(s) == json_string_length(v) ? s : NULL;
}

static int read_response(json_t *root, struct message *ret, struct rpc_error *error)
{
    ret->kind = MESSAGE_RESPONSE;
    ret->result = json_object_get(root, "result");
    if (!ret->id && !json_object_get(root, "error"))
        return rpc_error_set(error, RPC_INVALID, 400, "a response needs the id that it answers");
    return 0;
}

static int read_params(json_t *root, struct message *ret, struct rpc_error *error)
{
    json_t *params = json_object_get(root, "params"), *meta = json_object_get(params, "_meta");
    if (params && !json_is_object(params))
        return rpc_error_set(error, RPC_PARAMS, 400, "\"params\" must be an object");
    if (meta && !json_is_object(meta))
        return rpc_error_set(error, RPC_PARAMS, 400, "\"_meta\" must be an object");
    ret->params = params;
    ret->meta = meta;
    return 0;
}

int message_read(json_t *root, struct message *ret, struct rpc_error *error)
{
    *ret = (struct message){0};
    if (!json_is_object(root))
        return rpc_error_set(error, RPC_INVALID, 400, "a message must be an object");
    json_t *id = json_object_get(root, "id");
    bool method = json_object_get(root, "method") != NULL;
    const char *version = member_string(root, "jsonrpc");
    ret->id = id && id_fits(id) ? id : NULL;
    if (!version || strcmp(version, "2.0") != 0)
        return rpc_error_set(error, RPC_INVALID, 400, "\"jsonrpc\" must be \"2.0\"");
    if (!method && (json_object_get(root, "result") || json_object_get(root, "error")))
        return read_response(root, ret, error);
    if (id && !ret->id)
        return rpc_error_set(error, RPC_INVALID, 400, "\"id\" must be an integer or a string of at most %d bytes",
                             LIMIT_MCP_ID);
    ret->method = member_string(root, "method");
    if (!ret->method)
        return rpc_error_set(error, RPC_INVALID, 400, "\"method\" must be a string without NUL");
    ret->kind = id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
    return read_params(root, ret, error);
}
