/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See-through marks. For every element with an opacity librsvg makes a layer as large as the whole picture and lays it over the
 * rest, some milliseconds each, and charts have dozens of them. A shape that is only filled or only stroked looks the same when its
 * paint has that opacity instead, and what has none of it shows nothing either way. So the markup is given to librsvg with
 *     fill-opacity="V" stroke-opacity="V"   in the place of   opacity="V"
 * wherever that is certain: whoever has a style of his own, a mask, or a paint that is not known keeps his layer.
 */
#include "svg.h"

#include "base/buf.h"
#include "base/limits.h"
#include "scan.h"

enum { DEEPEST = 64 };

enum attribute { FILL, STROKE, OPACITY, FILL_OPACITY, STROKE_OPACITY, STYLE, FILTER, MASK, CLIP_PATH, BLEND, ATTRIBUTES };
static const char *const attributes[ATTRIBUTES] = {
    "fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "style", "filter", "mask", "clip-path", "mix-blend-mode",
};

struct tag {
    struct text name;
    struct text value[ATTRIBUTES]; /* at is NULL where it is absent */
    const char *from, *to;         /* of opacity and its value */
    bool closed;                   /* has no end tag */
};

/* What an element hands down. May be: unless it is certain that it is not. */
struct paint {
    bool filled, stroked;
    bool even; /* nobody above gave a paint an opacity */
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_spaces(struct text *t)
{
    while (t->at < t->end && is_space(*t->at))
        t->at++;
}

static struct text read_name(struct text *t)
{
    struct text name = {t->at, t->at};
    while (t->at < t->end && !is_space(*t->at) && !strchr("=/<>\"'", *t->at))
        t->at++;
    name.end = t->at;
    return name;
}

/* NAME="VALUE"; false where that is not what is there, or is there for the second time. */
static bool read_attribute(struct text *t, struct tag *tag)
{
    const char *from = t->at;
    struct text name = read_name(t), value;
    skip_spaces(t);
    if (name.at == name.end || t->at == t->end || *t->at++ != '=')
        return false;
    skip_spaces(t);
    if (t->at == t->end || (*t->at != '"' && *t->at != '\''))
        return false;
    char quote = *t->at++;
    value = (struct text){t->at, memchr(t->at, quote, text_left(*t))};
    if (!value.end)
        return false;
    t->at = value.end + 1;
    if (is_word(name, attributes[OPACITY]))
        tag->from = from, tag->to = t->at;
    for (size_t i = 0; i < COUNT(attributes); i++)
        if (is_word(name, attributes[i])) {
            if (tag->value[i].at)
                return false;
            tag->value[i] = value;
        }
    return true;
}

/* From behind its < to behind its >. */
static bool read_tag(struct text *t, struct tag *ret)
{
    *ret = (struct tag){.name = read_name(t)};
    for (;;) {
        skip_spaces(t);
        if (t->at == t->end)
            return false;
        if (starts(*t, "/>")) {
            t->at += 2;
            return ret->closed = true;
        }
        if (*t->at == '>') {
            t->at++;
            return true;
        }
        if (!read_attribute(t, ret))
            return false;
    }
}

/* A paint that is no word of its own is taken for one that shows. */
static bool may_show(const struct tag *tag, enum attribute paint, bool above)
{
    return tag->value[STYLE].at || (tag->value[paint].at ? !is_word(tag->value[paint], "none") : above);
}

static struct paint paint_of(const struct tag *tag, const struct paint *above)
{
    return (struct paint){
        .filled = may_show(tag, FILL, above->filled),
        .stroked = may_show(tag, STROKE, above->stroked),
        .even = above->even && !tag->value[STYLE].at && !tag->value[FILL_OPACITY].at && !tag->value[STROKE_OPACITY].at,
    };
}

static bool is_shape(struct text name)
{
    static const char *const shapes[] = {"path", "rect", "circle", "ellipse", "line", "polygon", "polyline"};
    for (size_t i = 0; i < COUNT(shapes); i++)
        if (is_word(name, shapes[i]))
            return true;
    return false;
}

/* Letters only, which are all drawn with the text's own paint. Pictures of a colour font would not be. */
static bool is_plain_text(struct text name, struct text rest)
{
    while (rest.at < rest.end && *rest.at != '<' && *rest.at != '&' && (unsigned char)*rest.at < 0x80)
        rest.at++;
    return is_word(name, "text") && starts(rest, "</");
}

/* 0.5 or .5, but 0.1 at least: less is rounded in one way for a layer and in another for a paint, and many of them over each other
 * show it. What is no number after all is none in the other place either. */
static bool is_share(struct text value)
{
    for (const char *c = value.at; c < value.end; c++)
        if (!strchr("0123456789.", *c))
            return false;
    value.at += starts(value, "0");
    return starts(value, ".") && text_left(value) > 1 && value.at[1] != '0';
}

static bool is_nought(struct text value)
{
    for (const char *c = value.at; c < value.end; c++)
        if (*c != '0' && *c != '.')
            return false;
    return value.at < value.end;
}

/* What is inside of it would have the paint's opacity too. */
static bool needs_no_layer(const struct tag *tag, const struct paint *paint, struct text rest)
{
    static const enum attribute own[] = {STYLE, FILL_OPACITY, STROKE_OPACITY, FILTER, MASK, CLIP_PATH, BLEND};
    struct text opacity = tag->value[OPACITY];
    bool shape = is_shape(tag->name) && (tag->closed || starts(rest, "</"));
    for (size_t i = 0; i < COUNT(own); i++)
        if (tag->value[own[i]].at)
            return false;
    if (!opacity.at)
        return false;
    if (is_nought(opacity))
        return shape || (!tag->closed && is_plain_text(tag->name, rest));
    bool filled = paint->filled && !is_word(tag->name, "line");
    return shape && is_share(opacity) && paint->even && !(filled && paint->stroked);
}

static void put_paint(struct buf *b, const struct tag *tag)
{
    struct text v = tag->value[OPACITY];
    int len = (int)text_left(v);
    (void)buf_add_format(b, "fill-opacity=\"%.*s\" stroke-opacity=\"%.*s\"", len, v.at, len, v.at);
}

/* Rules, references and what is included make that a paint is not what the elements around it say; another alphabet has other tags. */
static bool is_plain(struct text t)
{
    static const char *const words[] = {"<style", ":style", "<!D",     "<![",     "<?xml-", "<use",
                                        ":use",   "marker", "feImage", "include", "moji"};
    struct text declaration = t;
    for (size_t i = 0; i < COUNT(words); i++)
        if (has_word(t, words[i]))
            return false;
    skip_past(&declaration, "?>");
    declaration = (struct text){t.at, declaration.at};
    bool utf8 = !has_word(declaration, "encoding") || has_word(declaration, "UTF-8") || has_word(declaration, "utf-8");
    return utf8 && !memchr(t.at, 0, text_left(t));
}

/* Copies t to b, rewritten; false where nothing is to be, or where it is no markup that is known here. */
static bool rewrite(struct text t, struct buf *b)
{
    struct paint stack[DEEPEST] = {{.filled = true, .even = true}};
    size_t deep = 0;
    const char *copied = t.at;
    while ((t.at = memchr(t.at, '<', text_left(t)))) {
        struct tag tag;
        if (skip_aside(&t))
            continue;
        if (starts(t, "</")) {
            skip_past(&t, ">");
            if (!deep--)
                return false;
            continue;
        }
        t.at++;
        if (!read_tag(&t, &tag) || deep + 1 == DEEPEST)
            return false;
        stack[deep + 1] = paint_of(&tag, &stack[deep]);
        if (needs_no_layer(&tag, &stack[deep + 1], t)) {
            (void)buf_add(b, copied, (size_t)(tag.from - copied));
            put_paint(b, &tag);
            copied = tag.to;
        }
        deep += !tag.closed;
    }
    return b->len > 0 && !buf_add(b, copied, (size_t)(t.end - copied));
}

char *svg_spare_layers(struct svg_markup *m)
{
    struct text t = {(const char *)m->data, (const char *)m->data + m->len};
    auto_buf b = BUF_INIT(LIMIT_SVG_BYTES + 4 * KIB);
    if (!has_word(t, "opacity") || !is_plain(t) || !rewrite(t, &b))
        return NULL;
    *m = (struct svg_markup){(const uint8_t *)b.data, b.len};
    return buf_take(&b);
}
