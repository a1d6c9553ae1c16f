/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON-RPC message: from bytes to a checked shape, or to the error that its sender is owed. Pure. */
#ifndef FOVEA_MCP_MESSAGE_H
#define FOVEA_MCP_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/cleanup.h"

enum rpc_code {
    RPC_PARSE = -32700,
    RPC_INVALID = -32600,
    RPC_NO_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_NO_RESOURCE = -32002, /* until 2025-11-25; RPC_PARAMS since */
    RPC_HEADERS = -32020,     /* since 2026-07-28, like the next two */
    RPC_NO_CAPABILITY = -32021,
    RPC_VERSION = -32022,
};

struct rpc_error {
    enum rpc_code code;
    int http; /* the status over HTTP; 0: 200 */
    char text[256];
    const char *data; /* JSON text, static or living as long as the message; NULL none */
};
__attribute__((format(printf, 4, 5))) int rpc_error_set(struct rpc_error *e, enum rpc_code code, int http,
                                                        const char *format, ...);

static inline void json_free_p(json_t **j)
{
    json_decref(*j);
}
#define auto_json cleanup(json_free_p) json_t

/*
 * Parses one message or batch: UTF-8, no NUL, no BOM, at most LIMIT_MCP_DEPTH deep, no key twice. The caller drops the
 * result. NULL and an error otherwise; then *ret_id is the id (the caller drops it) if one was found before the text
 * broke, so that whoever waits for its answer gets one, or NULL.
 */
json_t *message_load(const char *text, size_t len, json_t **ret_id, struct rpc_error *error);

enum message_kind { MESSAGE_REQUEST, MESSAGE_NOTIFICATION, MESSAGE_RESPONSE };

/* Borrowed from the root that was read. */
struct message {
    enum message_kind kind;
    json_t *id;         /* a string or an integer; NULL of a notification */
    const char *method; /* NULL of a response */
    json_t *params;     /* an object, or NULL */
    json_t *meta;       /* params._meta, an object, or NULL */
    json_t *result;     /* of a response; NULL when it is an error */
};

/* -EINVAL and an error when it is no message; ret->id is then set if it could be read. Where ret->kind says
 * MESSAGE_NOTIFICATION all the same, nobody waits for the error. */
int message_read(json_t *root, struct message *ret, struct rpc_error *error);

/* A member of an object by name, of that type (a string: without NUL in it); NULL when missing or other. Content with
 * NULL. */
json_t *member(const json_t *object, const char *name, json_type type);
const char *member_string(const json_t *object, const char *name);

#endif
