/* SPDX-License-Identifier: Apache-2.0 */
/* A session, for call.c: see fovea_session in fovea.h. */
#ifndef FOVEA_SESSION_H
#define FOVEA_SESSION_H

#include "api/call.h"

/* Puts what the session says into a call, the main model as a copy. -ENOMEM, or as folders_lend. */
int session_lend(fovea_session *s, struct call *c, struct fovea_fault *fault);

/* The context, its record, and the name under which the session is kept there. -EINVAL with words when it has none. */
struct session_place {
    fovea *f;
    struct record *record;
    const char *name;
    unsigned render; /* FOVEA_RENDER_ bits that its host grants */
};
int session_place(const fovea_session *s, struct session_place *ret, struct fovea_fault *fault);

/* session_place of which only the name is wanted. */
static inline int session_named(const fovea_session *s, const char **ret, struct fovea_fault *fault)
{
    struct session_place at;
    int r = session_place(s, &at, fault);
    if (r == 0)
        *ret = at.name;
    return r;
}

/* Its context, whether it has a name or not; a copy of its main model (NULL: not known). */
fovea *session_context(const fovea_session *s);
int session_main_new(fovea_session *s, char **ret, struct fovea_fault *fault);

/* What it was last lowered to; see lowering.h. */
struct lowering_slot *session_lowering(fovea_session *s);

/*
 * Each entry after a number, in order. They are copied out of the record by the batch, so that `each` may take its time and use the
 * record: nobody waits for it. It returns 0 to go on, above 0 to stop (0 is returned then), below 0 to stop with that.
 */
typedef int session_entry(void *arg, int64_t seq, const char *json, size_t len);
int session_each(const struct session_place *at, int64_t after, session_entry *each, void *arg, struct fovea_fault *fault);

#endif
