/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches a network: each first packet of a TCP connection (SYN) and each UDP packet that is sent on any interface, as the
 * kernel sends it, whoever answers or does not. network_watch FOLDER: prints "ready", watches until its input ends, and prints
 * how many SYNs there were, how many of them to addresses that the lab's table (special.h) says are not public, the same of
 * UDP, and how many packets it missed. The resolver of the lab, 127.0.0.53 port 53, and its answers do not count.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "special.h"

#define PIECE 128       /* of a packet: all headers that are looked at */
#define ROOM (64 << 20) /* of the kernel's queue */
#define SHOWN 16        /* private addresses that are named */

struct watch {
    struct special v4, v6;
    uint64_t syns, private_syns, datagrams, private_datagrams;
};

/* UDP, and TCP with SYN and without ACK, of both families; everything else never reaches us. */
static const struct sock_filter wanted[] = {
    {BPF_LD | BPF_B | BPF_ABS, 0, 0, 0}, /* version */
    {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xf0},
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 7, 0x40}, /* 2: IPv4, else to 10 */
    {BPF_LD | BPF_B | BPF_ABS, 0, 0, 9},
    {BPF_JMP | BPF_JEQ | BPF_K, 13, 0, 17}, /* 4: UDP, to 18 */
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 11, 6},  /* 5: TCP, else to 17 */
    {BPF_LDX | BPF_B | BPF_MSH, 0, 0, 0},
    {BPF_LD | BPF_B | BPF_IND, 0, 0, 13},
    {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0x12},
    {BPF_JMP | BPF_JEQ | BPF_K, 8, 7, 0x02}, /* 9: to 18 or 17 */
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 6, 0x60}, /* 10: IPv6, else to 17 */
    {BPF_LD | BPF_B | BPF_ABS, 0, 0, 6},
    {BPF_JMP | BPF_JEQ | BPF_K, 5, 0, 17}, /* 12: to 18 */
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 6},  /* 13: else to 17 */
    {BPF_LD | BPF_B | BPF_ABS, 0, 0, 53},
    {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0x12},
    {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0x02}, /* 16 */
    {BPF_RET | BPF_K, 0, 0, 0},              /* 17 */
    {BPF_RET | BPF_K, 0, 0, PIECE},          /* 18 */
};

struct packet {
    const uint8_t *from, *to, *ports;
    bool v6, udp;
};

static bool read_packet(const uint8_t *b, size_t n, struct packet *ret)
{
    if (n < 28 || (b[0] >> 4 == 6 && n < 48))
        return false;
    size_t head = b[0] >> 4 == 6 ? 40 : (size_t)(b[0] & 15) * 4;
    if (head + 4 > n)
        return false;
    *ret = b[0] >> 4 == 6 ? (struct packet){b + 8, b + 24, b + head, true, b[6] == 17}
                          : (struct packet){b + 12, b + 16, b + head, false, b[9] == 17};
    return true;
}

static bool is_resolver(const uint8_t *address, const uint8_t *port)
{
    return !memcmp(address, "\x7f\0\0\x35", 4) && port[0] == 0 && port[1] == 53;
}

static void name_it(const struct packet *p)
{
    char text[INET6_ADDRSTRLEN];
    if (inet_ntop(p->v6 ? AF_INET6 : AF_INET, p->to, text, sizeof text))
        printf("sent %s %s %d\n", p->udp ? "udp" : "syn", text, p->ports[2] << 8 | p->ports[3]);
}

static void count(struct watch *w, const uint8_t *b, size_t n)
{
    struct packet p;
    uint8_t to[16] = {0};
    if (!read_packet(b, n, &p))
        return;
    if (!p.v6 && (is_resolver(p.to, p.ports + 2) || is_resolver(p.from, p.ports)))
        return;
    memcpy(to, p.to, p.v6 ? 16 : 4);
    bool private = special_look_up(p.v6 ? &w->v6 : &w->v4, to) != NET_OK;
    uint64_t *all = p.udp ? &w->datagrams : &w->syns, *bad = p.udp ? &w->private_datagrams : &w->private_syns;
    ++*all;
    *bad += private;
    if (private && *bad <= SHOWN)
        name_it(&p);
}

static int open_watch(void)
{
    struct sock_fprog filter = {COUNT(wanted), (struct sock_filter *)wanted};
    int room = ROOM;
    auto_close int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) < 0)
        return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) < 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    struct sockaddr_ll all = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    if (bind(fd, (struct sockaddr *)&all, sizeof all) < 0)
        return -errno;
    return take_fd(&fd);
}

/* On lo each packet comes twice, as sent and as received. */
static void drain(struct watch *w, int fd)
{
    uint8_t b[PIECE];
    for (;;) {
        struct sockaddr_ll from;
        socklen_t len = sizeof from;
        ssize_t n = recvfrom(fd, b, sizeof b, 0, (struct sockaddr *)&from, &len);
        if (n < 0)
            return;
        if (from.sll_pkttype == PACKET_OUTGOING)
            count(w, b, (size_t)n);
    }
}

static void watch_until_told(struct watch *w, int fd)
{
    struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    while (poll(p, 2, -1) >= 0 || errno == EINTR) {
        drain(w, fd);
        if (p[1].revents)
            return;
    }
}

int main(int argc, char **argv)
{
    static struct watch w;
    char file[4096];
    struct tpacket_stats missed = {0};
    socklen_t len = sizeof missed;
    (void)snprintf(file, sizeof file, "%s/ipv4_special.tsv", argc == 2 ? argv[1] : ".");
    if (!special_read(file, &w.v4))
        return 2;
    (void)snprintf(file, sizeof file, "%s/ipv6_special.tsv", argv[1]);
    if (!special_read(file, &w.v6))
        return 2;
    auto_close int fd = open_watch();
    if (fd < 0) {
        fprintf(stderr, "cannot watch packets: %s\n", strerrordesc_np(-fd));
        return 3;
    }
    printf("ready\n");
    (void)fflush(stdout);
    watch_until_told(&w, fd);
    drain(&w, fd);
    (void)getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &missed, &len);
    printf("syns %" PRIu64 "\nprivate_syns %" PRIu64 "\ndatagrams %" PRIu64 "\nprivate_datagrams %" PRIu64 "\nmissed %u\n",
           w.syns, w.private_syns, w.datagrams, w.private_datagrams, missed.tp_drops);
    return 0;
}
