/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small part of a drawing, magnified. For whatever is see-through, masked or filtered librsvg makes pictures of the whole
 * viewport at the scale of the output, which at a high zoom is more than there is memory. So the markup is put into another
 * svg whose viewport is just that part. That is not quite the same document (its root is no longer :root), so it is done
 * only where the plain way would cost too much, and not where the root's own attributes mean something else inside another.
 */
#include "svg.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "scan.h"

/* Pixels of the whole drawing at the scale of the part up to which the plain way is good. */
enum { PLAIN_PIXELS = 16 << 20 };

/* A document type may have > between [ and ], and anything between quotes. */
static void skip_doctype(struct text *t)
{
    for (bool inside = false; t->at < t->end; t->at++) {
        const char *end = *t->at == '"' || *t->at == '\'' ? memchr(t->at + 1, *t->at, (size_t)(t->end - t->at - 1)) : NULL;
        if (end)
            t->at = end;
        else if (*t->at == '[' || *t->at == ']')
            inside = *t->at == '[';
        else if (*t->at == '>' && !inside)
            break;
    }
}

/* The start tag of the root; NULL when it is not found. */
static const char *find_root(struct text t)
{
    for (; t.at < t.end; t.at++) {
        if (skip_aside(&t))
            t.at--;
        else if (starts(t, "<!"))
            skip_doctype(&t);
        else if (*t.at == '<')
            return t.at;
    }
    return NULL;
}

bool svg_root_attribute(const struct svg_markup *m, const char *name, char *out, size_t room)
{
    struct text t = {(const char *)m->data, (const char *)m->data + m->len};
    const char *root = find_root(t);
    size_t len = strlen(name);
    for (t.at = root ? root : t.end; t.at + len + 3 < t.end && *t.at != '>'; t.at++) {
        if (*t.at == '"' || *t.at == '\'') { /* another's value */
            const char *end = memchr(t.at + 1, *t.at, (size_t)(t.end - t.at - 1));
            if (!end)
                return false;
            t.at = end;
            continue;
        }
        if (!strchr(" \t\r\n", *t.at) || memcmp(t.at + 1, name, len) != 0 || t.at[1 + len] != '=')
            continue;
        const char *from = t.at + len + 2, *end = *from == '"' || *from == '\'' ? memchr(from + 1, *from, (size_t)(t.end - from - 1)) : NULL;
        if (!end)
            return false;
        (void)snprintf(out, room, "%.*s", (int)MIN((size_t)(end - from - 1), room - 1), from + 1);
        return true;
    }
    return false;
}

/* Places that count only inside another svg. */
static bool is_placed(struct text t)
{
    for (; t.at + 3 < t.end && *t.at != '>'; t.at++)
        if (strchr(" \t\r\n", *t.at) && (t.at[1] == 'x' || t.at[1] == 'y') && strchr("= \t\r\n", t.at[2]))
            return true;
    return false;
}

/* Shares of what is around it: all of it, or the root's width means nothing yet. */
static bool is_share(RsvgHandle *handle)
{
    gboolean w, h, box;
    RsvgLength width, height;
    RsvgRectangle view;
    rsvg_handle_get_intrinsic_dimensions(handle, &w, &width, &h, &height, &box, &view);
    return (width.unit == RSVG_UNIT_PERCENT && width.length != 1) ||
           (height.unit == RSVG_UNIT_PERCENT && height.length != 1);
}

static bool has_layers(struct text t)
{
    static const char *const words[] = {"opacity", "filter", "mask", "blend", "clip-path"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (has_word(t, words[i]))
            return true;
    return false;
}

/* The part in user units, and in it the whole, whose root has its own size in pixels. Numbers with a point, whatever the locale: the
 * jail has none. */
static int put_frame(struct buf *b, const struct svg_extent *extent, const struct want *want)
{
    static const char style[] = "opacity:1!important;filter:none!important;mask:none!important;clip-path:none!important;"
                                "transform:none!important";
    const struct area *a = &want->area;
    const RsvgRectangle *u = &extent->units;
    return buf_add_format(b,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"%.17g %.17g %.17g %.17g\" "
                          "preserveAspectRatio=\"none\" style=\"%s\"><svg width=\"%.17g\" height=\"%.17g\" viewBox=\"0 0 %.17g %.17g\" "
                          "preserveAspectRatio=\"none\" style=\"%s\">",
                          want->target.w, want->target.h, a->x - u->x, a->y - u->y, a->w, a->h, style, u->width, u->height,
                          extent->pixels.width, extent->pixels.height, style);
}

RsvgHandle *svg_part(const struct svg_markup *m, RsvgHandle *whole, const struct svg_extent *extent, const struct want *want)
{
    struct text t = {(const char *)m->data, (const char *)m->data + m->len};
    double sx = want->target.w / want->area.w, sy = want->target.h / want->area.h;
    if (extent->units.width * sx * extent->units.height * sy <= PLAIN_PIXELS || !has_layers(t) || is_share(whole))
        return NULL;
    const char *root = find_root(t);
    if (!root || is_placed((struct text){root, t.end}))
        return NULL;
    auto_buf b = BUF_INIT(LIMIT_SVG_BYTES + 4 * KIB);
    RsvgHandle *part = NULL;
    (void)buf_add(&b, t.at, (size_t)(root - t.at));
    (void)put_frame(&b, extent, want);
    (void)buf_add(&b, root, (size_t)(t.end - root));
    if (buf_add_str(&b, "</svg></svg>") || svg_parse((const uint8_t *)b.data, b.len, &part, NULL))
        return NULL;
    return part;
}
