/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts: who is asked, over which wire, and what it makes of that wire. Names, addresses and keys are not known here; they
 * come with each request (struct host_place) from model/ and the config. Only how hosts behave is.
 */
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
    bool structured;     /* honours a JSON schema */
    bool pdf;            /* takes PDF bytes */
    bool video;          /* takes video, by URL or in bytes */
    bool openai;         /* OpenAI itself, whichever of its wires */
    bool new_max_tokens; /* the limit's name on openai-chat is max_completion_tokens */
    bool pdf_plugin;     /* a PDF needs the host's plugin named */
    bool route_schema;   /* a schema needs routing to upstreams that honour it */
};

/* What is said of a host elsewhere. Strings are borrowed by the host that is made of it. */
struct host_place {
    const char *name;
    const char *base_url;
    const char *wire; /* by its name */
    const char *auth; /* how the key is sent: bearer, x-api-key, x-goog-api-key; NULL: as the wire's vendor wants it */
    bool keyless;     /* none is sent */
};

/*
 * The host for a request. A name that is known here has its own flags, on each wire that it was seen to speak; any other
 * has those of a plain server of its wire. Where it lives changes no flag. -EINVAL: no wire or style of that name.
 */
int host_make(const struct host_place *place, struct host *ret);

/*
 * Whether requests with a key may go to this base URL: https, or http to this machine (127.0.0.0/8, [::1], localhost);
 * no user, query or fragment in it. NULL when they may, else why not.
 */
const char *host_url_fault(const char *url);

#endif
