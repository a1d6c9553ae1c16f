/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an HTTP/1 answer, line by line: what we make of it, and what we refuse. Pure. */
#ifndef FOVEA_FETCH_ANSWER_H
#define FOVEA_FETCH_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "source/net_reason.h"

struct answer {
    unsigned status;
    size_t lines, bytes; /* of all heads together: interim answers and trailers count */
    bool has_length, chunked, coded;
    bool ended; /* the head of the final answer is complete */
    uint64_t length;
    unsigned locations;
    size_t location_len;
    char location[LIMIT_URL_BYTES + 2]; /* one byte more than any URL may have, so that a longer one is too long */
    const char *last;                   /* the header that a folded line would go on; NULL: none yet */
};

/* One line with its line end; the empty one ends a head. */
enum net_reason answer_add(struct answer *a, const char *line, size_t len);

/* Once ended: NET_OK when a body may follow, of at most cap bytes. */
enum net_reason answer_judge(const struct answer *a, uint64_t cap);

/* Whether its status is one that is followed, if it names one place. */
bool answer_is_redirect(const struct answer *a);

#endif
