/* SPDX-License-Identifier: Apache-2.0 */
/* The zero of code: see zero.h. */
#include "zero.h"

#include <math.h>
#include <string.h>

#define ZERO_FAMILY "Liberation Sans Narrow"

/* Its ascent is more than that of code: with so much of the font's size a line with zeros is no higher than others. */
#define ZERO_HEIGHT 0.97

static bool has_font(PangoContext *context, const PangoFontDescription *wanted)
{
    PangoFont *font = pango_context_load_font(context, wanted);
    if (!font)
        return false;
    PangoFontDescription *found = pango_font_describe(font);
    bool same = strcasecmp(pango_font_description_get_family(found), ZERO_FAMILY) == 0;
    pango_font_description_free(found);
    g_object_unref(font);
    return same;
}

void zero_init(struct zero *z, PangoContext *context, const PangoFontDescription *mono, double column)
{
    PangoFontDescription *font = pango_font_description_copy(mono);
    pango_font_description_set_family(font, ZERO_FAMILY);
    *z = (struct zero){.there = has_font(context, font)};
    if (z->there) {
        PangoLayout *layout = pango_layout_new(context);
        int width;
        pango_layout_set_font_description(layout, font);
        pango_layout_set_text(layout, "0", 1);
        pango_layout_get_size(layout, &width, NULL);
        z->height = (int)(ZERO_HEIGHT * pango_font_description_get_size(font));
        z->gap = (int)lrint(column * PANGO_SCALE) - width;
        g_object_unref(layout);
    }
    pango_font_description_free(font);
}

static void mark(PangoAttrList *list, PangoAttribute *a, size_t from, size_t to)
{
    a->start_index = (guint)from;
    a->end_index = (guint)to;
    pango_attr_list_insert(list, a);
}

void zero_mark(const struct zero *z, PangoAttrList *list, const char *text, size_t len, size_t offset)
{
    const char *at = text, *end = text + len;
    while (z->there && at < end && (at = memchr(at, '0', (size_t)(end - at)))) {
        const char *from = at;
        while (at < end && *at == '0')
            at++;
        size_t first = offset + (size_t)(from - text), after = offset + (size_t)(at - text);
        mark(list, pango_attr_family_new(ZERO_FAMILY), first, after);
        mark(list, pango_attr_letter_spacing_new(z->gap), first, after);
        mark(list, pango_attr_line_height_new_absolute(z->height), first, after);
    }
}
