/* SPDX-License-Identifier: Apache-2.0 */
/* The fence around words that are not to be trusted. */
#ifndef FOVEA_FENCE_H
#define FOVEA_FENCE_H

#include "base/buf.h"

#define FENCE "untrusted"

/*
 * Appends words so that nothing in them can be taken for the fence's beginning or end: where such a tag would start, in whatever
 * script, case or spacing, "&lt;" stands for its first character. All else stays as it is.
 */
void fence_add(struct buf *b, const char *words);

#endif
