/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses: see netaddr.h. The rows are IANA's special-purpose registries for IPv4 and IPv6 (every entry, also those
 * that are reachable but belong to no ordinary server), the older assignments they replaced, and the fixed addresses of
 * cloud metadata services. The first row that fits decides, so narrow ones stand before the nets they lie in.
 */
#include "source/netaddr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/cleanup.h"

#define V4(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

static const struct {
    uint32_t net;
    unsigned bits;
    enum net_reason reason;
} table4[] = {
    {V4(169, 254, 169, 254), 32, NET_IP_METADATA}, /* AWS, Google, Azure, Oracle, OpenStack and more */
    {V4(169, 254, 170, 2), 32, NET_IP_METADATA},   /* AWS: credentials of tasks */
    {V4(169, 254, 170, 23), 32, NET_IP_METADATA},  /* AWS: credentials of pods */
    {V4(169, 254, 0, 23), 32, NET_IP_METADATA},    /* Tencent */
    {V4(169, 254, 42, 42), 32, NET_IP_METADATA},   /* Scaleway */
    {V4(100, 100, 100, 200), 32, NET_IP_METADATA}, /* Alibaba */
    {V4(100, 96, 0, 96), 32, NET_IP_METADATA},     /* Volcengine */
    {V4(168, 63, 129, 16), 32, NET_IP_METADATA},   /* Azure's WireServer: a public number, served by the host below */
    {V4(192, 0, 0, 192), 32, NET_IP_METADATA},     /* Oracle, classic */
    {V4(0, 0, 0, 0), 8, NET_IP_UNSPECIFIED},       /* RFC 791: this network; Linux takes 0.0.0.0 for itself */
    {V4(10, 0, 0, 0), 8, NET_IP_PRIVATE},          /* RFC 1918 */
    {V4(100, 64, 0, 0), 10, NET_IP_CGNAT},         /* RFC 6598 */
    {V4(127, 0, 0, 0), 8, NET_IP_LOOPBACK},        /* RFC 1122 */
    {V4(169, 254, 0, 0), 16, NET_IP_LINKLOCAL},    /* RFC 3927 */
    {V4(172, 16, 0, 0), 12, NET_IP_PRIVATE},       /* RFC 1918 */
    {V4(192, 0, 0, 0), 24, NET_IP_RESERVED},       /* RFC 6890: protocol assignments */
    {V4(192, 0, 2, 0), 24, NET_IP_RESERVED},       /* RFC 5737: documentation */
    {V4(192, 31, 196, 0), 24, NET_IP_RESERVED},    /* RFC 7535: AS112 */
    {V4(192, 52, 193, 0), 24, NET_IP_RESERVED},    /* RFC 7450: multicast relays */
    {V4(192, 88, 99, 0), 24, NET_IP_RESERVED},     /* RFC 7526: once 6to4 relays */
    {V4(192, 168, 0, 0), 16, NET_IP_PRIVATE},      /* RFC 1918 */
    {V4(192, 175, 48, 0), 24, NET_IP_RESERVED},    /* RFC 7534: AS112 */
    {V4(198, 18, 0, 0), 15, NET_IP_RESERVED},      /* RFC 2544: benchmarks */
    {V4(198, 51, 100, 0), 24, NET_IP_RESERVED},    /* RFC 5737: documentation */
    {V4(203, 0, 113, 0), 24, NET_IP_RESERVED},     /* RFC 5737: documentation */
    {V4(224, 0, 0, 0), 4, NET_IP_MULTICAST},       /* RFC 5771 */
    {V4(255, 255, 255, 255), 32, NET_IP_BROADCAST},
    {V4(240, 0, 0, 0), 4, NET_IP_RESERVED}, /* RFC 1112 */
};

static const struct {
    uint16_t net[8];
    unsigned bits;
    enum net_reason reason;
} table6[] = {
    {{0}, 128, NET_IP_UNSPECIFIED},
    {{[7] = 1}, 128, NET_IP_LOOPBACK},
    {{0xfd00, 0xec2, [7] = 0x254}, 128, NET_IP_METADATA},                /* AWS */
    {{0xfd00, 0xec2, [7] = 0x23}, 128, NET_IP_METADATA},                 /* AWS: credentials of pods */
    {{0xfd20, 0xce, [7] = 0x254}, 128, NET_IP_METADATA},                 /* Google */
    {{0xfd00, 0xc1, [6] = 0xa9fe, [7] = 0xa9fe}, 128, NET_IP_METADATA},  /* Oracle */
    {{0}, 96, NET_IP_EMBEDDED},                                          /* RFC 4291: IPv4-compatible */
    {{[5] = 0xffff}, 96, NET_IP_EMBEDDED},                               /* RFC 4291: IPv4-mapped */
    {{[4] = 0xffff}, 96, NET_IP_EMBEDDED},                               /* RFC 2765: IPv4-translated */
    {{0x64, 0xff9b}, 96, NET_IP_EMBEDDED},                               /* RFC 6052: NAT64 */
    {{0x64, 0xff9b, 1}, 48, NET_IP_EMBEDDED},                            /* RFC 8215: NAT64 of one's own */
    {{0x2002}, 16, NET_IP_EMBEDDED},                                     /* RFC 3056: 6to4 */
    {{0x2001, 0}, 32, NET_IP_EMBEDDED},                                  /* RFC 4380: Teredo */
    {{0x2001}, 23, NET_IP_RESERVED},                                     /* RFC 2928: protocol assignments */
    {{0x2001, 0xdb8}, 32, NET_IP_RESERVED},                              /* RFC 3849: documentation */
    {{0x2620, 0x4f, 0x8000}, 48, NET_IP_RESERVED},                       /* RFC 7534: AS112 */
    {{0x3ffe}, 16, NET_IP_RESERVED},                                     /* RFC 3701: once the 6bone */
    {{0x3fff}, 20, NET_IP_RESERVED},                                     /* RFC 9637: documentation */
    {{0xfe80}, 10, NET_IP_LINKLOCAL},                                    /* RFC 4291 */
    {{0xfec0}, 10, NET_IP_PRIVATE},                                      /* RFC 3879: once site-local */
    {{0xfc00}, 7, NET_IP_PRIVATE},                                       /* RFC 4193 */
    {{0xff00}, 8, NET_IP_MULTICAST},                                     /* RFC 4291 */
    {{0x2000}, 3, NET_OK},                                               /* global unicast; the rest is nobody's */
};

bool netaddr_parse4(const char *text, size_t len, struct netaddr *ret)
{
    char copy[INET_ADDRSTRLEN];
    struct netaddr a = {.v6 = false};
    if (len >= sizeof copy || memchr(text, '\0', len))
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (inet_pton(AF_INET, copy, a.bytes) != 1)
        return false;
    /* Whatever the parser lets pass, only one spelling is ours. */
    char again[NETADDR_TEXT];
    netaddr_format(&a, again);
    if (strcmp(copy, again)) /* never: glibc's parser lets nothing else pass; others do */
        return false;
    *ret = a;
    return true;
}

bool netaddr_parse6(const char *text, size_t len, struct netaddr *ret)
{
    char copy[INET6_ADDRSTRLEN];
    struct netaddr a = {.v6 = true};
    if (len >= sizeof copy || memchr(text, '\0', len))
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (inet_pton(AF_INET6, copy, a.bytes) != 1)
        return false;
    *ret = a;
    return true;
}

bool netaddr_of(const struct sockaddr *sa, size_t len, struct netaddr *ret)
{
    struct netaddr a = {0};
    if (sa->sa_family == AF_INET && len >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in in;
        memcpy(&in, sa, sizeof in);
        memcpy(a.bytes, &in.sin_addr, 4);
    } else if (sa->sa_family == AF_INET6 && len >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 in6;
        memcpy(&in6, sa, sizeof in6);
        memcpy(a.bytes, &in6.sin6_addr, 16);
        a.v6 = true;
    } else {
        return false;
    }
    *ret = a;
    return true;
}

void netaddr_format(const struct netaddr *a, char out[NETADDR_TEXT])
{
    out[0] = '\0';
    (void)inet_ntop(a->v6 ? AF_INET6 : AF_INET, a->bytes, out, NETADDR_TEXT);
}

bool netaddr_equal(const struct netaddr *a, const struct netaddr *b)
{
    return a->v6 == b->v6 && !memcmp(a->bytes, b->bytes, a->v6 ? 16 : 4);
}

static uint32_t number(const uint8_t *b)
{
    return V4(b[0], b[1], b[2], b[3]);
}

static enum net_reason judge4(uint32_t a)
{
    for (size_t i = 0; i < COUNT(table4); i++)
        if ((a ^ table4[i].net) >> (32 - table4[i].bits) == 0)
            return table4[i].reason;
    return NET_OK;
}

static bool starts_with(const uint8_t bytes[16], const uint16_t net[8], unsigned bits)
{
    for (unsigned i = 0; i < 8 && bits; i++) {
        unsigned n = MIN(bits, 16u);
        unsigned group = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
        if ((group ^ net[i]) >> (16 - n))
            return false;
        bits -= n;
    }
    return true;
}

/* RFC 5214: an interface id that ends in an IPv4 address, behind any prefix. */
static bool is_isatap(const uint8_t b[16])
{
    return (b[8] & 0xfc) == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe;
}

static enum net_reason judge6(const uint8_t bytes[16])
{
    if (is_isatap(bytes))
        return NET_IP_EMBEDDED;
    for (size_t i = 0; i < COUNT(table6); i++)
        if (starts_with(bytes, table6[i].net, table6[i].bits))
            return table6[i].reason;
    return NET_IP_RESERVED;
}

enum net_reason netaddr_judge(const struct netaddr *a)
{
    return a->v6 ? judge6(a->bytes) : judge4(number(a->bytes));
}

enum net_reason netaddr_judge_answer(const struct netaddr *a)
{
    static const uint16_t nat64[8] = {0x64, 0xff9b};
    enum net_reason r = a->v6 && starts_with(a->bytes, nat64, 96) ? judge4(number(a->bytes + 12)) : netaddr_judge(a);
    return r ? NET_DNS_PRIVATE : NET_OK;
}
