/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows and pages of any text: the rows of a line are all of it, none wider than it may be unless one character is, and counting them
 * gives what walking them gives, for every row that may be asked for.
 * about: render/text/wrap.c
 */
#include "fuzz.h"

#include "render/text/wrap.c"

static unsigned columns_of(struct span row)
{
    struct pen pen = {0};
    unsigned sum = 0;
    for (size_t at = 0; at < row.len;) {
        struct cell c = cell_next((struct span){row.at + at, row.len - at}, &pen);
        CLAIM(c.bytes >= 1 && c.bytes <= row.len - at);
        sum += c.columns;
        at += c.bytes;
    }
    return sum;
}

/* Without the blanks at its end, which may stand out. */
static struct span trimmed(struct span row)
{
    for (;;) {
        if (row.len && (row.at[row.len - 1] == ' ' || row.at[row.len - 1] == '\t'))
            row.len--;
        else if (row.len >= 3 && !memcmp(row.at + row.len - 3, "\xe3\x80\x80", 3)) /* the wide one */
            row.len -= 3;
        else
            return row;
    }
}

static bool is_one(struct span row)
{
    struct pen pen = {0};
    struct cell c = cell_next(row, &pen);
    struct pen after = pen;
    size_t at = c.bytes;
    while (at < row.len) { /* and what is on top of it */
        c = cell_next((struct span){row.at + at, row.len - at}, &after);
        if (c.columns)
            return false;
        at += c.bytes;
    }
    return true;
}

static void check_start(struct span text, unsigned columns, uint64_t row, size_t at, uint64_t line, bool continued)
{
    uint64_t rows;
    struct page_start s;
    CLAIM(rows_count(text, columns, row, &rows, &s) && s.at == at && s.line == line && s.continued == continued);
}

static void check_rows(struct span text, unsigned columns)
{
    uint64_t rows = 0, lines = 0, counted;
    struct page_start s;
    for (size_t at = 0; at < text.len;) {
        size_t next, done = 0;
        struct span line = line_first((struct span){text.at + at, text.len - at}, &next);
        CLAIM(next >= 1 && line.len <= next && at + next <= text.len);
        lines++;
        do {
            struct span rest = {line.at + done, line.len - done};
            size_t n = line.len ? row_first(rest, columns) : 0;
            CLAIM(!line.len || (n >= 1 && n <= rest.len));
            struct span row = trimmed((struct span){rest.at, n});
            CLAIM(!n || !row.len || columns_of(row) <= columns || is_one(row));
            if (rows < 6)
                check_start(text, columns, rows, at + done, lines, done > 0);
            done += n;
            rows++;
        } while (done < line.len);
        at += next;
    }
    CLAIM(!rows_count(text, columns, rows, &counted, &s) && counted == rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    unsigned columns = 1 + feed_u8(&f) % WRAP_WIDEST;
    struct span text = {f.at, f.left};
    struct survey s;
    survey_take(text, &s);
    unsigned wide = survey_columns(&s, WRAP_WIDEST);
    CLAIM(wide >= 1 && wide <= WRAP_WIDEST);
    check_rows(text, columns);
    return 0;
}
