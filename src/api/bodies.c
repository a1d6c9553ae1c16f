/* SPDX-License-Identifier: Apache-2.0 */
/* Entries in memory: see bodies.h. */
#include "api/bodies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/grow.h"
#include "base/limits.h"

void bodies_done(struct bodies *b)
{
    while (b->n)
        bodies_drop(b);
    free(b->list);
}

int bodies_add(struct bodies *b, const char *text, size_t len)
{
    int r = len > b->most - b->bytes ? -EFBIG : GROW(b->list, b->n, b->room, LIMIT_SESSION_ENTRIES);
    if (r < 0)
        return r;
    char *copy = malloc(len + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, text, len);
    copy[len] = '\0';
    b->list[b->n++] = (struct body){copy, len};
    b->bytes += len;
    return 0;
}

void bodies_drop(struct bodies *b)
{
    struct body *last = &b->list[--b->n];
    b->bytes -= last->len;
    free(last->text);
}

int bodies_fault(const struct bodies *b, int code, const char *session, struct fovea_fault *fault)
{
    return code != -EFBIG ? fault_oom(fault)
                          : fault_set(fault, EFBIG, "session \"%s\" is longer than the %zu MiB or %zu entries that are gone through at "
                                                    "once; take an earlier turn of it, and go on in a new session",
                                      session, b->most / MIB, LIMIT_SESSION_ENTRIES);
}
