/* SPDX-License-Identifier: Apache-2.0 */
/* Ids by their hash: two that share one are taken for the same, which costs no more than a longer name. */
#include "lower/id_book.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

struct id_use {
    uint64_t hash;
    int64_t seq;
    size_t before; /* the use before it with this hash, from 1; 0 none */
    size_t nth;    /* uses with this hash before it */
};

void id_book_done(struct id_book *b)
{
    free(b->uses);
    free(b->slots);
    *b = (struct id_book){0};
}

/* The slot of a hash: its own, or the empty one where it would stand. */
static size_t *slot(const struct id_book *b, uint64_t h)
{
    size_t i = h & (b->n_slots - 1);
    while (b->slots[i] && b->uses[b->slots[i] - 1].hash != h)
        i = (i + 1) & (b->n_slots - 1);
    return &b->slots[i];
}

/* Twice the room, and never more than half of the slots in use. */
static int grow(struct id_book *b)
{
    size_t room = b->room ? b->room * 2 : 64;
    struct id_use *uses = reallocarray(b->uses, room, sizeof *uses);
    size_t *slots = calloc(2 * room, sizeof *slots);
    if (uses)
        b->uses = uses;
    if (!uses || !slots) {
        free(slots);
        return -ENOMEM;
    }
    free(b->slots);
    b->slots = slots;
    b->n_slots = 2 * room;
    b->room = room;
    for (size_t i = 0; i < b->n; i++)
        *slot(b, uses[i].hash) = i + 1;
    return 0;
}

int id_book_add(struct id_book *b, int64_t seq, struct span id)
{
    if (b->n == b->room && grow(b) < 0)
        return -ENOMEM;
    struct id_use use = {.hash = span_hash(id), .seq = seq};
    size_t *at = slot(b, use.hash);
    use.before = *at;
    use.nth = *at ? b->uses[*at - 1].nth + 1 : 0;
    b->uses[b->n++] = use;
    *at = b->n;
    return 0;
}

size_t id_book_before(const struct id_book *b, int64_t seq, struct span id)
{
    size_t at = b->n ? *slot(b, span_hash(id)) : 0;
    while (at && b->uses[at - 1].seq >= seq)
        at = b->uses[at - 1].before;
    return at ? b->uses[at - 1].nth + 1 : 0;
}
