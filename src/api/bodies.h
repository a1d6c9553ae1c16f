/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of one session, or of a trace, copied into memory: what lowering and simulating go through again and again. */
#ifndef FOVEA_BODIES_H
#define FOVEA_BODIES_H

#include <stddef.h>

#include "fovea.h"

struct bodies {
    struct body {
        char *text; /* with a NUL behind it */
        size_t len;
    } *list; /* of entries 1, 2, ... */
    size_t n, room;
    size_t bytes, most; /* of all of them */
};

#define BODIES_INIT(max) {.most = (max)}

void bodies_done(struct bodies *b);

/* 0, -ENOMEM, or -EFBIG past the ceilings: its own and LIMIT_SESSION_ENTRIES. */
int bodies_add(struct bodies *b, const char *text, size_t len);
/* Forgets the last one. */
void bodies_drop(struct bodies *b);

/* The fault of a bodies_add that failed so. */
int bodies_fault(const struct bodies *b, int code, const char *session, struct fovea_fault *fault);

#endif
