/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and pages of text: see wrap.h. Most lines are ASCII without tabs and fit: these are told by a look at their bytes,
 * sixteen at a time, and only the others are walked. */
#include "wrap.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* Behind ours: it has MIN and MAX of its own. */
#include <glib.h>

typedef uint8_t vec __attribute__((vector_size(16)));

/* Printable ASCII only. */
static bool is_plain(struct span s)
{
    vec odd = {0};
    size_t i = 0;
    for (; i + sizeof(vec) <= s.len; i += sizeof(vec)) {
        vec v;
        memcpy(&v, s.at + i, sizeof v);
        odd |= (vec)((vec)(v - 0x20) > 0x7e - 0x20);
    }
    uint64_t halves[2];
    memcpy(halves, &odd, sizeof halves);
    if (halves[0] | halves[1])
        return false;
    while (i < s.len && s.at[i] >= 0x20 && s.at[i] < 0x7f)
        i++;
    return i == s.len;
}

struct span line_first(struct span s, size_t *ret_next)
{
    const uint8_t *end = memchr(s.at, '\n', s.len);
    struct span line = {s.at, end ? (size_t)(end - s.at) : s.len};
    *ret_next = line.len + (end ? 1 : 0);
    if (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* Joiners shape what they stand between, and are not seen. */
static bool is_joiner(uint32_t c)
{
    return c == 0x200c || c == 0x200d;
}

static unsigned hex_digits(uint32_t c)
{
    return c > 0xffff ? 5 + (c > 0xfffff) : 4;
}

static void take_control(struct cell *k, unsigned column)
{
    if (k->c == '\t') {
        k->mark = MARK_TAB;
        k->columns = TAB_COLUMNS - column % TAB_COLUMNS;
    } else if (k->c < 0x20 || k->c == 0x7f) {
        k->mark = MARK_CARET;
        k->c ^= 0x40;
        k->columns = 2;
    } else {
        k->mark = MARK_HEX;
        k->columns = hex_digits(k->c) + 2;
    }
}

static void take_joined(struct cell *k, struct pen *pen)
{
    if (pen->column && pen->joined < WRAP_JOINED) {
        pen->joined++;
        k->columns = 0;
    } else {
        k->mark = MARK_PILED;
    }
}

struct cell cell_next(struct span s, struct pen *pen)
{
    struct cell k = {.columns = 1};
    k.bytes = (unsigned)utf8_decode((const char *)s.at, s.len, &k.c);
    if (!k.bytes)
        k = (struct cell){.c = 0xfffd, .mark = MARK_PICTURE, .bytes = 1, .columns = 1};
    else if (k.c >= 0x20 && k.c < 0x7f)
        ;
    else if (char_acts(k.c) && !is_joiner(k.c))
        take_control(&k, pen->column);
    else if (g_unichar_iszerowidth(k.c))
        take_joined(&k, pen);
    else if (g_unichar_iswide(k.c))
        k.columns = 2;
    if (k.columns)
        pen->joined = k.mark == MARK_PILED ? pen->joined : 0;
    pen->column += k.columns;
    return k;
}

static struct span rest_of(struct span s, size_t from)
{
    return (struct span){s.at + from, s.len - from};
}

unsigned line_columns(struct span line, unsigned most)
{
    struct pen pen = {0};
    if (is_plain((struct span){line.at, MIN(line.len, (size_t)most + 1)}))
        return line.len > most ? most + 1 : (unsigned)line.len;
    for (size_t i = 0; i < line.len;) {
        i += cell_next(rest_of(line, i), &pen).bytes;
        if (pen.column > most)
            return most + 1;
    }
    return pen.column;
}

static bool is_space(const struct cell *k)
{
    return k->mark == MARK_TAB || (k->mark == MARK_PLAIN && (k->c == ' ' || k->c == 0x3000));
}

/* White space may stand out over the edge, where nobody sees it; a line's indent is no place to break. */
size_t row_first(struct span rest, unsigned columns)
{
    struct pen pen = {0};
    size_t i = 0, broken = 0;
    bool words = false, over = false;
    while (i < rest.len) {
        struct cell k = cell_next(rest_of(rest, i), &pen);
        bool space = is_space(&k);
        over |= pen.column > columns;
        if (over && !(space && words))
            break;
        i += k.bytes;
        if (space && words)
            broken = i;
        words |= !space;
    }
    if (i == rest.len)
        return i;
    return broken ? broken : MAX(i, (size_t)cell_next(rest, &(struct pen){0}).bytes);
}

void survey_take(struct span text, struct survey *ret)
{
    *ret = (struct survey){0};
    while (text.len) {
        size_t next;
        struct span line = line_first(text, &next);
        ret->widths[line_columns(line, WRAP_WIDEST)]++;
        ret->lines++;
        text = rest_of(text, next);
    }
}

/* Where a few lines are longer than a page is wide, they do not decide. */
unsigned survey_columns(const struct survey *s, unsigned most)
{
    uint64_t longer = 0, lines = s->lines - s->widths[0];
    most = MIN(most, (unsigned)WRAP_WIDEST);
    for (unsigned w = WRAP_WIDEST + 1; w > most; w--)
        longer += s->widths[w];
    if (longer * 4 > lines)
        return MIN(most, (unsigned)WRAP_PROSE);
    uint64_t left_out = longer * 50 > lines ? longer : longer ? lines / 50 : 0;
    unsigned columns = most, least = longer ? MIN(most, (unsigned)WRAP_PROSE) : WRAP_LEAST;
    while (columns > least && longer + s->widths[columns] <= left_out)
        longer += s->widths[columns--];
    return columns;
}

struct counting {
    uint64_t rows, wanted;
    struct page_start start;
    bool found;
};

static void count_row(struct counting *n, size_t at, uint64_t line, bool continued)
{
    if (n->rows++ == n->wanted) {
        n->found = true;
        n->start = (struct page_start){at, line, continued};
    }
}

static void count_long(struct counting *n, struct span line, size_t at, uint64_t number, unsigned columns)
{
    for (size_t i = 0; i < line.len;) {
        count_row(n, at + i, number, i > 0);
        i += row_first(rest_of(line, i), columns);
    }
}

bool rows_count(struct span text, unsigned columns, uint64_t wanted, uint64_t *ret_rows, struct page_start *ret_start)
{
    struct counting n = {.wanted = wanted};
    uint64_t number = 0;
    for (size_t at = 0; at < text.len;) {
        size_t next;
        struct span line = line_first(rest_of(text, at), &next);
        number++;
        if (line.len <= columns && is_plain(line))
            count_row(&n, at, number, false);
        else
            count_long(&n, line, at, number, columns);
        at += next;
    }
    *ret_rows = n.rows;
    if (n.found)
        *ret_start = n.start;
    return n.found;
}
