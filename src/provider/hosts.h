/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts: who is asked. A row says where it lives, which wire it speaks and what it makes of it. */
#ifndef FOVEA_HOSTS_H
#define FOVEA_HOSTS_H

#include <stdbool.h>

#include "provider/wire.h"

enum host_auth {
    HOST_NO_AUTH,
    HOST_BEARER,
    HOST_X_API_KEY,
    HOST_X_GOOG_API_KEY,
    HOST_AUTHS
};

struct host {
    const char *name;
    const char *base_url; /* without a slash at its end */
    const struct wire *wire;
    enum host_auth auth;
    const char *headers; /* lines to send; may be NULL */
    const char *key_env; /* the usual variable of its key; NULL where none is usual */
    bool webp;           /* takes such pictures */
    bool structured;     /* honours a JSON schema */
    bool tool_images;    /* pictures in tool results may be seen; where a host has many models their rows decide */
    bool pdf;            /* takes PDF bytes */
    bool video;          /* takes video, by URL or in bytes */
    bool cost;           /* says what an answer cost */
    bool new_max_tokens; /* the limit's name on openai-chat is max_completion_tokens */
    bool pdf_plugin;     /* a PDF needs the host's plugin named */
    bool route_schema;   /* a schema needs routing to upstreams that honour it */
};

/* gemini and google are one. NULL for a name that is not built in. */
const struct host *host_find(const char *name);

/* The built-in rows; NULL past the last. */
const struct host *host_at(size_t index);

/*
 * A host of a config: flags as a plain server of that wire has them. Strings are borrowed. Callers change what their
 * config says otherwise.
 */
struct host host_custom(const char *name, const char *base_url, const struct wire *wire);

/* The auth style of a config's word (none, bearer, x-api-key, x-goog-api-key). 0 or -EINVAL. */
int host_auth_parse(const char *word, enum host_auth *ret);

/*
 * Whether requests with a key may go to this base URL: https, or http to this machine (127.0.0.0/8, [::1], localhost);
 * no user, query or fragment in it. NULL when they may, else why not.
 */
const char *host_url_fault(const char *url);

#endif
