/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lab's own table of special addresses, read from a file of ranges (ipv4_special.tsv, ipv6_special.tsv): first, last, what
 * we call it. It shares no line with src/source/netaddr.c. The last row that holds an address decides; no row is "ok".
 */
#ifndef FOVEA_LAB_SPECIAL_H
#define FOVEA_LAB_SPECIAL_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "source/net_reason.h"

#define SPECIAL_ROWS 128

struct special {
    size_t n, width; /* bytes of an address: 4 or 16 */
    struct special_row {
        uint8_t first[16], last[16];
        enum net_reason reason;
    } row[SPECIAL_ROWS];
};

static inline bool special_reason(const char *code, enum net_reason *ret)
{
    for (int r = 0; r < NET_REASONS; r++)
        if (!strcmp(net_reason_code((enum net_reason)r), code)) {
            *ret = (enum net_reason)r;
            return true;
        }
    return false;
}

static inline bool special_read_row(char *line, int family, struct special_row *ret)
{
    const char *cell[4] = {0};
    for (size_t i = 0; i < 4; i++)
        cell[i] = strsep(&line, "\t\n");
    return cell[3] && inet_pton(family, cell[0], ret->first) == 1 && inet_pton(family, cell[1], ret->last) == 1 &&
           memcmp(ret->first, ret->last, 16) <= 0 && special_reason(cell[2], &ret->reason);
}

/* False, with a word on stderr, when a row makes no sense. */
static inline bool special_read(const char *file, struct special *ret)
{
    char line[512];
    bool fine = true;
    FILE *f = fopen(file, "re");
    *ret = (struct special){.width = strstr(file, "ipv6") ? 16 : 4};
    while (f && fine && fgets(line, sizeof line, f))
        if (line[0] != '#') {
            fine = ret->n < SPECIAL_ROWS &&
                   special_read_row(line, ret->width == 4 ? AF_INET : AF_INET6, &ret->row[ret->n]);
            ret->n++;
        }
    if (f)
        (void)fclose(f);
    fine = fine && ret->n;
    if (!fine)
        fprintf(stderr, "%s: row %zu makes no sense\n", file, ret->n);
    return fine;
}

/* RFC 5214: ISATAP, by its interface id. */
static inline bool special_is_isatap(const uint8_t a[16])
{
    return (a[8] == 0 || a[8] == 1 || a[8] == 2 || a[8] == 3) && !memcmp(a + 9, "\0\x5e\xfe", 3);
}

static inline enum net_reason special_look_up(const struct special *t, const uint8_t a[16])
{
    if (t->width == 16 && special_is_isatap(a))
        return NET_IP_EMBEDDED;
    for (size_t i = t->n; i-- > 0;)
        if (memcmp(a, t->row[i].first, t->width) >= 0 && memcmp(a, t->row[i].last, t->width) <= 0)
            return t->row[i].reason;
    return NET_OK;
}

#endif
