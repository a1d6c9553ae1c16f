/* SPDX-License-Identifier: Apache-2.0 */
/* Grey rows in, text out: all that is known here of Tesseract. */
#ifndef FOVEA_OCR_READ_H
#define FOVEA_OCR_READ_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct reader;

/* data: a traineddata file in memory, which must stay. -EINVAL when it is none; -ENOMEM. */
int reader_new(const void *data, size_t len, const char *language, struct reader **ret);

/* Appends what proto.h promises for WORK_TEXT. -ENOMEM, -EINVAL. Once for each reader. */
int reader_read(struct reader *r, const uint8_t *gray, uint32_t width, uint32_t height, struct buf *ret);

/* Names and versions, for doctor. */
void reader_libraries(char *out, size_t room);

#endif
