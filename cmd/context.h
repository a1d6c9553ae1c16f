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

static inline void session_free_p(fovea_session **s)
{
    fovea_session_free(*s);
}
#define auto_session cleanup(session_free_p) fovea_session

/* Where a call is recorded: --session, and --call, the id of the tool call that it answers; both may be NULL. */
struct recording {
    const char *session, *call;
};
#define RECORDING_OPTIONS(struct_values)                                                                              \
    {"session", 0, OPTION_STRING, "NAME", offsetof(struct_values, recording.session),                                 \
     "record it in the session of this name, with what it costs"},                                                      \
    {"call", 0, OPTION_STRING, "ID", offsetof(struct_values, recording.call),                                         \
     "the tool call of the session that it answers; default: an open one that is the same"}

/* Whether --session is a name that a session can have, --main a model, and --call has a session; NULL is none and fine. 0, or an exit code after saying so. */
int session_check(fovea *f, const char *name);
int main_check(fovea *f, const char *main);
int recording_check(fovea *f, const struct recording *recording);

/* Calls a tool with its request, and records it where that is wanted. */
int call_recorded(fovea *f, const struct recording *recording, const char *tool, const void *request, fovea_result **ret,
                  struct fovea_fault *fault);

/* Reads to the end into b. -EFBIG when it does not fit, or an error as read(2) has. */
int read_all(int fd, struct buf *b);
int read_stdin(struct buf *b);
int read_named(const char *file, struct buf *b); /* "-" is stdin */

/* What a command that looks at one REF works with; for a REF of "-", data is all of stdin. */
struct source {
    bool picture; /* it wants one: where those are blocked, data is empty and nothing is read */
    struct buf input;
    const void *data;
    size_t len;
    fovea *f;
};

/* Opens ret->f and reads. Returns 0, -EFBIG when stdin is too long (then call refuse_long_stdin), or another negative errno
 * and the fault. */
int source_open(const struct common *common, const char *ref, struct source *ret, struct fovea_fault *fault);
/* The second half alone, for who has a context already. */
int source_read(struct source *s, const char *ref, struct fovea_fault *fault);
void source_done(struct source *s);
#define auto_source cleanup(source_done) struct source

/* Cutting stdin short would make a picture malformed and a line count a lie. Returns the exit code. */
int refuse_long_stdin(bool json);

/* A refusal: its words on stderr, or its JSON on stdout. Returns the exit code. */
int out_refusal(const fovea_result *r, bool json);

#endif
