/* SPDX-License-Identifier: Apache-2.0 */
/* What `ask` and `video` share: their options, a question put to a model, and its answer printed. */
#ifndef FOVEA_QUESTION_H
#define FOVEA_QUESTION_H

#include "context.h"

/* The values of both commands, and their options: without_schema for the one whose answers fit none. */
struct question_values {
    const char *schema;
    struct recording recording;
    bool json, no_cache;
};
extern const struct option question_options[];
#define question_options_without_schema (question_options + 1)

/* Puts in->request to in's tool and prints the answer. model is the one that the request names; NULL: the usual one.
 * Returns an exit code. */
int question_run(fovea *f, const struct invocation *in, const char *model);

/* What vision_analyze itself would say of a file that is too long to be read. Returns the exit code. */
int out_too_large(const char *words, bool json);

/* Where a reference goes in a request; the others stay NULL. */
enum ref_kind { REF_PATH, REF_URL, REF_DATA };
enum ref_kind ref_kind(const char *ref);

#endif
