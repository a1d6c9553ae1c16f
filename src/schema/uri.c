/* SPDX-License-Identifier: Apache-2.0 */
/* URI references: resolving one against a base (RFC 3986, section 5.2). Offsets into the text stand for its parts. */
#include <errno.h>
#include <string.h>

#include "base/limits.h"
#include "schema/schema_priv.h"

struct span {
    const char *s;
    size_t len;
    bool there;
};
struct parts {
    struct span scheme, authority, path, query, fragment;
};

static bool is_scheme(const char *s, size_t len)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (!len || !strchr(letters, s[0]))
        return false;
    for (size_t i = 1; i < len; i++)
        if (!strchr(letters, s[i]) && !strchr("0123456789+-.", s[i]))
            return false;
    return true;
}

static struct parts split(const char *s)
{
    struct parts p = {0};
    size_t n = strcspn(s, ":/?#");
    if (s[n] == ':' && is_scheme(s, n)) {
        p.scheme = (struct span){s, n, true};
        s += n + 1;
    }
    if (s[0] == '/' && s[1] == '/') {
        n = strcspn(s + 2, "/?#");
        p.authority = (struct span){s + 2, n, true};
        s += 2 + n;
    }
    n = strcspn(s, "?#");
    p.path = (struct span){s, n, true};
    s += n;
    if (*s == '?') {
        n = strcspn(s + 1, "#");
        p.query = (struct span){s + 1, n, true};
        s += 1 + n;
    }
    if (*s == '#')
        p.fragment = (struct span){s + 1, strlen(s + 1), true};
    return p;
}

/* Section 5.2.4, on a path that starts at from, in place: "." goes, ".." takes the segment before it along. */
static void remove_dots(struct buf *b, size_t from)
{
    const char *s = b->data + from;
    char *out = b->data + from, *start = out;
    while (*s) {
        bool slash = *s == '/';
        const char *name = s + slash;
        size_t len = strcspn(name, "/");
        bool one = len == 1 && name[0] == '.', two = len == 2 && name[0] == '.' && name[1] == '.';
        const char *next = name + len;
        if (one || two) {
            while (two && out > start && *--out != '/')
                ;
            if (!slash && *next == '/') /* a relative path stays one */
                next++;
            if (slash && !*next)
                *out++ = '/';
        } else {
            memmove(out, s, (size_t)(next - s));
            out += next - s;
        }
        s = next;
    }
    *out = '\0';
    b->len = (size_t)(out - b->data);
}

static void add_path(struct buf *out, const struct parts *base, const struct parts *ref)
{
    size_t from = out->len, keep = base->path.len;
    if (ref->path.s[0] != '/' || !ref->path.len) {
        while (keep && base->path.s[keep - 1] != '/')
            keep--;
        if (base->authority.there && !base->path.len)
            (void)buf_add_str(out, "/");
        (void)buf_add(out, base->path.s, keep);
    }
    (void)buf_add(out, ref->path.s, ref->path.len);
    if (!out->error && out->len > from)
        remove_dots(out, from);
}

static void add_part(struct buf *out, const char *before, struct span part, const char *after)
{
    if (!part.there)
        return;
    (void)buf_add_str(out, before);
    (void)buf_add(out, part.s, part.len);
    (void)buf_add_str(out, after);
}

int uri_resolve(const char *base_text, const char *ref_text, char **ret)
{
    struct parts ref = split(ref_text), base = split(base_text);
    auto_buf out = BUF_INIT(LIMIT_SCHEMA_URI);
    bool absolute = ref.scheme.there;
    add_part(&out, "", absolute ? ref.scheme : base.scheme, ":");
    add_part(&out, "//", absolute || ref.authority.there ? ref.authority : base.authority, "");
    if (!absolute && !ref.authority.there && !ref.path.len) {
        (void)buf_add(&out, base.path.s, base.path.len);
        add_part(&out, "?", ref.query.there ? ref.query : base.query, "");
    } else {
        static const struct parts none = {.path = {"", 0, true}};
        add_path(&out, absolute || ref.authority.there ? &none : &base, &ref);
        add_part(&out, "?", ref.query, "");
    }
    add_part(&out, "#", ref.fragment, "");
    if (out.error)
        return out.error;
    char *text = buf_take(&out);
    if (!text)
        return -ENOMEM;
    *ret = text;
    return 0;
}
