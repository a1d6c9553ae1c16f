/* SPDX-License-Identifier: Apache-2.0 */
/* A session, for call.c: see fovea_session in fovea.h. */
#ifndef FOVEA_SESSION_H
#define FOVEA_SESSION_H

#include "api/call.h"

/* Puts what the session says into a call, the main model as a copy. -ENOMEM, or as folders_lend. */
int session_lend(fovea_session *s, struct call *c, struct fovea_fault *fault);

/* The context, its record, and the name under which the session is kept there. -EINVAL when it has none. */
struct session_place {
    fovea *f;
    struct record *record;
    const char *name;
};
int session_place(const fovea_session *s, struct session_place *ret, struct fovea_fault *fault);

#endif
