/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long JSON on its way to stdout, piece by piece: little is held, and what fails early leaves nothing behind. On a terminal, what
 * could act there is escaped.
 */
#ifndef FOVEA_SINK_H
#define FOVEA_SINK_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/limits.h"

struct sink {
    struct buf held;
    bool terminal;
    int error; /* of stdout; a negative errno */
};
void sink_init(struct sink *s);
void sink_done(struct sink *s); /* drops what is still held */
#define auto_sink cleanup(sink_done) struct sink

/* A fovea_write with a struct sink. */
int sink_write(void *arg, const char *piece, size_t len);

/* Ends it. r and fault are what the call that wrote gave: after a failure, what is held is dropped; else `end` comes last. Returns an
 * exit code, after saying what is to be said. */
struct fovea_fault;
int sink_end(struct sink *s, int r, const char *end, const struct fovea_fault *fault);

#endif
