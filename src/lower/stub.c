/* SPDX-License-Identifier: Apache-2.0 */
/* Words that stand for a picture or document that is not sent. Functions of the entry alone: once such words stand in a request,
 * the next one has the same bytes there, or the provider's cache is lost. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "lower/write.h"

/* Bytes of a name, as JSON has them: PICTURE_JSON of the replay counts on it. */
enum { NAME_MOST = 200, CONTROL_JSON = 6 };

/* How much of a text fits, escapes counted. */
static size_t fitting(const char *text, size_t len)
{
    size_t json = 0, i = 0;
    for (; i < len; i++) {
        uint8_t c = (uint8_t)text[i];
        json += c < 0x20 ? CONTROL_JSON : c == '"' || c == '\\' ? 2 : 1;
        if (json > NAME_MOST)
            break;
    }
    return i;
}

/* A string's text, cut where it grows beyond reason. */
static int add_name(struct span value, struct buf *to)
{
    auto_buf b = BUF_INIT(LIMIT_ENTRY_BYTES);
    int r = span_text(value, &b);
    if (r == -ENOMEM && !to->error)
        to->error = r; /* or the words would stand there without the name */
    if (r < 0)
        return r;
    size_t fits = fitting(b.data, b.len);
    (void)buf_add(to, b.data, fits < b.len ? utf8_valid_prefix(b.data, fits) : b.len);
    return fits < b.len ? buf_add_str(to, "…") : to->error;
}

static bool usable(struct span value)
{
    struct span in = span_inside(value);
    return in.len > 0 && !(in.len > 5 && memcmp(in.at, "data:", 5) == 0);
}

static struct span path_of(struct span arguments)
{
    static const char *const names[] = {"path", "file_path", "image_url", "url"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct span_walk w = span_enter(arguments);
        while (span_next(&w))
            if (span_is(w.key, names[i]) && usable(w.value))
                return w.value;
    }
    return (struct span){0};
}

static struct span best_name(const struct entry *e, const struct part *p, struct span call_arguments)
{
    struct span path = path_of(e->arguments.len ? e->arguments : call_arguments);
    return usable(p->ref) ? p->ref : usable(p->name) ? p->name : usable(path) ? path : p->url;
}

int picture_name(const struct entry *e, const struct part *p, struct span call_arguments, struct buf *to)
{
    struct span name = best_name(e, p, call_arguments);
    return usable(name) ? add_name(name, to) : buf_add_str(to, part_types[p->type]);
}

/* " (image/png 800x600)", as far as it is known. */
static void add_kind(const struct part *p, struct buf *to)
{
    struct span type = span_inside(p->media_type);
    bool sized = p->width > 0 && p->height > 0;
    if (type.len == 0 && !sized)
        return;
    (void)buf_add_str(to, " (");
    if (type.len)
        (void)add_name(p->media_type, to);
    if (sized)
        (void)buf_add_format(to, "%s%ux%u", type.len ? " " : "", p->width, p->height);
    (void)buf_add_str(to, ")");
}

static void add_subject(const struct entry *e, const struct part *p, struct span call_arguments, struct buf *to)
{
    struct span name = best_name(e, p, call_arguments);
    (void)buf_add_format(to, "[%s", part_types[p->type]);
    if (usable(name)) {
        (void)buf_add_str(to, " ");
        (void)add_name(name, to);
    }
    add_kind(p, to);
}

int elided_text(const struct entry *e, const struct part *p, struct span call_arguments, struct buf *to)
{
    add_subject(e, p, call_arguments, to);
    (void)buf_add_str(to, " seen earlier");
    if (usable(p->view)) {
        (void)buf_add_str(to, ", ");
        (void)add_name(p->view, to);
    }
    return buf_add_str(to, " — call view to see it again]");
}

int broken_text(const struct part *p, struct buf *to)
{
    if (usable(p->text) && !is_blank(p->text))
        return add_name(p->text, to);
    (void)buf_add_str(to, "[image not shown: ");
    if (span_is_string(p->broken) && usable(p->broken))
        (void)add_name(p->broken, to);
    else
        (void)buf_add_str(to, "it cannot be sent");
    return buf_add_str(to, "]");
}

int stub_text(const struct entry *e, const struct part *p, struct span call_arguments, const char *why, struct buf *to)
{
    add_subject(e, p, call_arguments, to);
    return buf_add_format(to, " not shown: %s]", why ? why : "it cannot be sent");
}
