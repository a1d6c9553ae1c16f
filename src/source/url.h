/* SPDX-License-Identifier: Apache-2.0 */
/*
 * https URLs, by a grammar of our own that is narrower than any library's: what two parsers could read in two ways is
 * refused. What is judged here is what is dialled and sent: no text of the caller's reaches the HTTP library. Pure.
 */
#ifndef FOVEA_URL_H
#define FOVEA_URL_H

#include <stddef.h>

#include "base/limits.h"
#include "source/host.h"
#include "source/net_reason.h"

/* Scheme https and port 443 go without saying. */
struct url {
    struct url_host host;
    char target[LIMIT_URL_TARGET]; /* path and query as they are sent; starts with '/'. The fragment is dropped */
};

/*
 * text has len bytes, NUL anywhere among them included. NET_OK only when an honest fetch may be tried: the grammar
 * holds, the host is no private name and no address that is not public.
 */
enum net_reason url_parse(const char *text, size_t len, struct url *ret);

/* A Location against the URL that answered with it. The reasons are those of url_parse. */
enum net_reason url_join(const struct url *base, const char *location, size_t len, struct url *ret);

#define URL_TEXT (LIMIT_HOST_BYTES + LIMIT_URL_TARGET + 16)
/* The URL again, from its judged parts. Returns its length. */
int url_format(const struct url *u, char out[URL_TEXT]);

#endif
