/* SPDX-License-Identifier: Apache-2.0 */
/* What is made from the command table when fovea is built: the man page and the completions. */
#ifndef FOVEA_MANUAL_H
#define FOVEA_MANUAL_H

#include "base/buf.h"

/* Each appends a whole file; the buffer remembers a failure. */
void add_man_page(struct buf *b);
void add_bash_completion(struct buf *b);
void add_zsh_completion(struct buf *b);
void add_fish_completion(struct buf *b);

#endif
