/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648, padded). */
#ifndef FOVEA_B64_H
#define FOVEA_B64_H

#include <stddef.h>
#include <stdint.h>

/* Length of the encoding of len bytes, without a NUL. */
#define B64_LEN(len) (((len) + 2) / 3 * 4)

/* Writes B64_LEN(len) characters to out; no NUL. */
void b64_encode(const uint8_t *data, size_t len, char *out);

/* Most bytes that len characters can stand for. */
#define B64_ROOM(len) ((len) / 4 * 3)

enum b64_error {
    B64_FINE,
    B64_LENGTH,  /* no multiple of four: cut off, or the padding is missing */
    B64_DIGIT,   /* a character outside the alphabet; white space and the URL-safe digits too */
    B64_PADDING, /* '=' anywhere but as the last one or two characters */
    B64_BITS,    /* bits after the last byte that are not zero: another spelling of the same bytes */
};

/*
 * Canonical base64 only: what b64_encode writes, and nothing else, so that one text stands for one run of bytes and back.
 * out has B64_ROOM(len) bytes; *ret_len is written on B64_FINE only. No text is no bytes.
 */
enum b64_error b64_decode_strict(const char *text, size_t len, uint8_t *out, size_t *ret_len);

#endif
