/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every IPv4 address through our classifier and through the lab's own table (special.h): they must agree on each of the 2^32,
 * as an address in a URL and as an answer of DNS64 (64:ff9b::/96). IPv6 cannot be walked: the edges of every range and as many random
 * addresses as asked for, most of them near a range. network_addresses FOLDER STEP RANDOM, where STEP 1 is every address.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "source/netaddr.h"
#include "special.h"

#define WALKERS 2
#define SHOWN 20 /* disagreements, before it goes on in silence */

static struct special v4, v6;
static uint32_t step;
static uint64_t samples;
static _Atomic uint64_t wrong;

static void disagree(const struct netaddr *a, enum net_reason ours, enum net_reason table)
{
    char text[NETADDR_TEXT];
    if (wrong++ >= SHOWN)
        return;
    netaddr_format(a, text);
    fprintf(stderr, "%s: we say %s, the table %s\n", text, net_reason_code(ours), net_reason_code(table));
}

static void compare(const struct netaddr *a, enum net_reason table)
{
    enum net_reason ours = netaddr_judge(a);
    if (ours != table)
        disagree(a, ours, table);
}

static uint32_t number(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void write_number(uint8_t *b, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        b[i] = (uint8_t)(n >> (24 - 8 * i));
}

/* ---------------------------------------------------------------- IPv4 */

/* What DNS64 says is as public as the address inside. */
static void compare_answer(struct netaddr *a, const uint8_t inside[4], enum net_reason table)
{
    memcpy(a->bytes + 12, inside, 4);
    enum net_reason ours = netaddr_judge_answer(a), want = table ? NET_DNS_PRIVATE : NET_OK;
    if (ours != want)
        disagree(a, ours, want);
}

/* Where the table's verdict may next change: the first edge beyond the address. */
static uint64_t next_edge(uint32_t from)
{
    uint64_t edge = UINT64_C(1) << 32;
    for (size_t i = 0; i < v4.n; i++) {
        uint64_t begin = number(v4.row[i].first), end = (uint64_t)number(v4.row[i].last) + 1;
        edge = begin > from ? MIN(edge, begin) : edge;
        edge = end > from ? MIN(edge, end) : edge;
    }
    return edge;
}

static uint64_t walk_range(uint64_t from, uint64_t to, uint32_t by)
{
    struct netaddr a = {.v6 = false}, answer = {.v6 = true, .bytes = {0, 0x64, 0xff, 0x9b}};
    uint64_t count = 0;
    while (from < to) {
        write_number(a.bytes, (uint32_t)from);
        enum net_reason table = special_look_up(&v4, a.bytes);
        uint64_t edge = MIN(to, next_edge((uint32_t)from));
        for (; from < edge; from += by, count++) {
            write_number(a.bytes, (uint32_t)from);
            compare(&a, table);
            compare_answer(&answer, a.bytes, table);
        }
    }
    return count;
}

struct walker {
    pthread_t thread;
    uint64_t from, to, seen;
};

static void *walk(void *arg)
{
    struct walker *w = arg;
    w->seen = walk_range(w->from, w->to, step);
    return NULL;
}

static uint64_t walk_all(void)
{
    struct walker w[WALKERS];
    uint64_t all = 0, share = (UINT64_C(1) << 32) / WALKERS;
    for (size_t i = 0; i < WALKERS; i++) {
        w[i] = (struct walker){.from = i * share, .to = (i + 1) * share};
        if (pthread_create(&w[i].thread, NULL, walk, &w[i]))
            exit(3);
    }
    for (size_t i = 0; i < WALKERS; i++) {
        (void)pthread_join(w[i].thread, NULL);
        all += w[i].seen;
    }
    return all;
}

/* Two addresses to each side of every edge. */
static void edges4(void)
{
    for (size_t i = 0; i < v4.n; i++) {
        uint64_t first = number(v4.row[i].first), last = number(v4.row[i].last);
        (void)walk_range(MAX(first, 2) - 2, MIN(first + 3, UINT64_C(1) << 32), 1);
        (void)walk_range(MAX(last, 2) - 2, MIN(last + 3, UINT64_C(1) << 32), 1);
    }
}

/* ---------------------------------------------------------------- IPv6 */

static uint64_t random64(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void random_bytes(uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t r = random64();
        memcpy(b + i, &r, MIN(8, n - i));
    }
}

static void add(uint8_t b[16], int what)
{
    for (int i = 15, carry = what; i >= 0 && carry; i--) {
        int sum = b[i] + carry;
        b[i] = (uint8_t)sum;
        carry = sum < 0 ? -1 : sum > 255;
    }
}

static void compare6(const uint8_t b[16])
{
    struct netaddr a = {.v6 = true};
    memcpy(a.bytes, b, 16);
    compare(&a, special_look_up(&v6, b));
}

static void edges6(void)
{
    for (size_t i = 0; i < v6.n; i++)
        for (int k = -2; k <= 2; k++) {
            uint8_t b[16];
            memcpy(b, v6.row[i].first, 16);
            add(b, k);
            compare6(b);
            memcpy(b, v6.row[i].last, 16);
            add(b, k);
            compare6(b);
        }
}

/* Anywhere; or as a range begins, for some bits, and anything after; or with an interface id that ISATAP would have. */
static void random6(uint8_t b[16])
{
    uint64_t dice = random64();
    const uint8_t *row = v6.row[dice % v6.n].first;
    unsigned bits = (unsigned)(dice >> 32) % 129;
    random_bytes(b, 16);
    if ((dice >> 56) < 32)
        return;
    memcpy(b, row, bits / 8);
    if (bits % 8)
        b[bits / 8] = (uint8_t)((row[bits / 8] & (0xff00 >> bits % 8)) | (b[bits / 8] & (0xff >> bits % 8)));
    if ((dice >> 56) < 40)
        memcpy(b + 8, "\2\0\x5e\xfe", 4);
}

static void sample6(void)
{
    uint8_t b[16];
    for (uint64_t i = 0; i < samples; i++) {
        random6(b);
        compare6(b);
    }
}

/* ---------------------------------------------------------------- */

static bool report(const char *name, const char *what, uint64_t seen)
{
    printf("%s %s\n", wrong ? "not ok" : "ok", name);
    printf("figure %s %" PRIu64 " addresses\n", what, seen);
    printf("figure %s_that_disagree %" PRIu64 " addresses\n", what, wrong);
    (void)fflush(stdout);
    bool fine = !wrong;
    wrong = 0;
    return fine;
}

static bool read_tables(const char *folder)
{
    char file[4096];
    (void)snprintf(file, sizeof file, "%s/ipv4_special.tsv", folder);
    bool fine = special_read(file, &v4);
    (void)snprintf(file, sizeof file, "%s/ipv6_special.tsv", folder);
    return fine && special_read(file, &v6);
}

int main(int argc, char **argv)
{
    if (argc != 4 || !read_tables(argv[1]))
        return 2;
    step = (uint32_t)strtoul(argv[2], NULL, 10);
    samples = strtoull(argv[3], NULL, 10);
    if (!step)
        return 2;
    uint64_t seen = walk_all();
    edges4();
    bool fine = report(step == 1 ? "every_ipv4_address_is_what_the_table_says" : "ipv4_addresses_are_what_the_table_says", "ipv4",
                       seen);
    edges6();
    sample6();
    fine = report("ipv6_addresses_are_what_the_table_says", "ipv6", samples + 10 * v6.n) && fine;
    return fine ? 0 : 1;
}
