/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea session`: what its actions share. Each action is a function that stands in the table of session.c. */
#ifndef FOVEA_CMD_SESSION_H
#define FOVEA_CMD_SESSION_H

#include "base/json_scan.h"
#include "context.h"

struct session_values {
    const char *key, *wire, *error, *model, *retain, *at;
    bool json, expanded, full, data, repair;
};

/* The exit code of a fault of the record: what was asked for cannot be had (1), or the record cannot be reached (3). */
int record_exit(int code);

/* What is open while an action runs. */
struct opened {
    fovea *f;
    fovea_session *session;
};
void opened_done(struct opened *o);
#define auto_opened cleanup(opened_done) struct opened

/* Opens a context and, unless name is NULL, the session of that name, which need not be there yet. 0, or an exit code after saying
 * why. */
int session_open(const struct invocation *in, const char *name, bool json, struct opened *ret);

/* The session must be in the record: 0, or an exit code after saying that it is not. */
int session_exists(const struct opened *o, const char *name, bool json);

/* "--NAME takes a whole number above 0"; 0 and *ret, or an exit code. NULL words are 0. */
int number_above_0(const char *command, const char *option, const char *words, int64_t *ret);

/* Whether --wire is one of the four; NULL is fine. 0, or an exit code after naming the nearest. */
int wire_check(const char *command, const char *wire);

/* The members of an entry, for span_next; none where it is no object. */
struct span_walk entry_members(const char *json, size_t len);

int session_append(struct invocation *in);
int session_import(struct invocation *in);
int session_list(struct invocation *in);
int session_show(struct invocation *in);
int session_export(struct invocation *in);
int session_usage(struct invocation *in);
int session_fresh(struct invocation *in);
int session_reject(struct invocation *in);
int session_fsck(struct invocation *in);
int session_delete(struct invocation *in);

#endif
