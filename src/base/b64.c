/* SPDX-License-Identifier: Apache-2.0 */
/* Base64: see b64.h. Most of what a lowered session weighs passes through here, so twelve bytes are encoded at once where the
 * processor can. */
#include "base/b64.h"

#include <stdbool.h>
#include <string.h>
#ifdef __x86_64__
#include <tmmintrin.h>
#endif

static const char digits[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode3(uint32_t v, char *out)
{
    out[0] = digits[v >> 18];
    out[1] = digits[v >> 12 & 63];
    out[2] = digits[v >> 6 & 63];
    out[3] = digits[v & 63];
}

#ifdef __x86_64__
/* Sixteen numbers below 64, one a byte, of the first twelve bytes: each group of three is laid out as b a c b, so that two
 * multiplications shift all four numbers of it into place. */
__attribute__((target("ssse3"))) static __m128i split12(__m128i in)
{
    in = _mm_shuffle_epi8(in, _mm_set_epi8(10, 11, 9, 10, 7, 8, 6, 7, 4, 5, 3, 4, 1, 2, 0, 1));
    __m128i first = _mm_mulhi_epu16(_mm_and_si128(in, _mm_set1_epi32(0x0fc0fc00)), _mm_set1_epi32(0x04000040));
    __m128i second = _mm_mullo_epi16(_mm_and_si128(in, _mm_set1_epi32(0x003f03f0)), _mm_set1_epi32(0x01000010));
    return _mm_or_si128(first, second);
}

/* A digit is its number plus what its range adds: 13 stands for A-Z, 0 for a-z, 1 to 10 for the figures, 11 and 12 for + and /. */
__attribute__((target("ssse3"))) static __m128i digits16(__m128i numbers)
{
    const __m128i add = _mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                                      '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0);
    __m128i range = _mm_subs_epu8(numbers, _mm_set1_epi8(51));
    __m128i upper = _mm_cmpgt_epi8(_mm_set1_epi8(26), numbers);
    range = _mm_or_si128(range, _mm_and_si128(upper, _mm_set1_epi8(13)));
    return _mm_add_epi8(numbers, _mm_shuffle_epi8(add, range));
}

/* All but the end, which has too few bytes to be loaded; returns how many bytes were taken. */
__attribute__((target("ssse3"))) static size_t encode_many(const uint8_t *data, size_t len, char *out)
{
    size_t done = 0;
    for (; len - done >= 16; done += 12, out += 16)
        _mm_storeu_si128((__m128i *)(void *)out,
                         digits16(split12(_mm_loadu_si128((const __m128i *)(const void *)(data + done)))));
    return done;
}

static size_t encode_fast(const uint8_t *data, size_t len, char *out)
{
    return len >= 16 && __builtin_cpu_supports("ssse3") ? encode_many(data, len, out) : 0;
}
#else
static size_t encode_fast(const uint8_t *data, size_t len, char *out)
{
    (void)data, (void)len, (void)out;
    return 0;
}
#endif

void b64_encode(const uint8_t *data, size_t len, char *out)
{
    size_t done = encode_fast(data, len, out);
    data += done;
    len -= done;
    out += done / 3 * 4;
    for (; len >= 3; data += 3, len -= 3, out += 4)
        encode3((uint32_t)data[0] << 16 | (uint32_t)data[1] << 8 | data[2], out);
    if (!len)
        return;
    encode3((uint32_t)data[0] << 16 | (len == 2 ? (uint32_t)data[1] << 8 : 0), out);
    out[3] = '=';
    if (len == 1)
        out[2] = '=';
}

/* The digit's value plus one; 0 is no digit. */
static const uint8_t values[256] = {
    ['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    ['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
    ['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
    ['+'] = 63,
    ['/'] = 64,
};

static uint32_t value(char c)
{
    return values[(uint8_t)c];
}

/* Three bytes of four digits; false when one of them is none. */
static bool decode4(const char *text, uint8_t *out)
{
    uint32_t a = value(text[0]), b = value(text[1]), c = value(text[2]), d = value(text[3]);
    if (!a || !b || !c || !d)
        return false;
    uint32_t v = (a - 1) << 18 | (b - 1) << 12 | (c - 1) << 6 | (d - 1);
    out[0] = (uint8_t)(v >> 16);
    out[1] = (uint8_t)(v >> 8);
    out[2] = (uint8_t)v;
    return true;
}

static enum b64_error wrong_digit(const char *text)
{
    return memchr(text, '=', 4) ? B64_PADDING : B64_DIGIT;
}

/* The last four, of which `pad` are padding. */
static enum b64_error decode_end(const char *text, size_t pad, uint8_t *out)
{
    char four[4] = {text[0], text[1], pad == 2 ? 'A' : text[2], 'A'};
    uint8_t bytes[3];
    if (!decode4(four, bytes))
        return wrong_digit(four);
    if (bytes[2] || (pad == 2 && bytes[1]))
        return B64_BITS;
    memcpy(out, bytes, 3 - pad);
    return B64_FINE;
}

enum b64_error b64_decode_strict(const char *text, size_t len, uint8_t *out, size_t *ret_len)
{
    if (len % 4)
        return B64_LENGTH;
    size_t pad = len && text[len - 1] == '=' ? text[len - 2] == '=' ? 2 : 1 : 0;
    size_t whole = pad ? len - 4 : len;
    const uint8_t *start = out;
    for (size_t i = 0; i < whole; i += 4, out += 3)
        if (!decode4(text + i, out))
            return wrong_digit(text + i);
    if (pad) {
        enum b64_error e = decode_end(text + whole, pad, out);
        if (e)
            return e;
        out += 3 - pad;
    }
    *ret_len = (size_t)(out - start);
    return B64_FINE;
}
