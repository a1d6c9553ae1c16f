/* SPDX-License-Identifier: Apache-2.0 */
/* What `ask` and `video` share: a question put to a model, and its answer printed. */
#ifndef FOVEA_QUESTION_H
#define FOVEA_QUESTION_H

#include "context.h"

struct question {
    const char *tool;
    const void *request; /* of the tool */
    const char *model;   /* that the request names; NULL: the usual one */
    const char *session; /* its name; NULL none */
    bool json;           /* one line of JSON instead of words */
    bool parsed;         /* the answer is to fit a schema */
};

/* Asks and prints. Returns an exit code. */
int question_run(fovea *f, const struct question *q);

/* Where a reference goes in a request; the others stay NULL. */
enum ref_kind { REF_PATH, REF_URL, REF_DATA };
enum ref_kind ref_kind(const char *ref);

#endif
