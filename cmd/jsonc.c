/* SPDX-License-Identifier: Apache-2.0 */
/* Places in JSON text. The parser proper is jansson, which says what a text means but not where: see jsonc.h. */
#include "jsonc.h"

#include <string.h>

#include "base/cleanup.h"

static bool opens(char c)
{
    return c == '{' || c == '[';
}

static bool closes(char c)
{
    return c == '}' || c == ']';
}

static size_t skip_string(const char *t, size_t at)
{
    for (at++; t[at] && t[at] != '"'; at++)
        at += t[at] == '\\' && t[at + 1];
    return at + (t[at] == '"');
}

static size_t skip_value(const char *t, size_t at)
{
    size_t depth = 0;
    do {
        if (t[at] == '"') {
            at = skip_string(t, at);
        } else if (opens(t[at])) {
            depth++;
            at++;
        } else if (closes(t[at])) {
            depth--;
            at++;
        } else {
            at += MAX(strcspn(t + at, ",{}[]\" \t\r\n"), (size_t)1);
        }
    } while (depth && t[at]);
    return at;
}

size_t jsonc_skip_blank(const char *t, size_t at)
{
    return at + strspn(t + at, " \t\r\n");
}

struct jsonc_object jsonc_object(const char *t, size_t open, const char *key)
{
    struct jsonc_object o = {.open = open, .last_end = open + 1};
    size_t at = jsonc_skip_blank(t, open + 1), len = strlen(key);
    o.first = at;
    while (t[at] == '"') {
        size_t end = skip_string(t, at), value = jsonc_skip_blank(t, jsonc_skip_blank(t, end) + 1);
        o.last_end = skip_value(t, value);
        if (end - at == len + 2 && !memcmp(t + at + 1, key, len)) {
            o.found = true;
            o.key = at;
            o.value = value;
            o.value_end = o.last_end;
        }
        at = jsonc_skip_blank(t, o.last_end);
        at = t[at] == ',' ? jsonc_skip_blank(t, at + 1) : at;
    }
    o.close = at;
    return o;
}

void jsonc_blank_comments(char *t, size_t len)
{
    if (len >= 3 && !memcmp(t, "\xef\xbb\xbf", 3))
        memset(t, ' ', 3);
    for (size_t at = 0; at < len;) {
        bool line = !strncmp(t + at, "//", 2), block = !strncmp(t + at, "/*", 2);
        if (t[at] == '"') {
            at = skip_string(t, at);
        } else if (line || block) {
            const char *end = strstr(t + at + 2, line ? "\n" : "*/");
            size_t stop = end ? (size_t)(end - t) + (line ? 0 : 2) : len;
            for (; at < stop; at++)
                t[at] = t[at] == '\n' || t[at] == '\r' ? t[at] : ' ';
        } else {
            at++;
        }
    }
}

void jsonc_blank_commas(char *t, size_t len)
{
    char before = 0;
    for (size_t at = 0; at < len; at++) {
        at = jsonc_skip_blank(t, at);
        if (at >= len)
            return;
        if (t[at] == '"') {
            at = skip_string(t, at) - 1;
            before = '"';
            continue;
        }
        if (t[at] == ',' && before && before != ',' && !opens(before) && closes(t[jsonc_skip_blank(t, at + 1)]))
            t[at] = ' ';
        else
            before = t[at];
    }
}
