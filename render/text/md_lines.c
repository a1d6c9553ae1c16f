/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the blocks that have no text and so no place in the source: rules, and images without words. Each is looked for
 * between the blocks around it. */
#include <string.h>

#include "md_build.h"

/* Where the search is: the line at the start of rest is the next one. */
struct search {
    struct span rest;
    uint32_t line;
};

static struct span next_line(struct search *s)
{
    size_t next;
    struct span line = line_first(s->rest, &next);
    s->rest = (struct span){s->rest.at + next, s->rest.len - next};
    s->line++;
    return line;
}

static bool is_rule(struct span line)
{
    unsigned marks = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (!strchr("-*_ \t>", line.at[i]) || !line.at[i])
            return false;
        marks += line.at[i] == '-' || line.at[i] == '*' || line.at[i] == '_';
    }
    return marks >= 3;
}

static bool may_begin(const struct md_block *b, struct span line)
{
    return b->kind == MD_RULE ? is_rule(line) : memmem(line.at, line.len, "![", 2) != NULL;
}

static uint32_t line_after(const struct md_doc *d, size_t from)
{
    for (size_t i = from; i < d->n_blocks; i++)
        if (d->blocks[i].first_line)
            return d->blocks[i].first_line;
    return UINT32_MAX;
}

void build_lines(struct md_doc *d, struct span source)
{
    struct search s = {source, 1};
    uint32_t end = 0; /* of the search: where the next block that is known begins */
    for (size_t i = 0; i < d->n_blocks; i++) {
        struct md_block *b = &d->blocks[i];
        if (b->first_line) {
            while (s.rest.len && s.line <= b->last_line)
                (void)next_line(&s);
            continue;
        }
        if (end < s.line)
            end = line_after(d, i);
        while (!b->first_line && s.rest.len && s.line < end) {
            uint32_t line = s.line;
            if (may_begin(b, next_line(&s)))
                b->first_line = b->last_line = line;
        }
    }
}
