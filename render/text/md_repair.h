/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown in the words that the parser knows. */
#ifndef FOVEA_TEXT_MD_REPAIR_H
#define FOVEA_TEXT_MD_REPAIR_H

#include "base/buf.h"
#include "wrap.h"

/* Writes the text with what md4c reads differently from others made plain to it, and with the same lines, to out. Nothing is
 * written where all of it is plain. 0, -ENOMEM, -E2BIG. */
int md_repair(struct span text, struct buf *out);

#endif
