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

/* Reads stdin to its end into b. -EFBIG when it does not fit, or an error as read(2) has. */
int read_stdin(struct buf *b);

/* For a REF of "-": all of stdin as the request's data; any other REF is left alone. Returns 0, -EFBIG when stdin is longer
 * than b may be (then call refuse_long_stdin), or another negative errno and the fault. */
int ref_from_stdin(const char *ref, struct buf *b, const void **ret_data, size_t *ret_len, struct fovea_fault *fault);

/* Cutting stdin short would make a picture malformed and a line count a lie. Returns the exit code. */
int refuse_long_stdin(bool json);

/* A refusal: its words on stderr, or its JSON on stdout. Returns the exit code. */
int out_refusal(const fovea_result *r, bool json);

#endif
