/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small alphabet of our own: 5 x 7 dots, each drawn as a square of whole pixels, so that it is sharp at every size and no
 * font has to be read inside a jail. Letters are as wide as their dots; tails hang two dots below the line.
 */
#include <string.h>

#include "sheet.h"

enum {
    DOTS_W = 5,
    DOTS_H = 7,
    TAIL = 2,   /* dots below the line */
    HANGS = 32, /* in the first row: the letter begins where small ones do, and its tail is below the line */
    BLANK = 3,  /* width of a space */
};

/* Rows from the top, the left dot in the highest of five bits. */
static const uint8_t alphabet[][DOTS_H] = {
    ['#' - '!'] = {10, 10, 31, 10, 31, 10, 10},
    ['(' - '!'] = {4, 8, 16, 16, 16, 8, 4},
    [')' - '!'] = {16, 8, 4, 4, 4, 8, 16},
    ['+' - '!'] = {0, 4, 4, 31, 4, 4, 0},
    [',' - '!'] = {HANGS, 0, 0, 0, 8, 8, 16},
    ['-' - '!'] = {0, 0, 0, 30, 0, 0, 0},
    ['.' - '!'] = {0, 0, 0, 0, 0, 24, 24},
    ['/' - '!'] = {1, 2, 2, 4, 8, 8, 16},
    ['0' - '!'] = {14, 17, 17, 17, 17, 17, 14},
    ['1' - '!'] = {4, 12, 20, 4, 4, 4, 31},
    ['2' - '!'] = {14, 17, 1, 2, 4, 8, 31},
    ['3' - '!'] = {14, 17, 1, 6, 1, 17, 14},
    ['4' - '!'] = {2, 6, 10, 18, 31, 2, 2},
    ['5' - '!'] = {31, 16, 30, 1, 1, 17, 14},
    ['6' - '!'] = {6, 8, 16, 30, 17, 17, 14},
    ['7' - '!'] = {31, 1, 2, 2, 4, 4, 4},
    ['8' - '!'] = {14, 17, 17, 14, 17, 17, 14},
    ['9' - '!'] = {14, 17, 17, 15, 1, 2, 12},
    [':' - '!'] = {0, 24, 24, 0, 0, 24, 24},
    ['?' - '!'] = {14, 17, 1, 2, 4, 0, 4},
    ['A' - '!'] = {4, 10, 17, 17, 31, 17, 17},
    ['B' - '!'] = {30, 17, 17, 30, 17, 17, 30},
    ['C' - '!'] = {14, 17, 16, 16, 16, 17, 14},
    ['D' - '!'] = {30, 17, 17, 17, 17, 17, 30},
    ['E' - '!'] = {31, 16, 16, 30, 16, 16, 31},
    ['F' - '!'] = {31, 16, 16, 30, 16, 16, 16},
    ['G' - '!'] = {14, 17, 16, 23, 17, 17, 15},
    ['H' - '!'] = {17, 17, 17, 31, 17, 17, 17},
    ['I' - '!'] = {28, 8, 8, 8, 8, 8, 28},
    ['J' - '!'] = {7, 2, 2, 2, 2, 18, 12},
    ['K' - '!'] = {17, 18, 20, 24, 20, 18, 17},
    ['L' - '!'] = {16, 16, 16, 16, 16, 16, 31},
    ['M' - '!'] = {17, 27, 21, 21, 17, 17, 17},
    ['N' - '!'] = {17, 25, 25, 21, 19, 19, 17},
    ['O' - '!'] = {14, 17, 17, 17, 17, 17, 14},
    ['P' - '!'] = {30, 17, 17, 30, 16, 16, 16},
    ['Q' - '!'] = {14, 17, 17, 17, 21, 18, 13},
    ['R' - '!'] = {30, 17, 17, 30, 20, 18, 17},
    ['S' - '!'] = {15, 16, 16, 14, 1, 1, 30},
    ['T' - '!'] = {31, 4, 4, 4, 4, 4, 4},
    ['U' - '!'] = {17, 17, 17, 17, 17, 17, 14},
    ['V' - '!'] = {17, 17, 17, 17, 10, 10, 4},
    ['W' - '!'] = {17, 17, 17, 21, 21, 27, 17},
    ['X' - '!'] = {17, 17, 10, 4, 10, 17, 17},
    ['Y' - '!'] = {17, 17, 10, 4, 4, 4, 4},
    ['Z' - '!'] = {31, 1, 2, 4, 8, 16, 31},
    ['a' - '!'] = {0, 0, 14, 1, 15, 17, 15},
    ['b' - '!'] = {16, 16, 30, 17, 17, 17, 30},
    ['c' - '!'] = {0, 0, 14, 17, 16, 17, 14},
    ['d' - '!'] = {1, 1, 15, 17, 17, 17, 15},
    ['e' - '!'] = {0, 0, 14, 17, 31, 16, 14},
    ['f' - '!'] = {6, 8, 28, 8, 8, 8, 8},
    ['g' - '!'] = {HANGS | 15, 17, 17, 17, 15, 1, 14},
    ['h' - '!'] = {16, 16, 22, 25, 17, 17, 17},
    ['i' - '!'] = {8, 0, 24, 8, 8, 8, 28},
    ['j' - '!'] = {2, 0, 6, 2, 2, 18, 12},
    ['k' - '!'] = {16, 16, 18, 20, 24, 20, 18},
    ['l' - '!'] = {24, 8, 8, 8, 8, 8, 28},
    ['m' - '!'] = {0, 0, 26, 21, 21, 21, 21},
    ['n' - '!'] = {0, 0, 22, 25, 17, 17, 17},
    ['o' - '!'] = {0, 0, 14, 17, 17, 17, 14},
    ['p' - '!'] = {HANGS | 30, 17, 17, 17, 30, 16, 16},
    ['q' - '!'] = {HANGS | 15, 17, 17, 17, 15, 1, 1},
    ['r' - '!'] = {0, 0, 22, 24, 16, 16, 16},
    ['s' - '!'] = {0, 0, 15, 16, 14, 1, 30},
    ['t' - '!'] = {8, 8, 28, 8, 8, 8, 6},
    ['u' - '!'] = {0, 0, 17, 17, 17, 19, 13},
    ['v' - '!'] = {0, 0, 17, 17, 17, 10, 4},
    ['w' - '!'] = {0, 0, 17, 17, 21, 21, 10},
    ['x' - '!'] = {0, 0, 17, 10, 4, 10, 17},
    ['y' - '!'] = {HANGS | 17, 17, 17, 17, 15, 1, 14},
    ['z' - '!'] = {0, 0, 31, 2, 4, 8, 31},
};

static const uint8_t *letter_of(char c)
{
    static const uint8_t blank[DOTS_H];
    return c > ' ' && (size_t)(c - '!') < COUNT(alphabet) ? alphabet[c - '!'] : blank;
}

/* The columns that have dots: from the first to behind the last. */
static void span_of(const uint8_t *letter, uint32_t *ret_first, uint32_t *ret_end)
{
    unsigned all = 0;
    for (int row = 0; row < DOTS_H; row++)
        all |= letter[row];
    all &= (1u << DOTS_W) - 1;
    *ret_first = all ? DOTS_W - 1 - (31 - (uint32_t)__builtin_clz(all)) : 0;
    *ret_end = all ? DOTS_W - (uint32_t)__builtin_ctz(all) : BLANK;
}

static void draw_dot(struct image *m, uint32_t x, uint32_t y, uint32_t dot)
{
    static const uint8_t black[4] = {0, 0, 0, 255};
    for (uint32_t dy = 0; dy < dot && y + dy < m->size.h; dy++)
        for (uint32_t dx = 0; dx < dot && x + dx < m->size.w; dx++)
            memcpy(m->px + (y + dy) * image_stride(m) + (size_t)(x + dx) * 4, black, 4);
}

static void draw_letter(struct image *m, uint32_t x, uint32_t y, uint32_t dot, const uint8_t *letter, uint32_t first)
{
    uint32_t top = letter[0] & HANGS ? TAIL : 0;
    for (uint32_t row = 0; row < DOTS_H; row++)
        for (uint32_t column = first; column < DOTS_W; column++)
            if (letter[row] >> (DOTS_W - 1 - column) & 1)
                draw_dot(m, x + (column - first) * dot, y + (row + top) * dot, dot);
}

uint32_t letters_draw(struct image *m, uint32_t x, uint32_t y, uint32_t height, const char *words)
{
    uint32_t dot = MAX(height / DOTS_H, 1u), at = 0;
    for (const char *c = words; *c && at < LIMIT_SIDE; c++) {
        const uint8_t *letter = letter_of(*c);
        uint32_t first, end;
        span_of(letter, &first, &end);
        if (m)
            draw_letter(m, x + at, y, dot, letter, first);
        at += (end - first + (c[1] ? 1 : 0)) * dot;
    }
    return at;
}
