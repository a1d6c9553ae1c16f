/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a session for somebody who may be slow. The record is held only while a batch is copied out of it: other threads record their
 * calls meanwhile, however long it takes to print this. */
#include <errno.h>

#include "api/session.h"
#include "base/fault.h"
#include "base/limits.h"

struct batch {
    struct {
        int64_t seq;
        size_t from, len;
    } entry[LIMIT_BATCH_ENTRIES];
    size_t n;
    struct buf text;
};

static void batch_done(struct batch *b)
{
    buf_done(&b->text);
}

static bool is_full(const struct batch *b)
{
    return b->n == LIMIT_BATCH_ENTRIES || b->text.len >= LIMIT_BATCH_BYTES;
}

static int copy(const struct record_entry *e, void *arg)
{
    struct batch *b = arg;
    size_t from = b->text.len;
    int r = buf_add(&b->text, e->body, e->len);
    if (r < 0)
        return r;
    b->entry[b->n].seq = e->point.seq;
    b->entry[b->n].from = from;
    b->entry[b->n++].len = e->len;
    return is_full(b);
}

/* What came before a damaged entry is given too, and then the fault. */
int session_each(const struct session_place *at, int64_t after, session_entry *each, void *arg, struct fovea_fault *fault)
{
    cleanup(batch_done) struct batch b = {.text = BUF_INIT(LIMIT_BATCH_BYTES + LIMIT_ENTRY_BYTES + 1)};
    struct record_point from = {.seq = MAX(after, 0)};
    int r;
    do {
        b.n = b.text.len = 0;
        r = record_read(at->record, at->name, &from, copy, &b, fault);
        if (b.text.error)
            return b.text.error == -ENOMEM ? fault_oom(fault) : fault_set(fault, b.text.error, "an entry is too large");
        for (size_t i = 0; i < b.n; i++) {
            int told = each(arg, b.entry[i].seq, b.text.data + b.entry[i].from, b.entry[i].len);
            if (told)
                return MIN(told, 0);
        }
    } while (r == 0 && is_full(&b));
    return r;
}
