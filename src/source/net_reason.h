/* SPDX-License-Identifier: Apache-2.0 */
/* Why a URL, an address or an answer from the network is refused: one table of codes and words. */
#ifndef FOVEA_NET_REASON_H
#define FOVEA_NET_REASON_H

#include <stdbool.h>

enum net_reason {
    NET_OK,
    /* the text of a URL */
    NET_URL_SYNTAX,
    NET_URL_TOO_LONG,
    NET_SCHEME,
    NET_USERINFO,
    NET_HOST_SYNTAX,
    NET_HOST_NAME,
    NET_HOST_DENIED,
    NET_HOST_NOT_ALLOWED,
    NET_PORT_SYNTAX,
    NET_PORT,
    /* an address written in it */
    NET_IP_UNSPECIFIED,
    NET_IP_LOOPBACK,
    NET_IP_PRIVATE,
    NET_IP_CGNAT,
    NET_IP_LINKLOCAL,
    NET_IP_METADATA,
    NET_IP_MULTICAST,
    NET_IP_BROADCAST,
    NET_IP_RESERVED,
    NET_IP_EMBEDDED,
    /* where it leads */
    NET_SELF,
    NET_DNS_PRIVATE,
    NET_DNS_FAIL,
    NET_REDIRECT_LIMIT,
    NET_REDIRECT_PRIVATE,
    NET_REDIRECT_SCHEME,
    /* what came of it */
    NET_CONNECT,
    NET_TLS,
    NET_HTTP_STATUS,
    NET_HEADER_TOO_LARGE,
    NET_ENCODING,
    NET_TYPE,
    NET_TOO_LARGE,
    NET_TRUNCATED,
    NET_TIMEOUT_DNS,
    NET_TIMEOUT_CONNECT,
    NET_TIMEOUT_SLOW,
    NET_TIMEOUT_TOTAL,
    NET_BUSY,
    NET_REASONS,
};

/* What kind of bad news it is: a refusal of our gate, or a failure of the network or the server. */
bool net_reason_of_gate(enum net_reason r);

const char *net_reason_code(enum net_reason r);  /* "ip_loopback" */
const char *net_reason_words(enum net_reason r); /* "the address is this machine's own" */

/* The reason when it was a redirect that led there. */
enum net_reason net_reason_redirected(enum net_reason r);

#endif
