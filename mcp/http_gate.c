/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host, Origin and token: see http_gate.h. Nothing is resolved, decoded or normalised but the case of a host name: a
 * spelling that is not on the list is foreign, whatever it would lead to. So there is no parser to disagree with.
 */
#include "http_gate.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

static const char *const local_names[] = {"localhost", "127.0.0.1", "[::1]"};

/* Reads "8080": digits without a leading zero up to the end. 0 when it is anything else. */
static unsigned read_port(const char *s)
{
    unsigned port = 0;
    if (*s == '0')
        return 0;
    for (; *s; s++) {
        if (*s < '0' || *s > '9')
            return 0;
        port = port * 10 + (unsigned)(*s - '0');
        if (port > 65535)
            return 0;
    }
    return port;
}

/* What follows the name: ":PORT" of ours, or nothing where our port is the scheme's own. */
static bool port_is_ours(const struct gate *g, const char *rest)
{
    if (!*rest)
        return g->port == (g->tls ? 443 : 80);
    return *rest == ':' && read_port(rest + 1) == g->port;
}

/* What is left of value after the name, or NULL when it does not start with it. */
static const char *after_name(const char *value, const char *name)
{
    size_t len = strlen(name);
    return len && !strncasecmp(value, name, len) ? value + len : NULL;
}

static bool names(const struct gate *g, const char *value, const char *name)
{
    const char *rest = after_name(value, name);
    return rest && port_is_ours(g, rest);
}

static bool authority_is_ours(const struct gate *g, const char *value)
{
    for (size_t i = 0; i < COUNT(local_names); i++)
        if (names(g, value, local_names[i]))
            return true;
    return g->bound && names(g, value, g->bound);
}

bool gate_host(const struct gate *g, const char *value)
{
    if (authority_is_ours(g, value))
        return true;
    for (const char *const *h = g->hosts; h && *h; h++)
        if (names(g, value, *h) || (**h && !strcasecmp(value, *h)))
            return true;
    return false;
}

const char *gate_foreign(const struct gate *g, const char *value)
{
    for (const char *const *o = g->origins; o && *o; o++)
        if (**o && !strcmp(value, *o))
            return *o;
    return NULL;
}

bool gate_origin(const struct gate *g, const char *value)
{
    const char *scheme = g->tls ? "https://" : "http://";
    size_t len = strlen(scheme);
    if (!strncmp(value, scheme, len) && authority_is_ours(g, value + len))
        return true;
    return gate_foreign(g, value) != NULL;
}

bool gate_bearer(const char *value, const char *token)
{
    const char *sent = after_name(value, "bearer ");
    if (!sent)
        return false;
    size_t len = strlen(sent), want = strlen(token);
    volatile unsigned char differs = len != want;
    for (size_t i = 0; i < len; i++)
        differs = (unsigned char)(differs | (sent[i] ^ token[want ? i % want : 0]));
    return !differs;
}
