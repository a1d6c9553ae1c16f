/* SPDX-License-Identifier: Apache-2.0 */
/* Capitals drawn from a table of our own, for tests that need text in a picture: 5 x 7 dots, as large as wished. */
#ifndef FOVEA_TEST_LETTERS_H
#define FOVEA_TEST_LETTERS_H

#include <stdint.h>
#include <string.h>

enum { LETTER_W = 5, LETTER_H = 7, LETTER_STEP = 7, LETTER_LINE = 13 }; /* dots, and from one to the next */

/* Rows from the top, the left dot in the highest of five bits. */
static const uint8_t letters[26][LETTER_H] = {
    {14, 17, 17, 31, 17, 17, 17}, {30, 17, 17, 30, 17, 17, 30}, {14, 17, 16, 16, 16, 17, 14},
    {30, 17, 17, 17, 17, 17, 30}, {31, 16, 16, 30, 16, 16, 31}, {31, 16, 16, 30, 16, 16, 16},
    {14, 17, 16, 23, 17, 17, 14}, {17, 17, 17, 31, 17, 17, 17}, {31, 4, 4, 4, 4, 4, 31},
    {7, 2, 2, 2, 2, 18, 12},      {17, 18, 20, 24, 20, 18, 17}, {16, 16, 16, 16, 16, 16, 31},
    {17, 27, 21, 21, 17, 17, 17}, {17, 25, 21, 19, 17, 17, 17}, {14, 17, 17, 17, 17, 17, 14},
    {30, 17, 17, 30, 16, 16, 16}, {14, 17, 17, 17, 21, 18, 13}, {30, 17, 17, 30, 20, 18, 17},
    {15, 16, 16, 14, 1, 1, 30},   {31, 4, 4, 4, 4, 4, 4},       {17, 17, 17, 17, 17, 17, 14},
    {17, 17, 17, 17, 17, 10, 4},  {17, 17, 17, 21, 21, 27, 17}, {17, 17, 10, 4, 10, 17, 17},
    {17, 17, 10, 4, 4, 4, 4},     {31, 1, 2, 4, 8, 16, 31},
};

struct paper {
    uint8_t *rgba;
    uint32_t w, h;
};

static void letter_dot(const struct paper *p, uint32_t x, uint32_t y, uint32_t size, uint32_t rgba)
{
    for (uint32_t dy = 0; dy < size && y + dy < p->h; dy++)
        for (uint32_t dx = 0; dx < size && x + dx < p->w; dx++)
            memcpy(p->rgba + ((size_t)(y + dy) * p->w + x + dx) * 4, &rgba, 4);
}

static void letter_draw(const struct paper *p, char c, uint32_t x, uint32_t y, uint32_t dot, uint32_t rgba)
{
    for (uint32_t row = 0; c >= 'A' && c <= 'Z' && row < LETTER_H; row++)
        for (uint32_t col = 0; col < LETTER_W; col++)
            if (letters[c - 'A'][row] >> (LETTER_W - 1 - col) & 1)
                letter_dot(p, x + col * dot, y + row * dot, dot, rgba);
}

/* Text of capitals, blanks and line ends, from x, y on. rgba: its four bytes in memory, as a number. */
static void letters_draw(const struct paper *p, const char *text, uint32_t x, uint32_t y, uint32_t dot, uint32_t rgba)
{
    uint32_t at = x;
    for (const char *c = text; *c; c++) {
        if (*c == '\n') {
            at = x;
            y += LETTER_LINE * dot;
            continue;
        }
        letter_draw(p, *c, at, y, dot, rgba);
        at += LETTER_STEP * dot;
    }
}

#endif
