/* SPDX-License-Identifier: Apache-2.0 */
/* Which name was meant: the edit distance with swapped neighbours counted once, as typing errors go. */
#include <string.h>

#include "options.h"

#define LONGEST 31

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    return MIN(a, MIN(b, c));
}

static unsigned distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned d[LONGEST + 2][LONGEST + 2];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= n; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = MIN(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

/* A beginning of three letters or more counts as near: --reg means --region. */
const char *nearest(const char *given, const char *const *names)
{
    size_t len = strlen(given);
    const char *best = NULL;
    unsigned best_distance = MAX(1u, MIN(3u, (unsigned)MIN(len, (size_t)LONGEST) / 2)) + 1;
    for (; *names; names++) {
        unsigned d = len >= 3 && !strncmp(given, *names, len) ? 1 : distance(given, *names);
        if (d < best_distance) {
            best_distance = d;
            best = *names;
        }
    }
    return best;
}
