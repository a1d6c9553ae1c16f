/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings: UTF-8 as it is, UTF-16 by its mark, as read has them. */
#include "encoding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static uint32_t unit_at(struct span s, size_t i, bool little)
{
    return little ? (uint32_t)(s.at[i] | s.at[i + 1] << 8) : (uint32_t)(s.at[i] << 8 | s.at[i + 1]);
}

/* A half without its other one is U+FFFD, and so is a last byte alone. */
static size_t utf16_char(struct span s, size_t i, bool little, uint32_t *ret)
{
    *ret = 0xfffd;
    if (i + 2 > s.len)
        return 1;
    uint32_t high = unit_at(s, i, little), low = i + 4 <= s.len ? unit_at(s, i + 2, little) : 0;
    if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
        *ret = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return 4;
    }
    if (high < 0xd800 || high >= 0xe000)
        *ret = high;
    return 2;
}

/* Two bytes become three at most, and four become four. */
static int from_utf16(struct span s, bool little, struct span *ret_text, uint8_t **ret_copy)
{
    uint8_t *copy = malloc(s.len / 2 * 3 + 4);
    size_t len = 0;
    if (!copy)
        return -ENOMEM;
    for (size_t i = 2; i < s.len;) {
        uint32_t c;
        char out[4];
        i += utf16_char(s, i, little, &c);
        size_t n = utf8_encode(c, out);
        memcpy(copy + len, out, n);
        len += n;
    }
    *ret_text = (struct span){copy, len};
    *ret_copy = copy;
    return 0;
}

int text_of(struct span file, struct span *ret_text, uint8_t **ret_copy)
{
    *ret_copy = NULL;
    if (file.len >= 2 && (memcmp(file.at, "\xff\xfe", 2) == 0 || memcmp(file.at, "\xfe\xff", 2) == 0))
        return from_utf16(file, file.at[0] == 0xff, ret_text, ret_copy);
    size_t mark = file.len >= 3 && memcmp(file.at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *ret_text = (struct span){file.at + mark, file.len - mark};
    return 0;
}
