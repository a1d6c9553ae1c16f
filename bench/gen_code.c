/* SPDX-License-Identifier: Apache-2.0 */
/* An editor with coloured code and a terminal: small monospaced text, the hardest to keep legible. */
#include <ctype.h>

#include "base/cleanup.h"
#include "gen.h"

enum ink_kind { INK_PLAIN, INK_KEYWORD, INK_STRING, INK_NUMBER, INK_COMMENT, INKS };

static const uint32_t inks[2][INKS] = {
    {0x24292f, 0xcf222e, 0x0a3069, 0x0550ae, 0x6e7781},
    {0xd4d4d4, 0x569cd6, 0xce9178, 0xb5cea8, 0x6a9955},
};
static const char *const keywords[] = {
    "static", "int", "struct", "size_t", "if", "return", "for", "continue", "const", "char", "uint32_t",
};

/* Cuts the next run of one colour off the line: its length, and which colour. */
static size_t next_token(const char *at, enum ink_kind *ret_kind)
{
    size_t n = 1;
    *ret_kind = INK_PLAIN;
    if (!strncmp(at, "//", 2) || !strncmp(at, "/*", 2)) {
        *ret_kind = INK_COMMENT;
        return strlen(at);
    }
    if (*at == '"') {
        *ret_kind = INK_STRING;
        return (size_t)(strchr(at + 1, '"') - at) + 1;
    }
    if (!isalnum((unsigned char)*at) && *at != '_')
        return n;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    if (isdigit((unsigned char)*at))
        *ret_kind = INK_NUMBER;
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (strlen(keywords[i]) == n && !memcmp(keywords[i], at, n))
            *ret_kind = INK_KEYWORD;
    return n;
}

static void code_line(struct scene *s, double x, double y, double size, const char *words)
{
    double advance = text_width(s, MONO, size, "m");
    FILE *truth = take(s->truth); /* the line goes there whole, not in pieces */
    for (size_t n, col = 0; words[col]; col += n) {
        char token[256];
        enum ink_kind kind;
        n = next_token(words + col, &kind);
        snprintf(token, sizeof(token), "%.*s", (int)n, words + col);
        text(s, x + (double)col * advance, y, MONO, size, inks[s->dark][kind], token);
    }
    s->truth = truth;
    if (truth)
        fprintf(truth, "%s\n", words);
}

static void file_tree(struct scene *s, double w)
{
    uint32_t pale = s->dark ? 0xcccccc : 0x444444;
    box(s, 0, 0, w, s->h, s->dark ? 0x252526 : 0xf3f3f3);
    text(s, 16, 28, SANS_BOLD, 11, pale, "EXPLORER");
    for (double y = 56; y < s->h - 30; y += 22) {
        char name[64];
        const char *a = rng_word(&s->rng), *b = rng_word(&s->rng);
        snprintf(name, sizeof(name), "%s_%s.c", a, b);
        text(s, 28 + 14 * rng_below(&s->rng, 2), y, SANS, 13, pale, name);
    }
}

void paint_code(struct scene *s)
{
    char buf[256];
    double side = s->w > 700 ? 220 : 0, left = side + 60;
    box(s, 0, 0, s->w, s->h, s->dark ? 0x1e1e1e : 0xffffff);
    if (side > 0)
        file_tree(s, side);
    box(s, side, 0, s->w - side, 36, s->dark ? 0x2d2d2d : 0xececec);
    snprintf(buf, sizeof(buf), "%s.c", rng_word(&s->rng));
    text(s, side + 20, 24, SANS, 13, s->dark ? 0xffffff : 0x333333, buf);
    unsigned number = 1 + rng_below(&s->rng, 300);
    for (double y = 58; y < s->h - 30; y += 19, number++) {
        snprintf(buf, sizeof(buf), "%u", number);
        text_right(s, left - 18, y, MONO, 13, s->dark ? 0x858585 : 0x9a9a9a, buf);
        rng_code_line(&s->rng, buf, sizeof(buf));
        code_line(s, left, y, 13, buf);
    }
    box(s, 0, s->h - 24, s->w, 24, 0x007acc);
    text(s, 14, s->h - 8, SANS, 12, 0xffffff, "main");
    text_right(s, s->w - 16, s->h - 8, SANS, 12, 0xffffff, "Line 42, Column 7   Spaces: 4   UTF-8");
}

static void shell_line(struct scene *s, char *buf, size_t size, uint32_t *ret_rgb)
{
    static const uint32_t colours[] = {0xd0d0d0, 0xd0d0d0, 0xd0d0d0, 0x8ae234, 0xfcaf3e, 0x729fcf};
    const char *a = rng_word(&s->rng), *b = rng_word(&s->rng), *c = rng_word(&s->rng);
    uint32_t n = rng_below(&s->rng, 100000);
    *ret_rgb = colours[rng_below(&s->rng, COUNT(colours))];
    switch (rng_below(&s->rng, 5)) {
    case 0:
        snprintf(buf, size, "user@%s:~/%s$ make %s", a, b, c);
        break;
    case 1:
        snprintf(buf, size, "-rw-r--r-- 1 user user %6u Mar %2u 10:%02u %s_%s.txt", n, 1 + n % 28, n % 60, a, b);
        break;
    case 2:
        snprintf(buf, size, "%s.c:%u: warning: the %s of %s is never used", a, n % 900, b, c);
        break;
    case 3:
        snprintf(buf, size, "[%3u%%] Building %s/%s_%s.o", n % 101, a, b, c);
        break;
    default:
        snprintf(buf, size, "ok %u - the %s keeps its %s after %s", n % 400, a, b, c);
    }
}

void paint_terminal(struct scene *s)
{
    char buf[256];
    uint32_t rgb;
    box(s, 0, 0, s->w, s->h, 0x1d1f21);
    box(s, 0, 0, s->w, 28, 0x3a3d41);
    text_middle(s, s->w / 2, 19, SANS_BOLD, 12, 0xe8e8e8, "user: build");
    for (int i = 0; i < 3; i++) {
        ink(s, (const uint32_t[]){0xff5f57, 0xfebc2e, 0x28c840}[i]);
        cairo_arc(s->cr, 18 + 20 * i, 14, 6, 0, 6.2832);
        cairo_fill(s->cr);
    }
    for (unsigned i = 0; i < s->frame * 2; i++)
        shell_line(s, buf, sizeof(buf), &rgb);
    for (double y = 52; y < s->h - 8; y += 18) {
        shell_line(s, buf, sizeof(buf), &rgb);
        text(s, 12, y, MONO, 14, rgb, buf);
    }
}
