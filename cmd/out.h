/* SPDX-License-Identifier: Apache-2.0 */
/* The two streams: stdout is the product only, stderr is words. */
#ifndef FOVEA_OUT_H
#define FOVEA_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "fovea.h"

/* Makes sure that 0, 1 and 2 are open, so that no file of ours can end up there, and that a closed pipe is an error
 * instead of a death. */
void streams_init(void);

/* Writes to stdout. 0, or an exit code after saying why; a reader that went away is no news and gets no words. */
int out(const void *data, size_t len);
int out_str(const char *s);
int out_buf(const struct buf *b); /* also says so when the buffer had failed */

/* Writes a line of JSON and frees it; NULL (out of memory) is a fault. On a terminal, what could act there is escaped. */
int out_json(char *json);

/* Appends JSON with what could act on a terminal as escapes: the same JSON. Returns how many bytes were taken: the beginning of a
 * character at the end is left, unless `last`. */
size_t buf_add_json_shown(struct buf *b, const char *json, size_t len, bool last);

/* The text of `part`, which is to become a part of `whole`: where it failed, so has that. */
const char *part_of(struct buf *whole, const struct buf *part);

/* One line on stderr, "fovea: ..." or bare. Characters that could act on a terminal are shown, not sent. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
__attribute__((format(printf, 1, 2))) void say_plain(const char *format, ...);

/* A fault: its words on stderr and, where JSON was asked for, its object on stdout. Returns `code`. */
int out_fault(const struct fovea_fault *fault, bool json, int code);

#endif
