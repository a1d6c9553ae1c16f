/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64 against a decoder written the slow way: taken is exactly what an encoder writes, and the bytes are the same.
 * about: src/base/b64.c
 */
#include "fuzz.h"

#include "base/b64.h"
#include "base/cleanup.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Bit by bit. False: not what an encoder writes. */
static bool slow_decode(const char *text, size_t len, uint8_t *out, size_t *ret)
{
    size_t pad = 0, bits = 0;
    while (pad < 2 && pad < len && text[len - 1 - pad] == '=')
        pad++;
    if (len % 4)
        return false;
    memset(out, 0, len / 4 * 3 + 1);
    for (size_t i = 0; i < len - pad; i++) {
        const char *at = text[i] ? strchr(digits, text[i]) : NULL;
        if (!at)
            return false;
        for (int b = 5; b >= 0; b--, bits++)
            out[bits / 8] |= (uint8_t)((unsigned)((at - digits) >> b & 1) << (7 - bits % 8));
    }
    *ret = bits / 8;
    for (size_t i = *ret * 8; i < bits; i++)
        if (out[i / 8] >> (7 - i % 8) & 1)
            return false;
    return true;
}

static void check_text(const char *text, size_t len)
{
    auto_free uint8_t *fast = malloc(B64_ROOM(len) + 1), *slow = malloc(len + 1);
    auto_free char *back = malloc(len + 1);
    size_t n = 0, m = 0;
    CLAIM(fast && slow && back);
    bool good = b64_decode_strict(text, len, fast, &n) == B64_FINE;
    CLAIM(good == slow_decode(text, len, slow, &m));
    if (!good)
        return;
    CLAIM(n == m && !memcmp(fast, slow, n) && B64_LEN(n) == len);
    b64_encode(fast, n, back);
    CLAIM(!memcmp(back, text, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    auto_free char *text = malloc(B64_LEN(len) + 1);
    auto_free uint8_t *back = malloc(B64_ROOM(B64_LEN(len)) + 1);
    size_t n = 0;
    CLAIM(text && back);
    check_text((const char *)data, len);
    b64_encode(data, len, text);
    CLAIM(b64_decode_strict(text, B64_LEN(len), back, &n) == B64_FINE && n == len && !memcmp(back, data, len));
    /* One digit of it changed: still what the slow one says. */
    if (len > 1) {
        text[(data[0] * 256u + data[1]) % B64_LEN(len)] = (char)data[len / 2];
        check_text(text, B64_LEN(len));
    }
    return 0;
}
