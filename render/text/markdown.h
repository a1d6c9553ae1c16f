/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown. */
#ifndef FOVEA_TEXT_MARKDOWN_H
#define FOVEA_TEXT_MARKDOWN_H

#include "picture.h"

extern const struct decoder_ops render_markdown;

/* WORK_REFS: the names of its images. See program.h. */
int markdown_refs(const struct source *s, struct work_reply *reply, struct output *ret, struct complaint *c);

#endif
