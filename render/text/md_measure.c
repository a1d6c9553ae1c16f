/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring: every block is set once and gone again; its slices stay. */
#include "md_page.h"

#include <errno.h>
#include <stdlib.h>

enum { RULE_HEIGHT = 10, HEADING_FOOT = 10, SLICES_MOST = 1 << 21 };

struct measuring {
    struct slice *slices;
    size_t n, room;
    int error;
};

static void add_slice(struct measuring *m, struct slice one)
{
    if (m->n == m->room && !m->error) {
        size_t room = m->room ? 2 * m->room : 256;
        struct slice *more = room <= SLICES_MOST ? realloc(m->slices, room * sizeof *more) : NULL;
        if (!more) {
            m->error = -ENOMEM;
            return;
        }
        m->slices = more;
        m->room = room;
    }
    if (!m->error)
        m->slices[m->n++] = one;
}

static float space_before(const struct md_block *b, bool first)
{
    static const float headings[6] = {34, 32, 28, 24, 22, 22};
    if (first || b->joined)
        return 0;
    if (b->kind == MD_HEADING)
        return headings[b->level - 1];
    return b->tight ? 8 : 18;
}

/* What is below the last line of a block. */
static double set_foot(const struct md_block *b)
{
    if (b->goes_on)
        return b->kind == MD_CODE ? MD_LINE_GAP / 2.0 : MD_LINE_GAP;
    return b->kind == MD_CODE ? MD_CODE_PAD : b->kind == MD_HEADING && b->level <= 2 ? HEADING_FOOT : 0;
}

/* The first line has what is above a block, the last what is below. */
static void measure_text(const struct setter *s, uint32_t index, float space, struct measuring *m)
{
    const struct md_block *b = &s->doc->blocks[index];
    if (!b->len && b->kind == MD_PARAGRAPH && b->marker == MARKER_NONE)
        return; /* HTML that was only tags */
    PangoLayout *layout = set_text(s, b, set_width(s, b));
    int n = pango_layout_get_line_count(layout), pad = b->kind == MD_CODE && !b->joined ? MD_CODE_PAD : 0;
    double foot = set_foot(b);
    PangoLayoutIter *iter = pango_layout_get_iter(layout);
    for (int i = 0; i < n; i++) {
        int top, bottom;
        pango_layout_iter_get_line_yrange(iter, &top, &bottom);
        double h = (double)(bottom - top) / PANGO_SCALE + (i ? 0 : pad) + (i == n - 1 ? foot : 0);
        add_slice(m, (struct slice){index, (uint32_t)i, i ? 0 : space, (float)h, b->kind == MD_HEADING});
        (void)pango_layout_iter_next_line(iter);
    }
    pango_layout_iter_free(iter);
    g_object_unref(layout);
}

static void measure_table(const struct setter *s, uint32_t index, float space, struct measuring *m)
{
    const struct md_block *b = &s->doc->blocks[index];
    struct table t;
    table_plan(s, b, &t);
    for (uint32_t row = 0; row < table_rows(b) && !m->error; row++)
        add_slice(m, (struct slice){index, row, row ? 0 : space, (float)table_row_height(s, b, &t, row), row == 0});
}

int slices_measure(const struct setter *s, struct slice **ret, size_t *ret_n)
{
    struct measuring m = {0};
    for (uint32_t i = 0; i < s->doc->n_blocks && !m.error; i++) {
        const struct md_block *b = &s->doc->blocks[i];
        float space = space_before(b, m.n == 0);
        if (b->kind == MD_RULE)
            add_slice(&m, (struct slice){i, 0, space, RULE_HEIGHT, false});
        else if (b->kind == MD_TABLE)
            measure_table(s, i, space, &m);
        else
            measure_text(s, i, space, &m);
    }
    if (m.error) {
        free(m.slices);
        return m.error;
    }
    *ret = m.slices;
    *ret_n = m.n;
    return 0;
}
