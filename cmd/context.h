/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that look at sources share: a context from the common options, and the bytes of stdin. */
#ifndef FOVEA_CONTEXT_H
#define FOVEA_CONTEXT_H

#include "base/buf.h"
#include "command.h"

/* Opens a context. 0 and *ret, or a negative errno and the fault. */
int context_open(const struct common *common, fovea **ret, struct fovea_fault *fault);

static inline void fovea_free_p(fovea **f)
{
    fovea_free(*f);
}
#define auto_fovea cleanup(fovea_free_p) fovea

static inline void result_free_p(fovea_result **r)
{
    fovea_result_free(*r);
}
#define auto_result cleanup(result_free_p) fovea_result

/* Reads stdin to its end into b, or until b is full: then -EFBIG, and b holds its ceiling. Other errors as read(2). */
int read_stdin(struct buf *b);

/*
 * For a REF of "-": the bytes of stdin as the request's data, at most one more than the library takes, which it then
 * refuses as too large. Returns 0, or a negative errno and the fault. Any other REF is left alone.
 */
int ref_from_stdin(const char *ref, struct buf *b, const void **ret_data, size_t *ret_len, struct fovea_fault *fault);

/* A refusal: its words on stderr, or its JSON on stdout. Returns the exit code. */
int out_refusal(const fovea_result *r, bool json);

#endif
