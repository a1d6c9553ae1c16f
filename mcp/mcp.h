/* SPDX-License-Identifier: Apache-2.0 */
/* The MCP server as the program runs it: all that `fovea mcp` needs to know. */
#ifndef FOVEA_MCP_H
#define FOVEA_MCP_H

#include "fovea.h"

struct mcp_options {
    const char *main; /* "PROVIDER/MODEL" that the host runs; NULL not known */
    const char *session; /* the name that what is spent is kept under; NULL none */
    bool no_webp;     /* never, not even to clients that are known to take it */
    bool conformance; /* also what the official conformance suite wants to find */
    const char *http; /* ADDRESS:PORT; NULL: stdin and stdout */
    bool no_token, insecure;
    const char *tls_cert, *tls_key;
    const char *const *hosts;   /* further Host names, NULL-terminated; NULL none */
    const char *const *origins; /* further Origins, likewise */
};

/* Whether that is an ADDRESS:PORT to listen on, as far as its spelling goes. */
bool mcp_http_valid(const char *address);

/* Serves until the client is gone or a signal (SIGTERM, SIGINT, SIGHUP) comes. 0 or a fault. */
int mcp_serve(fovea *f, const struct mcp_options *options, struct fovea_fault *fault);

#endif
