/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON object in an answer. Models put it into a fence or between sentences although they were asked not to; one
 * object among other words is still the answer, two are none, and a whole object within a broken or unfinished one is not
 * what was asked for.
 */
#include <errno.h>
#include <ctype.h>
#include <string.h>

#include "ask/ask_priv.h"
#include "base/json_read.h"
#include "base/json_size.h"
#include "base/limits.h"

/* What is known of the answer's JSON besides the object that was found. */
enum found {
    FOUND_NONE,
    FOUND_SEVERAL, /* objects */
    FOUND_LIST,    /* objects, but in an array */
    FOUND_BROKEN,  /* what was meant as JSON and is not */
    FOUND_CUT,     /* what begins as JSON and does not end */
    FOUND_LARGE,   /* more values than are read */
};

/* Numbers past 64 bits are read as reals, and only then: an integer is exact otherwise. */
static json_t *load(const char *text, size_t len, size_t flags)
{
    json_t *j = json_read(text, len, flags, NULL);
    return j || errno == ENOMEM ? j : json_read(text, len, flags | JSON_DECODE_INT_AS_REAL, NULL);
}

/* How long the array or object is that starts here, by its brackets; 0 when they do not balance, and why. */
static size_t balanced(const char *s, size_t len, enum found *ret_why)
{
    *ret_why = FOUND_BROKEN;
    char open[LIMIT_ASK_NESTING];
    size_t depth = 0;
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '"') {
            i = json_string_end(s, len, i + 1) - 1;
        } else if (s[i] == '{' || s[i] == '[') {
            if (depth == sizeof open)
                return 0;
            open[depth++] = s[i] == '{' ? '}' : ']';
        } else if (s[i] == '}' || s[i] == ']') {
            if (open[--depth] != s[i])
                return 0;
            if (!depth)
                return i + 1;
        }
    }
    *ret_why = FOUND_CUT;
    return 0;
}

/* Whether a bracket was meant to begin JSON, of whatever quality, rather than standing among words: by what is next. */
static bool is_meant(const char *s, size_t len)
{
    static const char blanks[] = " \t\r\n";
    bool object = *s == '{';
    const char *end = s + len, *at = s + 1;
    while (at < end && strchr(blanks, *at))
        at++;
    if (at == end || strchr(object ? "\"'}/" : "\"'{[]/-0123456789", *at))
        return true;
    const char *word = at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    size_t letters = (size_t)(at - word);
    while (at < end && strchr(blanks, *at))
        at++;
    return letters && at < end && *at == (object ? ':' : ',');
}

/* One stretch of the text from bracket to bracket. Nothing within it is looked at by itself: a part of a broken answer is
 * no answer. */
static enum found take_stretch(const char *at, size_t len, struct ask_json *ret)
{
    json_t *j = load(at, len, 0);
    if (!j)
        return is_meant(at, len) ? FOUND_BROKEN : FOUND_NONE;
    if (json_is_array(j)) {
        bool objects = json_is_object(json_array_get(j, 0));
        json_decref(j);
        return objects ? FOUND_LIST : FOUND_NONE;
    }
    if (ret->value) {
        json_decref(j);
        return FOUND_SEVERAL;
    }
    *ret = (struct ask_json){j, at, len};
    return FOUND_NONE;
}

/* The only object among other words. */
static enum found find_object(const char *text, size_t len, struct ask_json *ret)
{
    enum found found = FOUND_NONE, why;
    const char *end = text + len;
    for (int tries = 0; text < end;) {
        if (*text != '{' && *text != '[') {
            text++;
            continue;
        }
        size_t n = balanced(text, (size_t)(end - text), &why);
        bool never = !n && (is_meant(text, (size_t)(end - text)) || ++tries == LIMIT_ASK_OBJECTS);
        enum found more = never ? why : n ? take_stretch(text, n, ret) : FOUND_NONE;
        if (never || more == FOUND_SEVERAL) {
            json_decref(take(ret->value));
            return more;
        }
        found = more ? more : found;
        text += n ? n : 1;
    }
    return found;
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

/* Gives a value only where the answer has one. */
static enum found find_json(const char *text, struct ask_json *ret)
{
    size_t len = strlen(text);
    unfence(&text, &len);
    *ret = (struct ask_json){NULL, text, len};
    if (!json_fits(text, len, LIMIT_REPLY_VALUES))
        return FOUND_LARGE;
    ret->value = load(text, len, JSON_DECODE_ANY); /* what is no object is told by its type */
    return ret->value ? FOUND_NONE : find_object(text, len, ret);
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

#define NO_OBJECT TOP "\"type\": must be of type object, is "
#define TOP "top level: "

static const char *type_of(const json_t *value)
{
    static const char *const types[] = {
        [JSON_OBJECT] = "object", [JSON_ARRAY] = "array",  [JSON_STRING] = "string", [JSON_INTEGER] = "integer",
        [JSON_REAL] = "number",   [JSON_TRUE] = "boolean", [JSON_FALSE] = "boolean", [JSON_NULL] = "null",
    };
    return types[json_typeof(value)];
}

static int judge(const struct schema *s, const json_t *value, enum found found, struct buf *words)
{
    static const char *const nothing[] = {
        [FOUND_NONE] = "the answer is not JSON",
        [FOUND_SEVERAL] = "the answer has more than one JSON object",
        [FOUND_LIST] = (NO_OBJECT "array"),
        [FOUND_BROKEN] = "the answer is not JSON: its syntax is broken",
        [FOUND_CUT] = "the answer is not JSON: it breaks off before its end",
        [FOUND_LARGE] = "the answer has more JSON values than are read",
    };
    struct schema_error e = {0};
    if (!value)
        return buf_add_str(words, nothing[found]) < 0 ? -ENOMEM : 1;
    if (!json_is_object(value))
        return buf_add_format(words, NO_OBJECT "%s", type_of(value)) < 0 ? -ENOMEM : 1;
    int r = schema_check(s, value, &e);
    if (!r || r == -ENOMEM)
        return r;
    if (r < 0)
        return buf_add_str(words, "the answer is too large or too deep to be checked against the schema") < 0 ? -ENOMEM : 1;
    (void)buf_add_format(words, "%s%s\"%s\": %s", *e.pointer ? e.pointer : TOP, *e.pointer ? ": " : "", e.keyword, e.text);
    return words->error ? -ENOMEM : 1;
}

int ask_json_read(const struct schema *s, const char *text, struct ask_json *ret, struct buf *words)
{
    struct ask_json found;
    enum found what = find_json(text, &found);
    trim(&found);
    int r = judge(s, found.value, what, words);
    if (r)
        json_decref(found.value);
    else
        *ret = found;
    return r;
}
