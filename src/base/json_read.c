/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON read into jansson's values: see json_read.h. Strict RFC 8259, as jansson has it; what is refused here is given to jansson for
 * the words.
 */
#include "base/json_read.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

struct reader {
    const char *at, *end;
    size_t flags;
    struct buf text; /* of the string that is read */
    unsigned depth;
};

static json_t *read_value(struct reader *r);

/* Both leave by errno, so that nobody has to pass the reason on. */
static void *wrong(void)
{
    errno = EBADMSG;
    return NULL;
}

static void *out_of_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

static json_t *made(json_t *value)
{
    return value ? value : out_of_memory();
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool eat(struct reader *r, char c)
{
    bool there = r->at < r->end && *r->at == c;
    r->at += there;
    return there;
}

/* ---------------------------------------------------------------- strings */

static int hex4(struct reader *r, uint32_t *ret)
{
    uint32_t v = 0;
    if (r->end - r->at < 4)
        return -1;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = *r->at;
        uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : (c | 32) >= 'a' && (c | 32) <= 'f' ? (uint32_t)((c | 32) - 'a' + 10) : 16;
        if (digit > 15)
            return -1;
        v = v << 4 | digit;
    }
    *ret = v;
    return 0;
}

/* Behind "\u": one character, of two halves where it must be. */
static int read_unicode(struct reader *r, uint32_t *ret)
{
    uint32_t c, low;
    if (hex4(r, &c) < 0 || (c >= 0xdc00 && c <= 0xdfff) || (!c && !(r->flags & JSON_ALLOW_NUL)))
        return -1;
    if (c >= 0xd800 && c <= 0xdbff) {
        if (!eat(r, '\\') || !eat(r, 'u') || hex4(r, &low) < 0 || low < 0xdc00 || low > 0xdfff)
            return -1;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    *ret = c;
    return 0;
}

static int read_escape(struct reader *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known = r->at < r->end && *r->at ? strchr(from, *r->at) : NULL;
    uint32_t c;
    if (known) {
        r->at++;
        return buf_add(&r->text, &to[known - from], 1);
    }
    if (!eat(r, 'u') || read_unicode(r, &c) < 0)
        return -EBADMSG;
    return buf_add_char(&r->text, c);
}

/* How many bytes stand for themselves. */
static size_t plain_run(const struct reader *r)
{
    const char *p = r->at;
    uint32_t c;
    while (p < r->end && *p != '"' && *p != '\\') {
        size_t step = (unsigned char)*p >= 0x80 ? utf8_decode(p, (size_t)(r->end - p), &c) : (unsigned char)*p >= 0x20;
        if (!step)
            break;
        p += step;
    }
    return (size_t)(p - r->at);
}

/* Behind the first quote. The text is in r->text then. 0 or a negative errno. */
static int read_string(struct reader *r)
{
    int code = 0;
    r->text.len = 0;
    while (code == 0 && !eat(r, '"')) {
        size_t n = plain_run(r);
        if (n)
            code = buf_add(&r->text, r->at, n);
        r->at += n;
        if (code == 0 && n == 0)
            code = eat(r, '\\') ? read_escape(r) : -EBADMSG;
    }
    return code;
}

static json_t *string_value(struct reader *r)
{
    int code = read_string(r);
    if (code < 0)
        return code == -ENOMEM ? out_of_memory() : wrong();
    return made(json_stringn_nocheck(r->text.len ? r->text.data : "", r->text.len));
}

/* ---------------------------------------------------------------- numbers */

static size_t digits(struct reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - from);
}

/* With the point that this locale has, as strtod wants it. */
static json_t *real_value(struct reader *r)
{
    const char *point = localeconv()->decimal_point;
    char *dot = strchr(r->text.data, '.');
    auto_buf local = BUF_INIT(r->text.len + LIMIT_POINT_BYTES);
    if (dot && strcmp(point, ".") != 0) {
        (void)buf_add(&local, r->text.data, (size_t)(dot - r->text.data));
        (void)buf_add_str(&local, point);
        if (buf_add_str(&local, dot + 1) < 0)
            return out_of_memory();
    }
    errno = 0;
    double v = strtod(local.data ? local.data : r->text.data, NULL);
    return isinf(v) && errno == ERANGE ? wrong() : made(json_real(v));
}

static json_t *number_value(struct reader *r)
{
    const char *from = r->at;
    bool whole = true;
    (void)eat(r, '-');
    if (eat(r, '0') ? r->at < r->end && *r->at >= '0' && *r->at <= '9' : !digits(r))
        return wrong();
    if (eat(r, '.')) {
        whole = false;
        if (!digits(r))
            return wrong();
    }
    if (eat(r, 'e') || eat(r, 'E')) {
        whole = false;
        if (!eat(r, '+'))
            (void)eat(r, '-');
        if (!digits(r))
            return wrong();
    }
    r->text.len = 0;
    if (buf_add(&r->text, from, (size_t)(r->at - from)) < 0)
        return out_of_memory();
    if (!whole || r->flags & JSON_DECODE_INT_AS_REAL)
        return real_value(r);
    errno = 0;
    long long v = strtoll(r->text.data, NULL, 10);
    return errno == ERANGE ? wrong() : made(json_integer(v));
}

/* ---------------------------------------------------------------- objects and arrays */

static json_t *array_value(struct reader *r)
{
    json_t *list = json_array();
    skip_blanks(r);
    bool more = list && !eat(r, ']');
    while (more) {
        json_t *item = read_value(r);
        if (!item)
            goto failed;
        if (json_array_append_new(list, item) < 0) {
            errno = ENOMEM;
            goto failed;
        }
        skip_blanks(r);
        more = eat(r, ',');
        if (!more && !eat(r, ']')) {
            errno = EBADMSG;
            goto failed;
        }
    }
    return made(list);
failed:
    json_decref(list);
    return NULL;
}

/* Behind the brace or a comma: 0 and a copy of the name, which the caller frees. */
static int read_name(struct reader *r, const json_t *object, char **ret, size_t *ret_len)
{
    skip_blanks(r);
    int code = eat(r, '"') ? read_string(r) : -EBADMSG;
    if (code < 0)
        return code;
    const char *text = r->text.len ? r->text.data : "";
    if (memchr(text, '\0', r->text.len) || (r->flags & JSON_REJECT_DUPLICATES && json_object_getn(object, text, r->text.len)))
        return -EBADMSG;
    skip_blanks(r);
    if (!eat(r, ':'))
        return -EBADMSG;
    *ret_len = r->text.len;
    *ret = strndup(text, r->text.len);
    return *ret ? 0 : -ENOMEM;
}

static int read_member(struct reader *r, json_t *object)
{
    auto_free char *name = NULL;
    size_t len;
    int code = read_name(r, object, &name, &len);
    if (code < 0)
        return code;
    json_t *value = read_value(r);
    if (!value)
        return -errno;
    if (json_object_setn_new_nocheck(object, name, len, value) < 0)
        return -ENOMEM;
    skip_blanks(r);
    return 0;
}

static json_t *object_value(struct reader *r)
{
    json_t *object = json_object();
    int code = object ? 0 : -ENOMEM;
    skip_blanks(r);
    bool more = object && !eat(r, '}');
    while (more) {
        code = read_member(r, object);
        more = code == 0 && eat(r, ',');
        if (code == 0 && !more && !eat(r, '}'))
            code = -EBADMSG;
    }
    if (code == 0)
        return object;
    json_decref(object);
    errno = -code;
    return NULL;
}

/* ---------------------------------------------------------------- any value */

static bool take_word(struct reader *r, const char *word, size_t len)
{
    bool there = (size_t)(r->end - r->at) >= len && memcmp(r->at, word, len) == 0;
    r->at += there ? len : 0;
    return there;
}

static json_t *word_value(struct reader *r)
{
    json_t *v = take_word(r, "true", 4) ? json_true() : take_word(r, "false", 5) ? json_false() : take_word(r, "null", 4) ? json_null() : NULL;
    bool longer = r->at < r->end && ((*r->at | 32) >= 'a' && (*r->at | 32) <= 'z');
    return v && !longer ? v : wrong();
}

static json_t *read_value(struct reader *r)
{
    json_t *v;
    skip_blanks(r);
    if (r->at == r->end || ++r->depth > LIMIT_JSON_NESTING)
        return wrong();
    if (eat(r, '{'))
        v = object_value(r);
    else if (eat(r, '['))
        v = array_value(r);
    else if (eat(r, '"'))
        v = string_value(r);
    else
        v = *r->at == '-' || (*r->at >= '0' && *r->at <= '9') ? number_value(r) : word_value(r);
    r->depth--;
    return v;
}

static void say_oom(json_error_t *error)
{
    if (!error)
        return;
    *error = (json_error_t){.line = -1, .column = -1};
    (void)snprintf(error->text, sizeof error->text - 1, "out of memory");
    error->text[sizeof error->text - 1] = json_error_out_of_memory;
}

/* jansson's words for what is not JSON. It refuses what was refused here; a byte that it lost without memory must not change that. */
static void say_why(const char *text, size_t len, size_t flags, json_error_t *error)
{
    json_t *taken = error ? json_loadb(text, len, flags, error) : NULL;
    if (taken)
        (void)snprintf(error->text, sizeof error->text - 1, "no JSON");
    json_decref(taken);
}

json_t *json_read(const char *text, size_t len, size_t flags, json_error_t *error)
{
    struct reader r = {.at = text, .end = text ? text + len : text, .flags = flags, .text = BUF_INIT(len + 1)};
    skip_blanks(&r);
    bool any = flags & JSON_DECODE_ANY || (r.at < r.end && (*r.at == '{' || *r.at == '['));
    errno = EBADMSG;
    json_t *v = any ? read_value(&r) : NULL;
    int why = v ? 0 : errno;
    const char *ended = r.at;
    skip_blanks(&r);
    if (v && r.at < r.end && !(flags & JSON_DISABLE_EOF_CHECK)) {
        json_decref(v);
        v = NULL;
        why = EBADMSG;
    }
    buf_done(&r.text);
    if (v && error)
        *error = (json_error_t){.position = (int)(ended - text)};
    if (why == EBADMSG) {
        say_why(text, len, flags, error);
        errno = EBADMSG;
    } else if (why) {
        say_oom(error);
        errno = ENOMEM;
    }
    return v;
}

/* ---------------------------------------------------------------- copies */

/* jansson's copies take const away, and ask nothing of what they copy. */
static json_t *borrow(const json_t *value)
{
    return (json_t *)(uintptr_t)value;
}

json_t *json_if_whole(json_t *value, int bad)
{
    if (value && !bad)
        return value;
    json_decref(value);
    return out_of_memory();
}

json_t *json_copy_whole(const json_t *value)
{
    json_t *copy = json_copy(borrow(value));
    return json_if_whole(copy, json_object_size(copy) != json_object_size(value) || json_array_size(copy) != json_array_size(value));
}

json_t *json_deep_copy_whole(const json_t *value)
{
    json_t *copy = json_deep_copy(value);
    return json_if_whole(copy, !json_equal(copy, value));
}

char *json_text_new(const json_t *value, size_t flags)
{
    auto_buf b = BUF_INIT(LIMIT_JSON_OUT); /* once it has failed it stays so, whatever jansson makes of that */
    return json_dump_callback(value, buf_add_piece, &b, flags) < 0 ? NULL : buf_take(&b);
}
