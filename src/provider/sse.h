/* SPDX-License-Identifier: Apache-2.0 */
/* Server-sent events, taken apart as they come, in pieces of any size. */
#ifndef FOVEA_SSE_H
#define FOVEA_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Takes one event. name is "message" when the stream gave none; data is NUL-terminated. 0 goes on, anything else ends. */
typedef int sse_handler(void *ctx, const char *name, const char *data, size_t len);

struct sse {
    struct buf line;
    struct buf name;
    struct buf data;
    bool has_data;
    bool after_cr;  /* a line feed next belongs to the line that ended */
    bool started;   /* past where a byte order mark may stand */
};

void sse_init(struct sse *s);
void sse_done(struct sse *s);

/* 0, what the handler returned to end it, -EFBIG for a line or event past its ceiling, or -ENOMEM. */
int sse_feed(struct sse *s, const char *bytes, size_t len, sse_handler *on, void *ctx);

/*
 * The stream is over. An event whose lines are all there is still given to the handler, although no blank line followed:
 * servers forget it. One cut in the middle of a line is not.
 */
int sse_end(struct sse *s, sse_handler *on, void *ctx);

#endif
