/* SPDX-License-Identifier: Apache-2.0 */
/* The listening socket: see http_bind.h. No name is looked up, so nobody else decides where we listen. */
#include "http_bind.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static int not_an_address(const char *address, struct fovea_fault *fault)
{
    return fault_set(fault, EINVAL, "'%s' is no address to listen on: write it like 127.0.0.1:8080 or [::1]:8080", address);
}

/* "8080" up to the end; false when it is anything else. */
static bool read_port(const char *s, uint16_t *ret)
{
    unsigned long port = 0;
    if (!*s || strlen(s) > 5 || strspn(s, "0123456789") != strlen(s))
        return false;
    for (; *s; s++)
        port = port * 10 + (unsigned long)(*s - '0');
    *ret = (uint16_t)port;
    return port <= 65535;
}

/* Splits at the last colon; brackets around an IPv6 address are required and taken off. */
static bool split(const char *address, char host[64], bool *ret_v6, uint16_t *ret_port)
{
    const char *colon = strrchr(address, ':');
    if (!colon || !read_port(colon + 1, ret_port))
        return false;
    *ret_v6 = *address == '[';
    const char *from = address + *ret_v6, *to = colon - *ret_v6;
    if (to <= from || to - from >= 64 || (*ret_v6 && *to != ']'))
        return false;
    (void)snprintf(host, 64, "%.*s", (int)(to - from), from);
    return true;
}

static bool parse(const char *address, union address *ret, socklen_t *ret_len)
{
    char host[64];
    bool v6;
    uint16_t port;
    if (!split(address, host, &v6, &port))
        return false;
    *ret = (union address){0};
    *ret_len = v6 ? sizeof ret->v6 : sizeof ret->v4;
    if (v6) {
        ret->v6.sin6_family = AF_INET6;
        ret->v6.sin6_port = htons(port);
        return inet_pton(AF_INET6, host, &ret->v6.sin6_addr) == 1;
    }
    ret->v4.sin_family = AF_INET;
    ret->v4.sin_port = htons(port);
    return inet_pton(AF_INET, !strcasecmp(host, "localhost") ? "127.0.0.1" : host, &ret->v4.sin_addr) == 1;
}

static void describe(const union address *a, struct place *p)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (a->any.sa_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &a->v6.sin6_addr, text, sizeof text);
        (void)snprintf(p->host, sizeof p->host, "[%s]", text);
        p->port = ntohs(a->v6.sin6_port);
        p->loopback = IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
        p->wildcard = IN6_IS_ADDR_UNSPECIFIED(&a->v6.sin6_addr);
        return;
    }
    (void)snprintf(p->host, sizeof p->host, "%s", inet_ntop(AF_INET, &a->v4.sin_addr, text, sizeof text));
    p->port = ntohs(a->v4.sin_port);
    p->loopback = ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
    p->wildcard = a->v4.sin_addr.s_addr == htonl(INADDR_ANY);
}

/* Binds and listens; afterwards the address has the port that was picked. */
static int listen_on(union address *a, socklen_t len)
{
    auto_close int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int yes = 1;
    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (a->any.sa_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    if (bind(fd, &a->any, len) < 0 || listen(fd, LIMIT_HTTP_CONNECTIONS) < 0 || getsockname(fd, &a->any, &len) < 0)
        return -errno;
    return take_fd(&fd);
}

bool place_valid(const char *address)
{
    union address a;
    socklen_t len;
    return parse(address, &a, &len);
}

int place_open(const char *address, bool open_ok, struct place *ret, struct fovea_fault *fault)
{
    union address a;
    socklen_t len;
    struct place p = {0};
    if (!parse(address, &a, &len))
        return not_an_address(address, fault);
    describe(&a, &p);
    if (!p.loopback && !open_ok)
        return fault_set(fault, EACCES,
                         "'%s' can be reached from other machines: give --tls-cert and --tls-key and keep the token, "
                         "listen on 127.0.0.1, or pass --insecure", address);
    p.fd = listen_on(&a, len);
    if (p.fd < 0)
        return fault_set(fault, p.fd, "cannot listen on '%s': %s", address, strerror(-p.fd));
    describe(&a, &p);
    *ret = p;
    return 0;
}
