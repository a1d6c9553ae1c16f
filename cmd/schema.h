/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON Schema that an answer is to fit, and such an answer as people read it. */
#ifndef FOVEA_CMD_SCHEMA_H
#define FOVEA_CMD_SCHEMA_H

#include "base/buf.h"

/* Appends the `format` that asks for an answer by the schema in the file ('-' is stdin). 0, or an exit code after saying
 * what is wrong, and in which line. */
int schema_read(const char *file, struct buf *format);

/* Appends JSON, one member a line. The text is known to be valid. */
void buf_add_pretty(struct buf *b, const char *json);

#endif
