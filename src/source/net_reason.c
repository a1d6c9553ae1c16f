/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of the network: see net_reason.h. The codes are part of what users and scripts see and never change. */
#include "source/net_reason.h"

#include <assert.h>

static const struct {
    const char *code, *words;
    bool gate;
    enum net_reason redirected; /* NET_OK: the same */
} reasons[NET_REASONS] = {
    [NET_OK] = {"ok", "nothing is wrong", false, NET_OK},
    [NET_URL_SYNTAX] = {"url_syntax", "not a well-formed https URL", true, NET_OK},
    [NET_URL_TOO_LONG] = {"url_too_long", "the URL is longer than 2048 bytes", true, NET_OK},
    [NET_SCHEME] = {"scheme", "only https URLs are fetched", true, NET_REDIRECT_SCHEME},
    [NET_USERINFO] = {"userinfo", "a URL with a user name or password is not fetched", true, NET_OK},
    [NET_HOST_SYNTAX] = {"host_syntax", "the host is neither a plain DNS name nor a plainly written address", true, NET_OK},
    [NET_HOST_NAME] = {"host_name", "the host's name is for private use, not a public one", true, NET_REDIRECT_PRIVATE},
    [NET_HOST_DENIED] = {"host_denied", "network.deny in the config refuses this host", true, NET_OK},
    [NET_HOST_NOT_ALLOWED] = {"host_not_allowed", "network.allow in the config does not list this host", true, NET_OK},
    [NET_PORT_SYNTAX] = {"port_syntax", "the port is not a plain number up to 65535", true, NET_OK},
    [NET_PORT] = {"port", "only port 443 is used", true, NET_OK},
    [NET_IP_UNSPECIFIED] = {"ip_unspecified", "the address stands for this machine", true, NET_REDIRECT_PRIVATE},
    [NET_IP_LOOPBACK] = {"ip_loopback", "the address is a loopback address", true, NET_REDIRECT_PRIVATE},
    [NET_IP_PRIVATE] = {"ip_private", "the address belongs to a private network", true, NET_REDIRECT_PRIVATE},
    [NET_IP_CGNAT] = {"ip_cgnat", "the address belongs to a provider's inner network", true, NET_REDIRECT_PRIVATE},
    [NET_IP_LINKLOCAL] = {"ip_linklocal", "the address is link-local", true, NET_REDIRECT_PRIVATE},
    [NET_IP_METADATA] = {"ip_metadata", "the address is a cloud metadata service", true, NET_REDIRECT_PRIVATE},
    [NET_IP_MULTICAST] = {"ip_multicast", "the address is a multicast group", true, NET_REDIRECT_PRIVATE},
    [NET_IP_BROADCAST] = {"ip_broadcast", "the address is the broadcast address", true, NET_REDIRECT_PRIVATE},
    [NET_IP_RESERVED] = {"ip_reserved", "the address is reserved, not a public host's", true, NET_REDIRECT_PRIVATE},
    [NET_IP_EMBEDDED] = {"ip_embedded", "the address hides an IPv4 address", true, NET_REDIRECT_PRIVATE},
    [NET_SELF] = {"self", "the address is this machine's own", true, NET_OK},
    [NET_DNS_PRIVATE] = {"dns_private", "the name leads to an address that is not public", true, NET_REDIRECT_PRIVATE},
    [NET_DNS_FAIL] = {"dns_fail", "the name could not be looked up", true, NET_OK},
    [NET_REDIRECT_LIMIT] = {"redirect_limit", "more than 5 redirects", true, NET_OK},
    [NET_REDIRECT_PRIVATE] = {"redirect_private", "a redirect leads to a place that is not public", true, NET_OK},
    [NET_REDIRECT_SCHEME] = {"redirect_scheme", "a redirect leads away from https", true, NET_OK},
    [NET_CONNECT] = {"connect", "the server could not be reached", false, NET_OK},
    [NET_TLS] = {"tls", "no trusted TLS connection to that host", false, NET_OK},
    [NET_HTTP_STATUS] = {"http_status", "the server did not answer with a plain 200", false, NET_OK},
    [NET_HEADER_TOO_LARGE] = {"header_too_large", "more than 64 KiB or 256 lines of headers", false, NET_OK},
    [NET_ENCODING] = {"encoding", "the server sent a compressed body that was not asked for", false, NET_OK},
    [NET_TYPE] = {"type", "the server sent no bytes", false, NET_OK},
    [NET_TOO_LARGE] = {"too_large", "the body is larger than the limit", false, NET_OK},
    [NET_TRUNCATED] = {"truncated", "the connection ended before the body did", false, NET_OK},
    [NET_TIMEOUT_DNS] = {"timeout_dns", "no answer from DNS within 5 s", false, NET_OK},
    [NET_TIMEOUT_CONNECT] = {"timeout_connect", "no connection within 5 s", false, NET_OK},
    [NET_TIMEOUT_SLOW] = {"timeout_slow", "the server sends too slowly", false, NET_OK},
    [NET_TIMEOUT_TOTAL] = {"timeout_total", "not done within 30 s", false, NET_OK},
    [NET_BUSY] = {"busy", "too many fetches are waiting", false, NET_OK},
};

bool net_reason_of_gate(enum net_reason r)
{
    assert((unsigned)r < NET_REASONS);
    return reasons[r].gate;
}

const char *net_reason_code(enum net_reason r)
{
    assert((unsigned)r < NET_REASONS);
    return reasons[r].code;
}

const char *net_reason_words(enum net_reason r)
{
    assert((unsigned)r < NET_REASONS);
    return reasons[r].words;
}

enum net_reason net_reason_redirected(enum net_reason r)
{
    assert((unsigned)r < NET_REASONS);
    return reasons[r].redirected ? reasons[r].redirected : r;
}
