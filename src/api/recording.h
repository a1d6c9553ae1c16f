/* SPDX-License-Identifier: Apache-2.0 */
/* What a call of a tool leaves in the record of its session: see recording.c. */
#ifndef FOVEA_RECORDING_H
#define FOVEA_RECORDING_H

#include <jansson.h>

#include "api/call.h"
#include "provider/wire.h"

/* What a call gave beside its result. */
struct kept {
    int source; /* the bytes of a perception as they were found: a sealed memfd; -1 none */
    uint64_t size;
    int other; /* likewise of what it was compared with */
    uint64_t other_size;
    bool asked; /* a model was, and this is who, and what it took: */
    char model[2 * LIMIT_MODEL_ID];
    struct wire_usage usage;
    int64_t nano; /* below 0 not known */
};
void kept_done(struct kept *k);
#define auto_kept cleanup(kept_done) struct kept

/* Whether the record takes a source of so many bytes (record.maxAttachmentBytes). */
bool recording_takes(const fovea *f, uint64_t bytes);

/* For a call whose session has a name: keeps hold of the bytes that a perception is made of. 0 or a fault. */
int recording_source(const struct call *c, const struct snapshot *source, struct fovea_fault *fault);

/* Likewise of what a picture is compared with. *ret_stored: the record will have it. */
int recording_other(const struct call *c, const struct snapshot *other, bool *ret_stored, struct fovea_fault *fault);

/* One call of a tool that is over. */
struct recording {
    const struct call *call;
    const char *tool;
    json_t *arguments;   /* as they were given; NULL: they are no object */
    const char *answers; /* the id of the tool call that this one answers, as the host says; NULL: it does not */
    const fovea_result *result;
    const struct kept *kept;
};

/* Appends what it gave to the session's record: one entry, and another where a model was asked. 0 or a fault. */
int recording_add(const struct recording *g, struct fovea_fault *fault);

/* The entries of it (recording_entry.c). call: the id of the one that it answers; NULL none. stored: the record has the bytes of
 * the perception's source. NULL when out of memory. */
json_t *recording_entry(const struct recording *g, const char *call, bool stored, int64_t at);
json_t *recording_usage(const struct kept *k, int64_t at);

/* The newest call of the tool with these arguments that has no answer yet (open_call.c): *ret_id is NULL where there is none, else the
 * caller frees it, and *ret_last is the number of the last entry then. 0 or a fault. */
int open_call(const struct recording *g, char **ret_id, int64_t *ret_last, struct fovea_fault *fault);

#endif
