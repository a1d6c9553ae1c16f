/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in file headers, and sizes that may not overflow. */
#ifndef FOVEA_BYTES_H
#define FOVEA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline uint16_t le16(const uint8_t *p)
{
    return (uint16_t)(p[1] << 8 | p[0]);
}
static inline uint32_t le24(const uint8_t *p)
{
    return (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}
static inline uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | le24(p);
}

/* a * b in *ret; false when it does not fit. */
static inline bool times(size_t a, size_t b, size_t *ret)
{
    return !__builtin_mul_overflow(a, b, ret);
}

#endif
