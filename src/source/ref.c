/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References: what people and models write when they mean a file. A path pasted from a shell has backslashes or
 * quotes; a screenshot's name has a narrow space before AM that no one types, decomposed accents and a curly
 * apostrophe. Each spelling is only a guess to be tried through the same gate.
 */
#include "source/ref.h"

#include <errno.h>
#include <stdbool.h>
#include <uninorm.h>

#include "base/buf.h"
#include "base/text.h"

void ref_variants_done(struct ref_variants *v)
{
    for (size_t i = 0; v && i < v->n; i++)
        free(v->path[i]);
    if (v)
        v->n = 0;
}

/* ---------------------------------------------------------------- one function a spelling; NULL leaves it as it is */

typedef int (*respell)(const char *s, struct buf *out);

static int unquoted(const char *s, struct buf *out)
{
    size_t n = strlen(s);
    if (n >= 2 && (*s == '\'' || *s == '"') && s[n - 1] == *s)
        return buf_add(out, s + 1, n - 2);
    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        (void)buf_add(out, s, 1);
    }
    return out->error;
}

/* " AM." and " PM.", in either case. */
static bool is_half_day(const char *s)
{
    return s[0] == ' ' && s[1] && strchr("AaPp", s[1]) && (s[2] == 'M' || s[2] == 'm') && s[3] == '.';
}

static int narrow_space(const char *s, struct buf *out)
{
    for (; *s; s++)
        (void)(is_half_day(s) ? buf_add_char(out, 0x202f) : buf_add(out, s, 1));
    return out->error;
}

static int decomposed(const char *s, struct buf *out)
{
    size_t len = strlen(s), n = 0;
    if (!utf8_valid(s, len))
        return buf_add(out, s, len);
    auto_free uint8_t *d = u8_normalize(UNINORM_NFD, (const uint8_t *)s, len, NULL, &n);
    return d ? buf_add(out, d, n) : -ENOMEM;
}

/* The folders of a path are often typed by hand while the file's name came from elsewhere. */
static int decomposed_name(const char *s, struct buf *out)
{
    const char *slash = strrchr(s, '/'), *name = slash ? slash + 1 : s;
    (void)buf_add(out, s, (size_t)(name - s));
    return decomposed(name, out);
}

static int curly(const char *s, struct buf *out)
{
    for (; *s; s++)
        (void)(*s == '\'' ? buf_add_char(out, 0x2019) : buf_add(out, s, 1));
    return out->error;
}

static int decomposed_curly(const char *s, struct buf *out)
{
    auto_buf d = BUF_INIT(LIMIT_PATH_BYTES);
    int r = decomposed(s, &d);
    return r < 0 ? r : curly(d.data, out); /* of something comes something */
}

static const respell respellings[] = {narrow_space, decomposed, decomposed_name, curly, decomposed_curly};
_Static_assert(2 + 2 * COUNT(respellings) <= LIMIT_PATH_VARIANTS, "every spelling has its place");

/* ---------------------------------------------------------------- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) & 15 : -1;
}

/* What follows file://, its escapes undone. */
static int from_url(const char *s, struct buf *out)
{
    static const char host[] = "localhost/";
    if (!strncmp(s, host, sizeof host - 1))
        s += sizeof host - 2;
    if (*s != '/')
        return -EINVAL;
    for (; *s; s++) {
        char c = *s;
        if (c == '%') {
            int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
            if (low < 0 || !(high | low))
                return -EINVAL;
            c = (char)(high << 4 | low);
            s += 2;
        }
        (void)buf_add(out, &c, 1);
    }
    return out->error;
}

static bool is_home(const char *s)
{
    return s[0] == '~' && (s[1] == '/' || s[1] == '\0');
}

/* Adds a spelling that is not there yet; one that is too long or empty is no path and left out. */
static int add(struct ref_variants *v, const char *home, struct buf *b)
{
    if (b->error || !b->len)
        return 0;
    auto_buf full = BUF_INIT(LIMIT_PATH_BYTES - 1);
    bool homely = home && is_home(b->data);
    (void)buf_add_str(&full, homely ? home : "");
    (void)buf_add_str(&full, b->data + homely);
    if (full.error)
        return full.error == -ENOMEM ? -ENOMEM : 0;
    for (size_t i = 0; i < v->n; i++)
        if (!strcmp(v->path[i], full.data))
            return 0;
    v->path[v->n] = buf_take(&full);
    return v->path[v->n++] ? 0 : -ENOMEM; /* never: what is not empty is there to be taken */
}

static int respell_into(struct ref_variants *v, const char *home, respell how, const char *base)
{
    auto_buf b = BUF_INIT(LIMIT_PATH_BYTES - 1);
    int r = how(base, &b);
    return r == -ENOMEM ? r : add(v, home, &b);
}

static int fill(struct ref_variants *v, const char *home, struct buf *given)
{
    auto_buf plain = BUF_INIT(LIMIT_PATH_BYTES - 1);
    int r = unquoted(given->data, &plain);
    if (r >= 0)
        r = add(v, home, given);
    if (r >= 0)
        r = add(v, home, &plain);
    for (size_t i = 0; r >= 0 && i < COUNT(respellings); i++) {
        r = respell_into(v, home, respellings[i], given->data);
        if (r >= 0 && plain.len)
            r = respell_into(v, home, respellings[i], plain.data);
    }
    return r < 0 ? r : v->n ? 0 : -EINVAL;
}

int ref_variants(const char *ref, const char *home, struct ref_variants *ret)
{
    static const char scheme[] = "file://";
    struct ref_variants v = {0};
    auto_buf given = BUF_INIT(LIMIT_PATH_BYTES - 1);
    bool is_url = !strncmp(ref, scheme, sizeof scheme - 1);
    int r = is_url ? from_url(ref + sizeof scheme - 1, &given) : buf_add_str(&given, ref);
    if (r == -EFBIG || (r >= 0 && !given.len))
        r = -EINVAL;
    if (r >= 0)
        r = fill(&v, home, &given);
    if (r < 0)
        ref_variants_done(&v);
    else
        *ret = v;
    return r;
}
