/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs before parsing: md4c 0.4.8 takes the second line of a table for one only where each cell has three dashes; to everybody
 * else, one is enough. So such lines get their dashes, unless they are code. */
#include "md_repair.h"

#include <string.h>

enum { DASHES = 3, INDENT_CODE = 4 };

static size_t run_of(struct span s, size_t at, uint8_t c)
{
    size_t n = 0;
    while (at + n < s.len && s.at[at + n] == c)
        n++;
    return n;
}

/* Behind the quotes and blanks that it begins with; at four blanks and more, it may be code. */
static size_t indent_of(struct span line, bool *ret_code)
{
    size_t i = 0, blanks = 0;
    for (; i < line.len && (line.at[i] == ' ' || line.at[i] == '>' || line.at[i] == '\t'); i++)
        blanks = line.at[i] == '>' ? 0 : blanks + (line.at[i] == '\t' ? INDENT_CODE : 1);
    *ret_code = blanks >= INDENT_CODE + 1;
    return i;
}

static bool is_short_delimiter(struct span line, size_t from)
{
    bool bar = false, dash = false, is_short = false;
    for (size_t i = from; i < line.len;) {
        size_t n = run_of(line, i, '-');
        if (!n && !strchr("|: \t", line.at[i]))
            return false;
        bar |= line.at[i] == '|';
        dash |= n > 0;
        is_short |= n > 0 && n < DASHES;
        i += n ? n : 1;
    }
    return bar && dash && is_short;
}

static void put_delimiter(struct span line, size_t from, struct buf *out)
{
    (void)buf_add(out, line.at, from);
    for (size_t i = from; i < line.len;) {
        size_t n = run_of(line, i, '-');
        (void)buf_add(out, line.at + i, n ? n : 1);
        if (n && n < DASHES)
            (void)buf_add(out, "---", DASHES - n);
        i += n ? n : 1;
    }
}

/* Whether the text is inside of fences, behind a line that may be one. */
struct fence {
    uint8_t c;
    size_t n;
};

static void pass_fence(struct fence *f, struct span line, size_t from)
{
    uint8_t c = from < line.len ? line.at[from] : 0;
    size_t n = c == '`' || c == '~' ? run_of(line, from, c) : 0;
    if (n < DASHES)
        return;
    if (!f->n)
        *f = (struct fence){c, n};
    else if (f->c == c && n >= f->n && from + n == line.len)
        *f = (struct fence){0, 0};
}

int md_repair(struct span text, struct buf *out)
{
    struct fence fence = {0, 0};
    size_t copied = 0;
    bool after_bar = false;
    for (size_t at = 0; at < text.len;) {
        size_t next;
        bool code;
        struct span line = line_first((struct span){text.at + at, text.len - at}, &next);
        size_t from = indent_of(line, &code);
        pass_fence(&fence, line, from);
        if (after_bar && !fence.n && !code && is_short_delimiter(line, from)) {
            (void)buf_add(out, text.at + copied, at - copied);
            put_delimiter(line, from, out);
            copied = at + line.len;
        }
        after_bar = line.len && memchr(line.at, '|', line.len);
        at += next;
    }
    if (copied)
        (void)buf_add(out, text.at + copied, text.len - copied);
    return out->error;
}
