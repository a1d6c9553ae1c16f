/* SPDX-License-Identifier: Apache-2.0 */
/* The window itself: which of the checked text is written, and where it ends. Only text in which the window begins or
 * ends is looked at line by line. */
#include "source/lines.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static void write_window(struct lines *l, const uint8_t *text, size_t len)
{
    size_t room = l->room - l->written, n = MIN(len, room);
    memcpy(l->text + l->written, text, n);
    l->written += n;
    l->beyond = len - n;
    l->cut = n < len;
}

/* One line or a part of it. */
static void add_part(struct lines *l, const uint8_t *text, size_t len, bool ended)
{
    bool inside = l->line >= l->first && l->line < l->end;
    if (inside && l->cut && l->line == l->first)
        l->beyond += len - ended;
    if (inside && !l->cut) {
        write_window(l, text, len);
        l->beyond -= l->cut && ended;
        if (ended && !l->cut) {
            l->whole = l->written;
            l->whole_lines++;
        }
    }
    l->line += ended;
    l->open = !ended;
}

/* Text that lies in the window as a whole. */
static void add_inside(struct lines *l, const uint8_t *text, size_t len, size_t line_ends)
{
    const uint8_t *last = line_ends ? memrchr(text, '\n', len) : NULL;
    uint64_t start = l->written;
    write_window(l, text, len);
    if (last) {
        l->whole = start + (uint64_t)(last - text) + 1;
        l->whole_lines += line_ends;
    }
}

void lines_add_text(struct lines *l, const uint8_t *text, size_t len, size_t line_ends)
{
    if (!len)
        return;
    uint64_t line = l->line + line_ends; /* in which the next text will stand */
    bool away = line < l->first || l->line >= l->end || (l->cut && l->line > l->first);
    bool inside = l->line >= l->first && line < l->end && !l->cut && len <= l->room - l->written;
    if (away || inside) {
        if (!away)
            add_inside(l, text, len, line_ends);
        l->line = line;
        l->open = text[len - 1] != '\n';
        return;
    }
    while (len) {
        const uint8_t *end = memchr(text, '\n', len);
        size_t n = end ? (size_t)(end - text) + 1 : len;
        add_part(l, text, n, end != NULL);
        text += n;
        len -= n;
    }
}

uint64_t lines_trim(const struct lines *l)
{
    if (l->whole)
        return l->whole;
    uint64_t start = l->written;
    while (start && l->written - start < 3 && (l->text[start - 1] & 0xc0) == 0x80)
        start--;
    if (!start)
        return 0;
    size_t tail = l->written - --start;
    uint32_t c;
    return utf8_decode((const char *)l->text + start, tail, &c) == tail ? l->written : start;
}
