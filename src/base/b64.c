/* SPDX-License-Identifier: Apache-2.0 */
/* Base64: see b64.h. */
#include "base/b64.h"

static const char digits[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode3(uint32_t v, char *out)
{
    out[0] = digits[v >> 18];
    out[1] = digits[v >> 12 & 63];
    out[2] = digits[v >> 6 & 63];
    out[3] = digits[v & 63];
}

void b64_encode(const uint8_t *data, size_t len, char *out)
{
    for (; len >= 3; data += 3, len -= 3, out += 4)
        encode3((uint32_t)data[0] << 16 | (uint32_t)data[1] << 8 | data[2], out);
    if (!len)
        return;
    encode3((uint32_t)data[0] << 16 | (len == 2 ? (uint32_t)data[1] << 8 : 0), out);
    out[3] = '=';
    if (len == 1)
        out[2] = '=';
}
