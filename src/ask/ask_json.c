/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON object in an answer. Models put it into a fence or between sentences although they were asked not to; one
 * object among other words is still the answer, two are none.
 */
#include <string.h>

#include "ask/ask_priv.h"
#include "base/limits.h"

/* Numbers past 64 bits are read as reals, and only then: an integer is exact otherwise. */
static json_t *load(const char *text, size_t len)
{
    json_t *j = json_loadb(text, len, 0, NULL);
    return j ? j : json_loadb(text, len, JSON_DECODE_INT_AS_REAL, NULL);
}

/* How long the object is that starts here, by its braces; 0 when they do not balance. */
static size_t braces(const char *s, size_t len)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        if (quoted && s[i] == '\\')
            i++; /* whatever is next, it ends nothing */
        else if (s[i] == '"')
            quoted = !quoted;
        else if (!quoted && s[i] == '{')
            depth++;
        else if (!quoted && s[i] == '}' && !--depth)
            return i + 1;
    }
    return 0;
}

/* The only object among other words. true when there are more. */
static bool find_object(const char *text, size_t len, struct ask_json *ret)
{
    const char *end = text + len, *at = text;
    for (int tries = 0; tries < LIMIT_ASK_OBJECTS && (at = memchr(at, '{', (size_t)(end - at))); tries++) {
        size_t n = braces(at, (size_t)(end - at));
        json_t *j = n ? load(at, n) : NULL;
        if (j && ret->value) {
            json_decref(j);
            json_decref(take(ret->value));
            return true;
        }
        if (j)
            *ret = (struct ask_json){j, at, n};
        at += j ? n : 1;
    }
    return false;
}

/* What stands between the first line and the last, which are nothing but the fence. */
static void unfence(const char **text, size_t *len)
{
    const char *line = *len > 6 && !memcmp(*text, "```", 3) ? memchr(*text, '\n', *len) : NULL;
    if (!line || memcmp(*text + *len - 3, "```", 3) || line >= *text + *len - 3)
        return;
    *len -= (size_t)(line + 1 - *text) + 3;
    *text = line + 1;
}

static bool find_json(const char *text, struct ask_json *ret)
{
    size_t len = strlen(text);
    unfence(&text, &len);
    json_t *whole = load(text, len);
    *ret = (struct ask_json){whole, text, len};
    return !whole && find_object(text, len, ret);
}

/* The whitespace of a fence's lines is not part of it. */
static void trim(struct ask_json *j)
{
    while (j->len && strchr(" \t\r\n", j->text[j->len - 1]))
        j->len--;
    while (j->len && strchr(" \t\r\n", *j->text)) {
        j->text++;
        j->len--;
    }
}

static int judge(const struct schema *s, const json_t *value, bool several, struct buf *words)
{
    struct schema_error e = {0};
    if (!value)
        return buf_add_str(words, several ? "the answer has more than one JSON object" : "the answer is not JSON") < 0 ? -ENOMEM : 1;
    if (!json_is_object(value))
        return buf_add_str(words, "the answer is not a JSON object at its top level") < 0 ? -ENOMEM : 1;
    int r = schema_check(s, value, &e);
    if (!r || r == -ENOMEM)
        return r;
    if (r < 0)
        return buf_add_str(words, "the answer is too large or too deep to be checked against the schema") < 0 ? -ENOMEM : 1;
    (void)buf_add_format(words, "%s%s\"%s\": %s", e.pointer, *e.pointer ? ": " : "", e.keyword, e.text);
    return words->error ? -ENOMEM : 1;
}

int ask_json_read(const struct schema *s, const char *text, struct ask_json *ret, struct buf *words)
{
    struct ask_json found;
    bool several = find_json(text, &found);
    trim(&found);
    int r = judge(s, found.value, several, words);
    if (r)
        json_decref(found.value);
    else
        *ret = found;
    return r;
}
