/* SPDX-License-Identifier: Apache-2.0 */
/* References as given → the spellings to try, in order (contract: path variants). Pure. */
#ifndef FOVEA_REF_H
#define FOVEA_REF_H

#include <stddef.h>

#include "base/limits.h"

struct ref_variants {
    size_t n;
    char *path[LIMIT_PATH_VARIANTS]; /* owned; distinct */
};

/*
 * As given; shell-unescaped or without surrounding quotes; U+202F before AM/PM; NFD; curly apostrophe; NFD + curly.
 * "~/" becomes home, "file:///" is taken off (its percent escapes undone; nothing else is ever percent-decoded).
 * -EINVAL for what can be no path at all (empty, too long, file://host/...), -ENOMEM.
 */
int ref_variants(const char *ref, const char *home, struct ref_variants *ret);
void ref_variants_done(struct ref_variants *v);

#endif
