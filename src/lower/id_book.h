/* SPDX-License-Identifier: Apache-2.0 */
/* Which ids of tool calls a session has used, and where. Some models begin again with call_0 in every turn; providers want ids
 * that are unique in a request. */
#ifndef FOVEA_ID_BOOK_H
#define FOVEA_ID_BOOK_H

#include "base/json_scan.h"

struct id_book {
    struct id_use *uses;
    size_t n, room;
    size_t *slots; /* by hash: the last use with it, from 1; 0 none */
    size_t n_slots;
};
void id_book_done(struct id_book *b);

/* An entry, in order, has a call with that id. 0 or -ENOMEM. */
int id_book_add(struct id_book *b, int64_t seq, struct span id);

/* How many calls with that id stand in entries before seq. */
size_t id_book_before(const struct id_book *b, int64_t seq, struct span id);

#endif
