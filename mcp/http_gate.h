/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may talk to us, by what a browser cannot forge: the Host it thinks it talks to (a foreign name that resolves to
 * us is refused) and the Origin of the page that asks. The two are checked separately, each exactly. Pure.
 */
#ifndef FOVEA_MCP_HTTP_GATE_H
#define FOVEA_MCP_HTTP_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct gate {
    uint16_t port;              /* the one we listen on */
    bool tls;
    const char *bound;          /* the address we listen on, IPv6 in brackets; NULL when it is a wildcard */
    const char *const *hosts;   /* further names, NULL-terminated; NULL none */
    const char *const *origins; /* further origins; the same */
};

/*
 * True when a Host header of that value is ours: localhost, 127.0.0.1, [::1] or the bound address, in any case, with our
 * port (it may be left out where it is the scheme's own); or one of the further names, as it stands or with our port.
 */
bool gate_host(const struct gate *g, const char *value);

/* True when a page of that origin may ask: scheme and authority of ours, or exactly one of the further origins. */
bool gate_origin(const struct gate *g, const char *value);

/* The one of the further origins that value is exactly, or NULL: a page elsewhere, which a browser lets read our answers
 * only when they say so. */
const char *gate_foreign(const struct gate *g, const char *value);

/* True when an Authorization header's value is "Bearer " and the token; takes as long for any value of a length. */
bool gate_bearer(const char *value, const char *token);

#endif
