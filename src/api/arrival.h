/* SPDX-License-Identifier: Apache-2.0 */
/* What a host gives to the record, entries or a request, on its way there: what append.c and import.c share. */
#ifndef FOVEA_ARRIVAL_H
#define FOVEA_ARRIVAL_H

#include "api/session.h"
#include "transcript/transcript.h"

struct arrival {
    struct session_place place;
    struct incoming in;
    int looks_ms; /* for looking at all that it brings */
};
/* -EINVAL: the session has no name. To be ended by arrival_done, also then. */
int arrival_init(struct arrival *a, const fovea_session *s, struct fovea_fault *fault);
void arrival_done(struct arrival *a);
#define auto_arrival cleanup(arrival_done) struct arrival

/* Text from outside that may become a tree: its bytes, its values and its depth are bounded, and what programs write that is not quite
 * JSON is mended (arrival_text.c). It lives as long as text does. 0, or -EFBIG or -EINVAL with words; to be ended also then. */
struct arrival_text {
    const char *at;
    size_t len;
    char *copy; /* owned; NULL where nothing had to be mended */
};
int arrival_text(const char *text, size_t len, struct arrival_text *ret, struct fovea_fault *fault);
void arrival_text_done(struct arrival_text *t);
#define auto_arrival_text cleanup(arrival_text_done) struct arrival_text

/* One array or object at the start of the text, and where it ends; what stands behind it is not looked at. -EINVAL with words that say
 * what is wrong in which line. */
int arrival_value(const char *text, size_t len, const char *whole, json_t **ret, size_t *ret_end, struct fovea_fault *fault);
size_t arrival_line(const char *whole, const char *at); /* from 1 */

/* Has every picture that the entries use looked at by a worker, gives those of results their view, and says of documents what their
 * bytes are (arrival_look.c). */
int arrival_look(struct arrival *a, struct fovea_fault *fault);

/* Puts the entries, which have all their members by now, into the record with the bytes that they use. after: as in record_append.
 * Nothing to append is 0 with ret all zero. */
int arrival_append(struct arrival *a, const char *key, int64_t after, struct fovea_appended *ret, struct fovea_fault *fault);

/* Which of the blobs the entries use, and which as pictures; each list has in.n_blobs and is the caller's to free. */
struct arrival_use {
    bool at_all, as_picture;
};
int arrival_uses(const struct arrival *a, struct arrival_use **ret, struct fovea_fault *fault);

#endif
