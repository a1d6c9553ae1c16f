/* SPDX-License-Identifier: Apache-2.0 */
/* What the record of a call's session has of earlier calls. A session without a name has none. */
#ifndef FOVEA_RECORDED_H
#define FOVEA_RECORDED_H

#include <jansson.h>

#include "api/call.h"

/* The last entry with that mark; NULL where there is none. The caller releases it. 0 or a fault. */
int recorded_entry(struct record *r, const char *session, const char *mark, json_t **ret, struct fovea_fault *fault);

/* A view by its id, or a picture of a host's tool by the id that its bytes give it. *ret_known false: the record has none. The caller calls view_memory_done. 0 or a fault. */
int recorded_view(const struct call *c, const char *id, bool *ret_known, struct view_memory *ret, struct fovea_fault *fault);

/* The bytes that it was made of, as a snapshot. 0 or a fault. */
int recorded_source(const struct call *c, const uint8_t sha256[SHA256_LEN], struct snapshot *ret, struct fovea_fault *fault);

/* Whether a path lies, by its letters, where the call may look: what is gone can be judged by nothing else. */
bool recorded_in_reach(const struct call *c, const char *path);

#endif
