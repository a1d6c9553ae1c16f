/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance with swapped neighbours counted once, three rows at a time. */
#include "base/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"

static unsigned letter(char a, char b)
{
    return a == b ? 0 : tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : NEAREST_EDIT;
}

unsigned nearest_distance(const char *a, const char *b, size_t b_len)
{
    unsigned rows[3][NEAREST_LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    size_t a_len = strlen(a);
    if (a_len > NEAREST_LONGEST || b_len > NEAREST_LONGEST)
        return NEAREST_FAR;
    for (size_t j = 0; j <= b_len; j++)
        last[j] = (unsigned)j * NEAREST_EDIT;
    for (size_t i = 1; i <= a_len; i++) {
        now[0] = (unsigned)i * NEAREST_EDIT;
        for (size_t j = 1; j <= b_len; j++) {
            now[j] = MIN(last[j - 1] + letter(a[i - 1], b[j - 1]), MIN(last[j], now[j - 1]) + NEAREST_EDIT);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = MIN(now[j], before[j - 2] + NEAREST_EDIT);
        }
        unsigned *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[b_len];
}

const char *nearest_word(const char *const *words, const char *word)
{
    const char *near = *words;
    unsigned best = UINT_MAX;
    for (; *words; words++) {
        unsigned d = nearest_distance(word, *words, strlen(*words));
        near = d < best ? *words : near;
        best = MIN(d, best);
    }
    return near;
}
