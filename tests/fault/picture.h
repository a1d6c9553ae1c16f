/* SPDX-License-Identifier: Apache-2.0 */
/* The picture that the fault worker answers with when it means well: of a number, so that whoever asked with another one
 * would notice, and known to both sides byte for byte. */
#ifndef TESTS_FAULT_PICTURE_H
#define TESTS_FAULT_PICTURE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PICTURE_SIDE = 32, PICTURE_ROOM = 2048 };

static inline uint32_t picture_crc(const uint8_t *data, size_t len)
{
    uint32_t c = ~0u;
    for (size_t i = 0; i < len; i++) {
        c ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

static inline uint8_t *picture_put32(uint8_t *at, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (uint8_t)(v >> shift);
    return at;
}

static inline uint8_t *picture_chunk(uint8_t *at, const char *type, const uint8_t *data, size_t len)
{
    uint8_t *start = picture_put32(at, (uint32_t)len);
    memcpy(start, type, 4);
    if (len)
        memcpy(start + 4, data, len);
    return picture_put32(start + 4 + len, picture_crc(start, len + 4));
}

/* Rows of grey, each with its filter byte before it; returns how many bytes. The number 0 is black. */
static inline size_t picture_rows(uint8_t *rows, uint32_t side, uint32_t number)
{
    size_t len = (size_t)side * (side + 1);
    uint32_t state = number;
    for (size_t i = 0; i < len; i++) {
        state = number ? state * 1664525u + 1013904223u : 0;
        rows[i] = i % (side + 1) ? (uint8_t)(state >> 24) : 0;
    }
    return len;
}

/* A grey-scale PNG of side x side, not compressed, side at most PICTURE_SIDE + 1. Returns its length. */
static inline size_t picture_make(uint8_t out[PICTURE_ROOM], uint32_t side, uint32_t number)
{
    uint8_t header[13] = {0}, pixels[1536] = {0x78, 1, 1}, *at = out;
    size_t len = picture_rows(pixels + 7, side, number);
    uint32_t low = 1, high = 0;
    (void)picture_put32(picture_put32(header, side), side);
    header[8] = 8;
    pixels[3] = (uint8_t)len;
    pixels[4] = (uint8_t)(len >> 8);
    pixels[5] = (uint8_t)~pixels[3];
    pixels[6] = (uint8_t)~pixels[4];
    for (size_t i = 0; i < len; i++) {
        low = (low + pixels[7 + i]) % 65521;
        high = (high + low) % 65521;
    }
    (void)picture_put32(pixels + 7 + len, high << 16 | low);
    memcpy(at, "\x89PNG\r\n\x1a\n", 8);
    at = picture_chunk(at + 8, "IHDR", header, sizeof header);
    at = picture_chunk(at, "IDAT", pixels, len + 11);
    return (size_t)(picture_chunk(at, "IEND", NULL, 0) - out);
}

#endif
