/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts: one canonical form, the names that are never public, and the user's lists. Pure; nothing is looked up. */
#ifndef FOVEA_HOST_H
#define FOVEA_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "source/net_reason.h"
#include "source/netaddr.h"

struct url_host {
    char name[LIMIT_HOST_BYTES]; /* lower-case ASCII, A-labels, no final dot; an address without its brackets */
    bool literal;                /* an address, which is: */
    struct netaddr addr;
};

/* A host as written in a URL: its canonical form, or why it is refused (host_syntax, host_name, ip_...). */
enum net_reason host_parse(const char *text, size_t len, struct url_host *ret);

/* Whether a name, in canonical form, is one for private use. */
bool host_is_near(const char *name);

/*
 * network.allow and network.deny: lists of "example.com" (that host), "*.example.com" (the hosts beneath it),
 * ".example.com" (both), "*", or an address; NULL-terminated, NULL is empty. Deny wins; a non-empty allow restricts.
 * A pattern that cannot be read allows nothing and denies everything. Neither list can permit what host_parse refuses.
 */
enum net_reason host_rules(const struct url_host *h, const char *const *allow, const char *const *deny);
bool host_rule_valid(const char *pattern);

#endif
