/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing byte buffer that is born with its ceiling. Every function returns 0, -ENOMEM, or -EFBIG past the ceiling;
 * after the first failure the buffer stays failed and later calls return the same code, so a run of appends needs one
 * check at its end. data is NUL-terminated after each append (the NUL is not counted).
 */
#ifndef FOVEA_BUF_H
#define FOVEA_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct buf {
    char *data; /* NULL while empty */
    size_t len;
    size_t room;
    size_t ceiling;
    int error;
};

#define BUF_INIT(max) {.ceiling = (max)}

void buf_done(struct buf *b);
#define auto_buf cleanup(buf_done) struct buf

int buf_add(struct buf *b, const void *data, size_t len);
int buf_add_str(struct buf *b, const char *s);
__attribute__((format(printf, 2, 0))) int buf_add_vformat(struct buf *b, const char *format, va_list args);
int buf_add_piece(const char *data, size_t len, void *b); /* buf_add for who has its own order, as jansson's dump does */
__attribute__((format(printf, 2, 3))) int buf_add_format(struct buf *b, const char *format, ...);

/* Makes room for len more bytes and returns where they go, or NULL; buf_grew says how many were written. */
char *buf_reserve(struct buf *b, size_t len);
void buf_grew(struct buf *b, size_t len);

/* Hands the bytes over ("" when empty) and leaves the buffer empty; NULL if it failed. The caller frees. */
char *buf_take(struct buf *b);

#endif
