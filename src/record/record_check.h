/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of checking share. */
#ifndef FOVEA_RECORD_CHECK_H
#define FOVEA_RECORD_CHECK_H

#include "base/buf.h"
#include "record/record_priv.h"

struct checking {
    struct record *r;
    bool repair;
    void (*tell)(const struct record_problem *p, void *arg);
    void *arg;
    struct record_checked done;
    struct fovea_fault *fault; /* never NULL */
    struct buf names;          /* of the sessions that are looked at: id and name with its NUL, again and again */
};

void check_problem(struct checking *c, const char *session, int64_t seq, const char *what, bool repaired);

/* What cannot be read is damage, and no reason to end: 0, and it is told of. The rest is code. */
int check_passed(struct checking *c, const char *session, const char *what, int code);

/* One name after the other; false past the last. */
bool check_next_name(const struct checking *c, size_t *at, int64_t *ret_id, const char **ret);

/* All bytes and smaller versions; id: what that session uses. */
int check_blobs(struct checking *c, int64_t id);

#endif
