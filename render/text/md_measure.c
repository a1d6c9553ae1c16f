/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring: every block is set once; its slices stay, and so does what was set, as long as it is little: setting takes longer than
 * drawing, and what is on the page is set already. */
#include "md_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_HEIGHT = 10, HEADING_FOOT = 10 };

int flow_add(struct flow *f, struct slice one)
{
    if (f->n == f->room) {
        size_t room = f->room ? 2 * f->room : 256;
        if (room > LIMIT_MARKDOWN_SLICES)
            return -E2BIG;
        struct slice *more = realloc(f->slices, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        f->slices = more;
        f->room = room;
    }
    f->slices[f->n++] = one;
    return 0;
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

/* Lines of code are those of the source; of other text, nobody knows more than that of all of it. */
struct numbering {
    const char *text; /* up to which line ends were counted */
    uint32_t line;
};

static void number_slice(const struct md_block *b, struct numbering *n, const char *start, struct slice *one)
{
    one->first = b->first_line;
    one->last = b->last_line;
    one->begins = !one->part && !b->joined;
    if (b->kind != MD_CODE || !b->first_line)
        return;
    one->begins = n->text == start || start[-1] == '\n';
    for (; n->text < start; n->text++)
        n->line += *n->text == '\n';
    one->first = one->last = MIN(b->first_line + n->line, b->last_line);
}

/* The first line has what is above a block, the last what is below. */
static int measure_lines(const struct setter *s, uint32_t index, float space, PangoLayout *layout, struct flow *f)
{
    const struct md_block *b = &s->doc->blocks[index];
    int n = pango_layout_get_line_count(layout), pad = b->kind == MD_CODE && !b->joined ? MD_CODE_PAD : 0, e = 0;
    double foot = set_foot(b), beside = set_indent(b) + (b->kind == MD_CODE ? 2 * MD_CODE_PAD : 0);
    const char *text = pango_layout_get_text(layout);
    struct numbering numbering = {text, 0};
    PangoLayoutIter *iter = pango_layout_get_iter(layout);
    for (int i = 0; i < n && !e; i++) {
        int top, bottom;
        PangoRectangle r;
        pango_layout_iter_get_line_yrange(iter, &top, &bottom);
        pango_layout_iter_get_line_extents(iter, NULL, &r);
        f->widest = fmax(f->widest, beside + (double)(r.x + r.width) / PANGO_SCALE);
        double h = (double)(bottom - top) / PANGO_SCALE + (i ? 0 : pad) + (i == n - 1 ? foot : 0);
        struct slice one = {.block = index, .part = (uint32_t)i, .space = i ? 0 : space, .height = (float)h,
                            .keep = b->kind == MD_HEADING};
        number_slice(b, &numbering, text + pango_layout_iter_get_line_readonly(iter)->start_index, &one);
        e = flow_add(f, one);
        (void)pango_layout_iter_next_line(iter);
    }
    pango_layout_iter_free(iter);
    return e;
}

static void keep(struct flow *f, uint32_t index, const struct md_block *b, PangoLayout *layout)
{
    if (f->kept_bytes + b->len > LIMIT_MARKDOWN_KEPT)
        return;
    f->kept_bytes += b->len;
    f->kept[index] = g_object_ref(layout);
}

static int measure_text(const struct setter *s, uint32_t index, float space, struct flow *f)
{
    const struct md_block *b = &s->doc->blocks[index];
    if (!b->len && b->kind == MD_PARAGRAPH && b->marker == MARKER_NONE)
        return 0; /* HTML that was only tags */
    PangoLayout *layout = set_text(s, b, set_width(s, b));
    int e = measure_lines(s, index, space, layout, f);
    keep(f, index, b, layout);
    g_object_unref(layout);
    return e;
}

static int measure(struct flow *f, const struct setter *s)
{
    int e = 0;
    for (uint32_t i = 0; i < s->doc->n_blocks && !e; i++) {
        const struct md_block *b = &s->doc->blocks[i];
        float space = space_before(b, f->n == 0);
        struct slice rule = {.block = i, .space = space, .height = RULE_HEIGHT, .first = b->first_line, .last = b->last_line,
                             .begins = true};
        e = b->kind == MD_RULE    ? flow_add(f, rule)
            : b->kind == MD_TABLE ? table_measure(s, i, space, f)
                                  : measure_text(s, i, space, f);
    }
    return e;
}

int flow_init(struct flow *f, const struct setter *s)
{
    *f = (struct flow){.tables = calloc(MAX(s->doc->n_tables, 1u), sizeof *f->tables), .blocks = s->doc->n_blocks,
                       .kept = calloc(MAX(s->doc->n_blocks, 1u), sizeof *f->kept)};
    int e = f->tables && f->kept ? measure(f, s) : -ENOMEM;
    if (e)
        flow_done(f);
    return e;
}

void flow_done(struct flow *f)
{
    for (size_t i = 0; f->kept && i < f->blocks; i++)
        g_clear_object(&f->kept[i]);
    free(f->kept);
    free(f->slices);
    free(f->tables);
    *f = (struct flow){0};
}
