/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fence: see fence.h. Who reads it is a model, which takes a tag for what it looks like, not for its bytes: blanks that are no
 * spaces, characters that cannot be seen, letters of another alphabet. So the words are compared by what is seen of them: each
 * character is taken apart as Unicode says, what is invisible counts as nothing, and a small table knows the letters of other
 * alphabets that look like those of the fence.
 */
#include "percept/fence.h"

#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/text.h"

enum { NOTHING = 0 };
enum { LONG_ST = 0xfb05, ST = 0xfb06 }; /* the one character that is two of the name */

/* What looks like a character of a tag, and has no decomposition that says so. */
static const struct {
    char as;
    uint32_t like[16];
} looks[] = {
    {'<', {0x2c2, 0x1438, 0x16b2, 0x2039, 0x226e, 0x227a, 0x2329, 0x276c, 0x276e, 0x2770, 0x27e8, 0x29fc, 0x3008, 0xab}},
    {'/', {'\\', 0x1735, 0x2041, 0x2044, 0x2215, 0x2216, 0x2571, 0x2572, 0x27cb, 0x29f8, 0x29f9, 0x2cc6, 0x3033, 0x30ce, 0x4e3f}},
    {'u', {0x3c5, 0x446, 0x54d, 0x57d, 0x1200, 0x144c, 0x1d1c, 0x222a, 0x22c3, 0xa79f, 0xab4e, 0xab52, 0x28b, 0x1d9c6}},
    {'n', {0x3b7, 0x39d, 0x43f, 0x438, 0x578, 0x57c, 0x274, 0x19e, 0x14b, 0x2c9a, 0xa4e0}},
    {'t', {0x3c4, 0x3a4, 0x442, 0x422, 0x13a2, 0x1d1b, 0x2ca6, 0xa4d4, 0x22a4, 0x27d9, 0x2020, 0x167}},
    {'r', {0x433, 0x1d26, 0x280, 0x13a1, 0x13d2, 0x1587, 0x2c85, 0xa4e3, 0xab47, 0xab48, 0xab81, 0x1b1}},
    {'s', {0x455, 0x405, 0x54f, 0x10bd, 0x13d5, 0x13da, 0xa731, 0xa4e2, 0x1bd, 0xabaa, 0xdf}},
    {'e', {0x435, 0x415, 0x3b5, 0x395, 0x454, 0x4bd, 0x13ac, 0x1d07, 0x2107, 0x212e, 0x22ff, 0x2d39, 0xa4f0, 0xab32, 0x18e, 0x1dd}},
    {'d', {0x501, 0x56a, 0x13e7, 0x146f, 0x217e, 0x1d05, 0xa4d2, 0x257, 0x111, 0x110, 0x13a0, 0xf0}},
};

static uint32_t looks_like(uint32_t c)
{
    for (size_t i = 0; i < COUNT(looks); i++)
        for (size_t k = 0; k < COUNT(looks[i].like) && looks[i].like[k]; k++)
            if (looks[i].like[k] == c)
                return (unsigned char)looks[i].as;
    return c;
}

static bool is_blank(uint32_t c)
{
    return uc_is_property_white_space(c) || uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Z) || c == 0x2800;
}

static bool is_nothing(uint32_t c)
{
    return char_acts(c) || c == 0xfffd || uc_is_property_default_ignorable_code_point(c) ||
           uc_is_general_category_withtable(c, UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_M);
}

/* Boxed and circled letters on dark ground: symbols, says Unicode. */
static uint32_t unboxed(uint32_t c)
{
    bool boxed = (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189) || (c >= 0x1f1e6 && c <= 0x1f1ff);
    return boxed ? 'a' + (c - (c < 0x1f170 ? 0x1f150 : c < 0x1f1e6 ? 0x1f170 : 0x1f1e6)) : c;
}

/* The ASCII character that one is seen as; ' ' for any blank, NOTHING for what is not seen, itself otherwise. */
static uint32_t seen_as(uint32_t c)
{
    ucs4_t parts[UC_DECOMPOSITION_MAX_LENGTH];
    int tag;
    if (c >= 0x21 && c < 0x7f)
        return c == '\\' ? '/' : c >= 'A' && c <= 'Z' ? c + 32 : c;
    if (is_blank(c))
        return ' ';
    if (is_nothing(c))
        return NOTHING;
    if (c == LONG_ST || c == ST)
        return c;
    uint32_t found = unboxed(looks_like(c));
    /* Of "(a)" and the like the letter counts. */
    for (int n; found >= 0x80 && (n = uc_decomposition(found, &tag, parts)) > 0;)
        found = looks_like(parts[n == 3 && parts[0] == '(' ? 1 : 0]);
    return found >= 'A' && found <= 'Z' ? found + 32 : found;
}

/* A byte that is no UTF-8 is nothing, too: whoever repairs the text drops it. */
static size_t next_seen(const char *s, size_t len, uint32_t *ret)
{
    uint32_t c;
    size_t n = utf8_decode(s, len, &c);
    *ret = n ? seen_as(c) : NOTHING;
    return n ? n : 1;
}

/* "<", slashes, and the fence's name, with blanks anywhere: an end or a beginning of it. */
static bool is_fence(const char *s, size_t len)
{
    static const char name[] = FENCE;
    size_t matched = 0;
    for (size_t n, at = 0; at < len; at += n) {
        uint32_t c;
        n = next_seen(s + at, len - at, &c);
        if (at == 0 ? c == '<' : c == NOTHING || c == ' ' || (!matched && c == '/'))
            continue;
        bool both = (c == LONG_ST || c == ST) && name[matched] == 's';
        if (at == 0 || (c != (unsigned char)name[matched] && !both))
            return false;
        matched += both ? 2 : 1;
        if (!name[matched])
            return true;
    }
    return false;
}

/* What cannot be a "<": most of any text. */
static size_t plain_run(const char *s, size_t len)
{
    size_t i = 0;
    while (i < len && s[i] != '<' && !(s[i] & 0x80))
        i++;
    return i;
}

void fence_add(struct buf *b, const char *words)
{
    for (size_t n, len = strlen(words); len; words += n, len -= n) {
        uint32_t c;
        n = plain_run(words, len);
        if (!n && is_fence(words, len)) {
            n = next_seen(words, len, &c);
            (void)buf_add_str(b, "&lt;");
            continue;
        }
        n = n ? n : next_seen(words, len, &c);
        (void)buf_add(b, words, n);
    }
}
