/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, and whether they are public: the table of special prefixes. Pure; no address is ever looked up here. */
#ifndef FOVEA_NETADDR_H
#define FOVEA_NETADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "source/net_reason.h"

struct netaddr {
    bool v6;
    uint8_t bytes[16]; /* network order; the first four of IPv4, the rest zero */
};
#define NETADDR_TEXT 46 /* its text, NUL included */

/* The one spelling of IPv4 (four decimal numbers, no leading zeros), any legal one of IPv6 (no zone, no brackets). */
bool netaddr_parse4(const char *text, size_t len, struct netaddr *ret);
bool netaddr_parse6(const char *text, size_t len, struct netaddr *ret);

/* False of a family that is not IP. */
bool netaddr_of(const struct sockaddr *sa, size_t len, struct netaddr *ret);

void netaddr_format(const struct netaddr *a, char out[NETADDR_TEXT]);
bool netaddr_equal(const struct netaddr *a, const struct netaddr *b);

/* NET_OK of a public unicast address, otherwise what it is. What is in no table and not global unicast is reserved. */
enum net_reason netaddr_judge(const struct netaddr *a);

/*
 * The same of an address that DNS gave: NET_OK or NET_DNS_PRIVATE. On a network with IPv6 only, DNS64 wraps public IPv4
 * addresses in 64:ff9b::/96; such an answer is as public as the address inside.
 */
enum net_reason netaddr_judge_answer(const struct netaddr *a);

#endif
