/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns: see columns.h. A line is taken apart into units that are shown whole or not at all: a character with its
 * marks, characters that a joiner makes one of, the two letters of a flag, an escape that we wrote. Where terminals
 * differ in how wide a unit is, the wider one counts, so that no line is ever longer than it should be.
 */
#include "percept/columns.h"

#include <uniwidth.h>

#include "base/limits.h"
#include "base/text.h"

enum { TAB = 4, NON_JOINER = 0x200c, JOINER = 0x200d, EMOJI_STYLE = 0xfe0f, SOFT_HYPHEN = 0xad };

struct unit {
    size_t bytes;   /* that it takes from the text */
    size_t columns;
};

/* Where libunistring's table says less than a terminal may take: signs that stand before a number, which are seen, have none; numbers
 * in circles, hexagrams and their like are wide for some; and it is older than some emoji. */
static const struct {
    uint32_t first, last;
    uint8_t columns;
} wider[] = {
    {0x600, 0x605, 1},     {0x6dd, 0x6dd, 1},     {0x70f, 0x70f, 1},     {0x890, 0x891, 1},     {0x8e2, 0x8e2, 1},
    {0x2630, 0x2637, 2},   {0x268a, 0x268f, 2},   {0x3248, 0x324f, 2},   {0x4dc0, 0x4dff, 2},   {0x110bd, 0x110bd, 1},
    {0x110cd, 0x110cd, 1}, {0x1d300, 0x1d356, 2}, {0x1d360, 0x1d376, 2}, {0x1f300, 0x1faff, 2},
};

static size_t width_of(uint32_t c)
{
    for (size_t i = 0; c >= wider[0].first && i < COUNT(wider); i++)
        if (c >= wider[i].first && c <= wider[i].last)
            return wider[i].columns;
    int w = uc_width(c, "UTF-8");
    return w < 0 ? 0 : (size_t)w;
}

/* What is told of instead of shown. */
static bool is_told(uint32_t c)
{
    return char_acts(c) || c == SOFT_HYPHEN;
}

/* What has no place of its own: marks, variation selectors, and joiners, which scripts and emoji need. */
static bool sits_on_another(uint32_t c)
{
    if (c == NON_JOINER || c == JOINER)
        return true;
    return !is_told(c) && width_of(c) == 0;
}

static bool is_flag_letter(uint32_t c)
{
    return c >= 0x1f1e6 && c <= 0x1f1ff;
}

static bool is_skin_tone(uint32_t c)
{
    return c >= 0x1f3fb && c <= 0x1f3ff;
}

/* What belongs to the character before `u`: it grows by that. */
static void add_joined(struct buf *b, const char *s, size_t len, uint32_t base, struct unit *u)
{
    uint32_t before = base, c;
    bool narrow = u->columns < 2, half_flag = is_flag_letter(base);
    for (unsigned n = 0;; before = c) {
        size_t bytes = utf8_decode(s + u->bytes, len - u->bytes, &c);
        bool sits = bytes && sits_on_another(c);
        bool joins = bytes && !sits && !is_told(c) &&
                     (before == JOINER || is_skin_tone(c) || (half_flag && is_flag_letter(c)));
        if (!sits && !joins)
            return;
        if (++n <= LIMIT_RENDER_JOINED) {
            (void)buf_add(b, s + u->bytes, bytes);
            u->columns += joins ? width_of(c) : c == EMOJI_STYLE && narrow;
            narrow &= c != EMOJI_STYLE;
        }
        half_flag &= !joins;
        u->bytes += bytes;
    }
}

/* Appends the unit that s begins with; `at` is the column. */
static struct unit add_unit(struct buf *b, const char *s, size_t len, size_t at)
{
    uint32_t c;
    size_t before = b->len;
    struct unit u = {.bytes = utf8_decode(s, len, &c)};
    if (!u.bytes) {
        (void)buf_add_format(b, "\\x%02x", (unsigned char)*s);
        return (struct unit){1, 4};
    }
    if (c == '\t') {
        u.columns = TAB - at % TAB;
        (void)buf_add_format(b, "%*s", (int)u.columns, "");
    } else if (is_told(c) || width_of(c) == 0) {
        (void)buf_add_char_shown(b, c);
        u.columns = b->len - before;
    } else {
        (void)buf_add(b, s, u.bytes);
        u.columns = width_of(c);
        add_joined(b, s, len, c, &u);
    }
    return u;
}

int buf_add_columns(struct buf *b, const char *s, size_t len, size_t max)
{
    size_t columns = 0, fits = b->len; /* so much may stay before an ellipsis */
    while (len && !b->error) {
        struct unit u = add_unit(b, s, len, columns);
        columns += u.columns;
        if (columns > max) {
            b->len = b->error ? b->len : fits;
            return buf_add_str(b, "…");
        }
        fits = columns < max ? b->len : fits;
        s += u.bytes;
        len -= u.bytes;
    }
    return b->error;
}
