/* SPDX-License-Identifier: Apache-2.0 */
/* A session, for call.c: see fovea_session in fovea.h. */
#ifndef FOVEA_SESSION_H
#define FOVEA_SESSION_H

#include "api/call.h"

/* Puts what the session says into a call, the main model as a copy. -ENOMEM, or as folders_lend. */
int session_lend(fovea_session *s, struct call *c, struct fovea_fault *fault);

/* Its context; its name, -EINVAL with words where it has none; a copy of its main model (NULL: not known, or no memory). */
fovea *session_context(const fovea_session *s);
int session_named(const fovea_session *s, const char **ret, struct fovea_fault *fault);
char *session_main_new(fovea_session *s);

/* What it was last lowered to; see lowering.h. */
struct lowering_slot *session_lowering(fovea_session *s);
/* The context, its record, and the name under which the session is kept there. -EINVAL when it has none. */
struct session_place {
    fovea *f;
    struct record *record;
    const char *name;
};
int session_place(const fovea_session *s, struct session_place *ret, struct fovea_fault *fault);

#endif
