/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the JSON of a request goes: collected in one small buffer and handed on in pieces, so that no request is ever held
 * whole. The first failure stays: later calls do nothing, and one look at error at the end is enough.
 */
#ifndef FOVEA_SINK_H
#define FOVEA_SINK_H

#include "base/json_scan.h"
#include "base/limits.h"

struct sink {
    int (*write)(void *arg, const char *piece, size_t len);
    void *arg;
    size_t total; /* bytes written, those that stood before included */
    size_t len;   /* of them still in room */
    int error;
    char last; /* letter of what was added by sink_add */
    char room[LIMIT_SINK_BYTES];
};

void sink_add(struct sink *s, const char *piece, size_t len);
void sink_str(struct sink *s, const char *text);
void sink_span(struct sink *s, struct span value);

/* Text as it stands inside a JSON string, without the quotes around it. It must be UTF-8. */
void sink_escaped(struct sink *s, const char *text, size_t len);
/* The same with its quotes. */
void sink_quoted(struct sink *s, const char *text, size_t len);

/* Bytes in base64, in pieces straight into the room. */
void sink_base64(struct sink *s, const void *data, size_t len);

/* Hands on what is left. 0 or the first error. */
int sink_flush(struct sink *s);

#endif
