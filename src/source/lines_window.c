/* SPDX-License-Identifier: Apache-2.0 */
/* The window itself: which of the checked text is written, and where it ends. Only text in which the window begins or
 * ends is looked at line by line. */
#include "source/lines.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/text.h"

static void write_window(struct lines *l, const uint8_t *text, size_t len)
{
    size_t room = LIMIT_READ_WINDOW - l->written;
    if (len > room) {
        l->cut = true;
        len = room;
    }
    if (!l->error)
        l->error = write_all(l->fd, text, len);
    if (!l->error)
        l->written += len;
}

/* One line or a part of it. */
static void add_part(struct lines *l, const uint8_t *text, size_t len, bool ended)
{
    if (l->line >= l->first && l->line < l->end && !l->cut) {
        write_window(l, text, len);
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
    bool away = line < l->first || l->line >= l->end || l->cut;
    bool inside = l->line >= l->first && line < l->end && l->written + len <= LIMIT_READ_WINDOW;
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

int lines_trim(struct lines *l, uint64_t *ret_size)
{
    uint64_t size = l->whole;
    if (!size) {
        uint8_t tail[4];
        ssize_t n = pread(l->fd, tail, sizeof tail, (off_t)(l->written - sizeof tail));
        if (n != sizeof tail)
            return n < 0 ? -errno : -EIO;
        size_t back = 1;
        while (back < 4 && (tail[4 - back] & 0xc0) == 0x80)
            back++;
        uint32_t c;
        size = l->written - (utf8_decode((char *)tail + 4 - back, back, &c) == back ? 0 : back);
    }
    *ret_size = size;
    return ftruncate(l->fd, (off_t)size) < 0 ? -errno : 0;
}
