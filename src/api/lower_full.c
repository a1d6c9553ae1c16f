/* SPDX-License-Identifier: Apache-2.0 */
/* A whole request: the array, and around it what stands outside of it. */
#include <errno.h>
#include <string.h>

#include "api/lowering.h"
#include "base/fault.h"
#include "base/grow.h"
#include "base/limits.h"

struct systems {
    struct span *bodies;
    size_t n, room;
};

/* The system entries before the conversation begins, which some wires keep apart from it. */
static int take_systems(struct lowering *l, struct systems *ret, struct fovea_fault *fault)
{
    for (int64_t seq = 1; seq <= (int64_t)l->bodies.n; seq++) {
        struct entry e;
        int r = lowering_entry(l, seq, &e, fault);
        if (r < 0)
            return r;
        if (e.kind != ENTRY_SYSTEM && entry_is_said(&e))
            return 0;
        if (e.kind != ENTRY_SYSTEM)
            continue;
        if (GROW(ret->bodies, ret->n, ret->room, LIMIT_SESSION_ENTRIES) < 0)
            return fault_oom(fault);
        const struct body *b = &l->bodies.list[seq - 1];
        ret->bodies[ret->n++] = (struct span){b->text, b->len};
    }
    return 0;
}

static int write_buf(const struct lowering_output *out, const struct buf *b, struct fovea_fault *fault)
{
    if (b->error)
        return b->error == -ENOMEM ? fault_oom(fault) : fault_set(fault, b->error, "the request's own members are too large");
    int r = b->len ? out->write(out->arg, b->data, b->len) : 0;
    return r < 0 ? fault_set(fault, r, "the output cannot be written: %s", strerror(-r)) : 0;
}

static void take_note(void *arg, int64_t seq, const char *words)
{
    lowering_note(arg, seq, words);
}

int lowering_write_full(struct lowering *l, const struct lowering_output *out, struct fovea_fault *fault)
{
    auto_buf head = BUF_INIT(LIMIT_ENVELOPE_BYTES), tail = BUF_INIT(KIB);
    struct systems systems = {0};
    struct entry_room room = {0};
    struct entry request = {0};
    const struct body *b = l->request ? &l->bodies.list[l->request - 1] : NULL;
    int r = take_systems(l, &systems, fault);
    if (r == 0 && b)
        r = entry_read(b->text, b->len, l->request, &room, &request) < 0 ? fault_oom(fault) : 0;
    struct envelope around = {.target = &l->aim.target,
                              .replay = out->as_is ? NULL : l->replay,
                              .request = b ? &request : NULL,
                              .systems = systems.bodies,
                              .n_systems = systems.n,
                              .as_is = out->as_is,
                              .arg = l,
                              .report = take_note};
    struct lowering_output inside = *out;
    inside.full = true;
    if (r == 0)
        (void)envelope_head(&around, &head);
    r = r == 0 ? write_buf(out, &head, fault) : r;
    r = r == 0 ? lowering_write(l, SIZE_MAX, &inside, fault) : r;
    (void)envelope_tail(&tail);
    r = r == 0 ? write_buf(out, &tail, fault) : r;
    l->written = false;
    free(systems.bodies);
    entry_room_done(&room);
    return r;
}
