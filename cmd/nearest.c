/* SPDX-License-Identifier: Apache-2.0 */
/* Which name was meant. */
#include <string.h>

#include "base/nearest.h"
#include "options.h"

/* A beginning of three letters or more counts as near: --reg means --region. */
const char *nearest(const char *given, const char *const *names)
{
    size_t len = strlen(given);
    const char *best = NULL;
    unsigned best_distance = NEAREST_EDIT * (unsigned)MAX((size_t)1, MIN((size_t)3, len / 2)) + 1;
    for (; *names; names++) {
        bool begins = len >= 3 && !strncmp(given, *names, len);
        unsigned d = begins ? NEAREST_EDIT : nearest_distance(given, *names, strlen(*names));
        if (d < best_distance) {
            best_distance = d;
            best = *names;
        }
    }
    return best;
}
