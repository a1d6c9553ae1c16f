/* SPDX-License-Identifier: Apache-2.0 */
/* From "ADDRESS:PORT" to a socket that listens. */
#ifndef FOVEA_MCP_HTTP_BIND_H
#define FOVEA_MCP_HTTP_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "fovea.h"

struct place {
    char host[64]; /* as it stands in a URL: IPv6 in brackets */
    uint16_t port;
    bool loopback, wildcard;
    int fd;        /* listens; the caller closes it */
};

/* Whether place_open can read it. */
bool place_valid(const char *address);

/* Only numbers and "localhost", which is 127.0.0.1 here whatever a resolver says. open_ok: beyond loopback is allowed. */
int place_open(const char *address, bool open_ok, struct place *ret, struct fovea_fault *fault);

#endif
