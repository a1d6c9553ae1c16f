/* SPDX-License-Identifier: Apache-2.0 */
/* One lookup of a name, with a deadline, and the verdict on all its answers. */
#ifndef FOVEA_FETCH_DNS_H
#define FOVEA_FETCH_DNS_H

#include <stdint.h>

#include "base/limits.h"
#include "fovea.h"
#include "source/netaddr.h"

struct answers {
    size_t n;
    struct netaddr addr[LIMIT_DNS_ANSWERS];
};

/*
 * Asks once, for both families, by the system's own rules but without its search list. Returns 0 and in *ret_reason NET_OK
 * (every answer is public), NET_DNS_PRIVATE (one is not, or the name leads to a private name), NET_DNS_FAIL (none, too
 * many, a failure) or NET_TIMEOUT_DNS; or -ECANCELED, -ENOMEM.
 */
int dns_look_up(const char *name, int64_t deadline, const fovea_cancel *cancel, enum net_reason *ret_reason,
                struct answers *ret);

/* Whether the address is on one of this machine's interfaces, loopback ones aside. */
bool dns_is_own_address(const struct netaddr *a);

#endif
