/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes from an https URL. Every hop passes the whole gate: grammar and host lists (url.h), one lookup whose every answer
 * must be public (netaddr.h), a connection to one of those addresses and no other, TLS verified for the host. No
 * proxy, cookies, credentials, compression or kept connections, and nothing of that from the environment.
 */
#ifndef FOVEA_FETCH_H
#define FOVEA_FETCH_H

#include <stdint.h>

#include "fovea.h"
#include "source/snapshot.h"
#include "source/url.h"

struct fetch_policy {
    const char *const *allow, *const *deny; /* network.allow and network.deny, see host_rules */
    const char *ca_file;                    /* PEM; trusted besides the system's authorities. NULL: those alone */
    const struct netaddr *self;             /* where this program listens, besides the machine's own interfaces */
    size_t n_self;
};

#define FETCH_WORDS 128

struct fetch_result {
    enum net_reason reason; /* NET_OK: body holds the bytes */
    char words[FETCH_WORDS];
    unsigned status;    /* of HTTP, the last one seen; 0 none */
    unsigned redirects; /* followed */
    struct snapshot body; /* fd is -1 unless NET_OK */
};
void fetch_result_done(struct fetch_result *r);

/* What can be said of a URL without the network. ret may be NULL. */
enum net_reason fetch_gate(const struct fetch_policy *p, const char *text, size_t len, struct url *ret);

/*
 * At most cap bytes of body (0, or more than that: LIMIT_FETCH_BYTES), within LIMIT_FETCH_TOTAL_MS over all hops. Returns
 * 0 and a result, or a fault: -ECANCELED at most 100 ms after the cancel, no memory, no libcurl. At most LIMIT_FETCHES
 * run at once in the process and LIMIT_FETCHES_HOST for one host; others wait. Any thread may call it. A body with
 * neither a length nor chunks ends with its connection, and one that was closed is not told here from one that was
 * cut: whoever takes such bytes must find out by decoding them.
 */
int fetch_url(const struct fetch_policy *p, const char *url, uint64_t cap, const fovea_cancel *cancel,
              struct fetch_result *ret, struct fovea_fault *fault);

#endif
