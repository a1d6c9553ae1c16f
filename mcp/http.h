/* SPDX-License-Identifier: Apache-2.0 */
/* Streamable HTTP: the endpoint /mcp, on loopback unless told otherwise. */
#ifndef FOVEA_MCP_HTTP_H
#define FOVEA_MCP_HTTP_H

#include <stdbool.h>

#include "fovea.h"
#include "server.h"

struct http_options {
    const char *address;                /* "127.0.0.1:0", "[::1]:8080", "localhost:8080"; port 0 picks one */
    bool no_token;                      /* anyone who reaches the port may call */
    bool insecure;                      /* an address beyond loopback is allowed without token or TLS */
    const char *tls_cert, *tls_key;     /* PEM files, both or none */
    const char *const *allowed_hosts;   /* further Host names, NULL-terminated; NULL none */
    const char *const *allowed_origins; /* further origins, "https://example.com"; the same */
};

/*
 * Prints the URL on stderr, serves until stop_fd is readable, then ends the streams that are open and returns 0. The
 * server stays the caller's. A negative code and a sentence when it cannot start.
 */
int http_run(struct server *s, const struct http_options *o, int stop_fd, struct fovea_fault *fault);

#endif
